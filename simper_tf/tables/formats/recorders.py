"""Signals of recorders of laboratories: EDF, Biopac and XDF."""

import contextlib
import logging
import os
import pathlib

import numpy as np

from simper_tf.tables.even_series import Stored
from simper_tf.tables.formats.sampled import Sampled, library, reading, unknown_kind
from simper_tf.tables.limits import refuse_long
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError

_EDF, _XDF = (b"0       ", b"\xffBIOSEMI"), b"XDF:"  # First bytes.


def edf(path: pathlib.Path) -> Sampled:
    """Returns the signals of an EDF or BDF file that have the highest rate among those with numbers.

    Raises:
        RawDataError: it is damaged.
    """
    pyedflib = library(path, "pyedflib")
    _refuse_others(path, _EDF, "EDF, EDF+, BDF or BDF+")

    @contextlib.contextmanager
    def opened():
        with reading(path, "an EDF file"):
            try:
                with pyedflib.EdfReader(os.fspath(path)) as file:
                    yield file
            except ZeroDivisionError as error:
                raise RawDataError(path, "records of 0 s", "samples at a rate", "Save it again.") from error

    with opened() as file:
        rates, lengths, labels = file.getSampleFrequencies(), file.getNSamples(), file.getSignalLabels()
        labels = [label.strip() for label in labels]
        kept, notes = _fastest(path, rates, lengths, labels)

    def samples(first, last):
        with opened() as file:
            return np.stack([file.readSignal(k, first, last - first) for k in kept], axis=1)

    values = Stored((int(lengths[kept[0]]), len(kept)), samples)
    return Sampled(values, float(np.max(rates)), [labels[k] for k in kept], notes)


def acq(path: pathlib.Path) -> Sampled:
    """Returns the channels of a Biopac `.acq` file that have the highest rate.

    Raises:
        RawDataError: it is damaged, cut off, or what reads it is not installed.
    """
    reader = library(path, "bioread.reader", "formats").Reader
    with reading(path, "an .acq file"):
        file = reader.read_headers(os.fspath(path))
        channels = file.datafile.channels
        names = [channel.name.strip() for channel in channels]
        kept, notes = _fastest(
            path,
            [channel.samples_per_second for channel in channels],
            [channel.point_count for channel in channels],
            names,
        )
        if (missing := file.data_start_offset + file.data_length - path.stat().st_size) > 0:
            raise RawDataError(path, f"{missing:,} bytes too few", "a whole file", "Copy it again.")
        channels = reader.read(os.fspath(path), kept).datafile.channels
        values = np.stack([channels[k].data for k in kept], axis=1).astype(np.float64)
    return Sampled(values, float(channels[kept[0]].samples_per_second), [names[k] for k in kept], notes)


def xdf(path: pathlib.Path) -> Sampled:
    """Returns the stream of numbers with most of them in an `.xdf` file of the lab streaming layer, by its own times.

    Raises:
        RawDataError: it is damaged, holds no numbers, or what reads it is not installed.
    """
    pyxdf = library(path, "pyxdf", "formats")
    _refuse_others(path, _XDF, "XDF")
    with reading(path, "an .xdf file"), _log_of("pyxdf") as said:
        streams = pyxdf.load_xdf(os.fspath(path))[0]
        streams = [
            stream
            for stream in streams
            if isinstance(stream["time_series"], np.ndarray) and stream["time_series"].size > 2
        ]
        if not streams:
            raise RawDataError(path, "no stream of numbers", "one or more", "Record it again.")
        best = max(streams, key=lambda stream: stream["time_series"].size)
        refuse_long(path, best["time_series"].size)
        about, values = best["info"], best["time_series"].astype(np.float64)
        rate, name = float(about["nominal_srate"][0]) or None, about["name"][0] or ""
    others = [str(stream["info"]["name"][0]) for stream in streams if stream is not best]
    notes = (
        [f"Of several streams {name} is read, with most numbers; left out: {', '.join(others[:5])}."] if others else []
    )
    notes += [f"The file is damaged, or cut off: {word[:100]}" for word in said[:1]]
    return Sampled(values, rate, [name] * values.shape[1], notes, best["time_stamps"])


@contextlib.contextmanager
def _log_of(name):
    """Yields the errors that a library writes to its log, where it goes on without what it cannot read."""
    words, handler = [], logging.Handler(logging.ERROR)
    handler.emit = lambda record: words.append(record.getMessage())
    logging.getLogger(name).addHandler(handler)
    try:
        yield words
    finally:
        logging.getLogger(name).removeHandler(handler)


def _refuse_others(path, starts, kinds):
    if not raw_files.head(path).startswith(starts):
        raise unknown_kind(path, kinds)


def _fastest(path, rates, lengths, names):
    """Returns which signals have the highest rate, and most samples at it, and a note on the others."""
    if not len(rates):
        raise RawDataError(
            path, "no signals, such as annotations alone", "one or more", "Name the file of the signals."
        )
    refuse_long(path, int(np.sum(lengths)))
    rates, lengths = np.asarray(rates), np.asarray(lengths)
    kept = np.flatnonzero((rates == rates.max()) & (lengths == lengths[rates == rates.max()].max())).tolist()
    left = [name for k, name in enumerate(names) if k not in kept]
    return kept, [f"Signals of a lower rate are left out: {', '.join(left[:5])}."] if left else []
