import json

import numpy as np
import pytest

from datasets.phone_ppg import phone_ppg_dataset_builder, reader, standin
from simper_tf.utils.errors import RawDataError


@pytest.fixture
def written(tmp_path):
    """Returns a folder of three recordings of 20 seconds, and their truth."""
    return tmp_path, standin.write(tmp_path, subjects=3, seconds=20)


def spoil(path, *changes):
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)


def test_labels_count_beats_in_part_over_the_window(tmp_path):
    (tmp_path / "s01.csv").write_text("time,R,G,B\n" + "\n".join(f"{ms},200,20,{ms % 7}" for ms in range(0, 9000, 100)))
    # Beats at 0, 1, 2, 3, 4, 4.5, 5, ... s: 4 and 8 of them within 8 seconds.
    (tmp_path / "s01.RR").write_text("1000 " * 4 + "500 " * 10)
    (window,) = reader.plan(reader.recording_of(tmp_path / "s01.csv"), 8.0, 2.0)
    assert window.label == pytest.approx(60 * 12 / 8)


def test_clips_are_resampled_at_the_times_of_the_frames(written):
    recording = reader.recording_of(written[0] / "s02.csv")
    key, example = list(reader.clips(recording, 8.0, 2.0, 15.0))[1]
    assert (key, example["subject"], example["clip"].shape) == ("s02/002.0", "02", (120, 1, 1, 3))
    expected = np.interp(2.0 + np.arange(120) / 15, recording.times, recording.colors[:, 1])
    np.testing.assert_allclose(example["clip"][:, 0, 0, 1], expected, rtol=1e-6)


def test_each_stand_in_has_its_own_heart_rate(written):
    folder, truth = written
    assert json.loads((folder / "truth.json").read_text()) == truth
    for path in reader.find(folder):
        labels = [window.label for window in reader.plan(reader.recording_of(path), 8.0, 2.0)]
        assert np.mean(labels) == pytest.approx(truth[path.stem]["heart_rate"], rel=0.02)


def test_windows_across_lost_frames_are_skipped_by_name(written):
    path = written[0] / "s01.csv"
    lines = path.read_text().splitlines()
    path.write_text(
        "\n".join(line for line in lines if not line[:2].isdigit() or not 9000 < int(line.split(",")[0]) < 9700)
    )
    windows = reader.plan(reader.recording_of(path), 8.0, 2.0)
    assert [bool(window.problem) for window in windows] == [False, True, True, True, True, False]
    assert windows[1].problem.endswith("s between two frames")


def test_no_window_reaches_beyond_the_last_beat(written):
    path = written[0] / "s01.RR"
    path.write_text("900 " * 13)
    windows = reader.plan(reader.recording_of(path.with_suffix(".csv")), 8.0, 2.0)
    assert len(windows) == 2  # 11.7 s of beats: at 0 and 2 s.


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("s01.csv", ("time,R,G,B", "time,G,R,B"), "found the header 'time,G,R,B'; expected 'time,R,G,B'"),
        ("s01.csv", ("\n", "\n9,x,1,1\n"), "could not convert string to float: 'x'; expected numbers alone"),
        ("s01.csv", ("\n", "\n1e9,1,1,1\n"), "found times that do not increase"),
        ("s01.csv", ("\n", "\n0,nan,1,1\n"), "rows of finite numbers; expected"),
        ("s01.csv", ("\n", "\n0,1,1\n"), "expected numbers alone"),
        ("s01.RR", (" ", " 0 "), "found an interval of 0 ms; expected 200 to 4000 ms"),
    ],
)
def test_what_is_not_in_the_format_is_refused_by_name(written, name, change, message):
    spoil(written[0] / name, change)
    with pytest.raises(RawDataError, match=message) as raised:
        reader.recording_of(written[0] / "s01.csv")
    assert str(raised.value).startswith(str(written[0] / name))


def test_recordings_without_beats_are_not_found(written):
    for path in written[0].glob("*.RR"):
        path.unlink()
    with pytest.raises(RawDataError, match=r"found no recording; expected NAME\.csv with NAME\.RR beside it"):
        reader.find(written[0])


def test_a_split_without_a_usable_window_is_refused(written):
    recordings = [reader.recording_of(path) for path in reader.find(written[0])]
    config = phone_ppg_dataset_builder.PhonePpgConfig(name="long", seconds=30.0)
    with pytest.raises(ValueError, match=r"The train split would be empty\. s0\d: .* shorter than one window of 30 s"):
        reader.splits(recordings, config)


def test_each_order_tests_seven_of_the_21_people():
    people = [reader.Recording(f"s{name}", name, *_eight_seconds()) for name in reader.SUBJECTS]
    tested = set()
    for config in phone_ppg_dataset_builder.Builder.BUILDER_CONFIGS:
        splits = reader.splits(people, config)
        assert [len(part) for part in splits.values()] == [12, 2, 7]
        tested.add(frozenset(window.subject for window in splits["test"]))
    assert len(tested) == phone_ppg_dataset_builder.NUM_SPLITS


def _eight_seconds():
    times = np.arange(0, 9, 0.1)
    return times, np.ones((len(times), 3)), np.arange(10.0)
