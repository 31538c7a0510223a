import keras
import numpy as np
import pytest
import tensorflow as tf
from gpu_kernels import unfit

from simper_tf.methods.spectral_heads import Expectation, LogSpectra, spectral_head

RNG = np.random.default_rng(5)
TIMES = np.arange(60)


def waves(cycles, phases=0.0):
    """Returns `(N, 60, 1)` float32 sinusoids of so many cycles in 60 frames."""
    angles = 2 * np.pi * np.multiply.outer(np.asarray(cycles), TIMES / 60) + np.reshape(phases, (-1, 1))
    return np.sin(angles).astype(np.float32)[..., None]


def test_log_spectra_peak_at_the_frequency_of_each_feature():
    both = np.concatenate([waves([6]), waves([15])], axis=-1)
    spectra = LogSpectra()(both).numpy()
    assert spectra.shape == LogSpectra().compute_output_shape(both.shape) == (1, 61, 2)
    assert list(spectra.argmax(axis=1)[0]) == [12, 30]  # Bins of half a cycle.
    # A Hann window of T frames leaves a quarter of T^2 / 4 at the peak, and 3 T^2 / 32 in all bins of the whole circle.
    power = np.exp(spectra[0, :, 0]) - 1e-3
    assert np.mean(power) == pytest.approx(1, rel=1e-3)
    assert power.max() == pytest.approx(61 / 3, rel=0.03)


def test_log_spectra_ignore_scale_mean_direction_and_phase():
    features = waves([6, 6], [0, 1.3])
    spectra = LogSpectra()(features).numpy()
    for changed in (1e-3 * features, features + 1, -features, features[:, ::-1]):
        np.testing.assert_allclose(LogSpectra()(changed), spectra, atol=2e-2)
    np.testing.assert_allclose(spectra[0], spectra[1], atol=0.15)


def test_a_constant_feature_has_the_lowest_spectrum():
    features = tf.ones([1, 60, 2])
    with tf.GradientTape() as tape:
        tape.watch(features)
        spectra = LogSpectra()(features)
    np.testing.assert_allclose(spectra, np.log(1e-3), rtol=1e-5)
    assert np.isfinite(tape.gradient(spectra, features)).all()


def test_the_expectation_is_the_softmax_mean_of_the_values():
    layer = Expectation()
    scores = np.log(np.float32([[1, 2, 1, 0.5, 0.5]]))[..., None]
    layer(scores)
    np.testing.assert_allclose(layer.values(), [-2, -1, 0, 1, 2], atol=1e-6)
    np.testing.assert_allclose(layer(scores), [[(-2 - 2 + 0 + 0.5 + 1) / 5]], rtol=1e-6)
    np.testing.assert_allclose(layer(scores + 50), layer(scores), rtol=1e-5)
    layer.set_weights([np.float32(3), np.float32(-0.1), np.float32([0, 0, 0, 0, 7])])
    np.testing.assert_allclose(layer.values(), [3, 2.75, 2.5, 2.25, 9], rtol=1e-6)


@pytest.mark.parametrize("num_features", [1, 3])
def test_vectors_of_clips_give_one_number_each(num_features):
    head = spectral_head(60, num_features)
    assert (head.input_shape, head.output_shape) == ((None, 60 * num_features), (None, 1))


def fitted(head, features, labels, num_steps=400):
    head.compile(keras.optimizers.Adam(1e-2), "mae", steps_per_execution=100)
    # What Keras does between epochs, and between executions, takes longer than these steps.
    batch = np.reshape(features, (len(features), -1)), labels
    head.fit(tf.data.Dataset.from_tensors(batch).repeat(num_steps), shuffle=False, verbose=0)
    return head


@pytest.mark.slow
def test_it_reads_any_phase_where_a_linear_layer_cannot():
    cycles, fresh = np.linspace(3, 20, 60), np.linspace(3.1, 19.7, 50)
    train, test = (waves(each, RNG.uniform(0, 2 * np.pi, len(each))) for each in (cycles, fresh))

    def scale(each):
        return (each - 11.5) / 5

    errors = {}
    for name, head in (
        ("spectrum", spectral_head(60, 1)),
        ("linear", keras.Sequential([keras.Input((60,)), keras.layers.Dense(1)])),
    ):
        predicted = fitted(head, train, scale(cycles)).predict(test[..., 0], verbose=0)[:, 0]
        errors[name] = np.abs(predicted - scale(fresh)).mean()
    guess = np.abs(scale(fresh)).mean()
    assert errors["spectrum"] < 0.1 * guess
    assert errors["linear"] > 0.9 * guess


def test_it_computes_in_single_precision_under_a_mixed_policy():
    before, vectors = keras.mixed_precision.dtype_policy(), RNG.normal(size=(4, 60)).astype(np.float32)
    plain = spectral_head(60, 1)
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        mixed = spectral_head(60, 1)
    finally:
        keras.mixed_precision.set_dtype_policy(before)
    mixed.set_weights(plain.get_weights())
    np.testing.assert_array_equal(mixed(vectors), plain(vectors))


@pytest.mark.slow
def test_all_of_it_and_its_gradient_has_kernels_for_gpus():
    head = spectral_head(60, 2)

    @tf.function(input_signature=[tf.TensorSpec([None, 120])], autograph=False)
    def gradient(vectors):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(head(vectors))
        return tape.gradient(loss, head.trainable_variables)

    assert not unfit(gradient.get_concrete_function())
