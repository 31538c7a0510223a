"""What holds for every registered method, in one place; what is a method's own mathematics is tested beside it."""

import inspect
import math
import pathlib
import re
import subprocess
import sys
import types

import keras
import numpy as np
import pytest
import tensorflow as tf
from gpu_kernels import nodes_of, unfit
from small_methods import LABELS, compiled, data_for, ready_views, views_for

from simper_tf.encoders import cnn3d, small
from simper_tf.encoders.norms import normalization
from simper_tf.methods import APPEARANCES, METHODS, Method, SimPer, TrainingFacts, arguments_of
from simper_tf.settings import owners
from simper_tf.times import Times
from simper_tf.views import Views

ALL = pytest.mark.parametrize("kind", METHODS.values(), ids=METHODS)
# What traces a step takes seconds a method: `make test-fast` does it for one.
ALL_SLOW_BUT_ONE = pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] * (kind is not SimPer)) for kind in METHODS.values()],
    ids=METHODS,
)


def normed_encoder():
    """Returns an encoder whose features differ between training and inference."""
    clips = keras.Input((None, 12, 12, 1))
    x = normalization("batch")(keras.layers.Conv3D(4, (1, 3, 3), strides=(1, 4, 4))(clips))
    return keras.Model(clips, keras.layers.Dense(2)(keras.layers.Dropout(0.5)(keras.ops.mean(x, axis=(2, 3)))))


def op_by_op(kind, *given, **changes):
    """Returns what `compiled` does, without the seconds that tracing takes, for what is not about graphs."""
    model = compiled(kind, *given, **changes)
    model.run_eagerly = True
    return model


def values(variables):
    return [variable.numpy() for variable in variables]


@ALL
def test_a_method_is_registered_with_name_title_and_source_and_says_what_its_options_are(kind):
    assert METHODS[kind.registered_name] is kind
    assert kind.title
    assert re.fullmatch(r".+, [A-Z]\w+ 20\d\d, https://\S+", kind.reference)
    assert APPEARANCES[kind.registered_name] is kind.appearance
    for name, option in arguments_of(kind).items():
        assert option.default is not inspect.Parameter.empty, name
        hint = option.annotation
        parts = hint.__args__ if isinstance(hint, types.UnionType) else (hint,)
        assert set(parts) <= {float, int, str, bool, tuple[float, float], type(None)}, name
        docs = "\n".join(each.__doc__ for each in kind.__mro__ if issubclass(each, Method))
        assert re.search(rf"^    +{name}: [A-Zmnt`].+", docs, re.MULTILINE), f"{name} is not described"


@ALL
def test_options_that_follow_from_the_data_where_nobody_sets_them_are_named(kind):
    found = kind.arguments_for(TrainingFacts(views_for(kind), np.full(6, 20.0), 6, 3, 10, (0.5, 5.0), LABELS))
    assert {*found} & {*owners()["method"][kind.registered_name]} == {*kind.defaults_from_data}


@ALL
@pytest.mark.parametrize("name", ["train_step", "test_step", "before_step", "targets", "after_step"])
def test_autograph_converts_every_part_of_a_step(kind, name):
    tf.autograph.to_graph(getattr(kind, name))


@pytest.mark.slow
@ALL_SLOW_BUT_ONE
def test_a_step_logs_what_is_promised_and_changes_the_encoder(kind, swinging_bars):
    model = compiled(kind)
    before = values(model.encoder.trainable_variables)
    history = model.fit(*data_for(kind, swinging_bars[0]), batch_size=3, verbose=0).history
    assert set(history) == set(model.log_names())
    assert all(np.isfinite(found).all() for found in history.values())
    changes = [np.abs(a - b).max() for a, b in zip(before, values(model.encoder.trainable_variables), strict=True)]
    assert max(changes) > 1e-4


@ALL_SLOW_BUT_ONE
def test_the_loss_reaches_every_kernel_of_an_encoder_with_batch_norm(kind, swinging_bars):
    model = compiled(kind, cnn3d((None, None, 1), norm="batch"))
    data = tuple(tf.constant(part[:3]) for part in data_for(kind, swinging_bars[0]))
    gradients, _ = model.compute_gradients(model.draw(data))
    assert all(gradient is not None for gradient in gradients)
    largest = {
        variable.path: np.abs(gradient).max()
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True)
        if variable.path.endswith("kernel")
    }
    assert len(largest) >= 3
    assert min(largest.values()) > 0, largest


