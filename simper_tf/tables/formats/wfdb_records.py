"""Signals of WFDB records, as PhysioNet has them: a header and the files beside it."""

import os
import pathlib
import re

import numpy as np

from simper_tf.tables.even_series import ROWS, Stored
from simper_tf.tables.formats.sampled import Sampled, library, reading
from simper_tf.tables.limits import refuse_long
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError


def signals(path: pathlib.Path) -> Sampled:
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
        with reading(path, "a WFDB record"):
            return function(stem, *given, **settings)

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
    wrong = [
        name for name, checksum, other in zip(about.sig_name, stated, sums, strict=True) if (checksum - other) % 2**16
    ]
    if wrong:
        found = f"samples of {wrong[0]} that are not those of its checksum"
        raise RawDataError(path, found, "a whole record", "Copy it again.")
