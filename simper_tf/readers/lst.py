"""GOES-16 land surface temperature (product ABI-L2-LSTC, NetCDF-4) -> hourly maps -> windows and their targets.

Temperatures are degrees Celsius, NaN where there is none. Regions are the four quarters of the image, not land masks.
Read with h5py: a NetCDF-4 file is an HDF5 file. Facts of the format: the GOES-R product users' guide and public readers.
"""

import pathlib
import re
from typing import NamedTuple

import cv2
import h5py
import numpy as np

from simper_tf.readers.errors import RawDataError

QUARTERS = ("north_west", "north_east", "south_west", "south_east")
SPLITS = ("region", "time")
KELVIN = 273.15
PLAUSIBLE = (-100.0, 100.0)  # degrees C; no land is colder or hotter, so a value beyond them was unpacked wrongly.
# Words in the name of a quality flag which say that there is no usable temperature. Low quality, degraded and inland
# water do not: they are temperatures, and without them few pixels remain.
REJECTED_FLAGS = ("no_retrieval", "invalid", "cloud", "out_of_range")
LEAST_COVERAGE = 0.1  # Share of a cell's area that must be measured for the cell to have a value.
LEAST_MEASURED = 0.05  # Share of the hours in which a cell must be measured to count as land.
LONGEST_BRIDGE = 3  # Hours of a gap filled by a straight line.
MOST_MISSING = 0.25  # Share of the hours of a window, or of its target, that may be missing altogether.

_NAME = re.compile(r"OR_ABI-L2-LSTC-M\d_G16_s(\d{4})(\d{3})(\d{2})\d{5}_e\d{14}_c(\d{14})\.nc")
_MOST_PIXELS = 10**8  # More than any sector of the imager has; damage can state any shape.
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
    paths = (path for path in pathlib.Path(root).rglob("*.nc") if hour_of(path.name) is not None)
    by_creation = sorted(paths, key=lambda path: (_NAME.fullmatch(path.name)[4], path))
    return {hour_of(path.name): path for path in by_creation}


def read_map(path):
    """Reads one file.

    Returns:
        `(H, W)` float32 degrees C; NaN where the file has its fill value, a value outside its valid range, or a
        quality flag that means there is no temperature.

    Raises:
        RawDataError: the file is damaged or not of this product.
    """
    (counts, packing), (flags, meaning) = _read_variables(path, ("LST", "DQF"))
    if counts.shape != flags.shape or packing.get("units") not in ("K", "kelvin"):
        raise _damaged(path, f"LST {counts.shape} in {packing.get('units')!r}, DQF {flags.shape}")
    try:
        retrieved = _retrieved(flags, meaning) & _within_range(counts, packing)
        scale, offset = (np.float64(np.ravel(packing[name])[0]) for name in ("scale_factor", "add_offset"))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise _damaged(path, f"attributes that cannot be used: {error!r}") from error
    celsius = np.where(retrieved, counts * np.float32(scale) + np.float32(offset - KELVIN), np.float32(np.nan))
    low, high = (function(celsius, initial=0.0, where=retrieved) for function in (np.min, np.max))
    if not (PLAUSIBLE[0] <= low and high <= PLAUSIBLE[1]):
        raise _damaged(path, f"temperatures of {low:.1f} to {high:.1f} degrees C")
    return celsius


def _read_variables(path, names):
    """Returns for each variable its unsigned values and its attributes, strings decoded."""
    try:
        with h5py.File(path, "r") as file:
            return [_read_variable(file[name]) for name in names]
    # HDF5 answers damage with almost any error, from OSError to UnicodeDecodeError and SystemError.
    except Exception as error:
        raise _damaged(path, f"{type(error).__name__}: {error}") from error


def _read_variable(dataset):
    if dataset.ndim != 2 or not 0 < dataset.size <= _MOST_PIXELS or dataset.dtype.kind not in "iu":
        raise ValueError(f"{dataset.name} of shape {dataset.shape} and type {dataset.dtype}")
    attributes = {name: _text(dataset.attrs[name]) for name in dataset.attrs if name in _ATTRIBUTES}
    values = dataset[()]
    # NetCDF-3 had no unsigned types, and the product keeps its habit: signed values that are to be read as unsigned.
    if values.dtype.kind == "i" and attributes.get("_Unsigned", "false").lower() == "true":
        values = values.view(values.dtype.str.replace("i", "u"))
    return values, attributes


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


