"""GOES-16 land surface temperature, product ABI-L2-LSTC: NetCDF-4 files -> maps in degrees Celsius, and their areas.

Read with h5py, because a NetCDF-4 file is an HDF5 file. NaN stands wherever there is no temperature.

Reference: GOES-R baseline products, https://www.goes-r.gov/products/baseline-LST.html
"""

import pathlib
import re

import cv2
import numpy as np

from simper_tf.data import hdf5
from simper_tf.utils import raw_files, worker
from simper_tf.utils.errors import RawDataError

QUARTERS = ("north_west", "north_east", "south_west", "south_east")
KELVIN = 273.15  # Of 0 °C.
PLAUSIBLE = (-100.0, 100.0)  # degrees C; no land is colder or hotter, so a value beyond them was unpacked wrongly.
# Words in the name of a quality flag which say that there is no usable temperature. Low quality, degraded and inland
# water do not: they are temperatures, and without them few pixels remain.
REJECTED_FLAGS = ("no_retrieval", "invalid", "cloud", "out_of_range")
LEAST_COVERAGE = 0.1  # Share of a cell's area that must be measured for the cell to have a value.

_NAME = re.compile(r"OR_ABI-L2-LSTC-M\d_G16_s(\d{4})(\d{3})(\d{2})\d{5}_e\d{14}_c(\d{14})\.nc")
_MOST_PIXELS = 2**25  # A little more than the full disk has; damage can state any shape.
_ATTRIBUTES = (
    "_FillValue",
    "_Unsigned",
    "add_offset",
    "flag_masks",
    "flag_meanings",
    "flag_values",
    "scale_factor",
    "units",
    "valid_range",
)
_PRODUCT = "a complete ABI-L2-LSTC file: LST in kelvin, packed, with DQF flags"
_AGAIN = "Fetch the file again, or remove it: a missing hour is a gap."


def hour_of(name):
    """Returns the hour of a file by its name, a `datetime64[h]`, or None if it is no GOES-16 ABI-L2-LSTC file.

    The name holds start, end and creation as year, day of the year, hour, minute, second and tenth; a scan of hour h
    starts a minute or so after h.
    """
    match = _NAME.fullmatch(name)
    if not match or not (1 <= int(match[2]) <= 366 and int(match[3]) < 24):
        return None
    return np.datetime64(f"{match[1]}-01-01T{match[3]}", "h") + 24 * (int(match[2]) - 1)


def index_hours(root):
    """Returns `{hour: path}` of the files anywhere below `root`; of two for one hour the one created last."""
    paths = raw_files.below(root, lambda name: hour_of(name) is not None)
    by_creation = sorted(paths, key=lambda path: (_NAME.fullmatch(path.name)[4], path))
    return {hour_of(path.name): path for path in by_creation}


def read_map(path):
    """Reads one file, in the bounded process that parses files.

    Returns `(H, W)` float32 degrees C; NaN where the file has its fill value, a value outside its valid range, or a
    quality flag that means there is no temperature. A file that is damaged or of another product is a RawDataError.
    """
    ((shape, content),) = worker.answers(f"{__name__}:maps", path)
    return np.frombuffer(content, np.float32).reshape(shape).copy()


def maps(path: str):
    """Yields the shape and the bytes of the map of a file; runs in the worker."""
    celsius = _map(pathlib.Path(path))
    yield celsius.shape, celsius.tobytes()


def _map(path):
    (counts, packing), (flags, meaning) = _read_variables(path, ("LST", "DQF"))
    if counts.shape != flags.shape or str(packing.get("units")) not in ("K", "kelvin"):
        raise damaged(path, f"LST {counts.shape} in {packing.get('units')!r}, DQF {flags.shape}")
    try:
        retrieved = _retrieved(flags, meaning) & _within_range(counts, packing)
        scale, offset = (np.float64(np.ravel(packing[name])[0]) for name in ("scale_factor", "add_offset"))
        if not scale > 0:
            raise ValueError(f"scale_factor {scale}")
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise damaged(path, f"attributes that cannot be used: {error!r}") from error
    celsius = np.where(retrieved, counts * np.float32(scale) + np.float32(offset - KELVIN), np.float32(np.nan))
    low, high = (function(celsius, initial=0.0, where=retrieved) for function in (np.min, np.max))
    if not (PLAUSIBLE[0] <= low and high <= PLAUSIBLE[1]):
        raise damaged(path, f"temperatures of {low:.1f} to {high:.1f} degrees C")
    return celsius


