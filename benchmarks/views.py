"""Rows of `simper_tf.views.views` and the loss against the paper read plainly, in `benchmarks.reference`."""

import functools

import tensorflow as tf

from benchmarks import reference
from benchmarks.timing import Row, alternate
from simper_tf.losses import info_nce, similarity
from simper_tf.views import augment
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

# Side in pixels -> shape of the clips: those of rotating digits, of the pulse data sets, of Countix.
CLIPS = {28: (4, 150, 28, 28, 1), 36: (2, 180, 36, 36, 3), 96: (1, 200, 96, 96, 3)}
SPEED_RANGE = (0.5, 2.0)
# Not all draws blur, nor run at the same speeds: so many are measured together.
NUM_DRAWS = 8


def speed(num_frames, shape):
    """Seconds a batch to change the speed alone, for 20 views a clip."""
    shape = (shape[0], num_frames, *shape[2:])
    clips, length = random_clips(shape), SpeedSets(speed_range=SPEED_RANGE).longest_view(num_frames)

    def changed_by(change):
        return lambda seed: change(clips, augment.draw_speeds(seed, shape[0], 20, SPEED_RANGE))

    return _compare_draws(
        changed_by(lambda clips, speeds: augment.resample(clips, tf.zeros_like(speeds), speeds, length)),
        changed_by(lambda clips, speeds: reference.change_speeds(clips, speeds, length)),
    )


def views(num_views, shape, share_spatial):
    """Seconds a batch for two sets of so many views a clip, which share a draw of space or have their own."""
    times = SpeedSets(num_views, speed_range=SPEED_RANGE)
    clips, length = random_clips(shape), times.longest_view(shape[1])
    make = Views(length, times, Appearance(share_spatial=share_spatial))
    return _compare_draws(
        lambda seed: make(clips, seed)["views"],
        lambda seed: reference.make_views(clips, seed, num_views, length, SPEED_RANGE, share_spatial)[0],
    )


def loss(num_views):
    """Seconds for similarity and loss of 32 clips with two sets of so many views, forward and backward."""
    features = tf.random.normal([32, 2 * num_views, 150])
    speeds = tf.sort(tf.random.uniform([32, num_views], *SPEED_RANGE), axis=1)
    speeds = tf.concat([speeds, speeds], axis=1)

    def ours(features):
        first, second = tf.split(features, 2, axis=1)
        labels = info_nce.label_distribution(*tf.split(speeds, 2, axis=1))
        return tf.reduce_mean(info_nce.generalized_info_nce(similarity.max_cross_correlation(first, second), labels))

    def with_gradient(function):
        @tf.function
        def step():
            with tf.GradientTape() as tape:
                tape.watch(features)
                value = function(features)
            return value, tape.gradient(value, features)

        return step

    mine, other = with_gradient(ours), with_gradient(lambda features: reference.loss_rows(features, speeds))
    difference = float(tf.abs(mine()[0] - other()[0]))
    if difference > 1e-4:
        raise ValueError(f"The two losses differ by {difference}: they do not compute the same.")
    return alternate(mine, other, repeats=30)  # A few milliseconds each: caches are still filling in the first rounds.


def random_clips(shape):
    """Returns uint8 clips of noise."""
    return tf.cast(tf.random.uniform(shape, 0, 256, tf.int32), tf.uint8)


def _compare_draws(ours, other):
    ours, other = tf.function(ours), tf.function(other)

    def all_draws(function):
        for k in range(NUM_DRAWS):
            function(tf.constant([0, k]))

    return [best / NUM_DRAWS for best in alternate(lambda: all_draws(ours), lambda: all_draws(other))]


def _rows():
    for side, shape in CLIPS.items():
        yield f"speed_{side}", Row(functools.partial(speed, shape=shape), (shape[1] // 2, shape[1]), "frames")
    for side, shape in CLIPS.items():
        for ending, shared in (("", False), ("_shared", True)):
            measure = functools.partial(views, shape=shape, share_spatial=shared)
            yield f"views_{side}{ending}", Row(measure, (5, 10), "views")
    yield "loss", Row(loss, (5, 10), "views")


ROWS = dict(_rows())
