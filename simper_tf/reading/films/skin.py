"""Pulse in the color of skin, where hardly anything else moves.

Three published readouts of the mean color of all skin pixels must agree
on one heart rate, and most of their power must lie at it.
"""

import cv2
import numpy as np

from simper_tf.reading import intervals, result
from simper_tf.reading.films import compression, stretches
from simper_tf.recordings.boxes import WHOLE, Box
from simper_tf.signals import filters, samples, skin_colors

BAND = (0.7, 3.5)  # Hz: hearts of 42 to 210 beats a minute.
# Colors of skin of all tones, Cr and Cb: Chai and Ngan, Face segmentation using skin-color map, 1999.
RED, BLUE = (133, 173), (77, 127)
LEAST_SKIN = 0.15  # Share of the picture that must be skin.
LINE = 0.15  # Half width of a heart rate's line in hertz.
AGREE = 0.05  # Share of the frequency, in Hz below 1 Hz, by which the three readouts may differ.
# Least correlation of the pulses of two halves of the skin near their line: blood reaches all of it, what moves only a
# part. It is 0.76 to 0.99 for a real face in seven forms. In five of seven people who move it is -0.99 to 0.35, of the
# upper and lower half, or left and right.
IN_STEP = 0.5
# Share of its period by which the first and the last beat's distance from the next may differ from it.
UNEVEN = 0.25
# By how much of a movement's frequency a pulse must lie beside all its multiples, to be none of them for certain.
APART = 0.06
# Share of the power of the pulse in one line at which it is as likely as not, and how fast it gets likelier.
SKIN_SHARE, SKIN_SLOPE = 0.65, 15.0
SHORTEST_SECONDS = 5.0  # Three and a half periods of the slowest heart.


def answers(
    stretch: stretches.Stretch, band: tuple[float, float] | None, keys: tuple[float, ...], whole: bool = False
) -> list[result.Answer]:
    """The pulse, if the stretch shows still skin.

    Args:
        stretch: Frames of a scene.
        band: Lowest and highest frequency in hertz; None for all.
        keys: Seconds of the key frames of the file, with which a still picture changes.
        whole: Whether every pixel is taken for skin.
    """
    if stretch.frames.shape[3] != 3:
        return []
    seen = pulse(stretch.evenly(stretch.frames), stretch.rate, whole)
    if seen is None:
        return []
    series, hertz, share = seen
    marks = beats(series, stretch.rate, hertz)
    confidence = filters.logistic(SKIN_SLOPE * (share - SKIN_SHARE))
    is_other = compression.has_pattern(hertz / stretch.rate, keys, stretch.rate)
    is_other = is_other or (band is not None and not band[0] <= hertz <= band[1])
    if confidence < result.SEEN or len(marks) < 3 or is_other:
        return []
    starts, ends = (stretch.times[0] + edge / stretch.rate for edge in intervals.bounds(marks.astype(float)))
    hertz = intervals.frequency(marks) * stretch.rate  # Of an uneven pulse the line is that of its middle.
    return [
        result.Answer(
            scene=stretch.scene,
            reader="pulse",
            repetitions=tuple(zip(starts.tolist(), ends.tolist(), strict=True)),
            peaks=tuple((stretch.times[0] + marks / stretch.rate).tolist()),
            hertz=hertz,
            error=float(hertz * np.std(np.log(np.diff(marks))) / len(marks)),
            pairs=None,
            pauses=(),
            box=box(stretch.frames, whole),
            confidence=confidence,
            verdict=result.CLEAR if confidence >= result.SURE else result.UNCLEAR,
            times=stretch.times[0] + np.arange(len(series)) / stretch.rate,
            course=series,
        )
    ]


def mask(frames: np.ndarray) -> np.ndarray:
    """Pixels of the mean picture that have the color of skin, `(H, W)` bool."""
    mean = np.rint(frames.mean(0)).astype(np.uint8)
    _, red, blue = np.moveaxis(cv2.cvtColor(mean, cv2.COLOR_RGB2YCrCb), -1, 0)
    return (red >= RED[0]) & (red <= RED[1]) & (blue >= BLUE[0]) & (blue <= BLUE[1])


