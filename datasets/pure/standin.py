"""A miniature PURE: PNG frames named by their capture time, and the JSON of an oximeter with its own pace."""

import json
import pathlib

import cv2
import numpy as np

from simper_tf.data import standin_faces

from .reader import KNOWN_EMPTY, RECORDINGS

START_NS = 1_392_643_993_642_815_000  # A time stamp of PURE, of February 2014.
FRAME_STEP_NS, JITTER_NS = 33_345_000, 400_000  # 30 frames a second, as PURE's own stamps have it.
PACKAGE_STEP_NS = 16_700_000  # The oximeter sends 60 a second.
# The oximeter starts later and ends earlier than the camera by this: about 6 frames at each end have no PPG.
LATE_NS = 200_000_000
# What tests write, and the config in which each split of it has a few clips.
SMALLEST = (
    {"subjects": 3, "seconds": 5, "height": 24, "width": 32, "setups": 1},
    {"size": 12, "window": 60, "stride": 60},
)


def write(out, subjects=3, seconds=20, seed=0, look=standin_faces.Look(), height=120, width=160, setups=2):
    """Writes `SS-TT/SS-TT/Image<ns>.png`, `SS-TT/SS-TT.json` and `truth.json`.

    As in the real data, 06-02 is an empty folder, a `Thumbs.db` lies among the frames of a recording, and a frame that
    the JSON does not know among those of another; recordings in setup 02 have the flat layout of some copies. There are
    10 subjects in up to 6 setups, and the real frames have 480 x 640 pixels.

    Returns the truth, also written: for each recording `heart_rate` in beats per minute, constant, `phase` of the pulse
    in radians at the first frame, `frames` with a PPG, `first` and `last` of their times in nanoseconds, and `sha256`
    of all their RGB bytes.
    """
    if not (1 <= subjects <= 10 and 1 <= setups <= 6):
        raise ValueError(f"PURE has 10 subjects in 6 setups. Received subjects={subjects}, setups={setups}.")
    out = pathlib.Path(out)
    (out / KNOWN_EMPTY).mkdir(parents=True)
    names = [name for name in RECORDINGS if int(name[:2]) <= subjects and int(name[3:]) <= setups]
    truth = {name: _write_recording(out / name, seconds, seed, i, look, height, width) for i, name in enumerate(names)}
    (_frames_folder(out / names[0]) / "Thumbs.db").write_bytes(b"not an image")
    stray = START_NS + 3_600_000_000_000
    cv2.imwrite(str(_frames_folder(out / names[-1]) / f"Image{stray}.png"), np.zeros((height, width, 3), np.uint8))
    (out / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return truth


def _write_recording(folder, seconds, seed, index, look, height, width):
    rng = np.random.default_rng([seed, index])
    heart_rate, phase = standin_faces.heart_rate(seed, index), rng.uniform(0.0, 2.0 * np.pi)
    num_frames = round(seconds * 1e9 / FRAME_STEP_NS)
    times = np.arange(num_frames) * FRAME_STEP_NS + rng.integers(-JITTER_NS, JITTER_NS, num_frames)
    packages = np.arange(LATE_NS, times[-1] - LATE_NS, PACKAGE_STEP_NS)
    frames_folder = _frames_folder(folder)
    frames_folder.mkdir(parents=True)
    pulse = standin_faces.ppg(heart_rate, times * 1e-9, phase)
    inside = (times >= packages[0]) & (times <= packages[-1])
    images = list(standin_faces.frames(pulse, times * 1e-9, height, width, look, [seed, index]))
    for image, time in zip(images, times, strict=True):
        cv2.imwrite(str(frames_folder / f"Image{START_NS + time}.png"), image[..., ::-1])
    hashed = standin_faces.Hashed(image for image, kept in zip(images, inside, strict=True) if kept)
    content = {
        "/FullPackage": [_package(START_NS + int(time), heart_rate, phase, int(time) * 1e-9) for time in packages],
        "/Image": [{"Timestamp": START_NS + int(time)} for time in times],
    }
    (folder / f"{folder.name}.json").write_text(json.dumps(content), encoding="utf-8")
    return {
        "heart_rate": heart_rate,
        "phase": phase,
        "frames": sum(1 for _ in hashed),
        "first": START_NS + int(times[inside][0]),
        "last": START_NS + int(times[inside][-1]),
        "sha256": hashed.hexdigest(),
    }


def _frames_folder(folder):
    return folder if folder.name.endswith("-02") else folder / folder.name


def _package(timestamp, heart_rate, phase, seconds):
    """Returns what the oximeter reports at a time; its waveform is a whole number from 0 to 100."""
    waveform = round(50.0 + 40.0 * float(standin_faces.ppg(heart_rate, seconds, phase)))
    numbers = {"waveform": waveform, "pulseRate": round(heart_rate), "o2saturation": 97, "signalStrength": 4}
    flags = dict.fromkeys(("beep", "droppingo2Sat", "probeError", "searching", "searchingToLong"), False)
    return {"Timestamp": timestamp, "Value": numbers | {"barGraph": waveform // 10} | flags}
