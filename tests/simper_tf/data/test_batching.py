"""Exported models behind TensorFlow's own Batch op, which joins requests as a server does."""

import concurrent.futures

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.export.served_frequency import FrequencyModel

FRAME, BAND, RATES = (6, 5, 1), (1.0, 5.0), (20.0, 25.0, 30.0, 24.0)


@pytest.fixture(scope="module")
def model():
    keras.utils.set_random_seed(2)
    return FrequencyModel(small((None, None, 1), widths=(4,), outputs=2), FRAME, BAND)


@pytest.fixture(scope="module")
def batched(model):
    """Returns a function that waits for four clips or a fifth of a second and asks once for all that came."""
    seen = []

    @tf.nondifferentiable_batch_function(4, 4, 200_000, autograph=False)
    def joined(frames, rate):
        tf.py_function(lambda size: seen.append(int(size)), [tf.shape(frames)[0]], [])
        answer = model.answer(frames, rate)
        return answer["frequency_hz"], answer["confidence"]

    clips = tf.TensorSpec([None, None, *FRAME], tf.uint8), tf.TensorSpec([None], tf.float32)
    return tf.function(joined, input_signature=clips, autograph=False), seen


def clips(*lengths):
    rng = np.random.default_rng(3)
    return [rng.integers(0, 256, (1, length, *FRAME), np.uint8) for length in lengths]


def ask(batched, frames):
    """Returns what each of several clients is answered: a pair of arrays, or the error."""

    def one(each):
        try:
            return [values.numpy() for values in batched(tf.constant(each[0]), tf.constant([each[1]]))]
        except tf.errors.OpError as error:
            return error

    with concurrent.futures.ThreadPoolExecutor(len(frames)) as pool:
        return list(pool.map(one, zip(frames, RATES, strict=True)))


@pytest.mark.slow
def test_joined_requests_each_get_the_answer_to_their_own_clip(model, batched):
    function, seen = batched
    frames = clips(70, 70, 70, 70)
    answers = ask(function, frames)
    assert max(seen) > 1
    for found, each, rate in zip(answers, frames, RATES, strict=True):
        alone = model.answer(tf.constant(each), tf.constant([rate]))
        np.testing.assert_allclose(found[0], alone["frequency_hz"], rtol=1e-3)
        np.testing.assert_allclose(found[1], alone["confidence"], atol=1e-4)


@pytest.mark.slow
def test_the_op_refuses_requests_of_other_lengths_in_a_batch(batched):
    function, seen = batched
    seen.clear()
    answers = ask(function, clips(70, 80, 90, 100))
    assert all(isinstance(answer, tf.errors.InvalidArgumentError) for answer in answers) or max(seen) < 4
    assert any("dimension" in str(answer).lower() for answer in answers)
