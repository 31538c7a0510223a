"""Hourly land surface temperature -> windows of maps and the temperatures of the hours after them.

Temperatures are degrees Celsius. Regions are the four quarters of the satellite's image, sea included; what counts as
land is what is measured now and then.
"""

import functools
from typing import NamedTuple

import numpy as np

from simper_tf.data import checks
from simper_tf.utils.errors import RawDataError

from . import goes

SPLITS = ("train", "validation", "test")
RULES = ("region", "time")  # By which windows are divided into them.
LEAST_MEASURED = 0.05  # Share of the hours in which a cell must be measured to count as land.
LONGEST_BRIDGE = 3  # Hours of a gap filled by a straight line.
MOST_MISSING = 0.25  # Share of the hours of a window, or of its target, that may be missing altogether.


class HourlyMaps(NamedTuple):
    """Hourly maps of the four quarters, without holes in the time axis."""

    start: np.datetime64  # The first hour.
    maps: np.ndarray  # (hours, 4, size, size) float32 degrees C; NaN where not measured, a missing hour throughout.
    land: np.ndarray  # (4, size, size) bool: the cells over which a target is the mean.
    missing: list  # The hours without a file, `datetime64[h]`.
    offset: int = 0  # Hours of the period that was asked for before the first.
    period: int = 0  # Hours of that period; 0 if it is that of the maps.

    def observed(self, quarter, start=0, end=None):
        """Returns `(end - start,)` float32: the share of the quarter's land measured in each hour."""
        return np.isfinite(self.maps[start:end, quarter, self.land[quarter]]).mean(axis=1, dtype=np.float32)


def read_hourly_maps(root, start, end, size=100):
    """Reads the files of a period, anywhere below a folder, as `HourlyMaps` of its first file to its last.

    The period is from the hour `start`, such as `"2022-04-07T00"`, to before `end`. At 2,400 hours and 100 cells a side
    of a quarter it takes 384 MB, and while it is read one map more.

    A RawDataError says that there is no file of the period, a damaged one, maps of different shapes, or a quarter
    without land; a ValueError that a quarter has fewer pixels than cells.
    """
    paths = _find(root, start, end)
    first, last = min(paths), max(paths)
    hours = np.arange(first, last + 1)
    maps = np.full((len(hours), 4, size, size), np.nan, np.float32)
    shape = None
    for index, hour in enumerate(hours):
        if hour in paths:
            celsius = goes.read_map(paths[hour])
            shape = shape or celsius.shape
            if celsius.shape != shape:
                raise goes.damaged(paths[hour], f"a map of {celsius.shape} pixels beside others of {shape}")
            maps[index] = [goes.area_mean(quarter, size) for quarter in goes.quarters(celsius)]
    land = np.isfinite(maps).sum(axis=0) >= max(1, LEAST_MEASURED * len(paths))
    for name, cells in zip(goes.QUARTERS, land, strict=True):
        if not cells.any():
            raise RawDataError(root, f"no temperature in the quarter {name}", "land", "Check which sector it is.")
    start, end = np.datetime64(start, "h"), np.datetime64(end, "h")
    missing = [hour for hour in hours if hour not in paths]
    return HourlyMaps(first, maps, land, missing, int((first - start).astype(int)), int((end - start).astype(int)))


def _find(root, start, end):
    """Returns `{hour: path}` of the files of a period, in the order of time."""
    start, end = np.datetime64(start, "h"), np.datetime64(end, "h")
    paths = {hour: path for hour, path in sorted(goes.index_hours(root).items()) if start <= hour < end}
    if not paths:
        raise RawDataError(root, "no ABI-L2-LSTC file of GOES-16", f"files of {start} to {end}", "Sync them there.")
    return paths


def checkup(root, config):
    """Returns the `Checkup` of a folder, hour by hour, for the config of the builder."""
    paths = _find(root, config.start, config.end)
    units = [checks.Unit(str(hour), (path,), functools.partial(_examine, path)) for hour, path in paths.items()]
    hours = np.arange(config.start, config.end, dtype="datetime64[h]")
    missing = [str(hour) for hour in hours if hour not in paths]
    return checks.Checkup(units, missing, functools.partial(_decide, root, config))


def _examine(path, _):
    try:
        measured = np.isfinite(goes.read_map(path)).mean()
    except RawDataError as error:
        return checks.Report(problem=str(error))
    notes = () if measured else ("nothing in it was measured",)
    return checks.Report(frames=1, rate=1 / 3600, seconds=3600.0, notes=notes)


def _decide(root, config, _):
    recording = read_hourly_maps(root, config.start, config.end, config.size)
    splits, skipped = split_windows(recording, config)
    # Every hour serves all splits: they differ in the quarter, or share no more than hours near their borders.
    examples = {split: len(windows) for split, windows in splits.items()}
    return checks.Outcome(dict.fromkeys(splits, ()), examples, tuple(skipped))


class MapWindow(NamedTuple):
    """`window` hours of a quarter from hour `start` of a recording; its target is the `horizon` hours after them."""

    quarter: int
    start: int
    window: int
    horizon: int


