"""Times of replays: a view is played again and again, so that its period is known at every frame.

Of a view of L frames, frame `places[t]` is shown at step t. What repeats goes there and back, in loops, or by up to
three harmonics; its tempo drifts, its way grows and shrinks, it rests, starts and stops. What does not repeat runs on,
wanders, stands still, jumps, or comes back once.
"""

import dataclasses
import math

import keras
import tensorflow as tf

from simper_tf.signals.log_lags import SHORTEST, longest_period
from simper_tf.utils.config import check_number
from simper_tf.views.disturbances import draw_disturbances
from simper_tf.views.random_parts import Draws, smooth_noise
from simper_tf.views.times import SpeedSets

# Chances: of movement there and back and of a loop (else harmonics), and of repeating in a part of the view only.
THERE_AND_BACK, LOOP, PARTLY = 0.45, 0.25, 0.3
# Fewest repetitions in such a part.
FEWEST = 2.3
# Kinds of what does not repeat, cumulative chances: runs on, wanders, comes back once, jumps; else it stands still.
RUNS, WANDERS, RETURNS, JUMPS = 0.45, 0.65, 0.8, 0.92
MOST_JUMPS = 5  # Drawn for each clip; those beyond its end are none.


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class Replays(SpeedSets):
    """Two sets of M views at the same speeds, and how those of the second set are to be replayed.

    Draws have further entries, floats of `(B, M, L)` unless said otherwise: `places` and `partners`, frames of the view
    that are shown and faded into; `fades`, the weight of the partner; `periods`, in frames, 0 where nothing repeats;
    and those of `draw_disturbances`.

    Attributes:
        num_views: M, views a set.
        speed_range: Slowest and fastest speed, drawn evenly.
        reverse_probability: Chance that a view is played backwards.
        nothing_share: Share of replays in which nothing repeats.

    Raises:
        ValueError: an attribute is out of its range, or a view has fewer frames than two and a half of the shortest
            periods.

    Example:
        >>> drawn = simper_tf.views.replays.Replays(2).draw(3, 80, 40, (1, 2))
        >>> drawn["speeds"].shape, drawn["places"].shape
        (TensorShape([3, 4]), TensorShape([3, 2, 40]))
    """

    num_views: int = 2
    nothing_share: float = 0.35

    def __post_init__(self):
        super().__post_init__()
        check_number("nothing_share", self.nothing_share, 0, 1)

    def draw(self, batch_size, num_source_frames, num_frames, seed):
        drawn = super().draw(batch_size, num_source_frames, num_frames, seed)
        draws = Draws(tf.random.experimental.stateless_fold_in(seed, 2), [batch_size, self.num_views, 1])
        replayed = draw_replays(draws, num_frames, self.nothing_share)
        return {**drawn, **replayed, **draw_disturbances(draws, num_frames)}


def draw_replays(draws: Draws, num_frames: int, nothing_share: float) -> dict[str, tf.Tensor]:
    """Draws `places`, `partners`, `fades` and `periods`, see `Replays`."""
    logs = _log_periods(draws, num_frames)
    places, partners, fades = _repeating(draws, num_frames, logs)
    inside, places = _in_part(draws, num_frames, tf.exp(tf.reduce_mean(logs, -1, keepdims=True)), places)
    periods = tf.where(inside, tf.exp(logs), 0.0)
    nothing = draws.chance(nothing_share)
    places = tf.where(nothing, _running_on(draws, num_frames), places)
    kept = tf.cast(inside & ~nothing, tf.float32)
    drawn = {"places": places, "partners": partners, "fades": fades * kept, "periods": periods * kept}
    shown = _shown(draws, num_frames)
    return {name: tf.gather(x, shown, axis=2, batch_dims=2) if name != "periods" else x for name, x in drawn.items()}


def _log_periods(draws, num_frames):
    """Logarithms of the periods, `(B, M, L)`: a tempo that drifts and wavers."""
    longest = math.log(longest_period(num_frames))
    ramp = tf.linspace(-1.0, 1.0, num_frames)
    drift = 0.06 * draws.normal() * ramp + draws.one_of(0.0, 0.03, 0.08, 0.12) * smooth_noise(draws, num_frames, 6.0)
    return tf.clip_by_value(draws.uniform(math.log(SHORTEST), longest) + drift, math.log(SHORTEST), longest)


def _repeating(draws, num_frames, logs):
    """Places of what repeats, of its partners in fades, and the weights of these."""
    phase = tf.cumsum(tf.exp(-logs), axis=-1) + draws.uniform()
    cycle = phase - tf.floor(phase)
    kind = draws.uniform()
    loops = (kind >= THERE_AND_BACK) & (kind < THERE_AND_BACK + LOOP)
    way = tf.where(kind < THERE_AND_BACK, _there_and_back(draws, cycle), _harmonics(draws, cycle))
    way = tf.where(loops, cycle, way)
    span = tf.exp(draws.uniform(math.log(2.0), math.log(0.6 * num_frames)))
    start = draws.uniform() * tf.maximum(num_frames - 1 - 1.4 * span, 1.0)
    growth = tf.exp(draws.one_of(0.0, 0.0, 0.3) * draws.normal() * tf.linspace(-0.5, 0.5, num_frames))
    growth *= 1.0 + draws.one_of(0.0, 0.05, 0.12) * smooth_noise(draws, num_frames, 12.0)
    drift = draws.one_of(0.0, 0.0, 0.15, 0.3) * span * (phase - phase[..., :1]) * 0.3
    fading = draws.uniform(0.05, 0.3)
    fades = tf.clip_by_value((cycle - 1.0 + fading) / fading, 0.0, 1.0)
    fades *= tf.cast(loops & draws.chance(0.6), tf.float32)
    last = num_frames - 1.0
    places = tf.clip_by_value(start + way * growth * span + drift, 0.0, last)
    return places, tf.clip_by_value(start + (cycle - 1.0) * growth * span + drift, 0.0, last), fades


