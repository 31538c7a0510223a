import hashlib
import shutil

import cv2
import numpy as np
import pytest

from datasets.ubfc import reader, standin
from simper_tf.data import checks, standin_faces, tfds_builders
from simper_tf.utils.errors import RawDataError

SIZE = {"height": 48, "width": 64}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ubfc")
    return folder, standin.write(folder, subjects=3, seconds=4, look=standin_faces.CLEAN, **SIZE)


@pytest.fixture
def subject(written, tmp_path):
    """A copy of a subject, to be spoiled."""
    return shutil.copytree(written[0] / "DATASET_2" / "subject3", tmp_path / "subject3")


def spoil_text(subject, change):
    path = subject / "ground_truth.txt"
    path.write_text(change(path.read_text()))


def test_frames_are_bit_exact_and_in_rgb(written):
    folder, truth = written
    for path in reader.find(folder):
        digest = hashlib.sha256()
        for frame in reader.recording_of(path).frames():
            assert frame.shape == (48, 64, 3)
            digest.update(frame)
        assert digest.hexdigest() == truth[path.name]["sha256"]


def test_rates_are_the_cameras_own_and_not_30(written):
    for path in reader.find(written[0]):
        report = checks.of_recording(reader.recording_of, path, 90, 90)
        assert report.rate == pytest.approx(written[1][path.name]["rate"], abs=1e-3)
        assert report.labels == pytest.approx((written[1][path.name]["heart_rate"],), abs=0.5)


def test_subjects_come_in_numeric_order_without_dataset_1(tmp_path):
    for name in ("subject10", "subject9", "5-gt", "subject1", "notes"):
        (tmp_path / name).mkdir()
    (tmp_path / "subject2").write_text("a file")
    assert [path.name for path in reader.find(tmp_path)] == ["subject1", "subject9", "subject10"]


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: None])
def test_an_empty_or_missing_folder_is_refused(tmp_path, make):
    make(tmp_path / "data")
    with pytest.raises(RawDataError, match="no folder named subject<N>"):
        reader.find(tmp_path / "data")


@pytest.mark.parametrize("kept", [0.62, 0.98])
def test_a_truncated_video_is_refused_by_name_before_decoding(subject, kept):
    path = subject / "vid.avi"
    with path.open("r+b") as file:
        file.truncate(int(kept * path.stat().st_size))
    with pytest.raises(RawDataError, match=r"subject3.vid\.avi: found \d+ frames of .*; expected \d+ frames of 64"):
        reader.recording_of(subject)


def test_a_video_cut_in_its_last_frame_is_refused_undecoded(subject):
    path = subject / "vid.avi"
    index_at_the_end = 8 + 16 * len(reader.recording_of(subject).times)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - index_at_the_end - 100)
    with pytest.raises(RawDataError, match=r"frames of 23\.\d+ bits a pixel; expected \d+ frames of 64 x 48"):
        reader.recording_of(subject)


def test_frames_lost_between_header_and_decoding_are_noticed(subject):
    with pytest.raises(RawDataError, match="only 119 decodable frames"):
        list(reader._read_frames(subject / "vid.avi", 100, 120))


