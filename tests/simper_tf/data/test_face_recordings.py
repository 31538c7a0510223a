import weakref

import numpy as np
import pytest

from simper_tf.data import checks, face_recordings, standin_faces, tfds_builders
from simper_tf.utils.errors import RawDataError

NUM_FRAMES = 200


def make(num_frames=NUM_FRAMES, frames=None, subject="s", heart_rate=72.0):
    times = np.rint(np.arange(num_frames) * 1e9 / 30.0).astype(np.int64)
    return face_recordings.FaceRecording(
        id=f"{subject}-1",
        subject=subject,
        times=times,
        series={"ppg": standin_faces.ppg(heart_rate, times * 1e-9)},
        frames=frames or (lambda: (np.full((8, 8, 3), i, np.uint8) for i in range(num_frames))),
    )


def spans(one, window, stride):
    clips = face_recordings.clips(one, one.frames(), window, stride)
    return [(example["clip"][0, 0, 0, 0], example["clip"][-1, 0, 0, 0]) for _, example in clips]


def test_windows_without_overlap_drop_the_rest():
    assert spans(make(), 90, 90) == [(0, 89), (90, 179)]


def test_windows_may_overlap_or_leave_gaps():
    assert spans(make(), 90, 45) == [(0, 89), (45, 134), (90, 179)]
    assert spans(make(), 60, 70) == [(0, 59), (70, 129), (140, 199)]


def test_frames_ppg_and_label_belong_together():
    one = make()
    ((key, example), _) = face_recordings.clips(one, one.frames(), 90, 90)
    assert key == example["id"] == "s-1/00000"
    np.testing.assert_array_equal(example["ppg"], np.float32(one.series["ppg"][:90]))
    assert example["label"] == pytest.approx(72.0, abs=0.5)
    assert example["rate"] == pytest.approx(30.0, abs=1e-6)


def test_a_flat_ppg_skips_its_clip_by_name_and_no_other(caplog):
    one = make()
    one.series["ppg"][90:180] = 1.0
    assert spans(one, 90, 90) == [(0, 89)]
    assert "s-1/00090: the PPG is constant" in caplog.text


def test_a_pause_between_frames_skips_its_clip_by_name():
    one = make()
    one.times[100:] += 2_000_000_000
    first, second = face_recordings.plan(one, 90, 90)
    assert first.problem == ""
    assert second.problem == "2.03 s between two frames"


def test_memory_is_bounded_by_first_frames_for_any_length():
    alive, most = [], 0

    def frames():
        nonlocal alive, most
        for index in range(600):
            frame = np.full((48, 64, 3), index % 256, np.uint8)
            alive = [reference for reference in alive if reference() is not None] + [weakref.ref(frame)]
            most = max(most, len(alive))
            yield frame

    assert len(list(face_recordings.face_clips(make(600, frames), 8, 60, 60))) == 10
    assert most <= 35


def test_frames_after_the_last_clip_are_decoded_too():
    decoded = []
    one = make(frames=lambda: (decoded.append(i) or np.zeros((8, 8, 3), np.uint8) for i in range(NUM_FRAMES)))
    list(face_recordings.clips(one, one.frames(), 90, 90))
    assert len(decoded) == NUM_FRAMES  # A reader tells only at the end that one was lost.


def names_of(splits):
    """Returns `{split: names of its subjects, in order}`."""
    return {split: list(dict.fromkeys(one.subject for one in ones)) for split, ones in splits.items()}


def divide(subjects, *arguments):
    return names_of(face_recordings.split_by_subject([make(2, subject=name) for name in subjects], *arguments))


@pytest.mark.parametrize(("count", "sizes"), [(3, [1, 1, 1]), (4, [2, 1, 1]), (10, [7, 1, 2]), (42, [30, 4, 8])])
def test_the_last_fifth_tests_and_the_tenth_before_it_validates(count, sizes):
    subjects = [f"{i:02d}" for i in range(count)]
    first, second = sizes[0], sizes[0] + sizes[1]
    assert divide(subjects, 0.8, 0.1) == {
        "train": subjects[:first],
        "validation": subjects[first:second],
        "test": subjects[second:],
    }


