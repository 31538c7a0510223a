"""Named arrays of MATLAB, HDF5, netCDF and `.npz`: the largest is the series, by the rate or times beside it."""

import os
import pathlib
import struct
import zipfile
import zlib

import numpy as np

from simper_tf.tables.formats import wfdb_records
from simper_tf.tables.formats.sampled import Sampled, reading, unknown_kind
from simper_tf.tables.limits import refuse_long
from simper_tf.tables.times import conventions, rates
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

# Of MATLAB's version 5: the type of a compressed array, and the bytes of it that are unpacked at a time.
_COMPRESSED, _BLOCK = 15, 2**20


def matlab(path: pathlib.Path) -> Sampled:
    """Returns the largest array of numbers of MATLAB, HDF5 or netCDF, by the rate or the times that stand beside it.

    A record of PhysioNet, with a `.hea` file beside it, is read as such.

    Raises:
        RawDataError: it is damaged, or holds no series.
    """
    if path.with_suffix(".hea").is_file():
        return wfdb_records.signals(path)
    import h5py
    import scipy.io

    with reading(path, f"a {path.suffix} file"):
        if h5py.is_hdf5(path):
            held = dict(_of_hdf5(path))
        elif raw_files.head(path).startswith(b"CDF"):
            held = dict(_of_netcdf(path))
        else:
            _refuse_unknown(path)
            _refuse_swollen(path)
            held = dict(_flat(scipy.io.loadmat(path, simplify_cells=True)))
    return _largest(path, held)


def archive(path: pathlib.Path) -> Sampled:
    """Returns the largest array of numbers in a `.npz` file, by the rate or the times that it holds beside it.

    Raises:
        RawDataError: it is damaged, or holds no series.
    """
    with reading(path, "a .npz file"):
        with zipfile.ZipFile(path) as file:
            refuse_long(path, sum(entry.file_size for entry in file.infolist()) // 8)
        with np.load(path, allow_pickle=False) as file:
            held = dict(_flat(file))
    return _largest(path, held)


def _refuse_unknown(path):
    """Refuses what is no file of MATLAB, whose older versions have no mark of their own."""
    from scipy.io import matlab

    try:
        matlab.matfile_version(path)
    except ValueError as error:
        raise unknown_kind(path, "MATLAB, HDF5 or netCDF") from error


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
    units = {name[: -len(conventions.UNITS)]: str(value) for name, value in held.items() if value.dtype.kind == "U"}
    held = {name: value.squeeze() if value.ndim > 2 else value for name, value in held.items()}
    series = {name: value for name, value in held.items() if value.size >= 3 and value.ndim <= 2}
    flat = {name: value.ravel() for name, value in series.items() if max(value.shape) == value.size}
    moments = {name: value for name, value in flat.items() if conventions.is_time(_last(name), units.get(name, ""))}
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
    beside = next((key for key, value in moments.items() if value.size == len(values)), None)
    seconds = beside and conventions.seconds(_last(beside), units.get(beside, ""), _as_column(moments[beside]))
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


def _of_netcdf(path):
    """Yields the names and values of numbers in a netCDF file of the classic kind, which is no HDF5."""
    import scipy.io

    if (version := raw_files.head(path)[3:4]) not in (b"\1", b"\2"):
        found = f"netCDF of version {version[0] if version else 'none'}"
        raise RawDataError(path, found, "1, 2 or 4", "Convert it: nccopy -k netCDF-4 FILE series.nc.")
    refuse_long(path, path.stat().st_size // 8)
    with scipy.io.netcdf_file(path, mmap=False) as file:
        arrays = {name: item for name, item in file.variables.items() if item.data.dtype.kind in "iuf"}
        refuse_long(path, sum(item.data.size for item in arrays.values()))
        for name, item in arrays.items():
            yield from conventions.described(name, item.data, item._attributes)
        yield from conventions.described("", None, file._attributes)


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
        for name, item in {**items, "": file}.items():
            values = item[()] if name in numbers else None
            yield from conventions.described(name.replace("/", "."), values, dict(item.attrs))