def test_a_compressed_video_is_refused(subject):
    writer = cv2.VideoWriter(str(subject / "vid.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 29.5, (64, 48))
    for _ in range(118):
        writer.write(np.zeros((48, 64, 3), np.uint8))
    writer.release()
    with pytest.raises(RawDataError, match=r"compressed as .*; expected an uncompressed video, 24-bit BGR"):
        reader.recording_of(subject)


@pytest.mark.parametrize(
    ("most", "rate", "found"),
    [(100, None, r"found 100 frames; expected \d+, one for each value"), (None, 25.0, r"25\.000 frames per second")],
)
def test_a_video_shorter_or_faster_than_the_text_is_refused(subject, written, most, rate, found):
    frames = list(reader.recording_of(subject).frames())
    (subject / "vid.avi").unlink()
    standin.write_avi(subject / "vid.avi", frames[:most], rate or written[1]["subject3"]["rate"], **SIZE)
    with pytest.raises(RawDataError, match=found):
        reader.recording_of(subject)


def test_one_frame_more_than_values_is_left_out_and_noted(subject, written):
    frames = list(reader.recording_of(subject).frames())
    (subject / "vid.avi").unlink()
    standin.write_avi(subject / "vid.avi", [*frames, frames[0]], written[1]["subject3"]["rate"], **SIZE)
    recording = reader.recording_of(subject)
    assert len(recording.times) == len(list(recording.frames())) == len(frames)
    assert recording.notes == (f"{len(frames) + 1} frames for {len(frames)} values: the surplus at the end is unused",)


def test_repeated_time_stamps_are_repaired_and_noted(written):
    recording = reader.recording_of(written[0] / "DATASET_2" / "subject4")
    assert recording.notes == ("1 time stamps moved forward",)
    assert np.diff(recording.times).min() >= 1


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda text: text.replace("e+00", "e+", 1), "text that is no number"),
        (lambda text: text.replace(text.split()[5], "nan"), "not finite"),
        (lambda text: text[: len(text) // 2], "lines of"),
        (lambda text: text.rsplit(maxsplit=1)[0], "lines of"),
        (lambda text: "", r"lines of \[\]"),
        (lambda text: text.replace("\n", " "), "lines of"),
        (lambda text: text + "1 2 3\n", "lines of"),
        (lambda text: "é" + text, "no number"),
    ],
)
def test_a_damaged_text_is_refused_by_name(subject, change, found):
    spoil_text(subject, change)
    with pytest.raises(RawDataError, match=rf"ground_truth\.txt: found .*{found}"):
        reader.recording_of(subject)


def test_times_running_backwards_are_refused(subject):
    spoil_text(subject, lambda text: "\n".join([*text.splitlines()[:2], " ".join(text.splitlines()[2].split()[::-1])]))
    with pytest.raises(RawDataError, match="before an earlier one"):
        reader.recording_of(subject)


@pytest.mark.parametrize("name", ["vid.avi", "ground_truth.txt"])
def test_a_missing_file_is_named(subject, name):
    (subject / name).unlink()
    with pytest.raises(RawDataError, match=rf"{name}: found no such file"):
        reader.recording_of(subject)


def test_a_file_that_is_no_video_is_refused(subject):
    (subject / "vid.avi").write_bytes(b"<html>Quota exceeded</html>")
    with pytest.raises(RawDataError, match="what cannot be opened as a video"):
        reader.recording_of(subject)


def test_a_label_far_from_the_oximeter_is_only_noted(written, tmp_path):
    shutil.copytree(written[0], tmp_path, dirs_exist_ok=True)
    path = tmp_path / "DATASET_2" / "subject3" / "ground_truth.txt"
    ppg, rates, times = np.loadtxt(path)
    label = checks.of_recording(reader.recording_of, path.parent, 90, 90).labels[0]
    config = tfds_builders.SubjectsConfig(name="small", window=90, stride=90)
    # The oximeter lags, and drops to 0 now and then: neither is a difference.
    for shown, noted in ((label + 9, False), (label + 11, True), (label - 11, True)):
        rates[:], rates[:20] = shown, 0
        standin.write_ground_truth(path, ppg, rates, times)
        report = reader.checkup(tmp_path, config).units[1].examine(False)
        assert report.problem == ""
        note = f"subject3/00000: {label:.0f} beats per minute by the PPG, {shown:.0f} by the device"
        assert (note in report.notes) == noted


def test_rows_that_an_avi_pads_to_four_bytes_are_read_bit_by_bit(tmp_path):
    truth = standin.write(tmp_path, subjects=1, seconds=1, look=standin_faces.CLEAN, height=23, width=31)
    digest = hashlib.sha256()
    for frame in reader.recording_of(tmp_path / "DATASET_2" / "subject1").frames():
        digest.update(frame)
    assert digest.hexdigest() == truth["subject1"]["sha256"]


@pytest.mark.parametrize(
    ("width", "height", "found"),
    [
        (8000, 8000, r"vid\.avi: found a header of 8000 x 8000 pixels; expected at most 33"),
        (64, -24, r"frames of 48 bits a pixel; expected \d+ frames of 64 x 24 whole pixels"),
    ],
)
def test_a_header_of_another_size_is_refused_with_the_numbers(subject, width, height, found):
    content = bytearray((subject / "vid.avi").read_bytes())
    at = content.index(b"strf") + 12  # The height is negative where the first row is at the top.
    content[at : at + 8] = b"".join(side.to_bytes(4, "little", signed=True) for side in (width, height))
    (subject / "vid.avi").write_bytes(content)
    with pytest.raises(RawDataError, match=found):
        reader.recording_of(subject)
