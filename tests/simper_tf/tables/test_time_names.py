"""Names of columns of times, in many languages, with their units in every notation, and names of what is none."""

import itertools

import numpy as np
import pytest

from simper_tf.tables import series_files
from simper_tf.tables.times import time_units
from simper_tf.utils.errors import RawDataError
from tests.simper_tf.tables import made_series

STEPS = np.arange(made_series.COUNT, dtype=np.float64)
NAMES = (
    "time", "timestamp", "sampleTime", "SampleTimestamp", "sample_time", "frame time", "deviceTime", "elapsedTime",
    "tempo", "tid", "Tidspunkt", "zeit", "Messzeit", "Zeitstempel", "temps", "tiempo", "czas", "tijd", "aika", "čas",
    "idő", "timp", "aeg", "zaman", "время",
)  # fmt: skip
UNITS = {
    "ms": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "ns": 1e-9,
    "s": 1,
    "sec": 1,
    "seconds": 1,
    "min": 60,
    "minutes": 60,
    "h": 3600,
}
FORMS = ("{}_{}", "{} {}", "{} ({})", "{} [{}]", "{}.{}", "{}-{}", "{}/{}", "{}, {}", "{} in {}", "{}({})")


def notations(name, unit):
    """Yields a name with its unit in every notation."""
    for form, change in itertools.product(FORMS, (str, str.lower, str.upper, str.capitalize)):
        yield form.format(change(name), change(unit) if unit != "µs" else unit)
    if unit != "µs":  # Of it the capital is that of another alphabet.
        yield f"{name}{unit.capitalize()}"
        yield f"{name[0].upper()}{name[1:]}{unit.capitalize()}"
        yield f"{name}{unit.upper()}"
    if len(unit) > 1:
        yield f"{name}{unit}"
        yield f"{name}{unit}".lower()


@pytest.mark.parametrize("name", NAMES)
def test_a_time_is_told_by_name_and_unit_in_any_notation(name):
    for unit, seconds in UNITS.items():
        for written in notations(name, unit):
            assert time_units.named(written) == (True, seconds), written


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("written", ["{}", "{}Ms", "{} (min)", "{}_us"])
def test_a_column_of_that_name_is_the_clock(tmp_path, name, written):
    path = made_series.write(tmp_path, f"{written.format(name)},x", 40 * STEPS, made_series.WAVE)
    seconds = {"{}": 1e-3, "{}Ms": 1e-3, "{} (min)": 60, "{}_us": 1e-6}[written]
    series = series_files.series_of(path)
    np.testing.assert_allclose(series.times, 40 * seconds * STEPS)
    assert series.names == ("x",)


OTHERS = (
    "temperature", "tension", "tide", "tidal", "timeout", "time_of_flight", "time zone", "UTC offset", "sample",
    "samples", "sample (s)", "frame", "frame_index", "Frame (ms)", "row", "tmin", "tmax", "thr", "t2", "contempo",
    "tempo_bpm", "tempo (BPM)", "tempo [1/min]", "tempo_x", "track tid", "song tempo", "template", "temperament",
    "centimes", "maritime", "seconds of arc", "Zeitung", "aikido", "tides", "tidy", "elevation", "mm", "Kms",
)  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_only_looks_like_the_name_of_a_time_is_none(name):
    assert time_units.named(name) == (False, None)
    assert not time_units.is_vague(name)


def test_a_tempo_of_music_is_a_channel(tmp_path):
    tempo = 120 + 10 * np.sin(STEPS / 3) + STEPS
    path = made_series.write(tmp_path, "tempo,x", tempo, made_series.WAVE)
    assert series_files.series_of(path, 4.0).names == ("tempo", "x")


@pytest.mark.parametrize("name", ["tempo", "tid"])
@pytest.mark.parametrize("header", ["{},time,x", "time,{},x"])
def test_beside_another_clock_a_vague_name_is_none(tmp_path, header, name):
    columns = [STEPS / 10, 60 + STEPS / 2][:: 1 if header.startswith("time") else -1]
    path = made_series.write(tmp_path, header.format(name), *columns, made_series.WAVE)
    np.testing.assert_allclose(series_files.series_of(path).times, STEPS / 10)


def test_a_vague_name_is_taken_for_the_clock_with_a_note(tmp_path):
    series = made_series.read(tmp_path, "tempo,x", STEPS / 10, made_series.WAVE)
    assert series.notes == ("The column 'tempo' rises by 0.1 and is taken for seconds.",)


@pytest.mark.parametrize("name", ["tempo", "tid"])
def test_a_vague_name_that_rises_unevenly_is_asked_for(tmp_path, name):
    path = made_series.write(tmp_path, f"{name},x", np.cumsum(1 + (STEPS % 7) ** 2), made_series.WAVE)
    with pytest.raises(RawDataError, match=f"Column '{name}' rises and may be a clock: name it, `time={name}`."):
        series_files.series_of(path)
    assert len(series_files.series_of(path, time=name).times) == len(STEPS)


@pytest.mark.parametrize("unit", ["s/256", "1/256 s", "1/256s", "sec/256", "S / 256"])
def test_a_part_of_a_second_is_a_unit(unit):
    for name in (f"time [{unit}]", f"timestamp ({unit})", f"elapsed {unit}"):
        assert time_units.named(name) == (True, 1 / 256), name
    assert time_units.named("time", unit.lower()) == (True, 1 / 256)
    assert not time_units.named(f"speed [m{unit}]")[0]


@pytest.mark.parametrize("step", [1, 4, 256])
def test_stamps_of_milliseconds_or_256ths_ask_for_the_rate(tmp_path, step):
    stamps = [1_420_000_000 * 256 + step * k for k in range(made_series.COUNT)]
    path = made_series.write(tmp_path, "timestamp,x", stamps, made_series.WAVE)
    found = f"the column 'timestamp' with times {step} apart, which may be milliseconds or 1/256 s"
    for wish in ({}, {"time": "timestamp"}):
        with pytest.raises(RawDataError) as error:
            series_files.series_of(path, **wish)
        assert error.value.found == found
        assert error.value.action.startswith("Name the samples per second: `rate=NUMBER`.")
    np.testing.assert_allclose(series_files.series_of(path, 256 / step).times, STEPS * step / 256)
    told = made_series.write(tmp_path, "time [s/256],x", stamps, made_series.WAVE)
    np.testing.assert_allclose(series_files.series_of(told).times, STEPS * step / 256)


def test_stamps_of_milliseconds_of_today_are_in_no_doubt(tmp_path):
    stamps = [1_420_000_000_000 + 4 * k for k in range(made_series.COUNT)]
    series = series_files.series_of(made_series.write(tmp_path, "timestamp,x", stamps, made_series.WAVE))
    np.testing.assert_allclose(series.times, 0.004 * STEPS, atol=1e-6)
