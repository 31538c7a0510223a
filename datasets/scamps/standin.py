"""A miniature SCAMPS: MATLAB v7.3 files, which are HDF5 behind a 512-byte header, with the axes MATLAB's way round."""

import json
import pathlib

import h5py
import numpy as np

from simper_tf.data import standin_faces

from .reader import RATE

HEADER = b"MATLAB 7.3 MAT-file, Platform: stand-in, Created on: Fri Nov 20 00:00:00 2026 HDF5 schema 1.00 ."
# What tests write, and the config in which each split of it has a few clips.
SMALLEST = {"subjects": 3, "seconds": 4, "height": 16, "width": 12}, {"size": 12, "window": 60, "stride": 60}


def write(out, subjects=4, seconds=20, seed=0, look=standin_faces.Look(), height=64, width=48):
    """Writes `scamps_videos/P<six digits>.mat` and `truth.json`.

    Frames are higher than wide, which the real ones of 240 x 240 pixels are not, so that a wrong order of axes shows.
    As in the real files the mask is one frame shorter than the video, and `RawFrames` is there and larger.

    Returns the truth, also written: for each file `heart_rate` in beats and `breathing_rate` in breaths per minute,
    both constant, `frames` and `sha256` of all their 8-bit RGB bytes.
    """
    folder = pathlib.Path(out) / "scamps_videos"
    folder.mkdir(parents=True)
    truth = {}
    for number in range(1, subjects + 1):
        rng = np.random.default_rng([seed, number])
        heart_rate, breathing_rate = standin_faces.heart_rate(seed, number), rng.uniform(8.0, 20.0)
        times = np.arange(round(seconds * RATE)) / RATE
        ppg = standin_faces.ppg(heart_rate, times, rng.uniform(0.0, 2.0 * np.pi))
        breathing = np.sin(2.0 * np.pi * breathing_rate / 60.0 * times)
        images = standin_faces.Hashed(standin_faces.frames(ppg, times, height, width, look, [seed, number]))
        path = folder / f"P{number:06d}.mat"
        write_mat(path, np.stack(list(images)), ppg, breathing)
        truth[path.stem] = {
            "heart_rate": heart_rate,
            "breathing_rate": breathing_rate,
            "frames": len(times),
            "sha256": images.hexdigest(),
        }
    (pathlib.Path(out) / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return truth


def write_mat(path, images, ppg, breathing, chunks=True):
    """Writes `(T, H, W, 3)` uint8 frames and two `(T,)` series as a file of SCAMPS.

    `chunks` is the shape of what is compressed together in `Xsub`, (3, W, H, T); True lets h5py choose.
    """
    num_frames, height, width, _ = images.shape
    with h5py.File(path, "w", userblock_size=512) as file:

        def put(name, values, chunks=True):
            dataset = file.create_dataset(name, data=values, chunks=chunks, compression="gzip", compression_opts=1)
            dataset.attrs["MATLAB_class"] = np.bytes_("double")

        put("Xsub", images.transpose(3, 2, 1, 0) / 255.0, chunks)
        put("RawFrames", np.zeros((3, width + 8, height, num_frames)))
        put("skin_mask", np.ones((width, height, num_frames - 1)))
        put("d_ppg", ppg[:, None])
        put("d_br", breathing[:, None])
    with path.open("r+b") as file:
        file.write(HEADER.ljust(116) + bytes(8) + b"\x00\x02IM")