def _text(value):
    """An attribute as text if it is one: written as bytes or as str, alone or in an array of one."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "SO" and value.size == 1:
        value = value.item()
    return value.decode() if isinstance(value, bytes) else value


def _as_type_of(values, attribute):
    """Attributes of an unsigned variable may themselves be spelled signed: a fill of -1 is 65535."""
    return np.ravel(np.asarray(attribute)).astype(np.int64).astype(values.dtype)


def _within_range(counts, packing):
    within = counts != _as_type_of(counts, packing["_FillValue"])[0]
    if "valid_range" in packing:
        low, high = _as_type_of(counts, packing["valid_range"])
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
    """Averages a map over `size` x `size` cells of equal area, ignoring NaN.

    A pixel on the border of two cells counts in each by the share of its area there.

    Args:
        celsius: `(H, W)` float32, with at least `size` rows and columns.
        size: Cells a side.

    Returns:
        `(size, size)` float32; NaN where less than `LEAST_COVERAGE` of the cell's area is measured.

    Raises:
        ValueError: the map has fewer pixels than cells.
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
    # Half a float32 rounding below: a cell of exactly the least coverage has it.
    return np.where(coverage > LEAST_COVERAGE - 1e-5, sums / np.maximum(coverage, 1e-5), np.float32(np.nan))


class Recording(NamedTuple):
    """Hourly maps of the four quarters, without holes in the time axis."""

    start: np.datetime64  # The first hour.
    maps: np.ndarray  # (hours, 4, size, size) float32 degrees C; NaN where not measured, a missing hour throughout.
    land: np.ndarray  # (4, size, size) bool: the cells over which a target is the mean.
    missing: list  # The hours without a file, `datetime64[h]`.

    def observed(self, quarter):
        """Returns `(hours,)` float32: the share of the quarter's land measured in each hour."""
        return np.isfinite(self.maps[:, quarter][:, self.land[quarter]]).mean(axis=1, dtype=np.float32)


def read_recording(root, start, end, size=100):
    """Reads the files of a period.

    Args:
        root: Folder; files are found by name anywhere below it.
        start: First hour of the period, such as `"2022-04-07T00"`.
        end: Hour after its last.
        size: Cells a side of each quarter.

    Returns:
        A `Recording` from the first hour of the period that has a file to the last. At 2,400 hours and 100 cells a
        side it takes 384 MB, and while it is read one map more.

    Raises:
        RawDataError: no file of the period, a damaged file, maps of different shapes or smaller than the cells, or a
            quarter without land.
    """
    start, end = np.datetime64(start, "h"), np.datetime64(end, "h")
    paths = {hour: path for hour, path in index_hours(root).items() if start <= hour < end}
    if not paths:
        raise RawDataError(root, "no ABI-L2-LSTC file of GOES-16", f"files of {start} to {end}", "Sync them there.")
    first, last = min(paths), max(paths)
    hours = np.arange(first, last + 1)
    maps = np.full((len(hours), 4, size, size), np.nan, np.float32)
    shape = None
    for index, hour in enumerate(hours):
        if hour in paths:
            celsius = read_map(paths[hour])
            shape = shape or celsius.shape
            if celsius.shape != shape or min(shape) < 2 * size:
                raise _damaged(paths[hour], f"a map of {celsius.shape} pixels, beside {shape}, for {size} cells a side")
            maps[index] = [area_mean(quarter, size) for quarter in quarters(celsius)]
    land = np.isfinite(maps).sum(axis=0) >= max(1, LEAST_MEASURED * len(paths))
    for name, cells in zip(QUARTERS, land, strict=True):
        if not cells.any():
            raise RawDataError(root, f"no temperature in the quarter {name}", "land", "Check which sector it is.")
    return Recording(first, maps, land, [hour for hour in hours if hour not in paths])


class Window(NamedTuple):
    """`window` hours of a quarter from hour `start` of a recording; its target is the `horizon` hours after them."""

    quarter: int
    start: int
    window: int
    horizon: int


