"""Views for tests: SimPer's, with single changes."""

import numpy as np
import tensorflow as tf

from simper_tf.views.appearance import UNCHANGED, Appearance
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

SEED = tf.constant([7, 1])
# No change but speed, delay and direction.
PLAIN = {name: getattr(UNCHANGED, name) for name in ("crop_area", "crop_aspect", "brightness", "blur_probability")}
PLAIN["flip_probability"] = 0.0
# The last of at most 28 rows is read a millionth of the height early; the rest is float32 rounding.
TOLERANCE = 27e-6 + 1e-5


def noise(rng, shape=(2, 40, 12, 10, 3)):
    """Returns uint8 noise."""
    return rng.integers(0, 256, size=shape).astype(np.uint8)


def views_of(num_frames, num_views=10, speed_range=(0.5, 2.0), reverse_probability=0.5, **look):
    """Returns SimPer's views with some changes."""
    return Views(num_frames, SpeedSets(num_views, speed_range, reverse_probability), Appearance(**look))


def made(views, clips, seed=SEED):
    """Returns views and speeds."""
    batch = views(clips, seed)
    return batch["views"], batch["speeds"]


def still_changes(views, image):
    """Returns the frames of `(B, 2M, H, W, C)` views of a clip that shows one image all the time."""
    clips = tf.repeat(tf.constant(image)[None, None], 40, axis=1)
    return views(clips, SEED)["views"][0, :, 0].numpy()