def _there_and_back(draws, cycle):
    """Way in [0, 1] at shares of a cycle: halves are uneven, with a rest at either end or none."""
    rests = tf.cast(draws.chance(0.5), tf.float32)
    home, away = rests * draws.uniform(0.0, 0.35), rests * draws.uniform(0.0, 0.25)
    going = draws.uniform(0.3, 0.7) * (1.0 - home - away)
    back = 1.0 - home - away - going
    way = tf.minimum(cycle / going, 1.0) - tf.clip_by_value((cycle - going - away) / back, 0.0, 1.0)
    return tf.where(draws.chance(0.5), 0.5 - 0.5 * tf.cos(math.pi * way), way)


def _harmonics(draws, cycle):
    """Way in [0, 1] of a fundamental and up to two harmonics of it."""
    way, total = 0.0, 0.0
    for number in (1, 2, 3):
        height = tf.abs(draws.normal()) / number * (1.0 if number == 1 else tf.cast(draws.chance(0.6), tf.float32))
        height = tf.maximum(height, 0.6) if number == 1 else height
        way += height * tf.sin(2 * math.pi * (number * cycle + draws.uniform()))
        total += height
    return 0.5 + 0.5 * way / total


def _in_part(draws, num_frames, period, places):
    """At which steps a view repeats, `(B, M, L)`; and places, which run on or rest outside."""
    steps = tf.range(num_frames, dtype=tf.float32)
    first = tf.floor(0.4 * num_frames * draws.uniform() * tf.cast(draws.chance(0.6), tf.float32))
    last = num_frames - 1.0 - tf.floor(0.4 * num_frames * draws.uniform() * tf.cast(draws.chance(0.6), tf.float32))
    partly = draws.chance(PARTLY) & (last - first >= FEWEST * period)
    first, last = tf.where(partly, first, 0.0), tf.where(partly, last, num_frames - 1.0)
    held = tf.gather(places, tf.cast(tf.minimum(tf.maximum(steps, first), last), tf.int32), axis=2, batch_dims=2)
    speeds = draws.uniform(-2.0, 2.0) * tf.cast(draws.chance(0.6), tf.float32)
    beyond = tf.minimum(steps - first, 0.0) + tf.maximum(steps - last, 0.0)
    return (steps >= first) & (steps <= last), tf.clip_by_value(held + speeds * beyond, 0.0, num_frames - 1.0)


def _running_on(draws, num_frames):
    """Places of what does not repeat, `(B, M, L)`."""
    steps, last = tf.range(num_frames, dtype=tf.float32), num_frames - 1.0
    speed = draws.uniform(0.25, 1.0)
    runs = draws.uniform() * last * (1.0 - speed) + speed * steps
    noise = smooth_noise(draws, num_frames, 4.0)
    walk = tf.where(draws.chance(0.5), tf.cumsum(noise, axis=-1), noise)
    lowest, highest = tf.reduce_min(walk, -1, keepdims=True), tf.reduce_max(walk, -1, keepdims=True)
    span = last * draws.uniform(0.1, 1.0)
    start = draws.uniform() * (last - span)
    wanders = start + span * (walk - lowest) / (highest - lowest + 1e-6)
    phase = steps / (num_frames * draws.uniform(0.7, 2.0)) + draws.uniform()
    returns = start + span * _there_and_back(draws, phase - tf.floor(phase))
    kind = draws.uniform()
    places = tf.where(kind < RUNS, runs, tf.where(kind < WANDERS, wanders, returns))
    places = tf.where(kind < RETURNS, places, _jumping(draws, steps, last))
    return tf.where(kind < JUMPS, places, tf.zeros_like(places) + start)


def _jumping(draws, steps, last):
    """Places that run on and jump somewhere else now and then."""
    places = draws.uniform() * last + 0.0 * steps
    for _ in range(MOST_JUMPS):
        at = tf.floor(draws.uniform(0.0, 1.6) * last)  # Beyond the end: no jump.
        place = draws.uniform() * last + draws.uniform(0.3, 2.0) * (steps - at)
        places = tf.where(steps >= at, place, places)
    return tf.clip_by_value(places, 0.0, last)


def _shown(draws, num_frames):
    """Which step each shows, `(B, M, L)`: film at 24 frames a second, shown at 30, repeats every fourth frame."""
    stays = tf.where(draws.chance(0.25), draws.one_of(1.25, 1.5, 2.0, 2.5, 3.0), 1.0)
    steps = tf.range(num_frames, dtype=tf.float32)
    return tf.cast(tf.floor(tf.floor(steps / stays + 1e-4) * stays + 1e-4), tf.int32)
