"""Random damage to raw files of the face recordings: a clear error, a named skip or a valid clip, nothing else."""

import itertools
import json
import math
import time

import h5py
import numpy as np
import pytest

from simper_tf.readers import pure, recording, scamps, ubfc
from simper_tf.readers.errors import RawDataError
from simper_tf.standins import faces
from simper_tf.standins import pure as pure_standin
from simper_tf.standins import scamps as scamps_standin
from simper_tf.standins import ubfc as ubfc_standin

NUM_CASES = 60
WINDOW, SIZE = 60, 8
MAX_SECONDS = 10.0


def truncate(rng, data):
    return data[: int(rng.integers(len(data)))]


def flip_bits(rng, data):
    """Flips up to 8 bits; half of the time near the start, where headers are."""
    data = bytearray(data)
    reach = len(data) if rng.random() < 0.5 else min(len(data), 600)
    for position in rng.integers(reach, size=int(rng.integers(1, 9))):
        data[position] ^= 1 << int(rng.integers(8))
    return bytes(data)


def cut_out(rng, data):
    start, stop = sorted(rng.integers(len(data) + 1, size=2))
    return data[:start] + data[stop:]


def overwrite(rng, data):
    start = int(rng.integers(len(data)))
    noise = rng.bytes(min(len(data) - start, int(rng.integers(1, 64))))
    return data[:start] + noise + data[start + len(noise) :]


DAMAGES = (truncate, flip_bits, cut_out, overwrite)


def wrong_number(rng):
    return [math.nan, math.inf, -1e300, 1e8, 0.0, -1.0, "x", None, True, [], 2**70][int(rng.integers(11))]


def expect_error_skip_or_valid(read, make_clips, path, num_frames):
    """Returns "error", "skipped" or "valid", having checked that it is one of them and came in time."""
    started = time.monotonic()
    try:
        one = read(path)
        clips = list(make_clips(one))
    except RawDataError as caught:
        outcome, message = "error", str(caught)
        is_named = str(path) in message
    else:
        is_named = True
        # Never silently shorter or longer: frames are lost or gained only with a note.
        assert len(one.times) == num_frames or one.notes
        assert len(one.times) <= num_frames
        windows = recording.plan(one, WINDOW, WINDOW)
        assert len(clips) == len(one.times) // WINDOW - sum(1 for w in windows if w.problem)
        for _, example in clips:
            assert example["clip"].shape == (WINDOW, SIZE, SIZE, 3)
            assert example["clip"].dtype == np.uint8
            assert example["ppg"].shape == (WINDOW,)
            assert np.isfinite(example["ppg"]).all()
            assert 36.0 <= example["label"] <= 198.0
            assert 1.0 < example["rate"] < 1000.0
        outcome = "valid" if clips else "skipped"
    assert is_named, message
    assert time.monotonic() - started < MAX_SECONDS
    return outcome


def face_clips(one):
    return recording.face_clips(one, SIZE, WINDOW, WINDOW)


@pytest.fixture(scope="module")
def ubfc_subject(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ubfc")
    ubfc_standin.write(folder, subjects=1, seconds=5, look=faces.CLEAN, height=24, width=32)
    return folder / "DATASET_2" / "subject1"


@pytest.fixture(scope="module")
def pure_recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pure")
    pure_standin.write(folder, subjects=1, seconds=3.2, look=faces.CLEAN, height=12, width=16, setups=1)
    return folder / "01-01"


@pytest.fixture(scope="module")
def scamps_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scamps")
    scamps_standin.write(folder, subjects=1, seconds=4, look=faces.CLEAN, height=12, width=8)
    return folder / "scamps_videos" / "P000001.mat"


def run(path, victim, damage, seed, read, make_clips, num_frames):
    """Damages one file, checks what a build would make of it, and mends it again."""
    whole = victim.read_bytes()
    try:
        victim.write_bytes(damage(np.random.default_rng(seed), whole))
        return expect_error_skip_or_valid(read, make_clips, path, num_frames)
    finally:
        victim.write_bytes(whole)


def test_damage_to_ubfc_is_named(ubfc_subject):
    num_frames = len(ubfc.read(ubfc_subject).times)

    def wrong_values(rng, data):
        words = data.split(b" ")
        for index in rng.integers(len(words), size=int(rng.integers(1, 4))):
            words[index] = str(wrong_number(rng)).encode()
        return b" ".join(words)

    cases = itertools.product(("vid.avi", "ground_truth.txt"), (*DAMAGES, wrong_values))
    outcomes = [
        run(ubfc_subject, ubfc_subject / name, damage, [seed, NUM_CASES], ubfc.read, face_clips, num_frames)
        for seed, (name, damage) in zip(range(NUM_CASES), itertools.cycle(cases), strict=False)
        if (name, damage) != ("vid.avi", wrong_values)
    ]
    assert {"error", "valid"} <= set(outcomes)


def test_damage_to_pure_is_named(pure_recording):
    num_frames = len(pure.read(pure_recording).times)
    images = sorted((pure_recording / "01-01").glob("Image*.png"))

    def wrong_values(rng, data):
        content = json.loads(data)
        entry = content["/FullPackage"][int(rng.integers(len(content["/FullPackage"])))]
        image = content["/Image"][int(rng.integers(len(content["/Image"])))]
        target, key = [(entry, "Timestamp"), (entry, "Value"), (entry["Value"], "waveform"), (image, "Timestamp")][
            int(rng.integers(4))
        ]
        target[key] = wrong_number(rng)
        return json.dumps(content).encode()

    outcomes = []
    for seed in range(NUM_CASES):
        rng = np.random.default_rng(seed)
        victim = images[int(rng.integers(len(images)))] if seed % 2 else pure_recording / "01-01.json"
        damage = (DAMAGES if seed % 2 else (*DAMAGES, wrong_values))[seed // 2 % (4 if seed % 2 else 5)]
        outcomes.append(run(pure_recording, victim, damage, seed, pure.read, face_clips, num_frames))
    assert {"error", "valid"} <= set(outcomes)


def test_damage_to_scamps_is_named(scamps_file):
    def make_clips(one):
        return scamps.clips(str(scamps_file), SIZE, WINDOW, WINDOW)

    def wrong_values(rng, data):
        scamps_file.write_bytes(data)
        with h5py.File(scamps_file, "r+") as file:
            values = file[("Xsub", "d_ppg", "d_br")[int(rng.integers(3))]]
            values[tuple(int(rng.integers(side)) for side in values.shape)] = rng.choice([np.nan, np.inf, -1.0, 1e8])
        return scamps_file.read_bytes()

    outcomes = [
        run(scamps_file, scamps_file, damage, [seed, 2], scamps.read, make_clips, 120)
        for seed, damage in zip(range(NUM_CASES), itertools.cycle((*DAMAGES, wrong_values)), strict=False)
    ]
    assert {"error", "valid"} <= set(outcomes)
