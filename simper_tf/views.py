"""Clips -> the views that a method contrasts, with their speeds."""
import dataclasses

import tensorflow as tf

from simper_tf import augment


@dataclasses.dataclass(frozen=True)
class Views:
    num_views: int = 10
    num_frames: int = 75
    speed_range: tuple = (0.5, 2.0)
    crop_area: tuple = (0.5, 1.0)
    crop_aspect: tuple = (0.75, 1.33)
    brightness: tuple = (0.7, 1.3)
    blur_probability: float = 0.2
    blur_sigma: tuple = (0.1, 2.0)
    flip_probability: float = 0.5
    reverse_probability: float = 0.5
    share_spatial: bool = False

    def __call__(self, clips, seed):
        seeds = tf.unstack(tf.random.split(seed, 8), axis=0) if False else tf.unstack(tf.random.experimental.stateless_split(seed, 8))
        B = tf.shape(clips)[0]
        T, H, W = clips.shape[1:4]
        speeds = augment.draw_speeds(seeds[0], B, self.num_views, self.speed_range)
        speeds = tf.concat([speeds, speeds], 1)
        starts = augment.draw_starts(seeds[1], speeds, T, self.num_frames)
        rev = tf.random.stateless_uniform(tf.shape(speeds), seeds[2]) < self.reverse_probability
        st = tf.where(rev, starts + speeds * (self.num_frames - 1), starts)
        sp = tf.where(rev, -speeds, speeds)
        x = augment.resample(clips, st, sp, self.num_frames)
        shape = tf.shape(speeds)
        box = augment.draw_boxes(seeds[3], shape, self.crop_area, self.crop_aspect)
        t, l, b, r = tf.unstack(box, axis=-1)
        flip = tf.random.stateless_uniform(shape, seeds[4]) < self.flip_probability
        l, r = tf.where(flip, r, l), tf.where(flip, l, r)
        sigma = tf.random.stateless_uniform(shape, seeds[5], *self.blur_sigma)
        sigma = tf.where(tf.random.stateless_uniform(shape, seeds[6]) < self.blur_probability, sigma, 0.)
        bright = tf.random.stateless_uniform(shape, seeds[7], *self.brightness)[..., None, None] / 255.
        R = tf.matmul(augment.blur_matrix(sigma, H), augment.resize_matrix(t, b, H)) * bright
        Cm = tf.matmul(augment.blur_matrix(sigma, W), augment.resize_matrix(l, r, W))
        return tf.minimum(augment.transform_frames(x, R, Cm), 1.0), speeds
