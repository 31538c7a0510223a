"""Rows of the training seconds after which the quickstart passes the paper's accuracy on validation clips."""

import functools
import math
import tempfile

import numpy as np

from benchmarks.steps import QUICKSTART, settings_of
from benchmarks.timing import Row
from simper_tf import checkpoints, experiment, features, pipeline, training
from simper_tf.protocols import PROTOCOLS
from trainers import data
from trainers.studies import published

# Parts of the epoch after which clips are predicted.
PARTS = (1 / 8, 1 / 4, 1 / 2, 1)
# Protocol -> mean absolute error in Hz of SimPer on RotatingDigits, table 2 of the paper: by Fourier transform, and by
# nearest neighbor.
PAPER = {
    "fft_resolved": published.value("table2", "simper", "fft mae"),
    "1nn": published.value("table2", "simper", "1nn mae"),
}


def until_paper(num_clips, protocol):
    """Training seconds until the error of a protocol is below the paper's, inf if never, and those of the epoch.

    The learning rate falls over the one epoch of the quickstart whenever the accuracy is passed. The first step is
    counted, predicting is not.
    """
    learned = errors_by_seconds(num_clips)
    passed = [seconds for seconds, errors in learned if errors[protocol] < PAPER[protocol]]
    return passed[0] if passed else math.inf, learned[-1][0]


@functools.lru_cache(2)
def errors_by_seconds(num_clips: int, **changes) -> list[tuple[float, dict[str, float]]]:
    """Trains the quickstart in pieces and returns for each of `PARTS` its training seconds and errors by protocol.

    Args:
        num_clips: Training clips.
        **changes: Flags that differ from the quickstart's.
    """
    settings = settings_of(QUICKSTART, train_clips=num_clips, **changes)
    clips, found = data.load(settings), []
    run = experiment.assemble(settings, clips)
    with tempfile.TemporaryDirectory() as folder:
        saved = checkpoints.Checkpoints(folder, run.model)
        for part in PARTS:
            last = max(round(part * run.num_steps), 1)
            batches = pipeline.training_batches(
                run.read, run.num_examples, settings.batch_size, settings.seed, int(saved.step)
            )
            training.train(run.model, batches, saved, last, report=lambda _: None)
            found.append((float(saved.seconds), validation_errors(run.model, clips, settings)))
    return found


def validation_errors(model, clips, settings) -> dict[str, float]:
    """Returns the mean absolute error on validation clips, in the unit of the task, of each protocol of `PAPER`."""
    task = experiment.task_of(settings, clips)
    functions = features.graphs({"series": model.encode, **features.extras(task, clips.value_range)})
    train, validation = [
        features.extract(functions, clips.split(split, limit)[0])
        for split, limit in (("train", settings.train_clips), ("validation", settings.validation_clips))
    ]
    predicted = {name: PROTOCOLS[name][0](train, validation, validation, task).values for name in PAPER}
    return {name: float(np.mean(np.abs(values - validation.labels))) for name, values in predicted.items()}


ROWS = {
    f"until_paper_{protocol}": Row(functools.partial(until_paper, protocol=protocol), (500, 1000), "training clips")
    for protocol in PAPER
}
