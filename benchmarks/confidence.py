"""Which number says best that a frequency read off a clip can be trusted: definitions of a confidence, compared.

python -m benchmarks.confidence --version=runs/quickstart/saved_model/1

Clips of digits that swing within the band, and are read right, against clips that hold no frequency of the band. For
each definition: AUC against each kind, the share of each kind that reaches 0.5, and of answers that are wrong, and the
share of right answers that do not. Choose on `--split=validation`; `--split=test` is for reporting.
"""

import argparse

import numpy as np
import tensorflow as tf
from sklearn.metrics import roc_auc_score

from datasets.rotating_digits import digits, handwriting
from simper_tf import octave, readout, spectrum, tables
from simper_tf.export import load_encoder
from simper_tf.recurrence import recurrence
from simper_tf.served import FrequencyModel

RATE, HIGH, LOWEST = digits.RATE, 5.5, 0.4  # Frames per second; Hz.
KINDS = ("drift", "walk", "noise", "still", "shuffled")
# Standard deviation of the noise on clips that swing, in gray levels; none is what AUC is of.
NOISES = (0, 60)
HARMONICS = {"one common multiple": 0.5, "each clip by its own pixels": None}
THRESHOLD = 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", default="runs/quickstart/saved_model/1", help="Exported model of digits.")
    parser.add_argument("--split", default="validation", choices=("validation", "test"), help="Whose digits.")
    parser.add_argument("--clips", type=int, default=200, help="Clips of each kind.")
    parser.add_argument("--lengths", default="150,60,30", help="Frames of a clip.")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    encoder, header = load_encoder(args.version), ["frames", "confidence", *KINDS, *(f"{kind} sure" for kind in KINDS)]
    header += ["wrong but sure", *(f"right but unsure, noise {level}" for level in NOISES)]
    for how, harmonic in HARMONICS.items():
        lines = []
        for length in map(int, args.lengths.split(",")):
            found, right = compare(encoder, harmonic, length, args.split, args.clips, args.seed)
            print(f"{how}, {length} frames: right answers {right}", flush=True)
            lines += [[str(length), name, *(f"{value:.3f}" for value in values)] for name, values in found.items()]
        print(f"Features read at {how}; AUC against each kind:")
        print(tables.markdown_table(header, lines))


def compare(encoder, harmonic, num_frames, split, count, seed):
    """Returns definition -> a row of the table, and in words how many answers are right."""
    low = max(LOWEST, 2 * RATE / num_frames)  # Two periods are in the clip.
    read = Reader(encoder, harmonic, (low, HIGH))

    def made(kind, number, level=0):
        clips, frequencies = make_clips(kind, split, num_frames, low, count, [seed, number], level)
        frequency, found = read(clips)
        return np.abs(frequency - frequencies) < 0.5 * RATE / num_frames, found  # Half a cycle a clip.

    swings = [made("swing", number, level) for number, level in enumerate(NOISES)]
    others = [made(kind, len(NOISES) + number)[1] for number, kind in enumerate(KINDS)]
    table = {}
    for name in swings[0][1]:
        right = [found[name][good] for good, found in swings]
        wrong = swings[0][1][name][~swings[0][0]]
        table[name] = [
            *(_auc(right[0], found[name]) for found in others),
            *(_share(found[name] >= THRESHOLD) for found in others),
            _share(wrong >= THRESHOLD),
            *(_share(values < THRESHOLD) for values in right),
        ]
    told = [f"{good.mean():.1%} at noise {level}" for level, (good, _) in zip(NOISES, swings, strict=True)]
    return table, ", ".join(told)


def _auc(positive, negative):
    return roc_auc_score(np.repeat([1, 0], [len(positive), len(negative)]), np.append(positive, negative))


def _share(chosen):
    return np.mean(chosen) if len(chosen) else np.nan


