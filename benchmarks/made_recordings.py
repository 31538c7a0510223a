"""Recordings of photographs that move in a known way, or repeat nothing, written by real codecs."""

import dataclasses
import fractions
import pathlib

import numpy as np

HEIGHT, WIDTH, SECONDS = 240, 320, 12.0
MOVING = ("swing", "turn", "up-down", "zoom", "two-part")
APERIODIC = ("walk", "noise", "still", "shuffled")
BAND = (0.4, 3.0)  # Hz, in which frequencies are drawn.
# Ending -> encoder, pixel format and the options that are drawn from.
CODECS = {
    ".mp4": ("libx264", "yuv420p", [{"crf": "18", "preset": "veryfast"}, {"crf": "26", "preset": "veryfast"}]),
    ".mkv": ("libx264", "yuv420p", [{"crf": "23", "preset": "ultrafast"}]),
    ".avi": ("mpeg4", "yuv420p", [{"qscale": "5"}, {"qscale": "12"}]),
    ".mov": ("mjpeg", "yuvj420p", [{}]),
}
# Photographs of one list never appear in the other: thresholds are chosen on the first, and errors told of the second.
PHOTOGRAPHS = {
    "choosing": ("china.jpg", "astronaut", "motorcycle_left", "gravel", "coins"),
    "reporting": ("flower.jpg", "coffee", "chelsea", "rocket", "brick", "camera"),
}


@dataclasses.dataclass(frozen=True)
class Made:
    """A recording that was written.

    Attributes:
        path: Where.
        kind: One of `MOVING` or `APERIODIC`.
        times: `(T,)` seconds of its frames.
        frequencies: `(T,)` Hz at each of them; NaN where nothing repeats.
    """

    path: pathlib.Path
    kind: str
    times: np.ndarray
    frequencies: np.ndarray

    def frequency(self, start: float, seconds: float) -> float:
        """Returns the mean frequency, in Hz, over some seconds; NaN where nothing repeats."""
        return float(self.frequencies[(self.times >= start) & (self.times < start + seconds)].mean())


def photograph(name: str) -> np.ndarray:
    """Returns `(H, W, 3)` uint8 of a photograph that ships with scikit-learn or scikit-image.

    Raises:
        ValueError: scikit-image is not installed.
    """
    import cv2
    from sklearn.datasets import load_sample_image

    if name.endswith(".jpg") and name in ("china.jpg", "flower.jpg"):
        return load_sample_image(name)
    try:
        import skimage
    except ImportError as error:
        raise ValueError("Recordings are made of photographs of scikit-image: pip install scikit-image.") from error
    folder = pathlib.Path(skimage.__file__).parent / "data"
    path = next(path for path in folder.iterdir() if path.stem == name)
    found = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
    scale = max(1.0, (HEIGHT + 120) / found.shape[0], (WIDTH + 160) / found.shape[1])
    return cv2.resize(found, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)


