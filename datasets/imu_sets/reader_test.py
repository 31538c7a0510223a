import dataclasses
import json

import numpy as np
import pytest

from datasets.imu_sets import imu_sets_dataset_builder, reader, standin
from simper_tf.utils.errors import RawDataError

ARMS = imu_sets_dataset_builder.ImuSetsConfig(name="arms")
ROW = "0.1,0.2,0.9,dumbbell-row,,10.0,"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Returns a folder of twelve sets of 30 seconds, and their truth."""
    folder = tmp_path_factory.mktemp("sets")
    return folder, standin.write(folder, subjects=12, seconds=30)


def of_lines(folder, *lines):
    path = folder / "arms" / "set.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines))
    return path


def test_counts_are_those_of_the_stand_in(written):
    folder, truth = written
    assert json.loads((folder / "truth.json").read_text()) == truth
    sets = [reader.recording_of(path) for path in reader.find(folder)]
    assert {recording.id: recording.count for recording in sets} == {
        name: true["count"] for name, true in truth.items()
    }
    assert not [reader.problem_of(recording) for recording in sets if reader.problem_of(recording)]


def test_the_moving_part_is_found_without_a_frequency(written):
    folder, truth = written
    for path in reader.find(folder):
        recording = reader.recording_of(path)
        start, stop = np.divide(reader.moving_part(recording.acceleration), reader.RATE)
        true = truth[recording.id]
        assert start == pytest.approx(true["start"], abs=1.5)
        assert stop == pytest.approx(true["stop"], abs=1.5)
        assert recording.count / (stop - start) == pytest.approx(
            true["count"] / (true["stop"] - true["start"]), rel=0.13
        )


def test_lying_down_before_a_set_is_left_out(written):
    recording = reader.recording_of(reader.find(written[0])[0])
    upright = np.array([0.0, 0.0, 1.5]) + 0.3 * np.sin(np.arange(400) / 5)[:, None]
    start, _ = reader.moving_part(np.concatenate([upright, recording.acceleration]))
    assert 350 < start < 550


def test_a_clip_is_the_mean_of_each_share_of_the_set():
    acceleration = np.stack([np.arange(600.0) % 2, np.sin(np.arange(600) / 20), np.zeros(600)], axis=1)
    recording = reader.Set("arms/a", "arms", "triceps-dips", 6.0, acceleration)
    start, stop = reader.moving_part(acceleration)
    ((key, example),) = reader.clips(recording, (stop - start) // 4)
    assert (key, example["label"]) == ("arms/a", 6.0)
    assert example["rate"] == pytest.approx(reader.RATE / 4, rel=0.03)
    np.testing.assert_allclose(example["clip"][:, 0, 0, 0], 0.5, atol=0.02)


def test_lossy_uncounted_and_short_sets_are_skipped(written):
    recording = reader.recording_of(reader.find(written[0])[0])
    lossy = recording._replace(acceleration=recording.acceleration[:1120])
    short = recording._replace(acceleration=recording.acceleration[:102], count=10.0)
    uncounted = recording._replace(count=None)
    problems = [reader.problem_of(spoiled) for spoiled in (lossy, short, uncounted)]
    assert [problem.split(", ")[0] for problem in problems] == [
        "its samples come in blocks of 112", "4.9 repetitions per second", "nobody counted its repetitions",
    ]  # fmt: skip
    assert not list(reader.clips(lossy, 64))


def test_alternating_curls_count_for_one_wrist(tmp_path):
    path = of_lines(tmp_path, *["0,0,1,alt-dumbbell-biceps-curl,,10.0,20"] * 3)
    assert reader.recording_of(path).count == 10


def test_a_last_row_that_breaks_off_is_left_out(tmp_path):
    recording = reader.recording_of(of_lines(tmp_path, ROW + "7", ROW + "7", "0.1,0.2,0.3,du"))
    assert (recording.count, len(recording.acceleration)) == (7.0, 2)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ((ROW + "7", "1,2,3,du", ROW + "7"), "found rows of other lengths; expected rows of x,y,z,exercise"),
        ((ROW + "7,8", ROW + "7"), "found rows of other lengths; expected rows of x,y,z,exercise"),
        ((ROW + "seven",), "could not convert string to float: 'seven'"),
        (("a" + ROW + "7",), "could not convert string to float: 'a0.1'"),
        ((ROW.replace("0.9", "nan") + "7",), "found acceleration that is not finite"),
        (("",), "found rows of other lengths; expected rows of x,y,z,exercise"),
        ((), "found rows of other lengths; expected rows of x,y,z,exercise"),
        ((ROW + "7", ROW + "8"), "found several exercises or counts; expected a file for each set"),
    ],
)
def test_what_is_not_in_the_format_is_refused_by_name(tmp_path, lines, message):
    path = of_lines(tmp_path, *lines)
    with pytest.raises(RawDataError, match=message) as raised:
        reader.recording_of(path)
    assert str(raised.value).startswith(str(path))


def test_a_folder_without_folders_of_sets_is_refused(tmp_path):
    (tmp_path / "set.csv").write_text(ROW + "7\n")
    with pytest.raises(RawDataError, match=r"found no set; expected arms/NAME\.csv"):
        reader.find(tmp_path)


@pytest.mark.parametrize("config", imu_sets_dataset_builder.Builder.BUILDER_CONFIGS, ids=lambda config: config.name)
def test_exercises_of_the_tested_folder_are_not_trained(written, config):
    sets = [reader.recording_of(path) for path in reader.find(written[0])]
    parts = reader.splits(sets, config)
    assert {recording.folder for recording in parts["test"]} == {config.tested}
    exercises = [{recording.subject for recording in members} for members in parts.values()]
    assert sum(map(len, exercises)) == len(set.union(*exercises))
    assert sum(map(len, parts.values())) == len(sets)


def test_a_split_without_a_set_is_refused(written):
    sets = [reader.recording_of(path) for path in reader.find(written[0])]
    config = dataclasses.replace(ARMS, tested="legs")
    with pytest.raises(ValueError, match=r"The test split would be empty"):
        reader.splits(sets, config)
