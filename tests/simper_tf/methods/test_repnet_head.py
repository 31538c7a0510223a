import keras
import numpy as np
import pytest
import tensorflow as tf
from gpu_kernels import recorded, without_kernel

from simper_tf.encoders import repnet, small
from simper_tf.evaluation.tasks import Frequency, Scalar
from simper_tf.methods import Supervised, TrainingFacts
from simper_tf.methods.repnet_head import Parts, SelfSimilarity, counts, loss, parts_of, repnet_head
from simper_tf.views.views import Views

RNG = np.random.default_rng(31)
SURE = 20.0
# Parts of clips of 150 frames: the whole and two halves.
TWO_WAYS = 3


def outputs(classes, periodicity, number=1):
    """Returns outputs of the heads that are sure of one class for all steps of each of some parts."""
    told = np.zeros((1, number, 64, 65), np.float32)
    told[0, np.arange(number), :, np.broadcast_to(classes, number)] = SURE
    told[..., 64] = np.broadcast_to(periodicity, number)[:, None]
    return tf.constant(told.reshape(1, -1))


@pytest.mark.slow
def test_parameters_are_the_published_ones():
    head = repnet_head(64, 512)
    assert head.count_params() == 6_403_969
    assert {repnet_head(*shape).count_params() for shape in ((40, 1), (150, 3))} == {6_403_969}
    assert sum(np.prod(weight.shape) for weight in head.trainable_weights) + 19_351_168 == 25_755_137


def test_a_period_of_8_in_64_steps_is_8_repetitions():
    assert counts(outputs(8, SURE)).numpy() == pytest.approx([8], rel=1e-5)
    assert counts(outputs(32, SURE)).numpy() == pytest.approx([2], rel=1e-5)
    assert counts(outputs(8, -SURE)).numpy() == [0]


def test_only_steps_that_repeat_are_counted():
    told = outputs(8, SURE).numpy().reshape(64, 65)
    told[:24, 64] = -SURE
    assert counts(told.reshape(1, -1)).numpy() == pytest.approx([40 / 8], rel=1e-5)


def test_periods_lie_between_classes_whatever_far_classes_say():
    told = outputs(8, SURE).numpy().reshape(64, 65)
    told[:, 9] = SURE
    told[:, 50] = SURE - 2
    assert counts(told.reshape(1, -1)).numpy() == pytest.approx([64 / 8.5], rel=1e-5)


def test_no_step_has_a_period_of_less_than_two():
    told = outputs(1, SURE).numpy().reshape(64, 65)
    told[:, 4] = SURE / 2
    assert counts(told.reshape(1, -1)).numpy() == pytest.approx([16], rel=1e-3)


@pytest.mark.parametrize(
    ("periodicity", "expected"), [((SURE, 0.5, 0.5), 8), ((0.5, SURE, SURE), 4 + 2), ((0.5, SURE, -SURE), 8)]
)
def test_that_way_of_cutting_counts_whose_steps_are_the_surest(periodicity, expected):
    told = outputs((8, 16, 32), periodicity, TWO_WAYS)  # 8 in the whole clip, 4 and 2 in its halves.
    assert counts(told).numpy() == pytest.approx([expected], rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("frames", "parts"), [(8, [1]), (127, [1]), (128, [1, 2]), (200, [1, 2]), (256, [1, 2, 4])])
def test_clips_are_cut_while_parts_have_a_frame_for_each_step(frames, parts):
    assert parts_of(frames) == parts
    assert repnet_head(frames, 1).output_shape == (None, sum(parts) * 64 * 65)
    assert Parts()(tf.zeros([2, frames, 3])).shape == (2 * sum(parts), 64, 3)