@ALL_SLOW_BUT_ONE
def test_views_made_on_the_host_train_like_those_made_on_the_device(kind, swinging_bars):
    on_device, on_host = compiled(kind, seed=5), compiled(kind, seed=5)
    expected = on_device.train_step(tuple(map(tf.constant, data_for(kind, swinging_bars[0]))))
    ready = ready_views(kind, on_host.views, swinging_bars[0], (5, 0))
    found = on_host.train_step(ready)
    for name, value in expected.items():
        assert float(found[name]) == pytest.approx(float(value), rel=1e-3, abs=1e-5), name


@pytest.mark.slow
@ALL_SLOW_BUT_ONE
def test_a_saved_method_comes_back_and_goes_on_alike(kind, swinging_bars, tmp_path):
    data = tuple(map(tf.constant, data_for(kind, swinging_bars[0])))
    model = compiled(kind, seed=9)
    step = tf.function(model.train_step, autograph=False)
    for _ in range(2):
        step(data)
    model.save(tmp_path / "method.keras")
    loaded = keras.models.load_model(tmp_path / "method.keras")
    assert type(loaded) is kind
    for name in (*arguments_of(kind), "views", "seed"):
        assert getattr(loaded, name) == getattr(model, name), name
    for variable, other in zip(model.weights, loaded.weights, strict=True):
        np.testing.assert_array_equal(other, variable)
    assert len(loaded.trainable_variables) == len(model.trainable_variables)
    np.testing.assert_array_equal(loaded.encode(swinging_bars[0]), model.encode(swinging_bars[0]))
    model.reset_metrics()
    loaded.reset_metrics()
    assert float(tf.function(loaded.train_step, autograph=False)(data)["loss"]) == pytest.approx(
        float(step(data)["loss"]), rel=1e-4
    )


@ALL_SLOW_BUT_ONE
def test_a_checkpoint_holds_all_that_a_step_changes(kind, swinging_bars, tmp_path):
    data = tuple(map(tf.constant, data_for(kind, swinging_bars[0])))
    model, other = compiled(kind), compiled(kind)
    for each in (model, other):
        each.optimizer.build(each.trainable_variables)
    model.train_step(data)
    path = tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(tmp_path / "step")
    tf.train.Checkpoint(model=other, optimizer=other.optimizer).restore(path).assert_existing_objects_matched()
    for variable, restored in zip(model.weights, other.weights, strict=True):
        np.testing.assert_array_equal(restored, variable)


@ALL_SLOW_BUT_ONE
def test_features_are_those_of_the_encoder_alone(kind, swinging_bars):
    model, clips = compiled(kind), swinging_bars[0]
    expected = model.encoder(clips / np.float32(255))
    np.testing.assert_allclose(model.encode(clips), expected, atol=1e-6)
    np.testing.assert_allclose(model.predict(clips, batch_size=4, verbose=0), expected, atol=1e-5)


@pytest.mark.slow
@ALL
def test_evaluation_returns_the_logs_of_training_and_changes_no_weight(kind, swinging_bars):
    model, data = op_by_op(kind, normed_encoder()), data_for(kind, swinging_bars[0])
    model.fit(*data, batch_size=3, verbose=0)
    before = values([*model.weights, *model.optimizer.variables])
    logs = model.evaluate(*data, batch_size=3, verbose=0)
    assert set(logs) == set(model.log_names())
    assert all(np.isfinite(value) for value in logs.values())
    for weight, value in zip([*model.weights, *model.optimizer.variables], before, strict=True):
        np.testing.assert_array_equal(weight, value)


@pytest.mark.slow
@ALL
def test_evaluation_repeats_itself_and_another_seed_draws_other_views(kind, swinging_bars):
    data = data_for(kind, swinging_bars[0])
    model, again, other = op_by_op(kind), op_by_op(kind), op_by_op(kind)
    other.seed = 1
    first = model.evaluate(*data, batch_size=3, verbose=0)
    assert model.evaluate(*data, batch_size=3, verbose=0) == first
    assert again.evaluate(*data, batch_size=3, verbose=0) == first
    assert other.evaluate(*data, batch_size=3, verbose=0)["loss"] != first["loss"]


