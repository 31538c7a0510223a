"""Every encoder by its name, and variants of some, each as a test asks for it."""

import functools

import pytest
from made_clips import uniform

from simper_tf.encoders import (
    ENCODERS,
    cnn3d,
    cnn3d_domainbed,
    efficientphys,
    small,
    small1d,
    ts_can,
    with_saliency_sampler,
)

FRAME = (12, 10, 3)

KINDS = {name: functools.partial(make, FRAME) for name, make in ENCODERS.items()} | {
    "cnn3d group": lambda: cnn3d(FRAME, norm="group"),
    "cnn3d_domainbed batch": lambda: cnn3d_domainbed(FRAME, norm="batch"),
    "efficientphys group": lambda: efficientphys(FRAME, norm="group"),
    "ts_can attention": lambda: ts_can(FRAME, attention=True),
    "small1d_by channel": lambda: small1d(FRAME, per_channel=True),
    "saliency batch": lambda: with_saliency_sampler(small(FRAME), FRAME),
    "saliency group": lambda: with_saliency_sampler(small(FRAME), FRAME, norm="group"),
}

LEARNING = sorted(set(KINDS) - {"cells", "frame_mean"})

# Too large for `make test-fast`; variants, "<name> <what>", are left out there too.
LARGE = ("cnn3d_domainbed", "physnet", "physnet_sinc", "repnet", "resnet3d18")


def each(cases):
    """Returns parameters of a test, which are the name of an encoder or begin with it."""
    cases = [case if isinstance(case, tuple) else (case,) for case in cases]
    slow = [case[0] in LARGE or " " in case[0] for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.slow] * is_slow) for case, is_slow in zip(cases, slow, strict=True)]


def clips(rng, *shape):
    """Returns clips of random frames, of a batch and a length."""
    return uniform(rng, *shape, *FRAME)
