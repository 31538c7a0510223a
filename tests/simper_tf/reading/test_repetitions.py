"""`simper_tf.read`: what may be given, what comes back, and what is refused."""

import fractions
import io
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from made_answers import answer, done

import simper_tf
from simper_tf.commands import sample
from simper_tf.reading import drawing
from simper_tf.utils.errors import RawDataError

TIMES = np.arange(0, 12, 0.05)
WAVE = np.sin(2 * np.pi * 0.75 * TIMES)


def bar():
    """Frames of a bar that swings at 0.75 Hz."""
    centers = 12 + 6 * WAVE
    rows = 255 * np.exp(-np.square((np.arange(24) - centers[:, None]) / 3))
    return np.repeat(rows[:, :, None], 20, axis=2).astype(np.uint8)


def made(*answers, **given):
    return simper_tf.Repetitions(**vars(done(*answers, **given)))


@pytest.mark.parametrize("given", [WAVE, WAVE[:, None], WAVE.tolist(), WAVE > 0, bar(), bar()[..., None], list(bar())])
def test_a_series_and_frames_are_counted_alike(given):
    found = simper_tf.read(given, rate=20)
    assert found.verdict == "clear"
    assert found.hertz == pytest.approx(0.75, rel=0.01)
    assert found.count in (8, 9)  # A last or first part of one may count.
    assert found.info.rate == pytest.approx(20)


@pytest.mark.parametrize("rate", [np.float32(20), np.array(20), [20], fractions.Fraction(20)])
def test_a_rate_may_be_any_one_real_number(rate):
    assert simper_tf.read(WAVE, rate, band=np.array([0.2, 3])).hertz == pytest.approx(0.75, rel=0.01)


def test_nanoseconds_between_samples_are_read_like_seconds():
    assert simper_tf.read(WAVE, rate=2e9).hertz == pytest.approx(0.75e8, rel=0.01)


@pytest.mark.parametrize("axes", [1, 2])
def test_what_is_masked_is_missing(axes):
    series = np.ma.array(WAVE, mask=np.arange(len(WAVE)) % 7 == 0)
    series.data[series.mask] = -999
    assert simper_tf.read(series.reshape(-1, *[1] * (axes - 1)), rate=20).hertz == pytest.approx(0.75, rel=0.01)


def test_a_name_that_is_empty_is_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("time,x\n0,1\n1,2\n2,1\n3,2\n")
    with pytest.raises(ValueError, match=r"^The name of a recording is empty\.$"):
        simper_tf.read("")


def test_results_are_compared_as_objects_and_may_be_keys():
    first, second = made(answer()), made(answer())
    assert first == first
    assert first != second
    assert first.answers != second.answers
    assert {first: 1, second: 2}[second] == 2
    assert {first.answers[0]: 1}[first.answers[0]] == 1
    again = pickle.loads(pickle.dumps(first))
    assert (str(again), again == first) == (str(first), False)


@pytest.mark.slow
def test_frames_may_come_one_after_another():
    assert simper_tf.read(iter(bar()), rate=20).hertz == simper_tf.read(bar(), rate=20).hertz


@pytest.mark.slow
def test_a_file_is_read_as_the_command_reads_it():
    found = simper_tf.read(sample.PATH)
    assert (found.count, f"{found.hertz:.3f}") == (9, "0.666")
    part = simper_tf.read(sample.PATH, end=8.0)
    assert part.count == 5
    assert part.times[-1][1] <= 8.0


