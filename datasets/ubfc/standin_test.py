import pytest

from datasets.ubfc import reader, standin
from simper_tf.data import face_recordings, standin_faces
from simper_tf.signals import pulse


@pytest.mark.slow
@pytest.mark.parametrize("look", [standin_faces.CLEAN, standin_faces.Look()], ids=["clean", "disturbed"])
def test_heart_rates_survive_the_face_crop(tmp_path, look):
    truth = standin.write(tmp_path, subjects=2, seconds=7, look=look)
    for path in reader.find(tmp_path):
        ((_, example),) = face_recordings.face_clips(reader.recording_of(path), 36, 180, 180)
        green = example["clip"][..., 1].mean(axis=(1, 2))
        true = truth[path.name]["heart_rate"]
        assert example["label"] == pytest.approx(true, abs=0.2)
        assert pulse.heart_rate(-green, example["rate"]) == pytest.approx(true, abs=0.5)


def test_ubfc_text_is_three_lines_in_scientific_notation(tmp_path):
    standin.write(tmp_path, subjects=1, seconds=1, height=16, width=24)
    lines = (tmp_path / "DATASET_2" / "subject1" / "ground_truth.txt").read_text().splitlines()
    assert len(lines) == 3
    assert all("e+" in line and "   " in line for line in lines)


@pytest.mark.parametrize("subjects", [43, 0])
def test_too_many_subjects_are_refused_before_any_writing(tmp_path, subjects):
    with pytest.raises(ValueError, match=f"Received subjects={subjects}"):
        standin.write(tmp_path / "out", subjects=subjects, seconds=1)
    assert not (tmp_path / "out").exists()
