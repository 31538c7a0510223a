"""Samples of binary files with a rate of their own: NumPy arrays, sound, EDF, Biopac, XDF, WFDB and MATLAB."""

import contextlib
import importlib
import logging
import os
import pathlib
import re
import struct
import zipfile
import zlib
from typing import NamedTuple

import numpy as np
import pandas as pd

from simper_tf.tables import clock, rates
from simper_tf.tables.delimited import refuse_long
from simper_tf.tables.even_series import ROWS, Stored
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError, install

# From so many samples a second on a sound file is sound, in which repetitions are told by how loud it is: biosignals
# come at 2,000 at most, telephones at 8,000. A hundred values a second follow knocks of 20 Hz.
_SOUND_RATE, _LOUDNESS_RATE = 4000, 100
_LOUD_AT_ONCE = 2**10  # Values of loudness, of 10 s of sound.
# Of MATLAB's version 5: the type of a compressed array, and the bytes of it that are unpacked at a time.
_COMPRESSED, _BLOCK = 15, 2**20
_MOST_AT_ONCE = 2**30  # Bytes of frames that are not stored one after another.


class Sampled(NamedTuple):
    """Samples of a file.

    Attributes:
        values: `(T, C)` float64, or `Stored` in the file.
        rate: Samples per second; None where the file does not say.
        names: Of the channels.
        notes: Sentences on what was left out.
        times: `(T,)` seconds where the file has them, else None.
        step: Samples of the file to each of these.
    """

    values: np.ndarray | Stored
    rate: float | None
    names: list[str]
    notes: list[str] = []
    times: np.ndarray | None = None
    step: int = 1


