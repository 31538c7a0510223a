"""Random damage to raw files of the face recordings: a clear error, a named skip or the true clip, nothing else."""

import json

import cv2
import h5py
import numpy as np
import pytest
from damages import DAMAGES, other_digit, outcomes, wrong_number

from simper_tf.readers import face, pure, recording, scamps, ubfc
from simper_tf.standins import faces
from simper_tf.standins import pure as pure_standin
from simper_tf.standins import scamps as scamps_standin
from simper_tf.standins import ubfc as ubfc_standin

WINDOW, SIZE = 60, 8


def clips_of(read, path):
    """Reads as a builder does, and checks that the clips are those that were planned."""
    one = read(path)
    clips = list(recording.face_clips(one, SIZE, WINDOW, WINDOW))
    assert len(clips) == sum(not window.problem for window in recording.plan(one, WINDOW, WINDOW))
    return clips


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ubfc")
    ubfc_standin.write(folder, subjects=1, seconds=2.2, look=faces.CLEAN, height=24, width=32)
    return folder / "DATASET_2" / "subject1"


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pure")
    pure_standin.write(folder, subjects=1, seconds=2.6, look=faces.CLEAN, height=12, width=16, setups=1)
    return folder / "01-01"


@pytest.fixture(scope="module")
def mat(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scamps")
    scamps_standin.write(folder, subjects=1, seconds=2, look=faces.CLEAN, height=12, width=8)
    return folder / "scamps_videos" / "P000001.mat"


def pixels(path):
    """Yields where the pixels of an AVI file lie: uncompressed, without a checksum, they can be any bytes."""
    content = path.read_bytes()
    at = content.index(b"movi") + 4
    while content[at : at + 4] in (b"00db", b"00dc"):
        length = int.from_bytes(content[at + 4 : at + 8], "little")
        yield at + 8, at + 8 + length
        at += 8 + length + length % 2


def test_a_damaged_avi_is_refused_or_gives_the_true_clip_up_to_single_pixels(subject):
    path = subject / "vid.avi"
    counts = outcomes(path, lambda: clips_of(ubfc.read, subject), unchecked=pixels(path))
    assert min(counts[kind] for kind in ("error", "equal", "unchecked")) > 10


def test_no_bit_in_the_headers_of_an_avi_changes_a_clip(subject):
    path = subject / "vid.avi"

    def flip(rng, data):
        position = int(rng.integers(data.index(b"JUNK") + 8))
        return data[:position] + bytes([data[position] ^ 1 << int(rng.integers(8))]) + data[position + 1 :]

    counts = outcomes(path, lambda: clips_of(ubfc.read, subject), damages=(flip,))
    assert min(counts[kind] for kind in ("error", "equal")) > 10


def wrong_words(rng, data):
    words = data.split(b" ")
    for index in rng.integers(len(words), size=int(rng.integers(1, 4))):
        words[index] = str(wrong_number(rng)).encode()
    return b" ".join(words)


@pytest.mark.parametrize("damages", [(*DAMAGES, other_digit), (wrong_words, other_digit)], ids=["bytes", "words"])
def test_a_damaged_text_is_refused_or_the_ppg_is_what_it_says(subject, damages):
    path = subject / "ground_truth.txt"
    ((_, sound),) = clips_of(ubfc.read, subject)

    def explain(clips):
        ((_, example),) = clips
        said = np.float32(np.loadtxt(path)[0, :WINDOW])
        return np.array_equal(example["ppg"], said) and np.array_equal(example["clip"], sound["clip"])

    counts = outcomes(path, lambda: clips_of(ubfc.read, subject), explain=explain, damages=damages)
    assert min(counts["error"], counts["equal"] + counts["unchecked"]) > 10


def test_a_damaged_png_is_refused(setup):
    # Every part of the format has a checksum.
    for path in sorted((setup / "01-01").glob("Image*.png"))[20:60:20]:
        counts = outcomes(path, lambda: clips_of(pure.read, setup))
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
def test_a_damaged_json_is_refused_or_ppg_and_frames_are_what_it_says(setup, damages):
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

    counts = outcomes(path, lambda: clips_of(pure.read, setup), explain=explain, damages=damages)
    assert min(counts["error"], counts["equal"] + counts["unchecked"]) > 10


def read_scamps(mat):
    return list(scamps.clips(str(mat), SIZE, WINDOW, WINDOW))


def test_a_damaged_mat_file_is_refused_or_gives_the_true_clip(mat):
    # All its data are compressed, and compression has a checksum; see simper_tf.readers.hdf5 for the rest.
    counts = outcomes(mat, lambda: read_scamps(mat))
    assert min(counts["error"], counts["equal"]) > 10


def test_a_wrong_number_in_a_mat_file_is_refused_skipped_or_seen_in_the_series_alone(mat):
    ((_, sound),) = read_scamps(mat)

    def spoil(rng, data):
        mat.write_bytes(data)
        with h5py.File(mat, "r+") as file:
            values = file[("Xsub", "d_ppg", "d_br")[int(rng.integers(3))]]
            values[tuple(int(rng.integers(side)) for side in values.shape)] = rng.choice([np.nan, np.inf, -1.0, 1e8])
        return mat.read_bytes()

    def explain(clips):
        ((_, example),) = clips
        with h5py.File(mat) as file:
            said = {name: np.float32(file[key][()].ravel()) for name, key in scamps.SERIES.items()}
        same = [np.array_equal(example[name], values) for name, values in said.items()]
        return all(same) and np.array_equal(example["clip"], sound["clip"])

    counts = outcomes(mat, lambda: read_scamps(mat), explain=explain, damages=(spoil,))
    assert min(counts[kind] for kind in ("error", "skipped", "unchecked")) > 10
