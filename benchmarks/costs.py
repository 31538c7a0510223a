"""What a training step of each method costs, of the settings that the comparison takes, side by side in one process.

python -m benchmarks.costs [--data_dir=data] [--only=sinc]

Writes `trainers/studies/costs.json`, by which the comparison gives methods equal seconds: runs of a grid share the
machine with one another, and their own seconds say little.
"""

import argparse
from collections.abc import Mapping

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
from benchmarks.timing import alternate
from simper_tf.data import pipeline
from simper_tf.evaluation import tables
from simper_tf.training import experiment, loop
from simper_tf.training.settings import Settings
from trainers import data
from trainers.studies import choosing, digits
from trainers.studies.scales import SCALES

REPEATS = 30


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data_dir", default="data", help="Where built data sets are kept.")
    parser.add_argument("--only", help="What is measured beside SimPer; the others keep their costs. By default all.")
    given = parser.parse_args()
    noisy = digits.noisy(SCALES["small"].located(given.data_dir, "raw"))
    runs = {name: noisy.but(method=name, **choosing.changes(name)) for name in choosing.chosen()}
    runs[choosing.WITH_MORE_CLIPS] = runs["simper"].but(**digits.MORE_CLIPS)
    if given.only and given.only not in runs:
        parser.error(f"--only={given.only}: there is none of that name. There are: {'; '.join(runs)}.")
    wanted = {"simper", given.only} if given.only else set(runs)
    settings = {name: run.settings() for name, run in runs.items() if name in wanted}
    seconds = measured(settings)
    costs = {name: round(each / seconds["simper"], 3) for name, each in seconds.items()}
    choosing.write_costs(choosing.costs() | costs)
    lines = [[name, f"{1000 * seconds[name]:.0f}", f"{cost:g}"] for name, cost in costs.items()]
    print(tables.markdown_table(["method", "milliseconds a step", "of SimPer's"], lines))


def measured(settings: Mapping[str, Settings], repeats: int = REPEATS) -> dict[str, float]:
    """Returns the best seconds of a step of each, on a batch that is there, out of rounds in which they take turns."""
    return dict(zip(settings, alternate(*map(_step, settings.values()), repeats=repeats), strict=True))


def _step(settings):
    run = experiment.assemble(settings, data.load(settings))
    batch = next(iter(pipeline.training_batches(run.read, run.num_examples, settings.batch_size, seed=0)))
    step = loop.step_function(run.model)
    return lambda: step(batch)


if __name__ == "__main__":
    main()
