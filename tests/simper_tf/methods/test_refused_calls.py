"""Refusals of every method, with their messages."""

import math

import keras
import pytest
import tensorflow as tf
from every_method import ALL
from small_methods import LABELS, compiled, ready_views, views_for

from simper_tf.encoders import small
from simper_tf.export.saved_model import export_model
from simper_tf.methods import METHODS, ContrastPhys, FrequencyContrast, Method, SimPer, SiNC
from simper_tf.utils.options import declared
from simper_tf.views.times import Times
from simper_tf.views.views import Views


@pytest.mark.slow
@ALL
def test_arrays_that_no_method_learns_from_are_refused(kind, swinging_bars):
    model = compiled(kind)
    with pytest.raises(ValueError, match=rf"{kind.__name__} learns from clips.*with {1 + kind.needs_labels} more"):
        model.train_step((swinging_bars[0], *[LABELS] * (1 + kind.needs_labels)))
    if not kind.needs_labels:
        for call in (model.fit, model.evaluate):
            with pytest.raises(ValueError, match=r"learns from clips alone.*with 1 more.*Leave out"):
                call(swinging_bars[0], LABELS, batch_size=3, verbose=0)


@pytest.mark.slow
@ALL
def test_ready_views_without_speeds_and_of_bytes_are_refused(kind, swinging_bars):
    model = compiled(kind)
    batch = ready_views(kind, model.views, swinging_bars[0])
    with pytest.raises(ValueError, match=r"come with their speeds, in a dictionary"):
        model.fit(batch["views"], batch_size=3, verbose=0)
    with pytest.raises(ValueError, match=r"Ready views must be floats.* Received: uint8"):
        model.train_step({**batch, "views": tf.cast(255 * batch["views"], tf.uint8)})
    with pytest.raises(ValueError, match="Labels of ready views belong into their dictionary"):
        model.train_step((batch, LABELS))


@pytest.mark.slow
@ALL
def test_methods_without_views_or_with_other_times_are_refused(kind, swinging_bars):
    class OtherTimes(Times):
        reverse_probability = 0.0

    if kind.takes_times is not Times:
        with pytest.raises(ValueError, match=rf"at the times of `{kind.__name__}.times_for`. Received: .*OtherTimes"):
            compiled(kind, views=Views(16, OtherTimes(), kind.appearance))
    try:
        model = kind(small((None, None, 1), widths=(4,)))
    except ValueError as error:
        assert f"{kind.__name__} has a head for views of one length: give `views`" in str(error)  # noqa: PT017
        return
    model.compile(keras.optimizers.SGD())
    with pytest.raises(ValueError, match=f"{kind.__name__} has no `views` to make of clips. Give it some, or batches"):
        model.fit(swinging_bars[0], verbose=0)


@pytest.mark.slow
@ALL
def test_too_few_clips_are_refused(kind):
    model = compiled(kind)
    model.check_batch(3)
    if kind.min_clips > 1:
        with pytest.raises(ValueError, match=f"{kind.__name__} learns .*at least 2 in a batch. Received: 1. Raise"):
            model.check_batch(1)


NUMBERS = [
    (kind, field.name) for kind in METHODS.values() for field in declared(kind.Options) if field.type in (int, float)
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), NUMBERS, ids=lambda x: getattr(x, "__name__", x))
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_that_are_none_are_refused_by_name(kind, name, value):
    with pytest.raises(ValueError, match=rf"`{name}` must be .* Received: {value}"):
        compiled(kind, **{name: value})


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SiNC, ContrastPhys, FrequencyContrast])
def test_bands_in_hertz_or_finer_than_spectra_are_refused(kind):
    views = Views(26, kind.times_for(2, (0.5, 2.0)), None)
    for given in ({"views": views}, {}):
        with pytest.raises(ValueError, match=r"`band` must be \(low, high\).*Received: \(0.3, 0.1\)"):
            kind(small((None, None, 1)), **given, band=(0.3, 0.1))
        with pytest.raises(ValueError, match=r"`band` is in cycles per frame.*\(0.667, 4.17\).*divide it by"):
            kind(small((None, None, 1)), **given, band=(0.667, 4.17))
    with pytest.raises(ValueError, match=r"Spectra of \d\d frames .* 2 or more .*Widen the band"):
        kind(small((None, None, 1)), views, band=(0.05, 0.06))


@pytest.mark.slow
def test_a_method_that_minimizes_nothing_says_so(swinging_bars):
    model = compiled(Method, views=views_for(SimPer))
    with pytest.raises(NotImplementedError, match="Method does not say what it minimizes"):
        model.train_step(tf.constant(swinging_bars[0]))


def _strided():
    clips = keras.Input((None, 12, 12, 1))
    strided = keras.layers.Conv3D(1, (2, 12, 12), strides=(2, 12, 12), padding="same")(clips)
    return keras.Model(clips, keras.ops.squeeze(strided, axis=(2, 3)))


def _pooled():
    clips = keras.Input((None, 12, 12, 1))
    return keras.Model(clips, keras.layers.Dense(5)(keras.layers.GlobalAveragePooling3D()(clips)))


def _map_of_every_frame():
    clips = keras.Input((None, 12, 12, 1))
    return keras.Model(clips, keras.layers.Conv3D(1, 3, padding="same")(clips))


@pytest.mark.parametrize("encoder", [_strided, _pooled, _map_of_every_frame])
def test_encoders_without_features_of_every_frame_are_refused(encoder, swinging_bars, tmp_path):
    clips, encoder = swinging_bars[0], encoder()
    model = SimPer(encoder, views_for(SimPer))
    model.compile(run_eagerly=True)
    message = r"The encoder must give a number or a vector for every frame.* clips of {} frames\. Leave out what pools"
    with pytest.raises(ValueError, match=message.format(model.views.num_frames)):
        model.fit(clips[:2], verbose=0)
    with pytest.raises(ValueError, match=message.format(clips.shape[1])):
        model.frequency(clips, 20.0)
    with pytest.raises(ValueError, match=message.format(8)):
        export_model(encoder, tmp_path, clips.shape[2:], (0.6, 4.0))
