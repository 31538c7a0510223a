import json
import pathlib

import h5py
import numpy as np
import pytest

from simper_tf.readers import face, pure, recording, scamps, ubfc
from simper_tf.standins import faces
from simper_tf.standins import pure as pure_standin
from simper_tf.standins import scamps as scamps_standin
from simper_tf.standins import ubfc as ubfc_standin


def test_few_or_many_recordings_have_heart_rates_that_differ_within_the_range():
    for seed in range(3):
        for count in (2, 3, 4, 42):
            rates = np.sort([faces.heart_rate(seed, index) for index in range(count)])
            assert 50 <= rates[0] < rates[-1] <= 130
            assert np.diff(rates).min() > 80 / count / 3


def draw(look, count=90, seed=0, height=100, width=130):
    times = np.arange(count) / 30.0
    pulse = faces.ppg(72.0, times)
    return pulse, list(faces.frames(pulse, times, height, width, look, seed))


FOREHEAD, CHEEK_EDGE = (slice(30, 36), slice(58, 72)), (slice(40, 60), slice(44, 54))


def green(frames, area):
    """The mean green of an area over time."""
    return np.array([frame[*area, 1].mean() for frame in frames])


@pytest.mark.parametrize("size", [(100, 130), (120, 160), (240, 320), (480, 640)])
@pytest.mark.parametrize("look", [faces.CLEAN, faces.Look()])
def test_the_detector_takes_the_drawing_for_a_face(size, look):
    for seed in range(4):
        _, frames = draw(look, 1, seed, *size)
        assert face.find_face(frames).found == "haar"


def test_skin_darkens_with_the_pulse_and_the_background_does_not():
    pulse, frames = draw(faces.CLEAN)
    assert np.corrcoef(green(frames, FOREHEAD), pulse)[0, 1] < -0.98
    assert np.ptp([frame[:10].mean() for frame in frames]) == 0.0


@pytest.mark.parametrize(
    "look", [faces.Look(3.0, 0.0, 0.0), faces.Look(0.0, 2.0, 0.0), faces.Look(0.0, 0.0, 0.05)], ids=str
)
def test_noise_motion_and_light_each_disturb_the_pulse(look):
    pulse, clean = draw(faces.CLEAN)
    _, disturbed = draw(look)
    assert np.corrcoef(green(clean, CHEEK_EDGE), pulse)[0, 1] < -0.98
    assert np.corrcoef(green(disturbed, CHEEK_EDGE), pulse)[0, 1] > -0.95


def test_the_same_seed_gives_the_same_frames_and_another_one_others():
    (_, first), (_, again), (_, other) = draw(faces.Look(), 5), draw(faces.Look(), 5), draw(faces.Look(), 5, seed=1)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(("reader", "standin"), [(ubfc, ubfc_standin), (pure, pure_standin), (scamps, scamps_standin)])
def test_the_truth_is_returned_and_written_and_names_every_recording(tmp_path, reader, standin):
    truth = standin.write(tmp_path, subjects=2, seconds=1, height=16, width=24)
    assert json.loads((tmp_path / "truth.json").read_text()) == truth
    assert [reader.read(path).id for path in reader.find(tmp_path)] == list(truth)


@pytest.mark.parametrize("look", [faces.CLEAN, faces.Look()], ids=["clean", "disturbed"])
def test_heart_rates_survive_the_face_crop(tmp_path, look):
    truth = ubfc_standin.write(tmp_path, subjects=2, seconds=7, look=look)
    for path in ubfc.find(tmp_path):
        ((_, example),) = recording.face_clips(ubfc.read(path), 36, 180, 180)
        green = example["clip"][..., 1].mean(axis=(1, 2))
        true = truth[path.name]["heart_rate"]
        assert example["label"] == pytest.approx(true, abs=0.2)
        assert recording.pulse.heart_rate(-green, example["rate"]) == pytest.approx(true, abs=0.5)


def test_ubfc_text_is_three_lines_in_scientific_notation(tmp_path):
    ubfc_standin.write(tmp_path, subjects=1, seconds=1, height=16, width=24)
    lines = (tmp_path / "DATASET_2" / "subject1" / "ground_truth.txt").read_text().splitlines()
    assert len(lines) == 3
    assert all("e+" in line and "   " in line for line in lines)


def test_pure_has_the_quirks_of_the_real_data(tmp_path):
    pure_standin.write(tmp_path, subjects=2, seconds=1, height=16, width=24)
    assert list((tmp_path / "06-02").iterdir()) == []
    assert (tmp_path / "01-01" / "01-01" / "Thumbs.db").is_file()
    assert (tmp_path / "01-02" / "01-02.json").is_file()
    assert list((tmp_path / "01-02").glob("Image*.png"))


def test_scamps_axes_are_reversed_behind_a_matlab_header(tmp_path):
    scamps_standin.write(tmp_path, subjects=1, seconds=1, height=16, width=24)
    path = tmp_path / "scamps_videos" / "P000001.mat"
    header = path.read_bytes()[:128]
    assert header.startswith(b"MATLAB 7.3 MAT-file")
    assert header[124:] == b"\x00\x02IM"
    with h5py.File(path) as file:
        assert file.userblock_size == 512
        assert file["Xsub"].shape == (3, 24, 16, 30)
        assert file["skin_mask"].shape == (24, 16, 29)
        assert file["Xsub"].dtype == np.float64


@pytest.mark.parametrize(("standin", "subjects"), [(ubfc_standin, 43), (ubfc_standin, 0), (pure_standin, 11)])
def test_more_subjects_than_exist_are_refused_before_anything_is_written(tmp_path, standin, subjects):
    with pytest.raises(ValueError, match=f"Received subjects={subjects}"):
        standin.write(tmp_path / "out", subjects=subjects, seconds=1)
    assert not pathlib.Path(tmp_path / "out").exists()