@ALL_SLOW_BUT_ONE
def test_evaluation_of_ready_views_is_the_loss_in_inference_mode(kind, swinging_bars):
    model = compiled(kind, normed_encoder())
    batch = ready_views(kind, model.views, swinging_bars[0])
    logs = model.evaluate(tf.data.Dataset.from_tensors(batch), verbose=0)
    batch |= model.targets(batch, training=False)
    features = model.encode_views(batch["views"], training=False)
    expected = {name: float(value) for name, value in model.logs_of(features, batch, training=False).items()}
    assert logs == pytest.approx(expected, rel=1e-4, abs=1e-6)
    # Inference, indeed.
    np.testing.assert_allclose(features[0, 0], model.encoder(batch["views"][0, :1])[0], atol=1e-5)


def test_evaluation_is_the_mean_over_clips_however_they_are_batched(swinging_bars):
    model = compiled(SimPer)
    ready = tf.data.Dataset.from_tensor_slices(ready_views(SimPer, model.views, swinging_bars[0]))
    whole = model.evaluate(ready.batch(6), verbose=0)
    assert model.evaluate(ready.batch(4), verbose=0) == pytest.approx(whole, rel=1e-4)  # 4 and 2.


def test_batches_of_an_evaluation_see_different_views_and_none_that_a_step_of_training_sees(swinging_bars):
    model, seen = compiled(SimPer), []

    def speeds(data, step=None):
        batch = drawn(data, step)
        seen.append(batch["draws"]["times"]["speeds"].numpy())
        return batch

    drawn, model.draw = model.draw, speeds
    model.run_eagerly = True
    clips = tf.data.Dataset.from_tensor_slices(np.repeat(swinging_bars[0][:1], 6, axis=0)).batch(2)
    model.fit(clips, validation_data=clips, verbose=0)
    assert len(seen) == 6
    assert min(np.abs(a - b).max() for k, a in enumerate(seen) for b in seen[:k]) > 1e-3


@pytest.mark.slow
def test_validation_data_add_their_logs_to_the_history(swinging_bars):
    model = compiled(SimPer)
    history = model.fit(swinging_bars[0], validation_data=swinging_bars[0], verbose=0, epochs=2).history
    assert set(history) == {*model.log_names(), *(f"val_{name}" for name in model.log_names())}
    assert len(history["val_loss"]) == 2


@pytest.mark.slow
@ALL
@pytest.mark.parametrize("look", ["simper", "none"])
def test_every_method_can_train_with_the_appearance_of_another_and_with_none(kind, look, swinging_bars):
    views = views_for(kind)
    views = Views(views.num_frames, views.times, kind.appearance_from(APPEARANCES[look]))
    logs = op_by_op(kind, views=views).fit(*data_for(kind, swinging_bars[0]), batch_size=3, verbose=0).history
    assert np.isfinite(logs["loss"])


@pytest.mark.slow
@ALL_SLOW_BUT_ONE
def test_a_series_without_a_picture_trains_where_only_time_changes(kind):
    series = np.random.default_rng(1).uniform(size=(6, 40, 1, 1, 1)).astype(np.float32)
    frames = keras.Input((None, 1, 1, 1))
    encoder = keras.Model(frames, keras.layers.Conv1D(2, 3, padding="same")(frames[:, :, 0, 0]))
    views = views_for(kind)
    views = Views(views.num_frames, views.times, kind.appearance_from(None))
    model = op_by_op(kind, encoder, views=views)
    if views.appearance is not None:  # Regions, of which a series has none.
        with pytest.raises(ValueError, match="Appearance changes pictures, but the clips are series"):
            model.fit(*data_for(kind, series), batch_size=3, verbose=0)
        return
    logs = model.fit(*data_for(kind, series), batch_size=3, verbose=0).history
    assert np.isfinite(logs["loss"])


