"""Contract of every registered method; a method's own mathematics is tested beside it."""

import dataclasses
import inspect
import pathlib
import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from every_method import (
    ALL,
    ALL_SLOW_BUT_ONE,
    encoder_of_differences,
    graph_of_one,
    normed_encoder,
    op_by_op,
    policy,
    values,
)
from gpu_kernels import recorded, without_kernel
from processes import done
from small_methods import LABELS, compiled, data_for, ready_views, views_for

from simper_tf.encoders import small, small1d
from simper_tf.methods import APPEARANCES, METHODS, SimPer, TrainingFacts
from simper_tf.utils.options import declared
from simper_tf.views.series_appearance import SeriesAppearance
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views


@pytest.fixture(scope="module")
def stepped(swinging_bars):
    """Returns a function from a method to what one step made of it: the model, its first weights and the logs."""
    done = {}

    def of(kind):
        if kind not in done:
            model = graph_of_one(kind, seed=5)
            before = values(model.encoder.trainable_variables)
            history = model.fit(*data_for(kind, swinging_bars[0][:3]), batch_size=3, shuffle=False, verbose=0).history
            done[kind] = model, before, {name: value for name, (value,) in history.items()}
        return done[kind]

    return of


@ALL
def test_a_method_is_registered_with_name_title_and_source(kind):
    assert METHODS[kind.registered_name] is kind
    assert kind.title
    assert re.fullmatch(r".+, [A-Z]\w+ 20\d\d, https://\S+", kind.reference)
    assert APPEARANCES[kind.registered_name] is kind.appearance


@ALL
def test_every_option_is_told_in_the_help_of_the_method(kind):
    fields = dataclasses.fields(kind.Options)
    assert fields == tuple(declared(kind.Options))
    for field in fields:
        assert re.fullmatch(r"[A-Z].*\.", field.metadata["help"]), field.name
        assert f"\n    {field.name}: {field.metadata['help'][:20]}" in kind.__doc__
        assert inspect.signature(kind).parameters[field.name].default == field.default


@ALL
def test_options_that_follow_from_the_data_are_no_flags(kind):
    found = kind.arguments_for(TrainingFacts(views_for(kind), np.full(6, 20.0), 6, 3, 10, (0.5, 5.0), LABELS))
    assert {*found} <= {field.name for field in declared(kind.Options) if not field.metadata["is_flag"]}


@ALL
@pytest.mark.parametrize("name", ["train_step", "test_step", "before_step", "targets", "after_step"])
def test_autograph_converts_every_part_of_a_step(kind, name):
    tf.autograph.to_graph(getattr(kind, name))


@pytest.mark.slow
@ALL
def test_a_step_logs_what_is_promised_and_changes_the_encoder(kind, stepped):
    model, before, logs = stepped(kind)
    assert set(logs) == set(model.log_names())
    assert all(np.isfinite(value) for value in logs.values())
    changes = [np.abs(a - b).max() for a, b in zip(before, values(model.encoder.trainable_variables), strict=True)]
    assert max(changes) > 1e-4


@pytest.mark.slow
@ALL_SLOW_BUT_ONE
def test_the_loss_reaches_every_kernel_despite_batch_norm(kind, swinging_bars):
    model = compiled(kind, normed_encoder())
    data = tuple(tf.constant(part[:3]) for part in data_for(kind, swinging_bars[0]))
    gradients, _ = model.compute_gradients(model.draw(data))
    assert all(gradient is not None for gradient in gradients)
    largest = {
        variable.path: np.abs(gradient).max()
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True)
        if variable.path.endswith("kernel")
    }
    assert len(largest) >= 2
    assert min(largest.values()) > 0, largest


@pytest.mark.slow
@ALL
def test_views_from_the_host_train_like_views_from_the_device(kind, stepped, swinging_bars):
    (_, _, expected), on_host = stepped(kind), compiled(kind, seed=5)
    logs = on_host.train_step(ready_views(kind, on_host.views, swinging_bars[0][:3], (5, 0)))
    for name, value in expected.items():
        assert float(logs[name]) == pytest.approx(value, rel=1e-3, abs=1e-5), name


@pytest.mark.slow
@ALL
def test_a_saved_method_comes_back_and_goes_on_alike(kind, stepped, swinging_bars, tmp_path):
    data = tuple(map(tf.constant, data_for(kind, swinging_bars[0][:3])))
    model, *_ = stepped(kind)
    model.save(tmp_path / "method.keras")
    loaded = keras.models.load_model(tmp_path / "method.keras")
    assert type(loaded) is kind
    for name in ("options", "views", "seed"):
        assert getattr(loaded, name) == getattr(model, name), name
    for variable, other in zip(model.weights, loaded.weights, strict=True):
        np.testing.assert_array_equal(other, variable)
    assert len(loaded.trainable_variables) == len(model.trainable_variables)
    np.testing.assert_array_equal(loaded.encode(swinging_bars[0]), model.encode(swinging_bars[0]))
    model.reset_metrics()
    loaded.reset_metrics()
    assert float(loaded.train_step(data)["loss"]) == pytest.approx(float(model.train_step(data)["loss"]), rel=1e-4)


