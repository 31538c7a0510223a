"""A miniature of GOES-16 land surface temperature: hourly NetCDF-4 files with days, weather, clouds, sea and gaps."""

import datetime
import json
import math
import pathlib

import cv2
import h5py
import numpy as np

from .goes import KELVIN, QUARTERS, quarters

HEIGHT, WIDTH = 300, 500  # Pixels: a fifth of the real sector a side, so that quarters make 100 cells of 1.5 x 2.5.
START = datetime.datetime(2022, 4, 7, tzinfo=datetime.UTC)  # The first hour of the published data set.
SCALE, OFFSET, FILL = 0.0025, 190.0, 65535  # Kelvin for a count, kelvin at count 0, and the count of no value.
FLAGS = ("high_quality_retrieval_qf", "medium_quality_retrieval_qf", "low_quality_retrieval_qf", "no_retrieval_qf")
# What tests write, and the config in which each split of it has a few clips.
SMALLEST = {"subjects": 1, "seconds": 5}, {"size": 6, "window": 32, "horizon": 8, "stride": 4, "split": "region"}


def write(out, subjects=26, seconds=20, seed=0, clouds=0.3, gaps=True):
    """Writes `ABI-L2-LSTC/YYYY/DDD/HH/OR_ABI-L2-LSTC-*.nc` as the archive has them, and `truth.json`.

    A second of the other stand-ins is ten hours here, and each subject after the first is a day more. So the usual 20
    seconds are the 200 hours of one clip and its target, and `subjects` is the number of windows of each quarter. A
    split by time needs 25 of them, and so does `tfds build`, which builds all configs. The share `clouds` of the map is
    under clouds; `gaps` leave out the files of one hour, and of four hours running.

    Returns the truth, also written: `start`, the list `missing` of hours without a file, counted from the start, and
    `land_mean`, for each quarter the mean temperature of its land in degrees Celsius for each hour, below clouds and in
    missing hours too.
    """
    out = pathlib.Path(out)
    hours = 10 * seconds + 24 * (subjects - 1)
    rng = np.random.default_rng(seed)
    weather, sky = _smooth_noise(rng, 30), _smooth_noise(rng, 12)
    threshold = np.quantile(sky, 1 - clouds)
    land = _land()
    missing = {hours // 3, *range(hours // 2, hours // 2 + 4)} if gaps else set()
    land_mean = {name: [] for name in QUARTERS}
    for hour in range(hours):
        celsius = _celsius(weather, hour)
        for name, part, ground in zip(QUARTERS, quarters(celsius), quarters(land), strict=True):
            land_mean[name].append(float(part[ground].mean(dtype=np.float64)))
        if hour not in missing:
            clear = np.roll(sky, 5 * hour, axis=1) <= threshold  # Clouds drift east, 5 pixels an hour.
            path = out / file_name(START + datetime.timedelta(hours=hour))
            # Which of the two spellings the real files have is not settled: the stand-in has both, by turns.
            write_map(path, celsius + KELVIN, land & clear, as_signed=hour % 2 == 0)
    truth = {"start": START.strftime("%Y-%m-%dT%H"), "missing": sorted(missing), "land_mean": land_mean}
    (out / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    return truth


def file_name(hour):
    """Returns the path of an hour's file in the archive: the scan starts 77 s after the hour and takes 142 s."""
    times = [hour + datetime.timedelta(seconds=seconds) for seconds in (77, 219, 309)]
    scan, done, created = (time.strftime("%Y%j%H%M%S") + "1" for time in times)
    folder = hour.strftime("ABI-L2-LSTC/%Y/%j/%H")
    return f"{folder}/OR_ABI-L2-LSTC-M6_G16_s{scan}_e{done}_c{created}.nc"


def write_map(path, kelvin, retrieved, as_signed=True, flags=None):
    """Writes one file of the product: `(H, W)` kelvin, with the fill value where nothing was retrieved.

    Counts are int16 with `_Unsigned` where `as_signed`, else uint16. Of DQF the `(H, W)` uint8 values and attributes
    may be given; by default they are those of 2022, high quality or no retrieval.
    """
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    counts = np.where(retrieved, np.round((kelvin - OFFSET) / SCALE), FILL).astype(np.uint16)
    quality, meaning = flags or (np.where(retrieved, 0, 3), _flag_meaning())
    with h5py.File(path, "w") as file:
        file.attrs["title"] = np.bytes_("ABI L2 Land Surface Temperature")
        for name, side, step, first in (("y", 0, -5.6e-5, 0.128212), ("x", 1, 5.6e-5, -0.101332)):
            # The small map spans the angles of the real one, 1500 x 2500 pixels.
            stretch = (1500, 2500)[side] / kelvin.shape[side]
            file[name] = (first + step * stretch * np.arange(kelvin.shape[side])).astype(np.float32)
            file[name].attrs["units"] = np.bytes_("rad")
            file[name].make_scale(name)
        _write_variable(file, "LST", counts, as_signed, _packing())
        _write_variable(file, "DQF", quality.astype(np.uint8), as_signed, meaning)


def _packing():
    return {
        "long_name": np.bytes_("ABI L2+ Land Surface (Skin) Temperature"),
        "units": np.bytes_("K"),
        "scale_factor": np.array([SCALE], np.float32),
        "add_offset": np.array([OFFSET], np.float32),
        "valid_range": np.array([9200, 61200], np.uint16),
    }


def _flag_meaning():
    return {
        "flag_values": np.arange(len(FLAGS), dtype=np.uint8),
        "flag_meanings": np.bytes_(" ".join(FLAGS)),
    }


def _write_variable(file, name, values, as_signed, attributes):
    """Writes a variable as NetCDF-4 does, its numbers and those of its attributes signed or not."""
    stored = np.dtype(values.dtype.str.replace("u", "i")) if as_signed else values.dtype
    variable = file.create_dataset(name, data=values.view(stored), compression="gzip", compression_opts=1, shuffle=True)
    attributes = {**attributes, "_FillValue": np.array([np.iinfo(values.dtype).max], values.dtype)}
    for key, value in attributes.items():
        variable.attrs[key] = value.view(stored) if getattr(value, "dtype", None) == values.dtype else value
    if as_signed:
        variable.attrs["_Unsigned"] = np.bytes_("true")
    for axis, dimension in enumerate(("y", "x")):
        variable.dims[axis].attach_scale(file[dimension])


def _celsius(weather, hour):
    """The temperature of every pixel: colder in the north and at night, with weather that drifts east and ages."""
    y = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None]
    x = np.linspace(0, 1, WIDTH, dtype=np.float32)
    # The sector spans some four hours of solar time, and the land is hottest about 13 h after its midnight.
    solar_hour = hour - 8 + 4 * x
    daily = (6 + 6 * y) * np.cos(math.tau * (solar_hour - 13) / 24)
    season = 0.1 * hour / 24
    fronts = np.roll(weather, 2 * hour, axis=1) * math.cos(math.tau * hour / 110)
    return 8 + 16 * y + daily + season + 4 * fronts


def _smooth_noise(rng, scale):
    """Noise of mean 0 and deviation 1 that varies over about `scale` pixels and wraps around from east to west."""
    noise = rng.standard_normal((HEIGHT, WIDTH)).astype(np.float32)
    wrapped = np.concatenate([noise] * 3, axis=1)
    smooth = cv2.GaussianBlur(wrapped, (0, 0), scale)[:, WIDTH : 2 * WIDTH]
    return (smooth - smooth.mean()) / smooth.std()


def _land():
    """Where there is land, in whole cells of any usual size: coasts run along multiples of 15 x 25 pixels."""
    land = np.ones((HEIGHT, WIDTH), bool)
    land[:, :50] = land[:, -50:] = False
    land[:30, :100] = land[-60:, 200:325] = False
    return land