@ALL_SLOW_BUT_ONE
def test_a_step_in_mixed_bfloat16_is_that_of_float32_but_for_rounding(kind, swinging_bars):
    data = tuple(map(tf.constant, data_for(kind, swinging_bars[0])))
    expected = compiled(kind)
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        model = compiled(kind)
    finally:
        keras.mixed_precision.set_dtype_policy(before)
    assert {weight.dtype for weight in model.trainable_weights} == {"float32"}
    gradients, logs = model.compute_gradients(model.draw(data))
    expected_gradients, expected_logs = expected.compute_gradients(expected.draw(data))
    assert all(value.dtype == tf.float32 for value in logs.values())
    # Three digits are kept of a feature, and temperatures divide by a tenth. Least alike are the gradients of frequency
    # contrast (0.77), a small difference of distances.
    assert float(logs["loss"]) == pytest.approx(float(expected_logs["loss"]), rel=0.05, abs=0.02)
    pairs = [tf.concat([tf.reshape(g, [-1]) for g in grads], 0) for grads in (gradients, expected_gradients)]
    assert pairs[0].dtype == tf.float32
    cosine = np.dot(*pairs) / np.linalg.norm(pairs[0]) / np.linalg.norm(pairs[1])
    assert cosine > 0.6


@pytest.mark.slow
@ALL
def test_views_loss_and_gradient_run_on_a_gpu_op_by_op(kind):
    model = compiled(kind, small((None, None, 3), widths=(4,), outputs=2))
    data = [tf.TensorSpec([4, 40, 12, 10, 3], tf.uint8)] + [tf.TensorSpec([4])] * kind.needs_labels
    step = tf.function(lambda *data: model.compute_gradients(model.draw(data))).get_concrete_function(*data)
    assert {"CropAndResize", "Conv3DBackpropFilterV2"} <= {node.op for node in nodes_of(step)}  # The walk saw the work.
    assert not unfit(step)


@pytest.mark.slow
def test_the_step_of_two_devices_is_that_of_one_for_every_method():
    # A process can cut its CPU into logical devices only before TensorFlow uses it: it needs one of its own.
    script = pathlib.Path(__file__).with_name("two_devices.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


@ALL
def test_arrays_beside_clips_are_refused_where_nothing_is_learned_from_them(kind, swinging_bars):
    model = compiled(kind)
    with pytest.raises(ValueError, match=rf"{kind.__name__} learns from clips.*with {1 + kind.needs_labels} more"):
        model.train_step((swinging_bars[0], *[LABELS] * (1 + kind.needs_labels)))
    if not kind.needs_labels:
        for call in (model.fit, model.evaluate):
            with pytest.raises(ValueError, match=r"learns from clips alone.*with 1 more.*Leave out"):
                call(swinging_bars[0], LABELS, verbose=0)


@ALL
def test_ready_views_without_speeds_and_of_bytes_are_refused(kind, swinging_bars):
    model = compiled(kind)
    batch = ready_views(kind, model.views, swinging_bars[0])
    with pytest.raises(ValueError, match=r"come with their speeds, in a dictionary"):
        model.fit(batch["views"], verbose=0)
    with pytest.raises(ValueError, match=r"Ready views must be floats.* Received: uint8"):
        model.train_step({**batch, "views": tf.cast(255 * batch["views"], tf.uint8)})
    with pytest.raises(ValueError, match="Labels of ready views belong into their dictionary"):
        model.train_step((batch, LABELS))


@ALL
def test_a_method_without_views_or_with_views_of_other_times_is_refused(kind, swinging_bars):
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


@ALL
def test_too_few_clips_are_refused(kind):
    model = compiled(kind)
    model.check_batch(3)
    if kind.min_clips > 1:
        with pytest.raises(ValueError, match=f"{kind.__name__} learns .*at least 2 in a batch. Received: 1. Raise"):
            model.check_batch(1)


NUMBERS = [
    (kind, name) for kind in METHODS.values() for name, o in arguments_of(kind).items() if o.annotation in (int, float)
]


@pytest.mark.parametrize(("kind", "name"), NUMBERS, ids=lambda x: getattr(x, "__name__", x))
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_that_are_none_are_refused_by_name(kind, name, value):
    with pytest.raises(ValueError, match=rf"`{name}` must be .* Received: {value}"):
        compiled(kind, **{name: value})


def test_a_method_that_minimizes_nothing_says_so(swinging_bars):
    model = compiled(Method, views=views_for(SimPer))
    with pytest.raises(NotImplementedError, match="Method does not say what it minimizes"):
        model.train_step(tf.constant(swinging_bars[0]))
