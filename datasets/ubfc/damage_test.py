"""Random damage to raw files of UBFC-rPPG: a clear error, a named skip or the true clip, nothing else."""

import numpy as np
import pytest

from datasets.damages import DAMAGES, face_clips, other_digit, outcomes, wrong_number
from datasets.ubfc import reader, standin
from simper_tf.data import standin_faces

pytestmark = pytest.mark.slow

WINDOW, SIZE = 60, 8


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ubfc")
    standin.write(folder, subjects=1, seconds=2.2, look=standin_faces.CLEAN, height=24, width=32)
    return folder / "DATASET_2" / "subject1"


def pixels(path):
    """Yields where the pixels of an AVI file lie: uncompressed, without a checksum, they can be any bytes."""
    content = path.read_bytes()
    at = content.index(b"movi") + 4
    while content[at : at + 4] in (b"00db", b"00dc"):
        length = int.from_bytes(content[at + 4 : at + 8], "little")
        yield at + 8, at + 8 + length
        at += 8 + length + length % 2


def test_a_damaged_avi_is_refused_or_right_up_to_single_pixels(subject):
    path = subject / "vid.avi"
    counts = outcomes(path, lambda: face_clips(reader.recording_of, subject, SIZE, WINDOW), unchecked=pixels(path))
    assert min(counts[kind] for kind in ("error", "equal", "unchecked")) > 10


def test_no_bit_in_the_headers_of_an_avi_changes_a_clip(subject):
    path = subject / "vid.avi"

    def flip(rng, data):
        position = int(rng.integers(data.index(b"JUNK") + 8))
        return data[:position] + bytes([data[position] ^ 1 << int(rng.integers(8))]) + data[position + 1 :]

    counts = outcomes(path, lambda: face_clips(reader.recording_of, subject, SIZE, WINDOW), damages=(flip,))
    assert min(counts[kind] for kind in ("error", "equal")) > 10


def wrong_words(rng, data):
    words = data.split(b" ")
    for index in rng.integers(len(words), size=int(rng.integers(1, 4))):
        words[index] = str(wrong_number(rng)).encode()
    return b" ".join(words)


@pytest.mark.parametrize("damages", [(*DAMAGES, other_digit), (wrong_words, other_digit)], ids=["bytes", "words"])
def test_a_damaged_text_is_refused_or_the_ppg_is_what_it_says(subject, damages):
    path = subject / "ground_truth.txt"
    ((_, sound),) = face_clips(reader.recording_of, subject, SIZE, WINDOW)

    def explain(clips):
        ((_, example),) = clips
        said = np.float32(np.loadtxt(path)[0, :WINDOW])
        return np.array_equal(example["ppg"], said) and np.array_equal(example["clip"], sound["clip"])

    counts = outcomes(
        path, lambda: face_clips(reader.recording_of, subject, SIZE, WINDOW), explain=explain, damages=damages
    )
    assert min(counts["error"], counts["equal"] + counts["unchecked"]) > 10
