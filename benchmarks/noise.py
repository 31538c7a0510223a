"""What learning adds where pixels drown: SimPer against the spectrum of the pixels, on digits with Gaussian noise.

python -m benchmarks.noise
"""

import argparse

import keras
import numpy as np
import tensorflow as tf

from datasets.rotating_digits import digits, handwriting
from simper_tf import SimPer, SpeedSets, Views, features, small, tables
from simper_tf.appearance import Appearance
from simper_tf.octave import pixel_frequency
from simper_tf.tasks import Frequency
from simper_tf.votes import Octave, find_octave

NUM_TRAIN, NUM_TEST, EPOCHS = 1000, 500, 2
OFF = 0.1  # Hz beyond which a clip counts as wrong.


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", default="0,60,150,300", help="Standard deviations of the noise, in gray levels.")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    lines = []
    for level in map(float, args.levels.split(",")):
        print(f"Noise of {level:g} gray levels: training ...", flush=True)
        lines += [[f"{level:g}", *line] for line in measure(level, args.seed)]
    header = ["noise", "readout", "MAE (Hz)", f"clips off by > {OFF} Hz", "of"]
    print(tables.markdown_table(header, lines))


def measure(level, seed):
    """Returns lines of readout, mean absolute error, clips that are off, and clips, for one strength of noise."""
    train, test = [_noisy(split, number, level, seed) for split, number in (("train", NUM_TRAIN), ("test", NUM_TEST))]
    clips = np.stack([example["clip"] for example in train])
    keras.utils.set_random_seed(seed)
    times = SpeedSets(5)
    views = Views(times.longest_view(150), times, Appearance(flip_probability=0.0))
    model = SimPer(small((None, None, 1)), views, seed=seed)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(3e-3, EPOCHS * NUM_TRAIN // 4)))
    model.fit(clips, batch_size=4, epochs=EPOCHS, verbose=0)
    functions = {"series": model.encode, **features.extras(Frequency("Hz"))}
    train, test = [features.extract(functions, _dataset(examples)) for examples in (train, test)]
    octave = find_octave(train.series, train.pixels)
    print(octave)
    alone = Octave(octave.divisor, 0.0, octave.voting)  # Agrees with nobody: each clip by its own pixels.
    given = test.series, test.pixels, test.rates
    read = {
        "pixels alone": pixel_frequency(test.pixels, test.rates, 150).numpy(),
        "SimPer, each clip by its own pixels": alone.frequency(*given),
        "SimPer, one common multiple": octave.frequency(*given) if octave.is_common else None,
    }
    for name, values in read.items():
        if values is None:
            yield [name, "none found", "", ""]
        else:
            errors = np.abs(values - test.labels)
            yield [name, f"{errors.mean():.4f}", str(np.sum(errors > OFF)), str(len(errors))]


def _noisy(split, number, level, seed):
    images = handwriting.by_digit(*handwriting.embedded_digits(split), split)
    random = np.random.default_rng([seed, split == "test"])
    examples = []
    for index in range(number):
        record = digits.clip_record(images, split, index)
        clip = record["clip"] + level * random.standard_normal(record["clip"].shape)
        kept = {name: record[name] for name in ("label", "rate", "id")}
        examples.append({**kept, "clip": np.clip(clip, 0, 255).astype(np.uint8)})
    return examples


def _dataset(examples):
    return tf.data.Dataset.from_tensor_slices(
        {name: np.stack([example[name] for example in examples]) for name in examples[0]}
    )


if __name__ == "__main__":
    main()
