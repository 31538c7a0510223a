"""Parts that a run is put together from."""

import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf import methods
from simper_tf.evaluation.tasks import Frequency, Scalar, Series
from simper_tf.training import experiment
from simper_tf.training.experiment import assemble, make_encoder, make_optimizer, make_views
from simper_tf.training.settings import Settings

HERTZ = Frequency("Hz")


def clips_of(rates, tested=30, task=HERTZ, num_frames=32):
    """Returns a made-up data set with a training clip at each rate, and test clips at another."""
    number = len(rates)
    clips = {
        "clip": np.zeros((number, num_frames, 8, 8, 1), np.uint8),
        "rate": np.float32(rates),
        "label": np.arange(number),
    }
    columns = {"train": clips, "test": {"rate": np.float32([60, tested])}}

    def read(places):
        return places.map(lambda k: {name: tf.gather(values, k) for name, values in clips.items()})

    made = types.SimpleNamespace(
        reader=lambda *_: (read, number), column=lambda name, split, *_: columns[split][name], task=task
    )
    made.labeled = lambda: made
    return made


def test_the_slowest_clip_decides_which_views_would_alias():
    clips = clips_of([30, 20, 25])
    with pytest.raises(ValueError, match=r"At speed 2 a clip of 5.5 Hz runs at 11 Hz, .*\(20 / 2 = 10 Hz\)"):
        assemble(Settings(batch_size=1, band=(0.4, 5.5)), clips)
    assemble(Settings(batch_size=1, band=(0.4, 5)), clips)


def test_half_precision_is_refused_where_views_are_too_short():
    clips, short = clips_of([30, 30], num_frames=16), {"batch_size": 1, "band": (0.4, 5)}
    with pytest.raises(ValueError, match=r"`precision=mixed_bfloat16` has wrong gradients .* as short as 8 frames"):
        assemble(Settings(precision="mixed_bfloat16", **short), clips)
    assemble(Settings(**short), clips)


def test_a_band_above_half_the_rate_is_refused_before_training():
    settings = Settings(batch_size=1, band=(0.4, 5.5))
    message = r"`band=0.4,5.5` reaches above half the frame rate of a test clip \(10 / 2 = 5 Hz\).* to at most 5\."
    with pytest.raises(ValueError, match=message):
        experiment.check_band(settings, clips_of([30, 30], tested=10))
    experiment.check_band(settings, clips_of([30, 30], tested=11))
    experiment.check_band(settings, clips_of([30, 30], tested=10, task=Scalar("mmHg")))


@pytest.mark.slow
def test_clips_run_forwards_only_where_labels_tell_the_future():
    for task, expected in ((HERTZ, 0.5), (Scalar("mmHg"), 0.5), (Series("°C"), 0.0)):
        model = assemble(
            Settings(batch_size=1, band=(0.4, 5), method="supervised"), clips_of([30, 20], task=task)
        ).model
        assert model.views.times.reverse_probability == expected
    model = assemble(Settings(batch_size=1, band=(0.4, 5)), clips_of([30, 20], task=Series("°C"))).model
    assert model.views.times.reverse_probability == 0.5  # Without labels there is nothing that follows.


def test_the_band_in_cycles_per_frame_holds_that_of_every_clip():
    settings = Settings(batch_size=1, band=(0.6, 3.0), options={"prior_weight": 1.0})
    model = assemble(settings, clips_of([30, 20, 25])).model
    assert model.options.prior_band == pytest.approx((0.6 / 30, 3 / 20))
    model = assemble(Settings(batch_size=1, band=(0.6, 6.0), method="frequency_contrast"), clips_of([30, 20, 25])).model
    assert model.options.band == pytest.approx((0.6 / 30, 6 * 1.5 / 20))


@pytest.mark.slow
def test_queue_and_momentum_follow_from_clips_and_steps():
    clips = clips_of([30] * 12)
    assert assemble(Settings(method="moco", band=(0.4, 5)), clips).model.options.queue_size == 4
    run = assemble(Settings(method="byol", band=(0.4, 5), epochs=7), clips)
    assert (run.num_steps, run.model.options.num_steps, run.num_examples) == (21, 21, 12)