@ALL
def test_saved_weights_are_loaded_into_a_new_method(kind, tmp_path):
    model, other = compiled(kind), compiled(kind)
    model.encoder.set_weights([weight + 1.0 for weight in model.encoder.get_weights()])
    model.save_weights(tmp_path / "method.weights.h5")
    other.load_weights(tmp_path / "method.weights.h5")
    for variable, loaded in zip(model.weights, other.weights, strict=True):
        np.testing.assert_array_equal(loaded, variable)


@pytest.mark.slow
@ALL
def test_a_checkpoint_holds_all_that_a_step_changes(kind, stepped, tmp_path):
    (model, *_), other = stepped(kind), compiled(kind)
    other.optimizer.build(other.trainable_variables)
    path = tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(tmp_path / "step")
    tf.train.Checkpoint(model=other, optimizer=other.optimizer).restore(path).assert_existing_objects_matched()
    for variable, restored in zip(model.weights, other.weights, strict=True):
        np.testing.assert_array_equal(restored, variable)


@pytest.mark.slow
@ALL_SLOW_BUT_ONE
@pytest.mark.parametrize("precision", ["float32", "mixed_bfloat16"])
def test_features_are_those_of_the_encoder_alone(kind, precision, swinging_bars):
    with policy(precision):
        model = graph_of_one(kind, encoder_of_differences())  # Which rounding would undo.
    clips = swinging_bars[0]
    expected = model.encoder(clips / np.float32(255))
    np.testing.assert_allclose(model.encode(clips), expected, atol=1e-6)
    np.testing.assert_allclose(model.predict(clips, batch_size=4, verbose=0), expected, atol=1e-5)


OTHERS = [kind for kind in METHODS.values() if kind.appearance != APPEARANCES["simper"]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", OTHERS, ids=[kind.registered_name for kind in OTHERS])
def test_every_method_trains_with_the_appearance_of_another(kind, swinging_bars):
    views = views_for(kind)
    views = Views(views.num_frames, views.times, kind.appearance_from(APPEARANCES["simper"]))
    logs = op_by_op(kind, views=views).fit(*data_for(kind, swinging_bars[0][:3]), batch_size=3, verbose=0).history
    assert np.isfinite(logs["loss"])


@pytest.mark.slow
@ALL
def test_a_series_trains_where_views_change_only_time(kind):
    series = np.random.default_rng(1).uniform(size=(3, 40, 1, 1, 1)).astype(np.float32)
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


def test_without_other_views_a_series_is_changed_as_a_series():
    series = tf.random.stateless_uniform((3, 40, 1, 1, 1), (1, 2))
    model = compiled(SimPer, small1d((1, 1, 1)), views=Views(20, SpeedSets(2)))
    batch = model.draw((series,))
    expected = Views(20, SpeedSets(2), SeriesAppearance()).apply(series, batch["draws"])["views"]
    np.testing.assert_array_equal(model.make_views(batch)["views"], expected)


@pytest.mark.slow
@ALL_SLOW_BUT_ONE
def test_a_mixed_bfloat16_step_is_float32_up_to_rounding(kind, swinging_bars):
    data = tuple(map(tf.constant, data_for(kind, swinging_bars[0])))
    expected = compiled(kind)
    with policy("mixed_bfloat16"):
        model = compiled(kind)
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
def test_views_loss_and_gradient_run_on_a_gpu_op_by_op(kind, swinging_bars):
    model = compiled(kind, small((None, None, 3), widths=(4,), outputs=2))
    data = data_for(kind, swinging_bars[0][:3].repeat(3, axis=-1))
    with recorded() as seen:
        model.compute_gradients(model.draw(tuple(map(tf.constant, data))))
    assert {"CropAndResize", "Conv2DBackpropFilter"} <= {op for op, _ in seen}
    assert not without_kernel(seen)


@pytest.mark.slow
def test_the_step_of_two_devices_is_that_of_one_for_every_method():
    # A process can cut its CPU into logical devices only before TensorFlow uses it: it needs one of its own.
    code, _, err = done([pathlib.Path(__file__).with_name("two_devices.py")])
    assert code == 0, err[-4000:]