class Reader:
    """Clips -> the frequency that is served, and confidence by each definition.

    Args:
        encoder, harmonic, band: As in `FrequencyModel`.
    """

    def __init__(self, encoder, harmonic, band):
        self.model = FrequencyModel(encoder, (handwriting.SIZE, handwriting.SIZE, 1), band, harmonic)
        self._ask = tf.function(self.model.frequency, reduce_retracing=True, autograph=False)

    def __call__(self, clips):
        parts = [clips[first : first + 50] for first in range(0, len(clips), 50)]
        answers = [self._ask(part, np.full(len(part), RATE, np.float32)) for part in parts]
        answer = {name: np.concatenate([each[name] for each in answers]) for name in answers[0]}
        return answer["frequency_hz"], {"served": answer["confidence"], **self._others(clips, answer)}

    def _others(self, clips, answer):
        features, frequency = answer["features"], answer["frequency_hz"]
        num_frames, multiple = features.shape[1], self.model.harmonic or 1.0
        low, high = (edge / multiple for edge in self.model.band)
        _, share = readout.fft_frequency(features, RATE, (low, high))
        at_peak = octave.wide_peak(features).numpy()
        _, anywhere = readout.fft_frequency(features, 1.0, (1 / num_frames, 0.5))
        power, _ = readout.power_in_hertz(features, 1.0)
        bins, half = np.arange(power.shape[1]), num_frames // 2
        lobe = np.abs(bins - at_peak[:, None] * 16 * num_frames) <= 16 * spectrum.HANN_LOBE
        peaks = np.stack([octave.wide_peak(each) for each in np.moveaxis(features, 2, 0)], axis=1)
        halves = [octave.wide_peak(part).numpy() for part in (features[:, :half], features[:, -half:])]
        return {
            "peak's share, in the band, over noise's": share.numpy(),
            "peak's share, over noise's": anywhere.numpy(),
            "peak's share": np.sum(power * lobe, axis=1) / np.maximum(np.sum(power, axis=1), 1e-12),
            "channels agree": np.mean(np.abs(peaks - at_peak[:, None]) < 0.5 / num_frames, axis=1),
            "halves agree": np.maximum(1 - np.abs(halves[0] - halves[1]) * half, 0),
            "features come back": recurrence(np.moveaxis(features, 2, 1), 1 / at_peak).numpy(),
            "pixels come back": recurrence(spectrum.pixel_series(tf.constant(clips)), RATE / frequency).numpy(),
        }


def make_clips(kind, split, num_frames, low, count, seed, level=0):
    """Returns `(count, T, 28, 28, 1)` uint8 clips of one kind, and their frequencies in Hz, NaN where there is none.

    Args:
        kind: `swing` between the lower end and 5 Hz; `shuffled`, the same in random order; `drift`: swings at 0.1 to
            0.75 of the lower end, and turns of at most three eighths; `walk`: random walks of the angle by 0.05 to 0.5
            a frame; `noise`, with or without a digit; `still`, with or without faint noise.
        split: Whose digits.
        num_frames: T.
        low: Lower end of the band, Hz.
        count: Number of clips.
        seed: Of a NumPy generator.
        level: Standard deviation of noise to be added, in gray levels.
    """
    random, images = np.random.default_rng(seed), handwriting.by_digit(*handwriting.embedded_digits(split), split)
    clips, frequencies = [], []
    for index in range(count):
        image = random.choice(images[index % 10])[:, :, None]
        frequency = random.uniform(max(low, digits.FREQUENCIES[0]), digits.FREQUENCIES[1])
        frames = digits.turn(image, _angles(kind, index % 2, frequency, num_frames, low, random)).astype(np.float64)
        if kind == "shuffled":
            frames = random.permutation(frames)
        if kind == "noise" and index % 2:
            frames = random.uniform(0, 255, frames.shape)
        deviation = {"noise": random.uniform(20, 120), "still": random.uniform(1, 5) * (index % 2)}.get(kind, level)
        clips.append(handwriting.to_uint8(frames + deviation * random.normal(size=frames.shape)))
        frequencies.append(frequency if kind == "swing" else np.nan)
    return np.stack(clips), np.array(frequencies)


def _angles(kind, odd, frequency, num_frames, low, random):
    phase, frames = random.uniform(-digits.MAX_PHASE, digits.MAX_PHASE), np.arange(num_frames)
    if kind == "walk":
        return np.float32(
            phase + np.cumsum(np.exp(random.uniform(*np.log([0.05, 0.5]))) * random.normal(size=num_frames))
        )
    if kind in ("noise", "still"):
        return np.full(num_frames, phase, np.float32)
    if kind == "drift" and odd:
        # No more: a zero or an eight looks the same after half a turn.
        return np.float32(
            phase + random.choice([-1, 1]) * 2 * np.pi * random.uniform(0.05, 0.375) * frames / num_frames
        )
    return digits.angles_of(
        low * random.uniform(0.1, 0.75) if kind == "drift" else frequency, phase, num_frames=num_frames
    )


if __name__ == "__main__":
    main()
