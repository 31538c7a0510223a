"""Small methods for tests, built as the command line builds them: arguments follow from the data."""

import keras
import numpy as np
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.evaluation.tasks import Frequency
from simper_tf.methods import TrainingFacts
from simper_tf.utils.options import declared
from simper_tf.views.views import Views

LABELS = np.float32([0.6, 1.0, 1.5, 2.1, 2.8, 3.5])
# Of those that a method has. They only make it small, or turn on what is off.
SETTINGS = {"projection": 16, "hidden": 16, "prior_weight": 1.0}


def views_for(kind, num_frames=16, num_views=2, fastest=2.0, **changes):
    """Returns the views of a method, as long as clips of 40 frames where it learns from labels."""
    return Views(40 if kind.needs_labels else num_frames, kind.times_for(num_views, (0.5, fastest)), kind.appearance)


def arguments(kind, views):
    """Returns all arguments of a method for six clips of 20 frames per second."""
    facts = TrainingFacts(views, np.full(6, 20.0), 6, 3, 10, (0.5, 5.0), LABELS, Frequency("Hz"))
    known = {field.name for field in declared(kind.Options)}
    return {**kind.arguments_for(facts), **{name: value for name, value in SETTINGS.items() if name in known}}


def compiled(kind, encoder=None, views=None, **changes):
    """Returns a method with all `arguments`, changed as said."""
    views = views or views_for(kind)
    return built(kind, views, encoder=encoder, **{**arguments(kind, views), **changes})


def built(kind, views, learning_rate=1e-3, optimizer=keras.optimizers.Adam, encoder=None, **given):
    """Returns a compiled method whose first weights are always the same; `encoder` may be options of a small one."""
    keras.utils.set_random_seed(3)
    if not isinstance(encoder, keras.Model):
        encoder = small((None, None, 1), **{"widths": (8,), "outputs": 2, **(encoder or {})})
    model = kind(encoder, views, **given)
    model.compile(optimizer(learning_rate))
    return model


def data_for(kind, clips):
    """Returns what a method takes, as arguments of `fit` and `evaluate`."""
    return (clips, LABELS[: len(clips)]) if kind.needs_labels else (clips,)


def ready_views(kind, views, clips, seed=(5, 6)):
    """Returns a batch of ready views."""
    batch = views(tf.constant(clips), tf.constant(seed))
    return {**batch, "labels": tf.constant(LABELS[: len(clips)])} if kind.needs_labels else batch
