"""Generated recordings without end: things that repeat a movement at a known frequency, or repeat nothing.

Textures, movements, clutter, light, shake, noise and blocks of a codec are drawn anew for each clip, by stateless ops,
so that a seed is all the randomness, on any number of workers. Frequencies are for telling how well something reads:
what learns from `Synthetic.views` is given speeds alone.
"""

import dataclasses
import math

import tensorflow as tf

from simper_tf import textures
from simper_tf.frozen import Frozen, check_number, check_range

MOVING = ("swing", "turn", "up-down", "zoom", "two-part", "blink", "pulse", "occlusion")
APERIODIC = ("walk", "noise", "still", "shuffled")
KINDS = MOVING + APERIODIC
# How red, green and blue of skin follow a pulse, from 0 to 1.
_PULSE = (0.25, 1.0, 0.5)
# Seconds over which light and shake stay alike.
_LIGHT_SECONDS, _SHAKE_SECONDS, _WALK_SECONDS = 4.0, 0.3, 1.0


@dataclasses.dataclass(frozen=True)
class Synthetic(Frozen):
    """A source of generated clips.

    Attributes:
        num_frames: T.
        shape: `(height, width)` in pixels.
        rates: Lowest and highest frames per second; drawn evenly in the logarithm.
        band: Lowest and highest frequency in Hz; drawn so too.
        kinds: Which of `KINDS` there are, each as often as the others.
        noise: Lowest and highest deviation of the noise, in gray levels; drawn so too.
        shake: Largest deviation of the camera's place, as a share of the width; in half of the clips it stands still.
        light: Largest deviation of the light, as a share of it; in half of the clips it is steady.
        drift: Largest change of the frequency over a clip, as a share of it.

    Raises:
        ValueError: a kind is none, or an attribute is out of its range.
    """

    num_frames: int = 120
    shape: tuple[int, int] = (36, 48)
    rates: tuple[float, float] = (15.0, 30.0)
    band: tuple[float, float] = (0.4, 3.0)
    kinds: tuple[str, ...] = KINDS
    noise: tuple[float, float] = (1.0, 30.0)
    shake: float = 0.02
    light: float = 0.1
    drift: float = 0.1

    def __post_init__(self):
        for name in ("rates", "band", "noise"):
            check_range(name, getattr(self, name))
        check_number("num_frames", self.num_frames, 8)
        check_number("band", self.band[0], 0, above=True)
        check_number("drift", self.drift, 0, 1)
        wrong = sorted(set(self.kinds) - set(KINDS))
        if wrong or not self.kinds:
            raise ValueError(f"`kinds` must be some of {', '.join(KINDS)}. Received: {', '.join(wrong) or 'none'}.")
        if 2 * self.band[1] > self.rates[0]:
            raise ValueError(
                f"{self.band[1]:g} Hz cannot be seen at {self.rates[0]:g} frames per second. Raise the lowest of "
                "`rates`, or lower the end of `band`."
            )

    def dataset(self, seed: int = 0) -> tf.data.Dataset:
        """Returns the clips, one after another without end; see `clip` for what each is."""
        return tf.data.Dataset.counter().map(
            lambda number: self.clip(tf.stack([tf.cast(seed, tf.int64), number])), tf.data.AUTOTUNE
        )

    def clip(self, seed) -> dict:
        """Returns one clip.

        Args:
            seed: `(2,)` integers, which decide all of it.

        Returns:
            A dictionary: `clip`, `(T, H, W, 3)` uint8; `rate`, float32 frames per second; `frequency`, float32, the
            mean over the clip in Hz, NaN where nothing repeats; `kind`, a string; and `phases`, `(T,)` float32
            radians of what repeats.
        """
        scene = self._scene(seed)
        seeds = tf.unstack(tf.random.experimental.stateless_split(tf.random.experimental.stateless_fold_in(seed, 1), 3))
        rate, drift = scene["rate"], self.drift * (2 * scene["draws"][9] - 1)
        times = tf.range(self.num_frames, dtype=tf.float32) / rate
        length = self.num_frames / rate
        phases = scene["start"] + 2 * math.pi * scene["frequency"] * times * (1 + drift * (times / length - 1) / 2)
        shown = self._where(scene, "shuffled", tf.random.experimental.stateless_shuffle(phases, seeds[0]), phases)
        frames = self._filmed(scene, shown, self._look(scene, seeds[1], self.num_frames), seeds[2])
        measured = (phases[-1] - phases[0]) / (2 * math.pi * (times[-1] - times[0]))
        return {
            "clip": tf.cast(tf.round(frames), tf.uint8),
            "rate": rate,
            "frequency": tf.where(scene["kind"] < len(MOVING), measured, math.nan),
            "kind": tf.gather(tf.constant(KINDS), scene["kind"]),
            "phases": phases,
        }

    def views(self, seed, num_views: int = 4, speed_range: tuple[float, float] = (0.5, 2.0)) -> dict:
        """Returns views of one scene at several speeds, as `SimPer` learns from them; it is no clip of `clip`.

        Views of recorded frames at other speeds are interpolated, which smooths noise in a rhythm that tells the
        speed. Here each view is drawn at its own speed, and has its own light, shake, noise and codec: what two views
        of one speed share is what repeats.

        Args:
            seed: `(2,)` integers.
            num_views: M, views a set.
            speed_range: Slowest and fastest.

        Returns:
            `views`, `(2M, T, H, W, 3)` float32 in [0, 1]; `speeds`, `(2M,)` float32.

        Raises:
            ValueError: one of `kinds` has no speed, or the fastest view cannot be seen at the lowest of `rates`.
        """
        still, fastest = [kind for kind in self.kinds if kind in APERIODIC], self.band[1] * speed_range[1]
        if still:
            raise ValueError(f"Views need `kinds` with a speed. Leave out: {', '.join(still)}.")
        if 2 * fastest > self.rates[0]:
            raise ValueError(
                f"{fastest:g} Hz, the end of `band` at {speed_range[1]:g} times its speed, cannot be seen at "
                f"{self.rates[0]:g} frames per second. Raise the lowest of `rates`, or lower `band` or `speed_range`."
            )
        scene = self._scene(seed)
        seeds = tf.unstack(tf.random.experimental.stateless_split(tf.random.experimental.stateless_fold_in(seed, 2), 4))
        total = 2 * num_views
        speeds = tf.sort(tf.random.stateless_uniform([num_views], seeds[0], *map(float, speed_range)))
        speeds = tf.concat([speeds, speeds], axis=0)
        turns = 2 * math.pi * tf.random.stateless_uniform([total, 1], seeds[1])
        steps = 2 * math.pi * scene["frequency"] / scene["rate"] * speeds[:, None]
        phases = tf.reshape(turns + steps * tf.range(self.num_frames, dtype=tf.float32), [-1])
        looks = [
            self._look(scene, tf.random.experimental.stateless_fold_in(seeds[2], k), self.num_frames)
            for k in range(total)
        ]
        look = {name: tf.concat([each[name] for each in looks], axis=0) for name in looks[0]}
        frames = self._filmed(scene, phases, look, seeds[3]) / 255.0
        return {"views": tf.reshape(frames, [total, self.num_frames, *self.shape, 3]), "speeds": speeds}

    def _scene(self, seed):
        """Returns what stays the same throughout a clip, as a dictionary."""
        seeds = tf.unstack(tf.random.experimental.stateless_split(seed, 5))
        draws = tf.random.stateless_uniform([16], seeds[0])
        known = tf.constant([KINDS.index(kind) for kind in self.kinds])
        kind = known[tf.minimum(tf.cast(draws[0] * len(self.kinds), tf.int32), len(self.kinds) - 1)]
        mask = textures.ellipse(seeds[1], *self.shape, (0.15, 0.4))
        # Half of what moves fills the picture; what is clutter behind the rest stands still.
        alone = (draws[1] < 0.5) & (kind != KINDS.index("pulse"))
        return {
            "draws": draws,
            "kind": kind,
            "rate": self._between(self.rates, draws[2]),
            "frequency": self._between(self.band, draws[3]),
            "start": 2 * math.pi * draws[4],
            "front": textures.textured(seeds[2], *self.shape),
            "back": textures.textured(seeds[3], *self.shape),
            "mask": tf.where(alone, tf.ones_like(mask), mask),
            "noise": self._between(self.noise, draws[5]),
            "bar": tf.random.stateless_uniform([5], seeds[4]),
        }

    def _look(self, scene, seed, count):
        """Returns the light, `(N, 1)`, the shake and the walk, `(N, 2)`, and where the bar is, `(N,)`, over frames."""
        seeds, step = tf.unstack(tf.random.experimental.stateless_split(seed, 4)), 1.0 / scene["rate"]
        draws, width = scene["draws"], self.shape[1]
        shake = tf.maximum(2 * draws[6] - 1, 0.0) * self.shake * width
        light = self.light * tf.maximum(2 * draws[7] - 1, 0.0)
        return {
            "light": 1 + light * textures.wandering(seeds[0], count, 1, step, _LIGHT_SECONDS),
            "shake": shake * textures.wandering(seeds[1], count, 2, step, _SHAKE_SECONDS),
            "walk": 0.15 * width * textures.wandering(seeds[2], count, 2, step, _WALK_SECONDS),
            "bar": 0.4 * width * textures.wandering(seeds[3], count, 1, step, _WALK_SECONDS)[:, 0],
        }

    def _filmed(self, scene, phases, look, seed):
        """Returns `(N, H, W, 3)` float32 levels of frames at phases."""
        movement, gains = self._movement(scene, phases, look["walk"])
        height, width = self.shape
        layer = tf.concat([scene["front"], 255.0 * scene["mask"]], axis=-1)
        shifts = movement["shifts"] + look["shake"]
        layer = textures.moved(layer, movement["angles"], movement["scales"], movement["center"], shifts)
        still = tf.zeros_like(phases)
        back = tf.cond(
            tf.reduce_any(look["shake"] != 0),
            lambda: textures.moved(scene["back"], still, still + 1, movement["center"], look["shake"]),
            lambda: scene["back"][None],
        )
        covered = layer[..., 3:] / 255.0
        frames = covered * layer[..., :3] * gains[:, None, None] + (1 - covered) * back
        draws = scene["bar"]
        bar = textures.bars(look["bar"], math.pi * draws[0], width * (0.08 + 0.12 * draws[1]), height, width)
        bar = self._where(scene, "occlusion", bar, tf.zeros_like(bar))
        frames = bar * 255.0 * draws[2:] + (1 - bar) * frames
        return self._recorded(scene, frames * look["light"][:, None, None], seed)

    def _recorded(self, scene, frames, seed):
        """Returns frames with noise, and blocks in half of the clips, from 0 to 255."""
        level = self._where(scene, "noise", tf.maximum(scene["noise"], 20.0), scene["noise"])
        # A pulse that drowns in the noise of so few pixels is no example of one.
        level = self._where(scene, "pulse", tf.minimum(level, 8.0), level)
        frames += level * tf.random.stateless_normal(tf.shape(frames), seed)
        step = 20.0 * tf.maximum(2 * scene["draws"][8] - 1, 0.0)
        step = self._where(scene, "pulse", 0.0, step)
        frames = tf.cond(step > 0, lambda: textures.compressed(frames, tf.maximum(step, 0.1)), lambda: frames)
        return tf.clip_by_value(frames, 0.0, 255.0)

    def _movement(self, scene, phases, walk):
        """Returns angles, scales, center and shifts of what moves, and the gains, `(N, 3)`, of its colors."""
        height, width = self.shape
        draws, zeros = scene["draws"], tf.zeros_like(phases)
        wave = tf.sin(phases + tf.where(draws[10] < 0.5, 0.0, 0.5) * tf.sin(phases))
        size, other = draws[11], draws[12]
        swings = self._is(scene, "swing", "occlusion")
        angles = swings * (0.1 + 0.35 * size) * wave
        angles += self._is(scene, "turn", "shuffled") * tf.where(other < 0.5, -1.0, 1.0) * phases
        scales = 1 + self._is(scene, "zoom") * (0.05 + 0.2 * size) * wave
        up, right = tf.maximum(tf.sin(phases), 0.0), tf.maximum(-tf.sin(phases), 0.0)
        two = width * tf.stack([(0.025 + 0.07 * other) * right, -(0.025 + 0.07 * size) * up], axis=1)
        shifts = self._is(scene, "up-down") * tf.stack([zeros, (0.02 + 0.1 * size) * height * wave], axis=1)
        shifts += self._is(scene, "two-part") * two + self._is(scene, "walk") * walk
        center = tf.stack([width / 2, tf.where(swings > 0, height / 6, height / 2)])
        gains = 1 + self._is(scene, "blink") * (0.1 + 0.4 * size) * wave[:, None]
        gains -= self._is(scene, "pulse") * (0.01 + 0.03 * size) * wave[:, None] * tf.constant(_PULSE)
        return {"angles": angles, "scales": scales, "center": center, "shifts": shifts}, gains

    @staticmethod
    def _is(scene, *kinds):
        """Returns 1.0 where the scene is of one of the kinds, else 0.0."""
        return tf.cast(tf.reduce_any([scene["kind"] == KINDS.index(kind) for kind in kinds]), tf.float32)

    def _where(self, scene, kind, yes, no):
        return tf.where(self._is(scene, kind) > 0, yes, no)

    @staticmethod
    def _between(ends, share):
        """Returns a number between two, evenly in the logarithm."""
        return ends[0] * tf.pow(ends[1] / ends[0], share)