def split_windows(recording, window=100, horizon=100, stride=24, split="region", test_quarter="south_east"):
    """Lists the windows of a recording.

    Args:
        recording: A `Recording`.
        window: Hours of a clip.
        horizon: Hours of a target.
        stride: Hours from one window to the next.
        split: `"region"` holds out all windows of `test_quarter`. `"time"` holds out the last quarter of the windows
            of each region, and drops the windows before them that share an hour, in clip or target, with them.
        test_quarter: One of `QUARTERS`.

    Returns:
        `(train, test, skipped)`: two lists of `Window`, and a list of messages about the windows left out because
        more than `MOST_MISSING` of the hours of clip or target have no measurement of the quarter's land.

    Raises:
        RawDataError: the recording is too short to give either split a window.
    """
    length = window + horizon
    starts = range(0, len(recording.maps) - length + 1, stride)
    first_test = starts[-max(1, len(starts) // 4)] if starts else 0
    train, test, skipped = [], [], []
    for quarter, name in enumerate(QUARTERS):
        empty = recording.observed(quarter) == 0
        for start in starts:
            lost = max(empty[start : start + window].mean(), empty[start + window : start + length].mean())
            if lost > MOST_MISSING:
                skipped.append(f"{name}, window from {recording.start + start}: {lost:.0%} of its hours are missing")
            elif (name == test_quarter) if split == "region" else (start >= first_test):
                test.append(Window(quarter, start, window, horizon))
            elif split == "region" or start + length <= first_test:
                train.append(Window(quarter, start, window, horizon))
    if not train or not test:
        raise RawDataError(
            f"recording from {recording.start}",
            f"{len(recording.maps)} hours, {len(train)} windows to train and {len(test)} to test, {len(skipped)} skipped",
            f"at least {length} hours for a split by region, {2 * length} for one by time, few of them missing",
            "Fetch more hours, or choose a shorter window.",
        )
    return train, test, skipped


def read_window(recording, window):
    """Cuts one example out of a recording.

    Returns:
        A dict: `clip` `(window, size, size, 1)` float32 degrees C without NaN, each gap filled from the hours of the
        clip alone (see `fill_gaps`); `mask` of its shape, True where measured; `rate` in frames per second; `label`
        `(horizon,)` float32 degrees C, the mean over the land of the quarter in the hours after the clip, their gaps
        filled from those hours alone; `observed` `(horizon,)` float32, the share of that land really measured;
        `quarter`, a name; `id`.
    """
    maps, land = recording.maps[:, window.quarter], recording.land[window.quarter]
    middle, end = window.start + window.window, window.start + window.window + window.horizon
    measured = np.isfinite(maps[window.start : middle])
    name = QUARTERS[window.quarter]
    return {
        "clip": fill_gaps(maps[window.start : middle])[..., None],
        "mask": measured[..., None],
        "rate": np.float32(1 / 3600),
        "label": fill_gaps(maps[middle:end])[:, land].mean(axis=1, dtype=np.float64).astype(np.float32),
        "observed": recording.observed(window.quarter)[middle:end],
        "quarter": name,
        "id": f"{name}_{recording.start + window.start}",
    }


def fill_gaps(maps):
    """Fills the NaN of hourly maps, the likeliest value first and from these maps alone.

    In order: a straight line in time across at most `LONGEST_BRIDGE` hours; the mean of the cell at the same hour of
    the other days; the mean of the cell; and where a cell has no value at all, the mean of the map at that hour.

    Args:
        maps: `(T, H, W)` float32, with one finite value at least.

    Returns:
        `(T, H, W)` float32, all finite.
    """
    filled = _bridge(maps)
    same_hour = np.empty_like(maps)
    for phase in range(min(24, len(maps))):
        same_hour[phase::24] = _mean(filled[phase::24], axis=0)
    for substitute in (same_hour, _mean(filled, axis=0)):
        filled = np.where(np.isfinite(filled), filled, substitute)
    return np.where(np.isfinite(filled), filled, _mean(filled, axis=(1, 2)))


def _bridge(maps):
    hours = np.arange(len(maps), dtype=np.int32)[:, None, None]
    finite = np.isfinite(maps)
    before = np.maximum.accumulate(np.where(finite, hours, -1), axis=0)
    after = np.minimum.accumulate(np.where(finite, hours, len(maps))[::-1], axis=0)[::-1]
    bridged = (before >= 0) & (after < len(maps)) & (after - before - 1 <= LONGEST_BRIDGE)
    low, high = (np.take_along_axis(maps, np.where(bridged, index, 0), axis=0) for index in (before, after))
    share = (hours - before) / np.maximum(after - before, 1).astype(np.float32)
    return np.where(bridged & ~finite, low + share * (high - low), maps)


def _mean(maps, axis):
    """The mean of the finite values, axes kept; NaN, in silence, where there is none."""
    finite = np.isfinite(maps)
    count = finite.sum(axis=axis, keepdims=True, dtype=np.float32)
    total = np.where(finite, maps, 0).sum(axis=axis, keepdims=True)
    return np.where(count > 0, total / np.maximum(count, 1), np.float32(np.nan))


def _damaged(path, found):
    return RawDataError(path, found, "a complete ABI-L2-LSTC file: LST in kelvin, packed, with DQF flags", _AGAIN)
