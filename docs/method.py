"""Figure of the method: its four steps on the sample recording, with the encoder that SimPer trains on it.

python -m docs.method
"""

import pathlib

import numpy as np
from matplotlib.figure import Figure

import simper_tf
from docs import animation, sample
from simper_tf.reading.drawing import COLORS

PATH = pathlib.Path(__file__).with_name("method.png")
TITLES = ("1. views", "2. features", "3. similarity", "4. reading")
BAND = (0.4, 4.0)  # Hz.


def figure(model) -> Figure:
    """Returns the four steps, of an `animation.trained`."""
    times = simper_tf.SpeedSets(num_views=5, speed_range=(0.5, 2.0))
    length, rate = model.recordings.clip_shape[0], model.recordings.rate
    views = simper_tf.Views(times.longest_view(length), times, appearance=None, interpolation="steady")
    batch = views(model.recordings.clips[:1], seed=(0, 3))
    played, speeds = batch["views"][0].numpy(), batch["speeds"][0].numpy()
    features = _standard(model.method.encode(played))
    drawn = Figure(figsize=(11, 2.9), layout="constrained")
    panels = drawn.subplots(1, 4, width_ratios=(1.3, 1.3, 1, 1.2))
    _views(panels[0], played[[0, 2, 4]], speeds[[0, 2, 4]], rate)
    _features(panels[1], features[[0, 2, 4]], rate)
    _similarity(panels[2], features, speeds)
    _reading(panels[3], model)
    for axes, title in zip(panels, TITLES, strict=True):
        axes.set_title(title, loc="left", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
    return drawn


def _standard(features):
    """Returns the `(N, T)` feature of `(N, T, D)` that changes most, in units of its deviation."""
    series = np.reshape(features, (*np.shape(features)[:2], -1))
    series = series[..., series.std(axis=1).mean(axis=0).argmax()]
    return (series - series.mean(axis=1, keepdims=True)) / series.std(axis=1, keepdims=True)


def _views(axes, played, speeds, rate, every=8, count=6):
    strips = [np.concatenate(view[: every * count : every], axis=1) for view in played]
    axes.imshow(np.concatenate(strips), extent=(0, every * count / rate, 3, 0), aspect="auto")
    axes.set_yticks([0.5, 1.5, 2.5], [f"speed {speed:.1f}" for speed in speeds])
    axes.set_xlabel("time (s)")


def _features(axes, features, rate):
    for row, series in enumerate(features):
        axes.plot(np.arange(len(series)) / rate, series / 5 - row, color=COLORS[row])
    axes.set_yticks([])
    axes.set_xlabel("time (s)")


def _similarity(axes, features, speeds):
    scores = simper_tf.max_cross_correlation(features[:5], features[5:])
    shown = axes.imshow(scores, cmap="cividis", vmin=0, vmax=1)
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks(range(5), [f"{speed:.1f}" for speed in speeds[:5]])
    axes.set_xlabel("speed of one view")
    axes.set_ylabel("speed of the other")
    axes.figure.colorbar(shown, ax=axes, shrink=0.75, ticks=[0, 0.5, 1])


def _reading(axes, model):
    """Draws the spectrum of the feature up to the rest, with the frequency read and the true one."""
    before = sample.repetitions()[: len(sample.BEFORE)]
    start, end = before[0][0], before[-1][1]
    series = animation.feature(model, [frame for moment, frame in sample.frames() if start <= moment <= end])
    power = np.abs(np.fft.rfft((series - series.mean()) * np.hanning(len(series)), 16 * len(series))) ** 2
    axes.plot(np.fft.rfftfreq(16 * len(series), 1 / sample.RATE), power / power.max(), color=COLORS[0])
    read, _ = simper_tf.fft_frequency(series[None], float(sample.RATE), BAND)
    true = len(before) / (end - start)
    axes.axvline(true, color="0.5", linestyle="--", linewidth=1)
    axes.annotate(f"read {float(read[0]):.2f} Hz\ntrue {true:.2f} Hz", (1.5, 0.8))
    axes.set_xlim(0, BAND[1])
    axes.set_yticks([])
    axes.set_ylabel("power")
    axes.set_xlabel("frequency (Hz)")


if __name__ == "__main__":
    figure(animation.trained()).savefig(PATH, dpi=110)
