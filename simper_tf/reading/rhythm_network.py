"""The network of the learned reader, computed without TensorFlow: windows of film to the period at every frame.

What it computes is `reproduce.reader.encoder.glance` and `simper_tf.methods.rhythm_head` of 64 frames.
"""

import functools
import hashlib
import importlib.resources
from collections.abc import Mapping

import numpy as np

from simper_tf.signals.log_lags import lag_indices, periods_of

NUM_FRAMES, SIDE = 64, 32
# Gray levels below which a clip stands still, and how much of the change of a whole clip is added to that of a pixel.
LEAST_LEVELS, SOFTENED = 1e-3, 0.25
# As in `simper_tf.methods.rhythm_head`, whose module needs TensorFlow.
SHARPNESS, EPSILON = 4.0, 1e-5
PERIODS = periods_of(NUM_FRAMES)
WEIGHTS = "rhythm_network.npz"
# Order of the layers in a file of weights: kernel and bias of each.
LAYERS = ("frame0", "frame1", "frame2", "embed", "blend", "lag0", "lag1", "row", "course", "told")


@functools.lru_cache(maxsize=1)
def weights() -> dict[str, np.ndarray]:
    """Returns the weights that come with the package, float32 by layer and part such as `lag0.kernel`."""
    with importlib.resources.files("simper_tf.reading").joinpath(WEIGHTS).open("rb") as file:
        return loaded(file)


def loaded(file) -> dict[str, np.ndarray]:
    """Returns the weights of an open `.npz` file or its path."""
    with np.load(file) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def checksum(values: Mapping[str, np.ndarray]) -> str:
    """Returns the SHA-256 of weights, in the order of `LAYERS`, as float16."""
    parts = [values[f"{layer}.{part}"] for layer in LAYERS for part in ("kernel", "bias")]
    return hashlib.sha256(b"".join(np.ascontiguousarray(part, np.float16).tobytes() for part in parts)).hexdigest()


def told(windows: np.ndarray, values: Mapping[str, np.ndarray] | None = None) -> np.ndarray:
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
        for near, far, share, known in lag_indices(NUM_FRAMES)
    ]


def _layer(values, name):
    return values[f"{name}.kernel"], values[f"{name}.bias"]


def _relu(x):
    return np.maximum(x, 0.0, out=x)


def _halved(x, kernel, bias):
    """Convolution of 3 x 3 pixels at every second one; TensorFlow pads an even side at its end alone."""
    number, height, width, channels = x.shape
    columns = np.zeros((number, height // 2, width // 2, 3, 3 * channels), np.float32)
    for row in range(3):  # Pixels of a row lie side by side: they are copied at once.
        rows = x[:, row::2].reshape(number, -1, width * channels)
        pairs = np.lib.stride_tricks.sliding_window_view(rows, 3 * channels, 2)[:, :, :: 2 * channels]
        columns[:, : rows.shape[1], :-1, row] = pairs
        columns[:, : rows.shape[1], -1, row, : 2 * channels] = rows[..., -2 * channels :]
    outputs = columns.reshape(-1, 9 * channels) @ kernel.reshape(9 * channels, -1)
    outputs += bias
    return outputs.reshape(*columns.shape[:3], -1)


def _over_time(x, kernel, bias):
    """Convolution over frames, `(N, T, C)`, as a sum over the taps of the kernel."""
    half, length = len(kernel) // 2, x.shape[1]
    x = np.pad(x, ((0, 0), (half, half), (0, 0)))
    return sum(x[:, tap : tap + length] @ kernel[tap] for tap in range(len(kernel))) + bias


def _over_lags(x, kernel, bias):
    """Convolution over frames and lags, `(N, T, J, C)`."""
    tall, wide = kernel.shape[:2]
    height, width = x.shape[1:3]
    x = np.pad(x, ((0, 0), (tall // 2, tall // 2), (wide // 2, wide // 2), (0, 0)))
    parts = np.lib.stride_tricks.sliding_window_view(x, (tall, wide), (1, 2))
    columns = parts.transpose(0, 1, 2, 4, 5, 3).reshape(-1, kernel[..., 0].size)
    return (columns @ kernel.reshape(-1, kernel.shape[-1]) + bias).reshape(-1, height, width, kernel.shape[-1])