def test_a_file_of_a_series_needs_no_rate_where_it_tells_it(tmp_path):
    lines = [f"{moment:.2f},{value:.5f}" for moment, value in zip(TIMES, WAVE, strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(["seconds,x", *lines]))
    assert simper_tf.read(tmp_path / "a.csv").hertz == pytest.approx(0.75, rel=0.01)


DATES = pd.Timestamp("2024-03-01") + pd.to_timedelta(TIMES, unit="s")
TABLES = {
    "a_column": pd.DataFrame({"time": TIMES, "x": WAVE}), "dates": pd.DataFrame({"when": DATES, "x": WAVE}),
    "spans": pd.DataFrame({"when": pd.to_timedelta(TIMES, unit="s"), "x": WAVE}),
    "an_index": pd.DataFrame({"x": WAVE}, index=pd.Index(TIMES, name="t")),
    "an_index_of_dates": pd.Series(WAVE, name="x", index=DATES.tz_localize("Europe/Berlin")),
    "an_index_of_spans": pd.Series(WAVE, name="x", index=pd.to_timedelta(TIMES, unit="s")),
    "numbers_alone": pd.DataFrame(np.stack([TIMES, WAVE], 1)), "lost": pd.DataFrame({"t": TIMES, "x": WAVE}).drop([9]),
}  # fmt: skip


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_a_table_of_pandas_brings_its_times(table):
    found = simper_tf.read(table)
    assert found.verdict == "clear"
    assert found.hertz == pytest.approx(0.75, rel=0.01)


def test_a_table_is_read_as_its_file(tmp_path):
    table = pd.DataFrame({"x": WAVE, "k": TIMES, "noise": np.random.default_rng(0).normal(size=len(WAVE))})
    table.to_csv(tmp_path / "a.csv", index=False)
    wishes = {"time": "k", "columns": ["x"], "start": 2}
    found = simper_tf.read(table, **wishes)
    assert found.times == simper_tf.read(tmp_path / "a.csv", **wishes).times
    assert found.channels == ("x",)
    assert list(table.columns) == ["x", "k", "noise"]  # It is left as it was.


def test_the_surest_answer_is_the_first_and_gives_the_times():
    found = made(answer(0.5, 1.0, 2), answer(1.0, 0.0, 9, confidence=0.7))
    assert found.times == ((1.0, 3.0), (3.0, 5.0))
    assert (found.hertz, found.count, len(found.answers)) == (0.5, 2, 2)


def test_nothing_gives_no_number():
    found = made()
    assert (found.verdict, found.answers, found.times, found.count) == ("nothing repeats", (), (), 0)
    assert np.isnan(found.hertz)
    assert str(found) == "nothing repeats"
    assert found.to_frame().empty
    assert "start_s" in found.to_frame().columns


def test_a_frame_has_a_row_for_every_repetition_of_each_answer():
    frame = made(answer(0.5, 1.0, 2), answer(1.0, 0.0, 3, channel=1), channels=("ECG", "breath"), stills=()).to_frame()
    assert frame.answer.tolist() == [1, 1, 2, 2, 2]
    assert frame.start_s.tolist() == [1.0, 3.0, 0.0, 1.0, 2.0]
    assert frame.channel.tolist() == ["", "", "breath", "breath", "breath"]
    assert frame.hertz.tolist() == [0.5, 0.5, 1.0, 1.0, 1.0]


def test_a_plot_is_the_picture_of_the_command():
    drawn = io.BytesIO()
    made(answer()).plot("bpm").save(drawn, "PNG")
    assert drawn.getvalue() == drawing.canvas(done(answer()), "bpm").png() != drawing.canvas(done(answer())).png()


@pytest.mark.parametrize(
    ("given", "rate", "sentence"),
    [
        (WAVE, None, "An array needs its samples or frames per second, such as read(array, rate=30)."),
        ([np.zeros((3, 3)), np.zeros((3, 4))], 20, "Frames must have one shape. Found: (3, 3), (3, 4)."),
        (WAVE, "20", "above 0: one number, or one for each of 1. Received: '20'."),
        (WAVE, 20 + 0j, "above 0: one number, or one for each of 1. Received: (20+0j)."),
        (WAVE, [20, 30], "above 0: one number, or one for each of 1. Received: [20, 30]."),
        (np.array(["a"] * 20), 20, "<U1 of shape (20,)"),
        ("none.mp4", None, "none.mp4: no such file."),
        (None, 20, "`recording` must be a path, an array, frames or a table. Received: NoneType."),
        (io.StringIO("time,x"), 20, "`recording` must be a path, an array, frames or a table. Received: StringIO."),
        ("a\0b.csv", None, "a\\x00b.csv: no such file."),
        ({"x": [1.0, 2.0]}, 20, "`recording` must be a path, an array, frames or a table. Received: dict."),
        (["a.csv", "b.csv"], None, "`recording` must be one. Received: 2 names. Read each by itself."),
        (pd.DataFrame({"x": WAVE}), None, "table: found samples without their rate"),
        (pd.DataFrame(), 20, "table: found no table"),
    ],
)
def test_what_is_no_recording_is_refused(given, rate, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        simper_tf.read(given, rate)


@pytest.mark.parametrize("band", [(2, 1), (0, 1), (1,), 3, "1,2"])
def test_a_band_without_a_width_is_refused(band):
    with pytest.raises(ValueError, match=r"`band` must be \(low, high\) in Hz"):
        simper_tf.read(WAVE, rate=20, band=band)


@pytest.mark.parametrize("crop", [(0.0, 0.25, 0.5, 0.5), (0, 0, 8), (0, 0, 8, 0), (-1, 0, 8, 8)])
def test_a_crop_that_is_not_in_pixels_is_refused(crop):
    with pytest.raises(ValueError, match=r"`crop` must be \(left, top, width, height\) in whole pixels"):
        simper_tf.read(bar(), rate=20, crop=crop)


@pytest.mark.slow
def test_the_place_of_an_answer_in_pixels_may_be_a_crop():
    film = np.pad(bar(), ((0, 0), (6, 10), (20, 0)))
    found = simper_tf.read(film, rate=20, crop=(10, 0, 30, 40))
    place = found.pixels(found.answers[0])
    assert place.left >= 10
    again = simper_tf.read(film, rate=20, crop=place)
    assert (again.count, again.view) == (found.count, place)


def test_several_recordings_are_refused_by_name(tmp_path):
    for name in "ab":
        np.save(tmp_path / f"{name}.npy", WAVE)
    with pytest.raises(ValueError, match=r"`recording` must be one\. Found: 2 in .*, such as .*a\.npy"):
        simper_tf.read(tmp_path, rate=20)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(RawDataError, match="a folder without a recording"):
        simper_tf.read(tmp_path)