class ArrayFile:
    """An array of a `.npy` file, of which one part along the first axis is in memory at a time.

    It is read rather than mapped: of a file that shrinks meanwhile, a map ends the process.

    Attributes:
        shape, dtype, ndim: As of the array.
        is_fortran: Whether it lies in the order of columns, of which only `whole` is read at once.

    Raises:
        RawDataError: the file is damaged, or holds no numbers of one to four axes, at least 3 in time.
    """

    def __init__(self, path: pathlib.Path):
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)  # Maps it, and looks at nothing but its header.
        except Exception as error:  # Of damaged headers NumPy raises whatever its parser ran into.
            found = (str(error) or type(error).__name__).splitlines()[0]
            raise RawDataError(
                path, f"a damaged array ({found})", "what numpy.save writes", "Save it again."
            ) from error
        if not isinstance(array, np.ndarray):
            array.close()
            raise RawDataError(path, "an archive", "one array, as numpy.save writes it", "Save its array by itself.")
        if array.dtype.kind not in "iuf" or not 1 <= array.ndim <= 4 or 0 in array.shape or len(array) < 3:
            expected = "numbers (T,), (T, C), (T, H, W) or (T, H, W, C), T at least 3"
            raise RawDataError(path, f"{array.dtype} of shape {array.shape}", expected, "Save them so.")
        stated, size = array.offset + array.nbytes, path.stat().st_size
        if stated != size:
            raise RawDataError(path, f"{size} bytes", f"{stated}, as its header says", "Save it again.")
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim
        self._path, self._offset, self._num_bytes = path, array.offset, array.nbytes
        self.is_fortran = array.ndim > 1 and not array.flags.c_contiguous
        if self.is_fortran and array.ndim > 2 and array.nbytes > _MOST_AT_ONCE:
            found = f"{array.nbytes / 2**30:.3g} GiB in the order of columns"
            raise RawDataError(path, found, "frame after frame", "Save numpy.ascontiguousarray(frames).")

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        """Yields its parts along the first axis."""
        if self.is_fortran:
            yield from self.whole()
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for _ in range(len(self)):
                yield self._read(file, self._num_bytes // len(self)).reshape(self.shape[1:])

    def whole(self) -> np.ndarray:
        """Returns all of it."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            return self._read(file, self._num_bytes).reshape(self.shape, order="F" if self.is_fortran else "C")

    def part(self, first: int, last: int) -> np.ndarray:
        """Returns some along the first axis, of an array in the order of rows."""
        with self._path.open("rb") as file:
            each = self._num_bytes // len(self)
            file.seek(self._offset + first * each)
            return self._read(file, (last - first) * each).reshape(last - first, *self.shape[1:])

    def _read(self, file, number):
        content = file.read(number)
        if len(content) < number:
            raise RawDataError(self._path, "less than before: it has shrunk", "the whole file", "Save it again.")
        return np.frombuffer(content, self.dtype)


def array(path: pathlib.Path) -> Sampled:
    """Returns a `.npy` array of a series, `(T,)` or `(T, C)`; raises what `ArrayFile` does."""
    held = ArrayFile(path)
    refuse_long(path, int(np.prod(held.shape)))
    channels = int(np.prod(held.shape[1:]))
    if held.is_fortran:
        return Sampled(held.whole().astype(np.float64), None, [""] * channels)
    return Sampled(Stored((len(held), channels), held.part), None, [""] * channels)


def sound(path: pathlib.Path) -> Sampled:
    """Returns the samples of a `.wav` or `.flac` file; of sound, 4,000 a second and more, how loud it is every 0.01 s.

    Raises:
        RawDataError: it is damaged, or its header contradicts itself.
    """
    soundfile = library(path, "soundfile")
    notes = _check_riff(path)
    with _reading_sound(path, soundfile), soundfile.SoundFile(os.fsencode(path)) as file:
        rate, channels, frames = file.samplerate, file.channels, len(file)
    if not 0 < rate <= 10**6 or frames < 3:
        raise RawDataError(path, f"{frames} samples at {rate} a second", "a recording", "Record it again.")

    def samples(first, last):
        with _reading_sound(path, soundfile), soundfile.SoundFile(os.fsencode(path)) as file:
            file.seek(first)
            found = file.read(last - first, dtype="float64", always_2d=True)
        if len(found) < last - first:
            raise RawDataError(path, f"{first + len(found)} samples", f"{frames}, as its header says", "Save it again.")
        return found

    if rate < _SOUND_RATE:
        refuse_long(path, frames * channels)
        return Sampled(Stored((frames, channels), samples), float(rate), [""] * channels, notes)
    step = rate // _LOUDNESS_RATE
    refuse_long(path, frames // step)
    # Blocks without an edge: a tone of 440 Hz would beat with plain ones of 0.01 s, 20 times a second.
    weights = np.hanning(2 * step + 2)[1:-1].reshape(2, step) / np.hanning(2 * step + 2).sum()

    def loudness(first, last):
        parts = []
        for start in range(first, last, _LOUD_AT_ONCE):
            stop = min(start + _LOUD_AT_ONCE, last)
            power = (samples(start * step, (stop + 1) * step) ** 2).mean(axis=1).reshape(-1, step)
            parts.append(np.sqrt(power[:-1] @ weights[0] + power[1:] @ weights[1]))
        return np.concatenate(parts)

    return Sampled(Stored((frames // step - 1, 1), loudness), rate / step, ["loudness"], notes, step=step)


@contextlib.contextmanager
def _reading_sound(path, soundfile):
    try:
        yield
    except (soundfile.SoundFileError, RuntimeError, OSError, ValueError) as error:
        raise damaged(path, error, "a sound file") from error


def _check_riff(path):
    """Returns a note where a wav file is cut off; refuses one whose header contradicts itself."""
    with path.open("rb") as file:
        start = file.read(36)
        size = os.fstat(file.fileno()).st_size
    if start[:4] != b"RIFF" or len(start) < 36 or start[12:16] != b"fmt ":
        return []
    (stated,), (channels, rate, speed, align, bits) = (
        struct.unpack_from("<I", start, 4),
        struct.unpack_from("<HIIHH", start, 22),
    )
    if (speed and align and speed % align == 0 and speed != rate * align) or not channels:
        said = f"{channels} channels of {bits} bits, {align} bytes at once, {rate} times and {speed} bytes a second"
        raise RawDataError(path, f"a header that contradicts itself ({said})", "a whole wav file", "Save it again.")
    missing = stated + 8 - size
    return [f"{missing:,} of {stated + 8:,} bytes are missing: the file is cut off."] if 1 < missing < 2**31 else []


def edf(path: pathlib.Path) -> Sampled:
    """Returns the signals of an EDF or BDF file that have the highest rate among those with numbers.

    Raises:
        RawDataError: it is damaged.
    """
    pyedflib = library(path, "pyedflib")

    @contextlib.contextmanager
    def opened():
        try:
            with pyedflib.EdfReader(os.fspath(path)) as file:
                yield file
        except ZeroDivisionError as error:
            raise RawDataError(path, "records of 0 s", "samples at a rate", "Save it again.") from error
        except (OSError, ValueError, IndexError) as error:
            if isinstance(error, RawDataError):
                raise
            raise damaged(path, error, "an EDF file") from error

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
    try:
        file = reader.read_headers(os.fspath(path))
        channels = file.datafile.channels
        names = [channel.name.strip() for channel in channels]
        kept, notes = _fastest(
            path, [one.samples_per_second for one in channels], [one.point_count for one in channels], names
        )
        if (missing := file.data_start_offset + file.data_length - path.stat().st_size) > 0:
            raise RawDataError(path, f"{missing:,} bytes too few", "a whole file", "Copy it again.")
        channels = reader.read(os.fspath(path), kept).datafile.channels
        values = np.stack([channels[k].data for k in kept], axis=1).astype(np.float64)
    except (RawDataError, MemoryError):
        raise
    except Exception as error:  # Of damaged headers it raises whatever its parser ran into.
        raise damaged(path, error, "an .acq file") from error
    return Sampled(values, float(channels[kept[0]].samples_per_second), [names[k] for k in kept], notes)


def xdf(path: pathlib.Path) -> Sampled:
    """Returns the stream of numbers with most of them in an `.xdf` file of the lab streaming layer, by its own times.

    Raises:
        RawDataError: it is damaged, holds no numbers, or what reads it is not installed.
    """
    pyxdf, said = library(path, "pyxdf", "formats"), _Said()
    logging.getLogger("pyxdf").addHandler(said)
    try:
        streams = pyxdf.load_xdf(os.fspath(path))[0]
        streams = [one for one in streams if isinstance(one["time_series"], np.ndarray) and one["time_series"].size > 2]
        if not streams:
            raise RawDataError(path, "no stream of numbers", "one or more", "Record it again.")
        best = max(streams, key=lambda one: one["time_series"].size)
        refuse_long(path, best["time_series"].size)
        about, values = best["info"], best["time_series"].astype(np.float64)
        rate, name = float(about["nominal_srate"][0]) or None, about["name"][0] or ""
    except (RawDataError, MemoryError):
        raise
    except Exception as error:  # Of damaged headers it raises whatever its parser ran into.
        raise damaged(path, error, "an .xdf file") from error
    finally:
        logging.getLogger("pyxdf").removeHandler(said)
    others = [str(one["info"]["name"][0]) for one in streams if one is not best]
    notes = (
        [f"Of several streams {name} is read, with most numbers; left out: {', '.join(others[:5])}."] if others else []
    )
    notes += [f"The file is damaged, or cut off: {word[:100]}" for word in said.words[:1]]
    return Sampled(values, rate, [name] * values.shape[1], notes, best["time_stamps"])


class _Said(logging.Handler):
    """Errors that a library writes to its log, where it goes on without what it cannot read."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.words = []

    def emit(self, record):
        self.words.append(record.getMessage())


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


def wfdb(path: pathlib.Path) -> Sampled:
    """Returns the signals of a WFDB record, named by its header or its signal file.

    Raises:
        RawDataError: its header is missing, names files elsewhere, or is damaged.
    """
    package, header = library(path, "wfdb"), path.with_suffix(".hea")
    if not header.is_file():
        raise RawDataError(path, "no header beside it", f"{header.name}, which names rate and format", "Copy both.")
    _check_beside(path, header, set())
    stem = os.fspath(header.with_suffix(""))

    def asked(function, *given, **settings):
        try:
            return function(stem, *given, **settings)
        except (RawDataError, MemoryError):
            raise
        except Exception as error:  # The reader of damaged headers raises whatever its parser ran into.
            raise damaged(path, error, "a WFDB record") from error

    def samples(first, last, **settings):
        return asked(package.rdrecord, sampfrom=first, sampto=last, **settings)

    about = asked(package.rdheader)
    if not about.n_sig:
        raise RawDataError(path, "a header of no signals", "one or more", "Copy it again.")
    refuse_long(path, (about.sig_len or 0) * about.n_sig)
    if not about.sig_len:  # Which the header need not say.
        record = asked(package.rdrecord)
        return Sampled(np.asarray(record.p_signal, np.float64), float(record.fs), list(record.sig_name))
    first = samples(0, 1)
    stored = Stored(
        (about.sig_len, len(first.sig_name)), lambda *span: samples(*span).p_signal,
        lambda: _check_sums(path, samples, about),
    )  # fmt: skip
    return Sampled(stored, float(first.fs), list(first.sig_name))


def _check_beside(path, header, seen):
    """Refuses a header, or that of a segment, whose files lie elsewhere or are none that end, such as named pipes."""
    seen.add(header)
    raw_files.refuse_unreadable(header, "a header", "Copy it again.")
    lines = header.read_bytes()[: 2**20].decode("latin-1").splitlines()
    names = [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
    if not names or not all(re.fullmatch(r"[\w.+~-]+(/\d+)?", name) and ".." not in name for name in names):
        raise RawDataError(header, f"the names {' '.join(names)[:60]}", "files beside it", "Copy them there.")
    for name in names[1:]:
        if name != "~" and os.path.lexists(place := header.with_name(name)) and not raw_files.is_readable(place):
            found = f"beside it {name}, which is no file that can be read"
            raise RawDataError(path, found, "its samples", "Copy them again.")
        if (segment := header.with_name(f"{name}.hea")) not in seen and os.path.lexists(segment):
            _check_beside(path, segment, seen)


def _check_sums(path, samples, about):
    """Refuses samples whose checksums, where the header has them, are others: some were changed."""
    stated = getattr(about, "checksum", None)
    if not stated or None in stated or {*(about.samps_per_frame or [1])} != {1}:
        return
    sums = np.zeros(len(about.sig_name), np.int64)
    for start in range(0, about.sig_len, ROWS):
        found = samples(start, min(start + ROWS, about.sig_len), physical=False).d_signal
        sums += found.astype(np.int64).sum(axis=0)
    wrong = [name for name, one, other in zip(about.sig_name, stated, sums, strict=True) if (one - other) % 2**16]
    if wrong:
        found = f"samples of {wrong[0]} that are not those of its checksum"
        raise RawDataError(path, found, "a whole record", "Copy it again.")


def matlab(path: pathlib.Path) -> Sampled:
    """Returns the largest array of numbers in a `.mat` or HDF5 file, by the rate or the times that it holds beside it.

    A record of PhysioNet, with a `.hea` file beside it, is read as such.

    Raises:
        RawDataError: it is damaged, or holds no series.
    """
    if path.with_suffix(".hea").is_file():
        return wfdb(path)
    import h5py
    import scipy.io

    try:
        if not (is_hdf5 := h5py.is_hdf5(path)):
            _refuse_swollen(path)
        held = dict(_of_hdf5(path) if is_hdf5 else _flat(scipy.io.loadmat(path, simplify_cells=True)))
    except (RawDataError, MemoryError):
        raise
    except Exception as error:  # The reader of damaged files raises whatever it ran into.
        raise damaged(path, error, f"a {path.suffix} file") from error
    return _largest(path, held)


def archive(path: pathlib.Path) -> Sampled:
    """Returns the largest array of numbers in a `.npz` file, by the rate or the times that it holds beside it.

    Raises:
        RawDataError: it is damaged, or holds no series.
    """
    try:
        with zipfile.ZipFile(path) as file:
            refuse_long(path, sum(entry.file_size for entry in file.infolist()) // 8)
        with np.load(path, allow_pickle=False) as file:
            held = dict(_flat(file))
    except (RawDataError, MemoryError):
        raise
    except Exception as error:  # Of damaged headers NumPy raises whatever its parser ran into.
        raise damaged(path, error, "a .npz file") from error
    return _largest(path, held)


def _refuse_swollen(path):
    """Refuses a file of version 5 whose compressed arrays would take more memory than a recording may."""
    with path.open("rb") as file:
        header, size = file.read(128), 0
        order = ">" if header[126:] == b"MI" else "<"
        while len(tag := file.read(8)) == 8:
            kind, length = struct.unpack(f"{order}II", tag)
            if kind != _COMPRESSED:
                file.seek(length, os.SEEK_CUR)
                continue
            unpack, left = zlib.decompressobj(), length
            while left > 0 and (packed := file.read(min(left, _BLOCK))):
                left -= len(packed)
                while packed:
                    size += len(unpack.decompress(packed, _BLOCK))
                    refuse_long(path, size // 8)
                    packed = unpack.unconsumed_tail


def _largest(path, held):
    """Returns the largest array of named ones, with rate and times from those beside it."""
    series = {name: value for name, value in held.items() if value.size >= 3 and value.ndim <= 2}
    flat = {name: value.ravel() for name, value in series.items() if max(value.shape) == value.size}
    moments = {name: value for name, value in flat.items() if clock.named(_last(name))[0]}
    channels = {name: value for name, value in series.items() if name not in moments and value.dtype.kind in "iuf"}
    if not channels:
        found = f"no series among {', '.join(held)[:60] or 'nothing'}"
        raise RawDataError(path, found, "an array of numbers", "Save one.")
    name = max(channels, key=lambda name: channels[name].size)
    values = np.atleast_2d(np.asarray(channels[name], np.float64))
    values = values.T if values.shape[0] < values.shape[1] else values
    refuse_long(path, values.size)
    single = {
        key: float(value.ravel()[0]) for key, value in held.items() if value.size == 1 and value.dtype.kind in "iuf"
    }
    stated = [rate for key, value in single.items() if (rate := rates.of_value(_last(key), value))]
    others = [other for other in channels if other != name]
    notes = [f"Of several arrays the largest, {name}, is read; left out: {', '.join(others[:5])}."] if others else []
    beside = [item for item in moments.items() if item[1].size == len(values)]
    seconds = clock.seconds(_last(beside[0][0]), "", _as_column(beside[0][1]))[0] if beside else None
    return Sampled(values, stated[0] if stated else None, [name] * values.shape[1], notes, seconds)


def _as_column(values):
    return values.astype(np.float64) if values.dtype.kind in "iuf" else pd.Series(values).astype("str")


def _last(name):
    return name.rpartition(".")[2].lower()


def _flat(held, before=""):
    """Yields the names and values of numbers in nested dictionaries."""
    for name, value in held.items():
        if str(name).startswith("__"):
            continue
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        elif (value := np.asarray(value)).dtype.kind in "iufUO":
            yield before + name, value


def _of_hdf5(path):
    """Yields the names and values of numbers in an HDF5 file, such as a `.mat` file of version 7.3."""
    import h5py

    items = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: items.setdefault(name, item) and None)
        sets = {name: item for name, item in items.items() if isinstance(item, h5py.Dataset) and name[0] != "#"}
        for name, item in sets.items():
            if item.external or item.is_virtual:
                found = f"a data set {name} whose values are in other files"
                raise RawDataError(path, found, "values in the file itself", "Copy them into it.")
        numbers = {name: item for name, item in sets.items() if item.dtype.kind in "iuf"}
        refuse_long(path, sum(item.size for item in numbers.values()))
        for name, item in items.items():
            dotted = name.replace("/", ".")
            if name in numbers:
                yield dotted, item[()]
            for key, value in item.attrs.items():  # Such as a rate beside its series.
                if np.size(value) == 1 and np.asarray(value).dtype.kind in "iuf":
                    yield f"{dotted}.{key}", np.asarray(value)


def library(path, name: str, extra: str = ""):
    """Returns a module that only some files need.

    Args:
        path: The file that needs it.
        name: Of the module.
        extra: Of the package that brings it; "" where it comes with the package itself.

    Raises:
        RawDataError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        action = install(extra) if extra else "Run pip install . in the folder of the checkout."
        found = f"a file for which the package {package} is missing"
        raise RawDataError(path, found, f"{package} installed", action) from error


def damaged(path, error: Exception, expected: str) -> RawDataError:
    """Returns what to raise of a file on which the library that reads it stumbles."""
    found = (str(error) or type(error).__name__).splitlines()[0][:200]
    return RawDataError(path, f"what cannot be read ({found})", expected, "Save or copy it again.")
