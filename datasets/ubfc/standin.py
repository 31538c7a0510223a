"""A miniature UBFC-rPPG: uncompressed AVI files of drawn faces, with the three-line text of the real data."""

import fractions
import json
import pathlib

import numpy as np

from simper_tf.data import standin_faces

from .reader import NUMBERS

# What tests write, and the config in which each split of it has a few clips.
SMALLEST = {"subjects": 3, "seconds": 5, "height": 24, "width": 32}, {"size": 12, "window": 60, "stride": 60}


def write(out, subjects=3, seconds=20, seed=0, look=standin_faces.Look(), height=120, width=160):
    """Writes `DATASET_2/subject<N>/{vid.avi,ground_truth.txt}` of 1 to 42 subjects, and `truth.json`; needs PyAV.

    Every second subject has a repeated time stamp, as some real ones have. The real frames have 480 x 640 pixels.

    Returns the truth, also written: for each subject `heart_rate` in beats per minute, constant, `rate` in frames per
    second, `frames` and `sha256` of all their RGB bytes.
    """
    if not 1 <= subjects <= len(NUMBERS):
        raise ValueError(f"UBFC-rPPG has {len(NUMBERS)} subjects. Received subjects={subjects}.")
    truth = {}
    for index, number in enumerate(NUMBERS[:subjects]):
        rng = np.random.default_rng([seed, number])
        heart_rate, rate = standin_faces.heart_rate(seed, index), round(rng.uniform(29.26, 29.76), 2)
        times = np.arange(round(seconds * rate)) / rate
        ppg = standin_faces.ppg(heart_rate, times, rng.uniform(0.0, 2.0 * np.pi))
        images = standin_faces.Hashed(standin_faces.frames(ppg, times, height, width, look, [seed, number]))
        folder = pathlib.Path(out) / "DATASET_2" / f"subject{number}"
        folder.mkdir(parents=True)
        write_avi(folder / "vid.avi", images, rate, height, width)
        if number % 2 == 0:
            times[len(times) // 2] = times[len(times) // 2 - 1]
        write_ground_truth(folder / "ground_truth.txt", ppg, np.full_like(ppg, round(heart_rate)), times)
        truth[folder.name] = {
            "heart_rate": heart_rate,
            "rate": rate,
            "frames": len(times),
            "sha256": images.hexdigest(),
        }
    (pathlib.Path(out) / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return truth


def write_avi(path, images, rate, height, width):
    """Writes RGB frames as 24-bit BGR without compression, bit by bit what OpenCV reads back; needs PyAV."""
    try:
        import av
    except ImportError as error:
        raise ImportError("Writing this stand-in needs PyAV: pip install '.[test]' in the checkout, or av.") from error
    with av.open(str(path), "w") as container:
        # OpenCV's own writer cannot do this: asked for no compression it converts to subsampled color.
        stream = container.add_stream("rawvideo", rate=fractions.Fraction(rate).limit_denominator(1000))
        stream.width, stream.height, stream.pix_fmt = width, height, "bgr24"
        for image in images:
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image[..., ::-1]), format="bgr24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def write_ground_truth(path, ppg, heart_rate, seconds):
    """Writes the three lines of numbers in the notation of the real files, several blanks between two."""
    lines = ["   ".join(f"{value: .7e}" for value in row) for row in (ppg, heart_rate, seconds)]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
