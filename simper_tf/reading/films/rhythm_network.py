"""A network that learned without labels, asked about small gray frames: the chance of every period at every instant.

Windows from 1.5 to 48 s are looked at, each as 64 frames of 32 x 32 pixels. A period that two lengths of window see is
believed most. The network is computed without TensorFlow: `hear` asks it, `told` is what it computes, the same as
`simper_tf.encoders.glance` and `simper_tf.methods.rhythm_head`.
"""

import functools
import hashlib
import importlib.resources
from collections.abc import Mapping
from typing import NamedTuple

import cv2
import numpy as np

from simper_tf.reading.result import SAME_TEMPO
from simper_tf.signals import log_lags
from simper_tf.signals.log_lags import STEPS_PER_OCTAVE
from simper_tf.signals.rhythm_form import ALONE, EPSILON, LEAST_LEVELS, NUM_FRAMES, SHARPNESS, SIDE, SOFTENED

PERIODS = log_lags.periods_of(NUM_FRAMES)
WEIGHTS = "rhythm_network.npz"
# Order of the layers in a file of weights: kernel and bias of each.
LAYERS = ("frame0", "frame1", "frame2", "embed", "blend", "lag0", "lag1", "row", "course", "told")
# Seconds of the shortest window, and how many there are, each a half octave longer. At most so many of one length.
SHORTEST, SCALES, MOST = 1.5, 11, 16
TOGETHER = 1  # Windows that the network sees at once: two leave the cache of a core.
# A window may be so much longer than the recording, which then fills it.
LEAST_FILLED = 0.85
# Seconds from one instant to the next, and the most instants.
INSTANT, MOST_INSTANTS = 0.1, 400
# Seconds of all periods that are told apart.
SECONDS = (
    PERIODS[0] * SHORTEST / NUM_FRAMES
    * 2.0 ** (np.arange(len(PERIODS) + STEPS_PER_OCTAVE // 2 * (SCALES - 1)) / STEPS_PER_OCTAVE)
)  # fmt: skip


class Heard(NamedTuple):
    """What the network says of a recording.

    Attributes:
        instants: `(g,)` seconds from its first frame; none where it is too short for any window.
        sums: `(g + 1, periods)` chances of every period, and the two beside it, summed up to each instant.
        counts: `(g + 1, periods)` how many of these instants a window looked at, of a length that tells the period.
        fastest: Hertz above which a cycle has too few frames: halves between them look like cycles.
    """

    instants: np.ndarray
    sums: np.ndarray
    counts: np.ndarray
    fastest: float

    def of(self, hertz: float, start: float, end: float) -> tuple[float, float]:
        """Returns the mean chance of a frequency between two times, and that of the likeliest other one.

        Both are NaN where no window tells the frequency.
        """
        steps = np.log(SECONDS * hertz)
        at = int(np.abs(steps).argmin())
        if not len(self.instants) or abs(steps[at]) > SAME_TEMPO or hertz > self.fastest:
            return np.nan, np.nan
        first = min(int(np.searchsorted(self.instants, start)), len(self.instants) - 1)
        last = max(int(np.searchsorted(self.instants, end)), first + 1)
        sums, counts = (part[last] - part[first] for part in (self.sums, self.counts))
        if not counts[at]:
            return np.nan, np.nan
        chances = sums / np.maximum(counts, 1)
        return float(chances[at]), float(chances[np.abs(steps) > SAME_TEMPO].max())


def hear(times: np.ndarray, gray: np.ndarray, tell=None) -> Heard:
    """Asks the network about a recording.

    Args:
        times: `(n,)` seconds, rising.
        gray: `(n, H, W)` gray levels, of which areas are averaged.
        tell: The network; None for `told`.

    Example:
        >>> times = np.arange(300) / 25
        >>> x, y = np.meshgrid(np.arange(32), np.arange(32))
        >>> discs = np.hypot(x - 16 - 8 * np.sin(2 * np.pi * 0.9 * times)[:, None, None], y - 16) < 4
        >>> chance, other = hear(times, 60.0 + 120.0 * discs).of(0.9, 0.0, 12.0)
        >>> chance > 0.5 > other
        True
    """
    instants, chances = chances_of(np.asarray(times, float) - times[0], small(gray), tell or chances_of_windows)
    seen = np.isfinite(chances)
    near = np.pad(np.where(seen, chances, 0.0), ((1, 0), (1, 1)))
    counts = np.pad(seen, ((1, 0), (0, 0)))
    sums = counts * (near[:, :-2] + near[:, 1:-1] + near[:, 2:])
    fastest = 1 / (log_lags.SHORTEST * float(np.median(np.diff(times))))
    return Heard(instants, np.cumsum(sums, axis=0), np.cumsum(counts, axis=0), fastest)


def small(gray: np.ndarray) -> np.ndarray:
    """Returns `(n, 32, 32)` float32 means over areas of `(n, H, W)` frames."""
    frames = np.asarray(gray, np.float32)
    return np.stack([cv2.resize(frame, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for frame in frames])


def chances_of(times: np.ndarray, frames: np.ndarray, tell) -> tuple[np.ndarray, np.ndarray]:
    """Returns instants and the chance of every period at each, NaN where no window tells it.

    Returns:
        `(g,)` seconds, and `(g, periods)`.
    """
    length = float(times[-1])
    step = max(INSTANT, length / MOST_INSTANTS)
    instants = np.arange(0.0, length, step) + step / 2
    seen = []
    for scale in range(SCALES):
        seconds = SHORTEST * 2.0 ** (scale / 2)
        if length < LEAST_FILLED * seconds:
            break
        seen.append(_of_scale(times, frames, tell, instants, min(seconds, length)))
    if not seen:
        return instants[:0], np.zeros((0, len(SECONDS)))
    return instants, _two_best(np.stack(seen))


def windows_of(times: np.ndarray, frames: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns starts of windows of so many seconds, and the windows, `(w, 64, 32, 32)`.

    Where frames are denser than 64 a window, those of a step are averaged.
    """
    length = float(times[-1])
    # Each half a window on. A recording may be 1 % longer than one: a frame of 64.
    number = 1 if length <= 1.01 * seconds else int(min(MOST, np.ceil(2 * (length - seconds) / seconds) + 1))
    starts = np.linspace(0.0, length - seconds, number)
    dense = max(1, round(seconds * (len(times) - 1) / length / NUM_FRAMES))
    steps = seconds * (np.arange(NUM_FRAMES * dense) / (NUM_FRAMES * dense - 1))
    places = np.interp(starts[:, None] + steps, times, np.arange(len(times)))
    near = np.minimum(places.astype(int), len(times) - 2)
    share = (places - near).astype(np.float32)[..., None, None]
    shown, after = frames[near], frames[near + 1]
    shown *= 1 - share
    after *= share
    shown += after
    shown = shown.reshape(number, NUM_FRAMES, dense, *frames.shape[1:])
    return starts, shown.mean(2) if dense > 1 else shown[:, :, 0]


def _of_scale(times, frames, tell, instants, seconds):
    """Chances `(g, periods)` of windows of one length; NaN where they do not see a period or an instant."""
    starts, windows = windows_of(times, frames, seconds)
    total, weight = np.zeros((len(instants), len(PERIODS))), np.full(len(instants), 1e-9)
    for first in range(0, len(windows), TOGETHER):
        for start, chances in zip(starts[first:], tell(windows[first : first + TOGETHER]), strict=False):
            inside = np.flatnonzero((instants >= start) & (instants <= start + seconds))
            place = (instants[inside] - start) / seconds
            near = np.minimum((place * NUM_FRAMES).astype(int), NUM_FRAMES - 1)
            trust = 0.1 + np.sin(np.pi * place) ** 2  # Near its ends a window sees one side alone.
            total[inside] += trust[:, None] * chances[near, :-1]
            weight[inside] += trust
    seen = np.where(weight[:, None] > 1e-6, total / weight[:, None], np.nan)
    offset = STEPS_PER_OCTAVE * np.log2(seconds / SHORTEST)
    steps = np.arange(len(SECONDS)) - offset
    near = np.clip(np.floor(steps + 1e-6).astype(int), 0, len(PERIODS) - 2)
    share = np.clip(steps - near, 0.0, 1.0)
    known = (steps > -0.5) & (steps < len(PERIODS) - 0.5)
    return np.where(known, (1 - share) * seen[:, near] + share * seen[:, near + 1], np.nan)


def _two_best(seen):
    """Mean of the two highest chances of `(scales, g, periods)`, or the only one for a little less; NaN of none."""
    number = np.isfinite(seen).sum(0)
    ranked = -np.sort(-np.nan_to_num(seen, nan=0.0), axis=0)
    second = ranked[1] if len(ranked) > 1 else ranked[0]
    chance = np.where(number > 1, (ranked[0] + second) / 2, ALONE * ranked[0])
    return np.where(number > 0, chance, np.nan)


@functools.lru_cache(maxsize=1)
def weights() -> dict[str, np.ndarray]:
    """Returns the weights that come with the package, float32 by layer and part such as `lag0.kernel`."""
    with importlib.resources.files("simper_tf.reading.films").joinpath(WEIGHTS).open("rb") as file:
        return loaded(file)


def loaded(file) -> dict[str, np.ndarray]:
    """Returns the weights of an open `.npz` file or its path."""
    with np.load(file) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def checksum(values: Mapping[str, np.ndarray]) -> str:
    """Returns the SHA-256 of weights, in the order of `LAYERS`, as float16."""
    parts = [values[f"{layer}.{part}"] for layer in LAYERS for part in ("kernel", "bias")]
    return hashlib.sha256(b"".join(np.ascontiguousarray(part, np.float16).tobytes() for part in parts)).hexdigest()


def chances_of_windows(windows: np.ndarray, values: Mapping[str, np.ndarray] | None = None) -> np.ndarray:
    """Returns the chance of every period at every frame.

    Args:
        windows: `(N, 64, 32, 32)` gray levels, in any unit of which 255 are white.
        values: Weights; None for those of the package.

    Returns:
        `(N, 64, K + 1)` float32 of sum 1 over `PERIODS` and none.
    """
    values = weights() if values is None else values
    layer = functools.partial(_layer, values)
    x = contrast(np.asarray(windows, np.float32))
    x = x.reshape(-1, SIDE, SIDE, 2)
    for name in LAYERS[:3]:
        x = _relu(_halved(x, *layer(name)))
    kernel, bias = layer("embed")
    x = (x.reshape(len(x), -1) @ kernel + bias).reshape(-1, NUM_FRAMES, kernel.shape[1])
    x = lag_map(_over_time(x, *layer("blend")))
    for name in LAYERS[5:7]:
        x = _relu(_over_lags(x, *layer(name)))
    kernel, bias = layer("row")
    x = _relu(x.reshape(*x.shape[:2], -1) @ kernel + bias)
    x = _relu(_over_time(x, *layer("course")))
    kernel, bias = layer("told")
    logits = x @ kernel + bias
    logits = np.exp(logits - logits.max(-1, keepdims=True))
    return logits / logits.sum(-1, keepdims=True)


def contrast(windows: np.ndarray) -> np.ndarray:
    """Returns what changes, `(N, T, H, W, 2)`: in units of the whole window, and of each pixel."""
    changes = windows - windows.mean(1, keepdims=True)
    all_of_it = changes.std((1, 2, 3), keepdims=True) + LEAST_LEVELS
    pixels = np.sqrt((changes**2).mean(1, keepdims=True) + LEAST_LEVELS**2)
    return np.stack([changes / all_of_it, changes / (pixels + SOFTENED * all_of_it)], -1)


def lag_map(features: np.ndarray) -> np.ndarray:
    """Returns how alike frames are to those some lags after and before, `(N, T, lags, 6)`; see `LagMap`."""
    squares = (features**2).sum(-1)
    distances = squares[:, :, None] + squares[:, None] - 2.0 * features @ features.transpose(0, 2, 1)
    distances = np.maximum(distances, 0.0)
    distances /= distances.mean((1, 2), keepdims=True) + EPSILON
    both = np.stack([-distances, np.exp(-SHARPNESS * distances)], -1).reshape(len(features), -1, 2)
    seen = np.empty((len(features), *_lags()[0][0].shape, 6), np.float32)
    for side, (near, far, share, known) in enumerate(_lags()):
        part, rest = both.take(near, 1), both.take(far, 1)
        part *= (1.0 - share) * known
        rest *= share * known
        part += rest
        seen[..., 3 * side : 3 * side + 2], seen[..., 3 * side + 2 : 3 * side + 3] = part, known
    return seen


@functools.lru_cache(maxsize=1)
def _lags():
    """Returns `lag_indices` with weights, `(lags, 1)`, and what exists, `(64, lags, 1)`, as float32."""
    return [
        (near, far, share[:, None].astype(np.float32), known[..., None].astype(np.float32))
        for near, far, share, known in log_lags.lag_indices(NUM_FRAMES)
    ]


def _layer(values, name):
    return values[f"{name}.kernel"], values[f"{name}.bias"]


def _relu(x):
    return np.maximum(x, 0.0, out=x)


def _halved(x, kernel, bias):
    """Convolution of 3 x 3 pixels at every second one; TensorFlow pads an even side at its end alone."""
    number, height, width, channels = x.shape
    columns = np.empty((number, height // 2, width // 2, 3, 3 * channels), np.float32)
    columns[:, -1, :, 2] = columns[:, :, -1, :, 2 * channels :] = 0
    for row in range(3):
        rows = x[:, row::2].reshape(number, -1, width * channels)
        columns[:, : rows.shape[1], :-1, row] = _parts(rows, width // 2 - 1, 2 * channels, 3 * channels)
        columns[:, : rows.shape[1], -1, row, : 2 * channels] = rows[..., -2 * channels :]
    outputs = columns.reshape(-1, 9 * channels) @ kernel.reshape(9 * channels, -1)
    outputs += bias
    return outputs.reshape(*columns.shape[:3], -1)


def _parts(rows, number, step, length):
    """View of so many parts of rows, `(N, H, number, length)`, a step apart, which are copied at once."""
    strides = (*rows.strides[:2], step * rows.itemsize, rows.itemsize)
    return np.lib.stride_tricks.as_strided(rows, (*rows.shape[:2], number, length), strides, writeable=False)


def _over_time(x, kernel, bias):
    """Convolution over frames, `(N, T, C)`, as a sum over the taps of the kernel."""
    half, length = len(kernel) // 2, x.shape[1]
    x = np.pad(x, ((0, 0), (half, half), (0, 0)))
    return sum(x[:, tap : tap + length] @ kernel[tap] for tap in range(len(kernel))) + bias


def _over_lags(x, kernel, bias):
    """Convolution over frames and lags, `(N, T, J, C)`, as a sum over the rows of the kernel."""
    tall, wide, channels, kept = kernel.shape
    number, height, width = x.shape[:3]
    x = np.pad(x, ((0, 0), (tall // 2, tall // 2), (wide // 2, wide // 2), (0, 0)))
    rows = _parts(x.reshape(*x.shape[:2], -1), width, channels, wide * channels)
    rows = rows.reshape(number, -1, wide * channels)
    outputs = sum(rows[:, row * width : (row + height) * width] @ kernel[row].reshape(-1, kept) for row in range(tall))
    return (outputs + bias).reshape(number, height, width, kept)