@pytest.mark.parametrize("frames", [40, 64, 150, 300])
def test_a_clip_and_its_parts_are_spread_over_all_steps(frames):
    times = (np.arange(frames) + 0.5) / frames  # A ramp from 0 to 1.
    steps = Parts()(tf.constant(times[None, :, None], tf.float32)).numpy()[..., 0]
    begin = 0
    for number in parts_of(frames):
        ramp = steps[begin : begin + number].reshape(-1)
        expected = (np.arange(64 * number) + 0.5) / (64 * number)
        np.testing.assert_allclose(ramp[2:-2], expected[2:-2], atol=2e-3)
        begin += number
    np.testing.assert_allclose(Parts()(tf.fill([1, frames, 1], 0.7)), 0.7, rtol=1e-6)


def test_what_is_too_fast_for_the_steps_is_averaged_away():
    def deviation(repetitions):
        wave = np.sin(2 * np.pi * repetitions * np.arange(300) / 300)
        whole = Parts()(tf.constant(wave[None, :, None], tf.float32))[0]
        return float(tf.math.reduce_std(whole)) / np.sqrt(0.5)

    assert deviation(8) > 0.9
    assert deviation(58) < 0.1


def test_constant_features_are_as_near_one_another_at_all_steps():
    for features in (tf.fill([2, 64, 5], 0.7), tf.zeros([2, 64, 5])):
        np.testing.assert_allclose(SelfSimilarity()(features), np.full((2, 64, 64, 1), 1 / 64), rtol=1e-3)


def test_rows_are_the_softmax_of_distances_at_any_scale():
    features = RNG.normal(size=(2, 64, 3))
    apart = np.square(features[:, :, None] - features[:, None]).sum(axis=-1)
    powers = np.exp(-apart / features.var(axis=1).sum(axis=-1)[:, None, None])
    expected = powers / powers.sum(axis=-1, keepdims=True)
    for scale, offset in ((1, 0), (1e-3, 0), (50, 300)):
        found = SelfSimilarity()(tf.constant(scale * features + offset, tf.float32))
        np.testing.assert_allclose(found[..., 0], expected, rtol=2e-2)


def test_the_loss_is_the_cross_entropy_of_known_periods():
    told = RNG.normal(size=(2, TWO_WAYS, 64, 65)).astype(np.float32)
    flat = tf.constant(told.reshape(2, -1))
    logs = told[..., :64] - np.log(np.exp(told[..., :64]).sum(axis=-1, keepdims=True))
    repeats = 1 / (1 + np.exp(-told[..., 64]))
    # 8 repetitions: a period of 8 steps, and of 16 in halves. 1.6: of 40, and none of 80.
    lengths = np.mean([-(logs[0, 0, :, 8].mean() + logs[0, 1:, :, 16].mean() * 2) / 3, -logs[1, 0, :, 40].mean()])
    known = np.array([[1, 1, 1], [1, 0, 0]])[..., None]
    told_apart = -np.mean(known * np.log(repeats) + (1 - known) * np.log(1 - repeats))
    assert float(loss(flat, tf.constant([8.0, 1.6]))) == pytest.approx(lengths + told_apart, rel=1e-4)


def test_a_period_between_two_classes_is_shared_between_them():
    found = float(loss(outputs(8, SURE), tf.constant([64 / 8.25])))
    assert found == pytest.approx(0.25 * SURE, rel=1e-3)


@pytest.mark.parametrize("repetitions", [0.0, 40.0, 0.5])
def test_no_or_too_fast_or_too_slow_repetition_has_no_period(repetitions):
    labels = tf.constant([repetitions])
    assert float(loss(outputs(8, -SURE), labels)) == pytest.approx(0, abs=1e-5)
    assert float(loss(outputs(8, SURE), labels)) == pytest.approx(SURE, rel=1e-3)


def test_outputs_without_loss_count_as_the_labels_do():
    for repetitions in (2.5, 7.3, 20.0):
        told = np.zeros((1, 64, 65), np.float32)
        period = 64 / repetitions
        share = np.maximum(1 - np.abs(np.arange(64) - period), 1e-9)
        told[..., :64], told[..., 64] = np.log(share), SURE
        assert counts(tf.constant(told.reshape(1, -1))).numpy() == pytest.approx([repetitions], rel=1e-4)


