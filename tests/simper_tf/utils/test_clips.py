"""Refusals of batches of clips, in one sentence, wherever clips come in."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small, ts_can
from simper_tf.methods import SimPer
from simper_tf.utils import clips as batches
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

RNG = np.random.default_rng(31)
VIEWS = Views(8, SpeedSets(2))
SEED = tf.constant([1, 2])


def noise(*shape, dtype=np.uint8):
    values = RNG.integers(0, 256, size=shape)
    return values.astype(np.uint8) if dtype == np.uint8 else (values / 255).astype(dtype)


def compiled(channels=1, encoder=None):
    model = SimPer(encoder or small((None, None, channels), widths=(4,), outputs=1), VIEWS)
    model.compile(keras.optimizers.SGD(1e-3))
    return model


@functools.cache
def ready():
    """Returns one model for all calls of which only matters whether they refuse their clips."""
    return compiled()


def fit_dataset(clips):
    ready().fit(tf.data.Dataset.from_tensors(clips), verbose=0)


# Every way in for clips; each gets a batch that it should refuse.
ENTRIES = {
    "fit": lambda clips: ready().fit(clips, batch_size=2, verbose=0),
    "fit a data set": fit_dataset,
    "evaluate": lambda clips: ready().evaluate(clips, verbose=0),
    "encode": lambda clips: ready().encode(clips),
    "predict": lambda clips: ready().predict(clips, verbose=0),
    "views": lambda clips: VIEWS(clips, SEED),
    "check": batches.check_clips,
}


def refusal(entry, clips):
    """Returns the message with which a way in refuses clips; it must be one line."""
    with pytest.raises(ValueError, match="Clips") as caught:
        ENTRIES[entry](clips)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    return str(caught.value)


@pytest.mark.parametrize("entry", ENTRIES)
def test_axes_that_are_missing_are_named_with_what_to_write(entry):
    for shape, remedy in (
        ((4, 24), "clips[:, :, None, None, None]"),
        ((4, 24, 3), "clips[:, :, None, None]"),
        ((4, 24, 8, 8), "clips[..., None]"),
        ((24, 8, 8, 1), "clips[None]"),
    ):
        message = refusal(entry, noise(*shape))
        assert "(batch, time, height, width, channels)" in message
        assert remedy in message
        assert ", ".join(map(str, shape[1:])) in message  # Of a data set the batch may be unknown.


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(4, 24), (4, 24, 3), (4, 24, 8, 8)])
def test_what_the_remedy_says_is_right(shape):
    clips = noise(*shape)
    remedy = {2: clips[:, :, None, None, None], 3: clips[:, :, None, None], 4: clips[..., None]}[len(shape)]
    assert np.isfinite(compiled(remedy.shape[-1]).fit(remedy, verbose=0).history["loss"][0])


@pytest.mark.parametrize("entry", ["fit", "fit a data set", "evaluate", "encode", "predict"])
def test_clips_of_other_channels_than_the_encoders_are_refused(entry):
    message = refusal(entry, noise(2, 24, 8, 8, 3))
    assert "(height, width, channels) = (any, any, 1)" in message
    assert "24, 8, 8, 3)" in message
    assert "`frame_shape`" in message


@pytest.mark.slow
def test_frames_of_another_size_than_the_encoders_are_refused():
    model = compiled(encoder=ts_can((12, 10, 3)))
    with pytest.raises(ValueError, match=r"= \(12, 10, 3\), for which .*Received: shape \(2, 24, 10, 12, 3\)"):
        model.encode(noise(2, 24, 10, 12, 3))
    assert model.encode(noise(2, 24, 12, 10, 3)).shape == (2, 24)


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    ("factor", "offset", "found"), [(255.0, 0.0, "from 0 to 255"), (1.0, -0.5, "from -0.5 to 0.5")]
)
def test_floats_in_another_range_are_refused_with_it(entry, factor, offset, found):
    clips = noise(2, 24, 8, 8, 1, dtype=np.float32)
    clips[0, 0, 0, 0], clips[1, 3, 4, 5] = 0, 1
    message = refusal(entry, factor * clips + np.float32(offset))
    assert message.startswith(f"Clips of floats must be finite and lie in 0 to 1. Received: values {found} - divide 0")


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_single_number_that_is_none_is_refused(entry, value):
    clips = noise(2, 24, 8, 8, 1, dtype=np.float32)
    clips[1, 20, 3, 2] = value
    assert f"{value}" in refusal(entry, clips)


@pytest.mark.slow
def test_rounding_beyond_the_range_is_cut_at_both_ends():
    clips = noise(2, 24, 8, 8, 1, dtype=np.float32)
    clips[:, :, :4], clips[:, :, 4:] = -5e-4, 1 + 5e-4
    plain = {"crop_area": (1.0, 1.0), "crop_aspect": (1.0, 1.0), "brightness": (1.0, 1.0), "blur_probability": 0.0}
    views = Views(8, SpeedSets(2), Appearance(**plain))(clips, SEED)["views"]
    np.testing.assert_allclose(views[:, :, :, :4], 0, atol=1e-7)
    np.testing.assert_allclose(views[:, :, :, 4:], 1, atol=1e-5)
    model = compiled()
    np.testing.assert_array_equal(model.encode(clips), model.encode(np.clip(clips, 0, 1)))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint16, bool])
def test_other_types_are_refused(dtype):
    for entry in ENTRIES:
        message = refusal(entry, noise(2, 24, 8, 8, 1).astype(dtype))
        assert f"uint8, or floats in [0, 1]. Received: {np.dtype(dtype).name}" in message


def test_float64_and_float16_are_clips():
    clips = noise(2, 24, 8, 8, 1)
    expected = VIEWS(clips, SEED)["views"]
    np.testing.assert_allclose(VIEWS(clips / 255.0, SEED)["views"], expected, atol=1e-5)
    np.testing.assert_allclose(VIEWS((clips / 255).astype(np.float16), SEED)["views"], expected, atol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["fit", "evaluate", "encode", "views"])
def test_a_list_of_clips_of_one_length_is_a_batch(entry):
    clips = [noise(24, 8, 8, 1) for _ in range(4)]
    ENTRIES[entry](clips)
    message = refusal(entry, [*clips, noise(20, 8, 8, 1)])
    assert "5 clips, among them (20, 8, 8, 1) and (24, 8, 8, 1). Cut them to the same number of frames" in message
    if entry == "encode":
        model = compiled()
        np.testing.assert_array_equal(model.encode(clips), model.encode(np.stack(clips)))


@pytest.mark.parametrize("entry", ["fit", "evaluate", "encode", "views"])
def test_an_array_of_objects_and_an_empty_one_are_refused(entry):
    ragged = np.empty(2, object)
    ragged[:] = [noise(24, 8, 8, 1), noise(20, 8, 8, 1)]
    assert "five axes" in refusal(entry, ragged)
    assert "empty. Received: shape (0, 24, 8, 8, 1)" in refusal(entry, noise(0, 24, 8, 8, 1))


def test_dictionaries_of_examples_are_refused_with_their_names():
    examples = tf.data.Dataset.from_tensors({"clip": noise(2, 24, 8, 8, 1), "label": [1.0, 2.0]})
    with pytest.raises(ValueError, match="Received: a dict with clip, label: take its clip") as caught:
        compiled().fit(examples, verbose=0)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_views_of_an_unknown_length_are_refused():
    signature = [tf.TensorSpec([None, None, 8, 8, 1], tf.uint8)]
    views = tf.function(lambda clips: VIEWS(clips, SEED), input_signature=signature, autograph=False)
    with pytest.raises(ValueError, match=r"shape is known but for the batch. Received: shape \(None, None, 8, 8, 1\)"):
        views(noise(2, 24, 8, 8, 1))
    model = compiled()
    encode = tf.function(model.encode, input_signature=signature, autograph=False)
    clips = noise(2, 24, 8, 8, 1)
    np.testing.assert_allclose(encode(clips), model.encode(clips), atol=1e-5)


@pytest.mark.slow
def test_values_of_bytes_are_not_looked_at():
    def ops(dtype):
        made = tf.function(VIEWS.__call__).get_concrete_function(
            tf.TensorSpec([2, 24, 8, 8, 1], dtype), tf.TensorSpec([2], tf.int32)
        )
        return {node.op for node in made.graph.as_graph_def().node}

    assert "Min" in ops(tf.float32)
    assert not {"Min", "Max"} & ops(tf.uint8)


def test_other_errors_of_a_graph_pass_as_they_are():
    with pytest.raises(tf.errors.InvalidArgumentError, match="another"), batches.plain_errors():
        tf.debugging.Assert(False, ["another"])
    with pytest.raises(ValueError, match="of Keras"), batches.plain_errors():
        raise ValueError("of Keras")


def test_bytes_become_shares_of_white():
    np.testing.assert_allclose(batches.unit_range(tf.constant([0, 51, 255], tf.uint8)), [0, 0.2, 1])
    np.testing.assert_array_equal(batches.unit_range(tf.constant([-0.1, 0.25, 1.1])), [0, 0.25, 1])


@pytest.mark.slow
def test_later_clips_may_have_another_length_or_size():
    model = compiled()
    for shape in ((4, 20, 8, 8, 1), (4, 30, 8, 8, 1), (4, 20, 12, 12, 1)):
        model.fit(noise(*shape), batch_size=2, verbose=0)
        assert np.isfinite(model.evaluate(noise(*shape), batch_size=2, verbose=0)["loss"])
    with pytest.raises(ValueError, match="A view of 8 frames at speed 2 spans 15 frames, but the clips have 12"):
        model.fit(noise(4, 12, 8, 8, 1), verbose=0)


@pytest.mark.slow
def test_single_batches_are_trained_and_tested_on():
    model = compiled()
    batch = noise(4, 20, 8, 8, 1)
    assert np.isfinite(model.train_on_batch(batch, return_dict=True)["loss"])
    assert np.isfinite(model.test_on_batch(batch, return_dict=True)["loss"])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda clips: None, "Clips must be an array .* Received: nothing"),
        (lambda clips: (clip for clip in clips), "Clips must be an array .* Received: a generator"),
        (
            lambda clips: [clips[0], clips[1] / 255],
            "Clips of one batch must have one type. Received: float64 and uint8",
        ),
        (tf.data.Dataset.from_tensor_slices, r"dataset\.batch\(4\)"),
        (
            lambda clips: tf.data.Dataset.from_generator(lambda: iter(clips), output_types=tf.uint8),
            "Clips must have a known number of axes",
        ),
    ],
)
def test_what_is_no_batch_of_clips_is_refused_in_a_sentence(data, message):
    with pytest.raises(ValueError, match=message) as caught:
        compiled().fit(data(noise(4, 20, 8, 8, 1)), verbose=0)
    assert "\n" not in str(caught.value)


def test_whole_numbers_are_series_and_no_pictures():
    batches.check_clips(np.zeros((2, 40, 1, 1, 3), np.int64))
    with pytest.raises(ValueError, match="int64"):
        batches.check_clips(np.zeros((2, 40, 8, 1, 1), np.int64))