def _read_variables(path, names):
    """Returns for each variable its unsigned values and its attributes, strings decoded."""
    try:
        with hdf5.opened(path, _PRODUCT, _AGAIN) as file:
            return [_read_variable(hdf5.dataset(file, name)) for name in names]
    except RawDataError:
        raise
    # HDF5 answers damage with almost any error, from OSError to UnicodeDecodeError and SystemError.
    except Exception as error:
        raise damaged(path, f"{type(error).__name__}: {error}") from error


def _read_variable(dataset):
    if dataset.ndim != 2 or not 0 < dataset.size <= _MOST_PIXELS or dataset.dtype.kind not in "iu":
        raise ValueError(f"{dataset.name} of shape {dataset.shape} and type {dataset.dtype}")
    hdf5.refuse_damaged(dataset)
    attributes = {name: _text(dataset.attrs[name]) for name in dataset.attrs if name in _ATTRIBUTES}
    values = dataset[()]
    # NetCDF-3 had no unsigned types, and the product keeps its habit: signed values that are to be read as unsigned.
    if values.dtype.kind == "i" and attributes.get("_Unsigned", "false").lower() == "true":
        values = values.view(values.dtype.str.replace("i", "u"))
    return values, attributes


def _text(value):
    """An attribute as text if it is one: written as bytes or as str, alone or in an array of one."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "SO" and value.size == 1:
        value = value.item()
    return value.decode() if isinstance(value, bytes) else value


def _as_type_of(values, attribute):
    """Attributes of an unsigned variable may themselves be spelled signed: a fill of -1 is 65535."""
    attribute = np.ravel(attribute)
    if attribute.dtype.kind not in "iu":
        raise ValueError(f"{attribute} where whole numbers belong")
    return attribute.astype(np.int64).astype(values.dtype)


def _within_range(counts, packing):
    within = counts != _as_type_of(counts, packing["_FillValue"])[0]
    if "valid_range" in packing:
        low, high = _as_type_of(counts, packing["valid_range"])
        if low > high:
            raise ValueError(f"valid_range {low} to {high}")
        within &= (counts >= low) & (counts <= high)
    return within


def _retrieved(flags, meaning):
    """Where no flag says that there is no temperature, and some flag says anything at all."""
    names = meaning["flag_meanings"].split()
    everything = np.iinfo(flags.dtype).max
    has_values, has_masks = "flag_values" in meaning, "flag_masks" in meaning
    masks = _as_type_of(flags, meaning["flag_masks"]) if has_masks else np.full(len(names), everything, flags.dtype)
    # A mask without a value names a single bit: set is true.
    values = _as_type_of(flags, meaning["flag_values"]) if has_values else masks
    rejects = [any(word in name for word in REJECTED_FLAGS) for name in names]
    if not len(names) == len(values) == len(masks) or not any(rejects):
        raise ValueError(f"flag_meanings {names}, flag_values {values}, flag_masks {masks}")
    # Where only bits are named, no bit set means that nothing is wrong.
    known = np.zeros(flags.shape, bool) if has_values else flags == 0
    rejected = np.zeros(flags.shape, bool)
    for name_rejects, value, mask in zip(rejects, values, masks, strict=True):
        hit = (flags & mask) == value
        known |= hit
        if name_rejects:
            rejected |= hit
    return known & ~rejected


def quarters(celsius):
    """Returns the four quarters of a map, views in the order of `QUARTERS`. Row 0 is north, column 0 west."""
    middle_row, middle_column = (side // 2 for side in celsius.shape)
    halves = celsius[:middle_row], celsius[middle_row:]
    return [part for half in halves for part in (half[:, :middle_column], half[:, middle_column:])]


def area_mean(celsius, size):
    """Averages `(H, W)` float32 over `size` x `size` cells of equal area, ignoring NaN.

    A pixel on the border of two cells counts in each by the share of its area there. A cell of which less than
    `LEAST_COVERAGE` is measured is NaN. Fewer pixels than cells are a ValueError.
    """
    if min(celsius.shape) < size:
        raise ValueError(
            f"{size} x {size} cells cannot be averaged from {celsius.shape} pixels: ask for a smaller size."
        )
    measured = np.isfinite(celsius)
    sums, coverage = (
        cv2.resize(plane, (size, size), interpolation=cv2.INTER_AREA)
        for plane in (np.where(measured, celsius, 0).astype(np.float32), measured.astype(np.float32))
    )
    # Slightly less than the least coverage will do, because a coverage is a rounded sum.
    return np.where(coverage > LEAST_COVERAGE - 1e-5, sums / np.maximum(coverage, 1e-5), np.float32(np.nan))


def damaged(path, found):
    """Returns the error for a file that is not what the product documents."""
    return RawDataError(path, found, _PRODUCT, _AGAIN)