def make(folder: pathlib.Path, kind: str, purpose: str, number: int, seconds: float = SECONDS) -> Made:
    """Writes one recording, all of which follows from its kind, purpose and number; one that is there is kept.

    Args:
        folder: Where it goes.
        kind: One of `MOVING` or `APERIODIC`.
        purpose: A key of `PHOTOGRAPHS`.
        number: Which of them.
        seconds: Length.
    """
    kinds = MOVING + APERIODIC
    random = np.random.default_rng([number, kinds.index(kind), list(PHOTOGRAPHS).index(purpose)])
    suffix = list(CODECS)[number % len(CODECS)]
    rate = float(random.choice([24.0, 25.0, 30.0, 30000 / 1001, 50.0]))
    times = np.arange(round(seconds * rate)) / rate
    names = PHOTOGRAPHS[purpose]
    front, back = [_part(photograph(names[k]), random) for k in random.permutation(len(names))[:2]]
    frames, frequencies = _frames(kind, front, back, times, random)
    path = folder / f"{kind}_{number}{suffix}"
    codec, pixels, options = CODECS[suffix]
    if not path.exists():
        _write(path, frames, rate, codec, pixels, options[number // len(CODECS) % len(options)])
    return Made(path, kind, times, frequencies)


def _part(picture, random):
    top, left = [random.integers(0, size + 1) for size in np.subtract(picture.shape[:2], (HEIGHT, WIDTH))]
    return picture[top : top + HEIGHT, left : left + WIDTH].astype(np.float32)


def _frames(kind, front, back, times, random):
    moved = random.choice(MOVING) if kind == "shuffled" else kind
    if moved in MOVING:
        phases, frequencies = _phases(times, random)
        matrices = _movement(moved, phases, random)
        order = random.permutation(len(times)) if kind == "shuffled" else np.arange(len(times))
        frequencies = np.full(len(times), np.nan) if kind == "shuffled" else frequencies
    else:
        order, frequencies = np.arange(len(times)), np.full(len(times), np.nan)
        matrices = _walk(times, random) if kind == "walk" else [np.eye(2, 3)] * len(times)
    level = random.uniform(20, 60) if kind == "noise" else float(random.choice([0, 0, 4, 8, 15]))
    alone = random.random() < 0.5  # Else in front of another photograph, which stands still.
    shake = smooth(random, (len(times), 2), times[1], 0.3) * random.choice([0, 0, 1.0, 2.0])
    light = 1 + random.choice([0, 0.1]) * smooth(random, (len(times), 1), times[1], 4.0)[:, 0]
    mask = None if alone else _mask(random)
    seed = int(random.integers(2**31))
    return _drawn(front, back, mask, [matrices[k] for k in order], shake, light, level, seed), frequencies


def _phases(times, random):
    """Returns radians and Hz over time, of a frequency that drifts in half of the recordings."""
    middle = np.exp(random.uniform(*np.log(BAND)))
    drift = random.choice([0, 0, -0.1, 0.1])
    frequencies = np.clip(middle * (1 + drift * (times / times[-1] - 0.5)), *BAND)
    return random.uniform(0, 6.28) + 2 * np.pi * np.cumsum(frequencies) * times[1], frequencies


def _movement(kind, phases, random):
    """Returns affine matrices over time, whose wave is a sine in half of the recordings, and steeper in the others."""
    wave = np.sin(phases + random.choice([0, 0.5]) * np.sin(phases))
    center = (WIDTH / 2, HEIGHT / 2)
    if kind == "swing":
        size = random.uniform(6, 25)
        return [_turn((WIDTH / 2, HEIGHT / 6), size * value, 1.0) for value in wave]
    if kind == "turn":
        direction = random.choice([-1, 1])
        return [_turn(center, direction * np.degrees(phase), 1.0) for phase in phases]
    if kind == "up-down":
        return [_shift(0, random_size * value) for random_size in [random.uniform(4, 30)] for value in wave]
    if kind == "zoom":
        size = random.uniform(0.05, 0.25)
        return [_turn(center, 0, 1 + size * value) for value in wave]
    size, other = random.uniform(8, 30, 2)
    lift = np.maximum(np.sin(phases), 0), np.maximum(-np.sin(phases), 0)
    return [_shift(other * right, -size * up) for up, right in zip(*lift, strict=True)]


def _walk(times, random):
    places = np.cumsum(random.normal(0, 1, (len(times), 2)), axis=0) * 25 * np.sqrt(times[1] / times[-1])
    places = np.stack([np.convolve(place, np.ones(5) / 5, "same") for place in places.T], axis=1)
    return [_shift(*place) for place in places]


def smooth(random, shape, step, seconds):
    """Returns series of standard deviation 1 that stay alike for some seconds.

    Args:
        random: NumPy generator.
        shape: `(T, K)`.
        step: Seconds from one value to the next.
        seconds: After which a series has forgotten all but 1 / e of itself.
    """
    keep = np.exp(-step / seconds)
    found = random.normal(0, 1, shape)
    for k in range(1, len(found)):
        found[k] = keep * found[k - 1] + np.sqrt(1 - keep**2) * found[k]
    return found


def _turn(center, degrees, scale):
    import cv2

    return cv2.getRotationMatrix2D(center, degrees, scale)


def _shift(right, down):
    return np.float64([[1, 0, right], [0, 1, down]])


def _mask(random):
    """Returns an ellipse with a soft edge, `(H, W, 1)` in [0, 1]."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    across, down = random.uniform(0.12, 0.35) * WIDTH, random.uniform(0.15, 0.35) * HEIGHT
    distance = np.hypot((x - WIDTH / 2) / across, (y - HEIGHT / 2) / down)
    return np.clip(8 * (1 - distance) + 0.5, 0, 1)[..., None].astype(np.float32)


def _drawn(front, back, mask, matrices, shake, light, level, seed):
    """Yields frames."""
    import cv2

    random = np.random.default_rng(seed)
    size = (WIDTH, HEIGHT)
    for matrix, offset, brightness in zip(matrices, shake, light, strict=True):
        picture = cv2.warpAffine(front, matrix, size, borderMode=cv2.BORDER_REFLECT)
        if mask is not None:
            share = cv2.warpAffine(mask, matrix, size)[..., None]
            picture = share * picture + (1 - share) * back
        if offset.any():
            picture = cv2.warpAffine(picture, _shift(*offset), size, borderMode=cv2.BORDER_REFLECT)
        if level:
            picture = picture + level * random.standard_normal(picture.shape, np.float32)
        yield np.clip(brightness * picture, 0, 255).astype(np.uint8)


def _write(path, frames, rate, codec, pixels, options):
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=fractions.Fraction(rate).limit_denominator(1001))
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, pixels
        if "qscale" in options:
            stream.codec_context.bit_rate = 4_000_000 // int(options["qscale"])
        else:
            stream.options = options
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, "rgb24")))
        container.mux(stream.encode())
