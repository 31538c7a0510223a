"""`--dataset` -> its data, built first where it has not been."""

import contextlib

from simper_tf import data
from simper_tf.settings import Settings
from trainers.cli import say


def load(settings: Settings) -> data.ClipData:
    """Returns the data set of the settings, built.

    Raises:
        ValueError: there is no such data set or config, its raw files are not at hand, or what is built is damaged.
    """
    kind, config = builder_class(settings.dataset)
    return data.load(kind, config, settings.data_dir, settings.manual_dir or None, say)


@contextlib.contextmanager
def opened(settings: Settings):
    """Gives what `load` returns for the time of a block, in which a record that cannot be read is one clear error."""
    clips = load(settings)
    with data.reading(clips):
        yield clips
