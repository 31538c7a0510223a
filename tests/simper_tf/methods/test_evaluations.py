"""Evaluation of every method."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from every_method import ALL, ALL_SLOW_BUT_ONE, graph_of_one, normed_encoder, op_by_op, values
from small_methods import compiled, data_for, ready_views

from simper_tf.methods import Replay, SimPer


@pytest.mark.slow
@ALL
def test_evaluation_logs_as_training_does_and_keeps_the_weights(kind, swinging_bars):
    model, data = op_by_op(kind, normed_encoder()), data_for(kind, swinging_bars[0][:3])
    model.optimizer.build(model.trainable_variables)
    before = values([*model.weights, *model.optimizer.variables])
    logs = model.evaluate(*data, batch_size=3, verbose=0)
    assert set(logs) == set(model.log_names())
    assert all(np.isfinite(value) for value in logs.values())
    for weight, value in zip([*model.weights, *model.optimizer.variables], before, strict=True):
        np.testing.assert_array_equal(weight, value)


@pytest.mark.slow
@ALL
def test_evaluation_repeats_and_another_seed_draws_other_views(kind, swinging_bars):
    # Two batches, and twice, for one method: all count by the same code, and none changes a weight.
    data = data_for(kind, swinging_bars[0][: 6 if kind is SimPer else 3])
    model, again, other = op_by_op(kind), op_by_op(kind), op_by_op(kind)
    other.seed = 1
    first = model.evaluate(*data, batch_size=3, verbose=0)
    if kind is SimPer:
        assert model.evaluate(*data, batch_size=3, verbose=0) == first
    assert again.evaluate(*data, batch_size=3, verbose=0) == first
    assert other.evaluate(*data, batch_size=3, verbose=0)["loss"] != first["loss"]


@pytest.mark.slow
@ALL_SLOW_BUT_ONE
def test_evaluation_of_ready_views_is_the_loss_in_inference_mode(kind, swinging_bars):
    model = graph_of_one(kind, normed_encoder())
    batch = ready_views(kind, model.views, swinging_bars[0])
    logs = model.evaluate(tf.data.Dataset.from_tensors(batch), verbose=0)
    batch |= model.targets(batch, training=False)
    features = model.encode_views(batch["views"], training=False)
    # Replay shows other frames of ready views before it encodes them.
    seen = model.compute_logs(batch, False) if kind is Replay else model.logs_of(features, batch, training=False)
    expected = {name: float(value) for name, value in seen.items()}
    assert logs == pytest.approx(expected, rel=1e-4, abs=1e-6)
    # Inference, indeed.
    np.testing.assert_allclose(features[0, 0], model.encoder(batch["views"][0, :1])[0], atol=1e-5)
    clips = swinging_bars[0][:2]
    np.testing.assert_allclose(model.encode(clips), model.encoder(clips / np.float32(255)), atol=1e-5)


@pytest.mark.slow
def test_evaluation_is_the_mean_over_clips_in_any_batching(swinging_bars):
    model = compiled(SimPer)
    ready = tf.data.Dataset.from_tensor_slices(ready_views(SimPer, model.views, swinging_bars[0]))
    whole = model.evaluate(ready.batch(6), verbose=0)
    assert model.evaluate(ready.batch(4), verbose=0) == pytest.approx(whole, rel=1e-4)  # 4 and 2.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "is_validated", "steps"), [({}, True, 6), ({"gradient_accumulation_steps": 3}, False, 3)]
)
def test_evaluations_and_added_gradients_have_views_of_their_own(swinging_bars, settings, is_validated, steps):
    model, seen = compiled(SimPer), []
    model.compile(keras.optimizers.Adam(1e-3, **settings))
    drawn = model.draw

    def noted(data, step=None):
        batch = drawn(data, step)
        seen.append(batch["draws"]["times"]["speeds"].numpy())
        return batch

    model.draw, model.run_eagerly = noted, True
    clips = tf.data.Dataset.from_tensor_slices(np.repeat(swinging_bars[0][:1], 6, axis=0)).batch(2)
    model.fit(clips, validation_data=clips if is_validated else None, verbose=0)
    assert len(seen) == steps
    assert min(np.abs(a - b).max() for k, a in enumerate(seen) for b in seen[:k]) > 1e-3


@pytest.mark.slow
def test_training_continues_after_an_evaluation_within_it(swinging_bars):
    """Longer clips, in floats and in other batches, and a callback that predicts what is shorter."""
    model, clips = compiled(SimPer), swinging_bars[0]
    longer = tf.data.Dataset.from_tensor_slices(np.float32(np.concatenate([clips, clips], axis=1)) / 255)
    predicted = []
    callback = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: predicted.append(model.predict(clips[:, :30], verbose=0))
    )
    history = model.fit(
        clips, batch_size=3, epochs=3, verbose=0, validation_data=longer.batch(2), callbacks=[callback]
    ).history
    assert len(history["loss"]) == len(history["val_loss"]) == len(predicted) == 3
    assert np.isfinite([*history["loss"], *history["val_loss"]]).all()
    assert {each.shape for each in predicted} == {(6, 30, 2)}
