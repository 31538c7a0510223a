"""Reach of encoders over time: the overlap of pieces of a recording whose features are those of the whole."""

# Frames to either side on which the feature of a frame depends, with default options; None where it depends on the
# whole clip, because something is scaled over it. `small` looks half of its `kernel_frames` away, `small1d` as far for
# each convolution; `norm="group"` makes any encoder look at the whole clip.
OVERLAPS: dict[str, int | None] = {
    "cells": 0,
    "cnn3d": 4,  # Two convolutions over 5 frames.
    "cnn3d_domainbed": None,  # Group norm.
    "efficientphys": None,  # Differences of frames, scaled over the clip.
    "frame_mean": 0,
    "linear": 0,
    "physnet": None,  # Clips are standardized, and time is halved.
    "physnet_sinc": 16,  # Eight convolutions over 5 frames.
    "repnet": 3,  # One convolution over frames t - 3, t and t + 3.
    "resnet3d18": 17,  # 17 convolutions over 3 frames.
    "small": 1,
    "small1d": 12,  # Three convolutions over 9 samples.
    "ts_can": None,  # Differences of frames, scaled over the clip.
}
