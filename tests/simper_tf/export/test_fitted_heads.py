"""Heads that protocols of evaluation have fitted, as clients of an exported model see them."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from c_api import ask

from simper_tf.encoders import small
from simper_tf.encoders.before_head import mark, with_features
from simper_tf.evaluation import features, protocols
from simper_tf.evaluation.tasks import Frequency, Scalar, Series
from simper_tf.export import saved_model
from simper_tf.export.served_head import HeadModel, ServedHead
from simper_tf.utils.clips import unit_range

FRAME, T, BAND = (8, 8, 1), 20, (1.0, 5.0)
RNG = np.random.default_rng(17)
CELSIUS = Series("°C")
# Protocol and task; the first ones are exported.
SERVED = [
    ("linear_probe", CELSIUS),
    ("1nn", Frequency("count", band=BAND)),
    ("probe", Frequency("bpm", band=BAND)),
    ("1nn_npsd", Frequency("Hz", band=BAND)),
    ("1nn_euclidean", Frequency("bpm", band=BAND)),
    ("1nn", Scalar("mmHg")),
    ("probe", Scalar("mmHg")),
]


@pytest.fixture(scope="module")
def clips():
    """Returns 40 clips that swing, their frequencies and their rates."""
    rates, hertz = RNG.uniform(12, 24, 40), RNG.uniform(1, 5, 40)
    angles = 2 * np.pi * (hertz / rates)[:, None] * np.arange(T) + RNG.uniform(0, 6, (40, 1))
    shape = RNG.uniform(0, 1, (40, 1, *FRAME))
    frames = 120 + 60 * np.sin(angles)[..., None, None, None] * shape + RNG.uniform(0, 60, (40, T, *FRAME))
    return np.uint8(frames), hertz, np.float32(rates)


def labels_of(task, hertz, rates):
    if isinstance(task, Frequency):
        return np.float32(hertz * task.per_hertz(T / rates))
    return np.float32(hertz[:, None] * [1, 2, -1] if task is CELSIUS else 80 + hertz)


@pytest.fixture(scope="module")
def encoder():
    keras.utils.set_random_seed(3)
    return small((None, None, 1), widths=(4, 4), outputs=2)


def fitted(encoder, clips, name, task):
    """Returns what evaluation predicts of the last ten clips, and the head that is served."""
    frames, hertz, rates = clips
    before_head, series = (part.numpy() for part in with_features(encoder)(unit_range(frames)))
    ids = np.array([f"clip {k}" for k in range(len(rates))])
    whole = features.Features(series, labels_of(task, hertz, rates), rates, ids, before_head=before_head)
    parts = [whole.only(slice(*cut)) for cut in ((20,), (20, 30), (30, 40))]
    prediction = protocols.predict(*parts, task, names=[name])[name]
    return prediction.values, ServedHead.fitted(name, prediction.fitted, task, T)


def model_of(head):
    """Returns a model of that head, whose encoder hands on the first pixel, a third of which comes before its head."""
    clips = keras.Input((None, *FRAME))
    pixel = mark(clips[:, :, 0, 0, :] / 3)
    return HeadModel(keras.Model(clips, 3 * pixel[..., 0]), FRAME, head)


def frames_of(*pixels):
    return tf.constant(np.float32(pixels)[..., None, None, None] * np.ones(FRAME, np.float32))


@pytest.mark.usefixtures("eagerly")
def test_a_linear_probe_adds_up_features_of_all_frames():
    weights = np.zeros((8, 2))
    weights[0], weights[7] = (10.0, -1.0), (100.0, 2.0)
    arrays = {"weights": weights, "bias": np.array([5.0, -20.0])}
    model = model_of(ServedHead.fitted("linear_probe", arrays, CELSIUS, 8))
    said = model.labels(frames_of([0.5, 0, 0, 0, 0, 0, 0, 0.25], [0, 1, 1, 1, 1, 1, 1, 1]))
    np.testing.assert_allclose(said["temperature_celsius"], [[15, -20], [5 + 100 / 3, -20 + 2 / 3]], rtol=1e-6)
    assert set(said) == {"temperature_celsius", "features"}
    assert model.facts()["answer"] == "temperature_celsius"
    assert "band_hz" not in model.facts()


@pytest.mark.slow
@pytest.mark.usefixtures("eagerly")
def test_a_nearest_neighbor_is_told_at_the_rate_of_the_request():
    # Two cycles in eight frames, and one: a quarter and an eighth of a cycle a frame.
    angles = 2 * np.pi * np.arange(8) / 8
    arrays = {"series": np.float32([np.cos(2 * angles), np.cos(angles)]), "labels": np.array([0.25, 0.125])}
    model = model_of(ServedHead.fitted("1nn", arrays, Frequency("count", band=BAND), 8))
    frames = frames_of(0.5 + 0.1 * np.cos(angles + 0.3), 0.5 - 0.2 * np.cos(2 * angles))
    said = model.answer(frames, tf.constant([16.0, 12.0]))
    np.testing.assert_allclose(said["frequency_hz"], [2.0, 3.0], rtol=1e-6)
    np.testing.assert_allclose(said["count"], [1.0, 2.0], rtol=1e-6)
    assert model.facts()["least_rate"] == 10.0


@pytest.mark.usefixtures("eagerly")
@pytest.mark.parametrize(
    ("change", "rate", "message"),
    [
        (lambda frames: frames[:, :7], [16.0], r"time = 8, 8, 8, 1\)\. Received: \[1 7 8 8 1\]"),
        (lambda frames: frames * np.nan, [16.0], "`frames` must be finite. Received: 512 NaN"),
        (lambda frames: frames, [16.0, 16.0], "`rate` must have one number for each clip"),
        (lambda frames: frames, [9.0], "at least 10 frames per second, twice the upper end of the band of 1 to 5 Hz"),
        (lambda frames: frames, [np.nan], "`rate` must be finite"),
    ],
)
def test_what_a_head_cannot_read_is_refused_in_a_sentence(change, rate, message):
    arrays = {"weights": np.zeros(8), "bias": np.float64(0.2)}
    model = model_of(ServedHead.fitted("probe", arrays, Frequency("Hz", band=BAND), 8))
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        model.answer(change(frames_of(np.linspace(0, 1, 8))), tf.constant(rate))


@pytest.mark.parametrize(("name", "task"), SERVED, ids=lambda value: getattr(value, "unit", value))
def test_a_head_says_what_its_protocol_predicts(encoder, clips, name, task):
    frames, _, rates = (values[30:] for values in clips)
    expected, head = fitted(encoder, clips, name, task)
    given = (tf.constant(rates),) if isinstance(task, Frequency) else ()
    features = with_features(encoder)(unit_range(frames))[0 if head.before_head else 1]
    np.testing.assert_allclose(head.answers(features, *given)[task.answer], expected, rtol=1e-6, atol=1e-6)
    assert len(np.unique(expected)) > 3


@pytest.mark.slow
def test_c_library_and_version_1_answer_as_evaluation(encoder, clips, tmp_path):
    frames, _, rates = (values[30:] for values in clips)
    for k, (name, task) in enumerate(SERVED[:3]):
        expected, head = fitted(encoder, clips, name, task)
        version = saved_model.export_head(encoder, tmp_path / str(k), FRAME, head)
        given = {"frames": frames} | ({"rate": rates} if isinstance(task, Frequency) else {})
        floats = given | {"frames": frames / np.float32(255)}
        asked = [(version, "serving_default", given), (version, "answer_float32", floats)]
        *answers, refused = ask([*asked, (version, "answer", given | {"frames": frames[:, :19]})])
        assert f"time = {T}, 8, 8, 1). Received: [10 19 8 8 1]." in refused
        for answer in answers:
            np.testing.assert_allclose(answer[task.answer], expected, rtol=1e-5, atol=1e-5)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            signature = tf.compat.v1.saved_model.load(session, ["serve"], str(version)).signature_def["answer"]
            feed = {signature.inputs[key].name: value for key, value in given.items()}
            said = session.run(signature.outputs[task.answer].name, feed)
        np.testing.assert_allclose(said, expected, rtol=1e-5, atol=1e-5)
