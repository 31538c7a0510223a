"""What a run is put together from."""

import numpy as np
import pytest
import tensorflow as tf

from trainers import assembly, data, options


@pytest.fixture
def mixed_rates(monkeypatch):
    """Makes training clips of 30, 20 and 25 frames per second, in this order."""
    clips = {"clip": np.zeros((3, 32, 8, 8, 1), np.uint8), "rate": np.float32([30, 20, 25]), "label": np.ones(3)}
    monkeypatch.setattr(data, "split", lambda *_: (tf.data.Dataset.from_tensor_slices(clips), 3))


def assemble(call, *arguments):
    assembled = []
    call(lambda: assembled.append(assembly.assemble(None)), "--run_dir=none", "--batch_size=1", *arguments)
    return assembled[0]


def test_the_slowest_clip_decides_which_views_would_alias_wherever_it_stands(call, mixed_rates):
    with pytest.raises(ValueError, match=r"At speed 2 a clip of 5.5 Hz runs at 11 Hz, .*\(20 / 2 = 10 Hz\)"):
        assemble(call, "--speed_range=0.5,2", "--band=0.4,5.5")
    assemble(call, "--speed_range=0.5,2", "--band=0.4,5")


def test_the_band_in_cycles_per_frame_holds_that_of_every_clip(call, mixed_rates, monkeypatch):
    seen, method = [], options.method
    monkeypatch.setattr(options, "method", lambda encoder, run: seen.append(run) or method(encoder, run))
    assemble(call, "--band=0.6,3")
    (run,) = seen
    assert run.band() == pytest.approx((0.6 / 30, 3 / 20))
    assert run.band(2.0) == pytest.approx((0.6 / 30, 6 / 20))