@pytest.mark.slow
def test_a_batch_is_all_clips_where_these_are_fewer():
    for asked, taken, steps in ((16, 6, 2), (6, 6, 2), (4, 4, 2), (2, 2, 6)):
        run = assemble(Settings(band=(0.4, 5), batch_size=asked, epochs=2), clips_of([30] * 6))
        assert (run.batch_size, run.num_steps) == (taken, steps)
    queue = assemble(Settings(method="moco", band=(0.4, 5), batch_size=16), clips_of([30] * 6)).model.options.queue_size
    assert queue == 6


@pytest.mark.slow
def test_the_cosine_ends_with_the_steps_that_are_asked_for():
    clips = clips_of([30] * 12)
    for batch_size in (2, 6):
        run = assemble(Settings(band=(0.4, 5), batch_size=batch_size, steps=20, learning_rate=0.1), clips)
        assert run.num_steps == 20
        schedule = run.model.optimizer._learning_rate
        assert [float(schedule(step)) for step in (0, 10, 20)] == pytest.approx([0.1, 0.05, 0.0], abs=1e-7)
    assert assemble(Settings(method="byol", band=(0.4, 5), steps=20), clips).model.options.num_steps == 20


def test_views_are_as_long_as_fits_or_as_long_as_labels_hold():
    shape = (150, 28, 28, 1)
    assert make_views(Settings(), shape).num_frames == 75
    assert make_views(Settings(method="simclr"), shape).num_frames == 75
    assert make_views(Settings(method="supervised"), shape).num_frames == 150
    with pytest.raises(ValueError, match=r"`speed_range=0.5,20.0` leaves 7 of 150 frames for a view, which takes 8"):
        make_views(Settings(speed_range=(0.5, 20.0)), shape)


def test_the_appearance_is_that_of_a_method_or_none_with_changes():
    shape = (150, 28, 28, 3)
    assert make_views(Settings(method="byol"), shape).appearance == methods.BYOL.appearance
    assert make_views(Settings(method="byol", appearance="simper"), shape).appearance == methods.SimPer.appearance
    assert make_views(Settings(appearance="none"), shape).appearance is None
    changed = make_views(Settings(options={"brightness": (0.9, 1.0)}), shape).appearance
    assert (changed.brightness, changed.crop_area) == ((0.9, 1.0), methods.SimPer.appearance.crop_area)
    with pytest.raises(ValueError, match=r"`gray_probability=0.2` takes color away, but the clips have 1 channel\(s\)"):
        make_views(Settings(options={"gray_probability": 0.2}), (150, 28, 28, 1))


def test_an_encoder_gets_its_options_and_a_sampler_if_asked_for():
    assert make_encoder(Settings(options={"outputs": 2}), (28, 28, 1)).output_shape[-1] == 2
    assert make_encoder(Settings(saliency=True), (28, 28, 1)).name == "saliency_small"


@pytest.mark.parametrize("options", [{}, {"attention": True}])
def test_frames_too_small_for_an_encoder_are_refused_with_remedy(options):
    with pytest.raises(ValueError, match=r"at least 10 x 10 pixels\. Received: 8 x 9\. .*larger frames, or .*another"):
        make_encoder(Settings(encoder="ts_can", options=options), (8, 9, 3))


def test_the_rate_falls_by_steps_or_by_a_cosine():
    schedule = make_optimizer(Settings(learning_rate=0.1, decay_epochs=(2, 3)), 10, 100)._learning_rate
    assert [float(schedule(step)) for step in (0, 20, 21, 31)] == pytest.approx([0.1, 0.1, 0.01, 0.001])
    schedule = make_optimizer(Settings(learning_rate=0.1), 10, 40)._learning_rate
    assert [float(schedule(step)) for step in (0, 20, 40)] == pytest.approx([0.1, 0.05, 0.0], abs=1e-7)
    assert isinstance(make_optimizer(Settings(), 10, 100), keras.optimizers.Adam)


def test_a_frequency_is_sought_in_the_band_of_the_settings():
    clips = types.SimpleNamespace(task=Frequency("bpm", 36, 198))
    assert experiment.task_of(Settings(band=(0.7, 4.0)), clips) == Frequency("bpm", 36, 198, (0.7, 4.0))
    clips = types.SimpleNamespace(task=Series("°C"))
    assert experiment.task_of(Settings(), clips) is clips.task