def facts(task, rates=20.0, frames=40):
    views = Views(frames, Supervised.times_for(2, (0.5, 2.0)), None)
    return TrainingFacts(views, np.broadcast_to(rates, 6), 6, 3, 10, (0.5, 5.0), np.arange(6.0), task)


def test_a_label_tells_cycles_per_frame_where_it_is_a_frequency():
    assert facts(Frequency("Hz")).cycles_per_label() == pytest.approx(1 / 20)
    assert facts(Frequency("bpm")).cycles_per_label() == pytest.approx(1 / 60 / 20)
    for rates in (20.0, np.linspace(10, 30, 6)):  # A count in the clip needs no rate.
        assert facts(Frequency("count"), rates).cycles_per_label() == pytest.approx(1 / 40)
    for task, rates in ((Frequency("Hz"), np.linspace(10, 30, 6)), (Scalar("mmHg"), 20.0), (None, 20.0)):
        assert facts(task, rates).cycles_per_label() is None


def supervised(**arguments):
    encoder = small((None, None, 1), widths=(8, 8), outputs=4, kernel_frames=3)
    return Supervised(encoder, facts(None).views, head="repnet", **arguments)


def test_labels_that_tell_no_frequency_are_refused():
    with pytest.raises(ValueError, match=r"'repnet' counts repetitions, which these labels do not tell.*'spectrum'"):
        supervised(cycles_per_label=None)
    with pytest.raises(ValueError, match="'repnet' predicts one number a clip, but labels have 5"):
        supervised(outputs=5)


@pytest.mark.slow
def test_answers_are_in_the_unit_of_the_labels():
    model = supervised(cycles_per_label=1 / 60 / 20)
    features = tf.constant(RNG.normal(size=(3, 40, 4)), tf.float32)
    told = model.regressor(tf.reshape(features, [3, -1]))
    np.testing.assert_allclose(model.labels_of(features), counts(told) / 2 * 60, rtol=1e-5)  # In 2 s.
    labels = tf.constant([60.0, 90.0, 120.0])
    found = model.loss_and_logs(features[:, None], {"labels": labels}, training=False)[0]
    assert float(found) == pytest.approx(float(loss(told, tf.constant([2.0, 3.0, 4.0]))), rel=1e-5)


@pytest.mark.slow
def test_it_learns_to_count_and_is_saved_with_what_it_learned(swinging_bars, tmp_path):
    clips, labels = swinging_bars[0], 2 * swinging_bars[1]  # Counts in 2 s.
    keras.utils.set_random_seed(3)
    model = supervised(cycles_per_label=1 / 40)
    model.compile(keras.optimizers.Adam(1e-3))
    step = tf.function(model.train_step, autograph=False)
    for _ in range(30):
        step((tf.constant(clips), tf.constant(labels)))
    error = np.abs(model.predict_labels(clips) - labels)
    assert error.mean() < 0.2 * np.abs(labels - np.median(labels)).mean(), error
    model.save(tmp_path / "method.keras")
    loaded = keras.models.load_model(tmp_path / "method.keras")
    np.testing.assert_allclose(loaded.predict_labels(clips), model.predict_labels(clips), rtol=1e-5)


@pytest.mark.slow
def test_it_runs_on_a_gpu_op_by_op_behind_its_own_encoder():
    views = Views(128, Supervised.times_for(2, (0.5, 2.0)), None)
    model = Supervised(repnet((None, None, 3), width=1 / 8), views, head="repnet")
    model.compile(keras.optimizers.Adam(1e-3))
    data = tf.constant(RNG.integers(0, 256, (2, 128, 16, 16, 3)), tf.uint8), tf.constant([1.0, 2.0])
    with recorded() as seen:
        model.compute_gradients(model.draw(data))
    assert not without_kernel(seen)
    assert model.predict_labels(np.zeros((1, 128, 16, 16, 3), np.uint8)).shape == (1,)