def split_windows(recording, config):
    """Divides the windows of a recording into `{split: windows}`, lists of `MapWindow`, by the config of the builder.

    By the split `"region"` all windows of `test_quarter` test and those of `validation_quarter` validate. By `"time"`
    the last quarter of the windows of each region tests. Of the windows before them that share no hour with them, in
    clip or target, the last validate, as many as `validation_fraction` of all windows and at least one; those before
    these that share no hour with them train. It is so in the period that was asked for, whichever hours are missing,
    unless that leaves a split without windows: then in the hours at hand.

    Also returns a message about each window left out because more than `MOST_MISSING` of the hours of clip or target
    have no measurement of the quarter's land. A recording too short to give each split a window is a RawDataError; an
    unknown split or quarter, or one quarter for two splits, a ValueError.
    """
    length = config.window + config.horizon
    latest = (recording.period or len(recording.maps)) - recording.offset - length
    asked = range(-recording.offset, latest + 1, config.stride)
    starts = [start for start in asked if 0 <= start <= len(recording.maps) - length]
    by_quarter = _quarter_splits(config)
    by_start = _start_splits(starts, asked, length, config.validation_fraction)
    splits, skipped = {split: [] for split in SPLITS}, []
    for quarter, name in enumerate(goes.QUARTERS):
        empty = recording.observed(quarter) == 0
        for start in starts:
            middle, end = start + config.window, start + length
            lost = max(empty[start:middle].mean(), empty[middle:end].mean())
            split = by_quarter[name] if config.split == "region" else by_start.get(start)
            if lost > MOST_MISSING:
                skipped.append(f"{name}, window from {recording.start + start}: {lost:.0%} of its hours are missing")
            elif split:
                splits[split].append(MapWindow(quarter, start, config.window, config.horizon))
    if not all(splits.values()):
        numbers = ", ".join(f"{len(windows)} for {split}" for split, windows in splits.items())
        raise RawDataError(
            f"recording from {recording.start}",
            f"{len(recording.maps)} hours: windows {numbers}, {len(skipped)} skipped",
            f"at least {length} hours for a split by region, thrice as many and more for one by time, few missing",
            "Fetch more hours, or choose a shorter window.",
        )
    return splits, skipped


def _quarter_splits(config):
    """Returns `{quarter: split}` of a split by region."""
    held_out = {config.validation_quarter: "validation", config.test_quarter: "test"}
    if config.split not in RULES or len(held_out) < 2 or not held_out.keys() <= {*goes.QUARTERS}:
        raise ValueError(
            f"split is one of {RULES}, validation_quarter and test_quarter are two of {goes.QUARTERS}. Received "
            f"{config.split!r}, {config.validation_quarter!r} and {config.test_quarter!r}."
        )
    return dict.fromkeys(goes.QUARTERS, "train") | held_out


def _start_splits(starts, asked, length, fraction):
    """Returns `{first hour: split}` of windows at hand, by those asked for; none shares an hour with another split."""
    splits = {}
    for to_test, to_validate in ((asked, asked), (asked, starts), (starts, starts)):
        first_test = min(_last(to_test, len(to_test) // 4), default=0)
        before = [start for start in to_validate if start + length <= first_test]
        validation = _last(before, round(fraction * len(to_validate)))
        first_validation = min(validation, default=0)
        splits = {start: "train" for start in starts if start + length <= first_validation}
        splits |= {start: "validation" for start in starts if first_validation <= start <= first_test - length}
        splits |= {start: "test" for start in starts if start >= first_test}
        if {*splits.values()} == {*SPLITS}:
            break
    return splits


def _last(starts, count):
    """Returns the last so many, at least one if there is any."""
    return starts[-max(1, count) :]


def read_window(recording, window):
    """Cuts one example out of a recording, a dict.

    `clip` `(window, size, size, 1)` float32 degrees C without NaN, each gap filled from the hours of the clip alone
    (see `fill_gaps`); `mask` of its shape, True where measured; `rate` in frames per second; `label` `(horizon,)`
    float32 degrees C, the mean over the land of the quarter in the hours after the clip, their gaps filled from those
    hours alone; `observed` `(horizon,)` float32, the share of that land really measured; `quarter`, a name; `id`;
    `subject`, the same of windows that start within as many hours as one has with its target: these share most of what
    they show.
    """
    maps, land = recording.maps[:, window.quarter], recording.land[window.quarter]
    middle, end = window.start + window.window, window.start + window.window + window.horizon
    measured = np.isfinite(maps[window.start : middle])
    name = goes.QUARTERS[window.quarter]
    return {
        "clip": fill_gaps(maps[window.start : middle])[..., None],
        "mask": measured[..., None],
        "rate": np.float32(1 / 3600),
        "label": fill_gaps(maps[middle:end])[:, land].mean(axis=1, dtype=np.float64).astype(np.float32),
        "observed": recording.observed(window.quarter, middle, end),
        "quarter": name,
        "id": f"{name}_{recording.start + window.start}",
        "subject": f"{name}, stretch {window.start // (end - window.start)}",
    }


def fill_gaps(maps):
    """Fills the NaN of hourly `(T, H, W)` maps, the likeliest value first and from these maps alone.

    In order: a straight line in time across at most `LONGEST_BRIDGE` hours; the mean of the cell at the same hour of
    the other days; the mean of the cell; and where a cell has no value at all, the mean of the map at that hour.
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
    share = ((hours - before) / np.maximum(after - before, 1)).astype(np.float32)
    return np.where(bridged & ~finite, low + share * (high - low), maps)


def _mean(maps, axis):
    """The mean of the finite values, axes kept; NaN, in silence, where there is none."""
    finite = np.isfinite(maps)
    count = finite.sum(axis=axis, keepdims=True, dtype=np.float32)
    total = np.where(finite, maps, 0).sum(axis=axis, keepdims=True)
    return np.where(count > 0, total / np.maximum(count, 1), np.float32(np.nan))
