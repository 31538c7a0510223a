"""`--dataset` -> its data, built first where it has not been."""

import contextlib

import datasets
from simper_tf.data import building, built
from simper_tf.training import subsets
from simper_tf.training.settings import Settings
from trainers.cli import say


def builder_class(dataset: str) -> tuple[type, str]:
    """Returns the builder class of `--dataset`, its folder in datasets/, and the config behind the slash, or ''."""
    name, _, config = dataset.partition("/")
    try:
        return datasets.module(name).Builder, config
    except ValueError as error:
        raise ValueError(f"--dataset={dataset}: {error}") from error


def load(settings: Settings) -> built.ClipData:
    """Returns the data set of the settings, built; errors as of `building.load`."""
    return building.load(*builder_class(settings.dataset), settings.data_dir, settings.manual_dir or None, say)


@contextlib.contextmanager
def opened(settings: Settings):
    """Gives the clips that a run uses, for the time of a block in which a damaged record is one clear ValueError."""
    clips = load(settings)
    with built.reading(clips):
        yield subsets.used(clips, settings)
