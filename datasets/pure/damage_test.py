"""Random damage to raw files of PURE: a clear error, a named skip or the true clip, nothing else."""

import json

import cv2
import numpy as np
import pytest

from datasets.damages import DAMAGES, face_clips, other_digit, outcomes, wrong_number
from datasets.pure import reader, standin
from simper_tf.data import standin_faces
from simper_tf.recordings import face

pytestmark = pytest.mark.slow

WINDOW, SIZE = 60, 8


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pure")
    standin.write(folder, subjects=1, seconds=2.6, look=standin_faces.CLEAN, height=12, width=16, setups=1)
    return folder / "01-01"


def test_a_damaged_png_is_refused(setup):
    # Every part of the format has a checksum.
    for path in sorted((setup / "01-01").glob("Image*.png"))[20:60:20]:
        counts = outcomes(path, lambda: face_clips(reader.recording_of, setup, SIZE, WINDOW))
        assert counts["error"] > 190


def wrong_values(rng, data):
    content = json.loads(data)
    entry = content["/FullPackage"][int(rng.integers(len(content["/FullPackage"])))]
    image = content["/Image"][int(rng.integers(len(content["/Image"])))]
    places = [(entry, "Timestamp"), (entry, "Value"), (entry["Value"], "waveform"), (image, "Timestamp")]
    target, key = places[int(rng.integers(4))]
    target[key] = wrong_number(rng)
    return json.dumps(content).encode()


@pytest.mark.parametrize("damages", [(*DAMAGES, other_digit), (wrong_values, other_digit)], ids=["bytes", "values"])
def test_a_damaged_json_is_refused_or_read_as_it_says(setup, damages):
    path = setup / "01-01.json"
    frames = {int(image.stem[5:]): cv2.imread(str(image))[..., ::-1] for image in (setup / "01-01").glob("Image*.png")}
    box = face.find_face(list(frames.values()))

    def explain(clips):
        ((_, example),) = clips
        content = json.loads(path.read_bytes())
        times = np.array(sorted({image["Timestamp"] for image in content["/Image"]}))
        stamps = np.array([package["Timestamp"] for package in content["/FullPackage"]])
        waveform = [package["Value"]["waveform"] for package in content["/FullPackage"]]
        kept = times[(times >= stamps[0]) & (times <= max(stamps))][:WINDOW]
        clip = [face.crop(frames[time], box, SIZE) for time in kept.tolist()]
        ppg = np.interp(
            (kept - stamps[0]).astype(float), np.maximum.accumulate(stamps - stamps[0]).astype(float), waveform
        )
        return np.array_equal(example["clip"], clip) and np.allclose(example["ppg"], ppg, atol=1e-4)

    counts = outcomes(
        path, lambda: face_clips(reader.recording_of, setup, SIZE, WINDOW), explain=explain, damages=damages
    )
    assert min(counts["error"], counts["equal"] + counts["unchecked"]) > 10