def test_recordings_of_a_subject_stay_in_one_split_when_shuffled():
    recordings = [make(2, subject=f"{i // 3}") for i in range(30)]
    tested = set()
    for seed in range(5):
        splits = face_recordings.split_by_subject(recordings, 0.8, 0.1, seed=seed)
        assert [len(ones) for ones in splits.values()] == [21, 3, 6]
        names = names_of(splits)
        assert sorted(name for side in names.values() for name in side) == [f"{i}" for i in range(10)]
        tested.add(tuple(names["test"]))
    assert len(tested) > 1


@pytest.mark.parametrize("seed", [None, 7])
def test_no_missing_subject_changes_the_split_of_another(seed):
    published = [f"{i:02d}" for i in range(20)]
    whole = divide(published, 0.8, 0.1, published, seed)
    assert [len(names) for names in whole.values()] == [14, 2, 4]
    for missing in published:
        expected = {split: [name for name in names if name != missing] for split, names in whole.items()}
        assert divide([name for name in published if name != missing], 0.8, 0.1, published, seed) == expected
    assert divide([*published, "99"], 0.8, 0.1, published, seed) == {**whole, "train": [*whole["train"], "99"]}


def test_where_a_split_would_be_empty_those_at_hand_are_divided():
    published = [f"{i:02d}" for i in range(10)]  # 07 validates, 08 and 09 test.
    assert divide(["00", "01", "02", "09"], 0.8, 0.1, published) == {
        "train": ["00", "01"],
        "validation": ["02"],
        "test": ["09"],
    }
    assert divide(["00", "01", "02"], 0.8, 0.1, published) == {"train": ["00"], "validation": ["01"], "test": ["02"]}
    # Two could be tested, but then nobody would be left to validate.
    assert divide(["07", "08", "09"], 0.8, 0.1, published) == {"train": ["08"], "validation": ["07"], "test": ["09"]}


def test_two_subjects_or_fractions_of_no_part_are_refused():
    with pytest.raises(ValueError, match=r"needs three subjects or more, found \['a', 'b'\]\. Copy more of them"):
        divide("ab", 0.8, 0.1)
    for fractions in ((0.8, 0.8), (0.8, 0.0), (1.0, 0.1)):
        with pytest.raises(ValueError, match="0 < validation_fraction < train_fraction < 1"):
            divide("abcd", *fractions)


def test_recordings_shorter_than_a_clip_are_refused_with_lengths():
    with pytest.raises(
        ValueError, match=r"The test split would be empty.* s-1: 200 frames are shorter than one clip of 300"
    ):
        face_recordings.require_clips({"train": [make(400)], "test": [make()]}, 300, 300)
    face_recordings.require_clips({"test": [make(), make(400)]}, 300, 300)


def test_a_split_by_subject_follows_the_config_and_gives_clips():
    recordings = [make(subject=f"{i}") for i in range(4)]
    config = tfds_builders.SubjectsConfig(name="half", window=90, stride=90, train_fraction=0.5)
    assert face_recordings.by_subject(recordings, config, "0123") == {
        "train": recordings[:1],
        "validation": recordings[1:2],
        "test": recordings[2:],
    }
    with pytest.raises(ValueError, match="The train split would be empty: not one clip of 300 frames"):
        face_recordings.by_subject(recordings, tfds_builders.SubjectsConfig(name="long", window=300), "0123")


def test_a_recording_is_reported_without_decoding():
    def refuse():
        raise AssertionError("decoded")

    report = checks.of_recording(lambda path: make(frames=refuse), "somewhere", 90, 90)
    assert (report.problem, report.frames, report.skipped) == ("", 200, ())
    assert report.rate == pytest.approx(30.0)
    assert report.labels == pytest.approx((72.0, 72.0), abs=0.5)


def test_a_report_has_an_error_instead_of_raising_it():
    def read(path):
        raise RawDataError(path, "nothing", "a recording", "Copy it.")

    report = checks.of_recording(read, "here", 90, 90)
    assert report == checks.Report("here: found nothing; expected a recording. Copy it.")