def pulse(frames: np.ndarray, rate: float, whole: bool = False) -> tuple[np.ndarray, float, float] | None:
    """Pulse of the skin in a stretch.

    Args:
        frames: `(T, H, W, 3)` uint8 RGB.
        rate: Frames per second.
        whole: Whether every pixel is taken for skin.

    Returns:
        `(T,)` the pulse, its frequency in hertz and the share in [0, 1] of its
        power that lies there. None without skin, if readouts disagree, or
        halves of the skin that was found, or if it is the double of a slower
        line.
    """
    if len(frames) < SHORTEST_SECONDS * rate or rate < 2.5 * BAND[1]:  # As in `motion`: a slope for filters.
        return None
    skin = np.ones(frames.shape[1:3], bool) if whole else mask(frames)
    if skin.mean() < LEAST_SKIN:
        return None
    colors = frames[:, skin].mean(1)
    pulses = [readout(colors, rate, BAND) for readout in (_green, skin_colors.chrom, skin_colors.pos)]
    lines = np.array([line(series, rate) for series in pulses])
    hertz = np.median(lines[:, 0])
    if np.abs(lines[:, 0] - hertz).max() > AGREE * max(hertz, 1):
        return None
    if abs(_strongest(colors, rate, BAND[0] / 2) - hertz / 2) < AGREE:  # A heart below the band has its double there.
        return None
    if not whole and not _in_step(frames, skin, rate, hertz):
        return None
    return pulses[-1], float(hertz), float(np.median(lines[:, 1]))


def is_multiple(frames: np.ndarray, rate: float, hertz: float, moving: float) -> bool:
    """Whether a pulse is what a movement at another tempo makes of the color of skin.

    It is at one of its multiples then, and weaker than the movement itself.
    """
    times = hertz / moving
    if abs(times - round(times)) > APART:
        return False
    return round(times) == 1 or abs(_strongest(frames[:, mask(frames)].mean(1), rate, moving / 2) - hertz) > AGREE


def _strongest(colors: np.ndarray, rate: float, lowest: float) -> float:
    """Frequency of the strongest line of skin from one on that may be below those of hearts."""
    return line(skin_colors.pos(colors, rate, (lowest, BAND[1])), rate, lowest)[0]


def _in_step(frames: np.ndarray, skin: np.ndarray, rate: float, hertz: float) -> bool:
    """Whether the upper and the lower half of the skin pulse together, and the left and the right one."""
    for places in np.indices(skin.shape):
        is_first = places <= np.median(places[skin])
        halves = [frames[:, half].mean(1) for half in (skin & is_first, skin & ~is_first) if half.any()]
        spectra = [spectrum(skin_colors.pos(colors, rate, BAND), rate) for colors in halves]
        near = [power[np.abs(at - hertz) < LINE] for at, power in spectra]
        if len(near) == 2 and (near[0] @ near[1].conj()).real < IN_STEP * np.prod(np.linalg.norm(near, axis=1)):
            return False
    return True


def _green(colors: np.ndarray, rate: float, band: tuple[float, float]) -> np.ndarray:
    """Share of green in the three colors, which light alone does not change."""
    return skin_colors.green(colors / np.maximum(colors.mean(1, keepdims=True), 1.0), rate, band)


def box(frames: np.ndarray, whole: bool) -> Box:
    """Returns where the skin is, as shares of the picture."""
    if whole:
        return WHOLE
    skin = mask(frames)
    rows, columns = np.flatnonzero(skin.any(1)), np.flatnonzero(skin.any(0))
    height, width = skin.shape
    size = (np.ptp(columns) + 1) / width, (np.ptp(rows) + 1) / height
    return Box(columns[0] / width, rows[0] / height, *size)


def spectrum(series: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies in hertz and the Fourier transform of a series without its ends."""
    return np.fft.rfftfreq(8 * len(series), 1 / rate), samples.hann_spectrum(series - series.mean(), 8)


def line(series: np.ndarray, rate: float, lowest: float = BAND[0]) -> tuple[float, float]:
    """Frequency of the strongest line in the band, and its and its double's share of the power."""
    hertz, transformed = spectrum(series, rate)
    power = np.abs(transformed) ** 2
    inside = (hertz >= lowest) & (hertz <= BAND[1])
    peak = hertz[inside][power[inside].argmax()]
    near = (np.abs(hertz - peak) < LINE) | (np.abs(hertz - 2 * peak) < LINE)
    return peak, power[inside & near].sum() / max(power[inside].sum(), 1e-12)


def beats(series: np.ndarray, rate: float, hertz: float) -> np.ndarray:
    """Samples of the beats: peaks of the pulse near its frequency, from the first even distance to the last."""
    # From 0.6 to 1.8 of its line: beats of an uneven pulse pass, and its double does not.
    wave = filters.butterworth(series, rate, 0.6 * hertz, min(1.8 * hertz, filters.HIGHEST_SHARE * rate), padding=15)
    marks = filters.apart(filters.tops(wave), wave, max(0.6 * rate / hertz, 1))
    even = np.flatnonzero(np.abs(np.diff(marks) * hertz / rate - 1) < UNEVEN)
    return marks[even[0] : even[-1] + 2] if len(even) else marks[:0]
