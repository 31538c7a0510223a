"""Weights of the learned reader from the listed films; the same command goes on where it stopped.

python -m reproduce.reader --films=raw --work=runs/reader --minutes=60
"""

import trainers.quiet  # noqa: F401  isort: skip
import argparse
import pathlib

import numpy as np

from reproduce.reader import training
from reproduce.reader.public_films import public_films_dataset_builder
from simper_tf.utils import files


def main():
    """Trains on the films of the list that are there, and writes the weights."""
    parser = argparse.ArgumentParser(prog="python -m reproduce.reader", description=__doc__.splitlines()[0])
    parser.add_argument("--films", required=True, help="Folder of the raw films, at owner+name/path.")
    parser.add_argument("--work", required=True, help="Folder of the data set, checkpoints and weights.")
    parser.add_argument("--minutes", type=float, default=180.0, help="Stop after so many minutes.")
    parser.add_argument("--steps", type=int, default=10000, help="Steps of the whole training.")
    parser.add_argument("--batch_size", type=int, default=8, help="Clips a step.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of weights, clips and replays.")
    parser.add_argument("--ratio_weight", type=float, default=0.0, help="Weight of the ratios of known speeds.")
    parser.add_argument("--made_weight", type=float, default=1.0, help="Weight of the periods of replays.")
    parser.add_argument("--nothing_share", type=float, default=0.35, help="Share of replays that do not repeat.")
    given = parser.parse_args()
    work = pathlib.Path(given.work)
    used = public_films_dataset_builder.training_films(given.films, work / "data")
    print(f"{len(used)} films are trained on.", flush=True)
    model = training.untrained(given.seed, given.steps, given.ratio_weight, given.made_weight, given.nothing_share)
    finished = training.train(
        model, used, work / "checkpoints", steps=given.steps, minutes=given.minutes, batch_size=given.batch_size,
        say=lambda line: print(line, flush=True),
    )  # fmt: skip
    with files.replacing(work / "weights.npz", "wb") as file:
        np.savez_compressed(file, **training.weights_of(model))
    print(f"{work / 'weights.npz'} is written." if finished else "Time is over; the same command goes on.", flush=True)


if __name__ == "__main__":
    main()
