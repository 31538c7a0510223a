"""What a method refuses of its data, of what it is compiled with, and of a subclass that forgets something."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import simper_tf

RNG = np.random.default_rng(3)
CLIPS, HERTZ = RNG.integers(0, 256, (6, 40, 8, 8, 1), np.uint8), np.linspace(0.5, 3.0, 6).astype(np.float32)
WITHOUT_ONE = np.append(HERTZ[:5], np.nan).astype(np.float32)


def supervised():
    keras.utils.set_random_seed(0)
    views = simper_tf.Views(40, simper_tf.Supervised.times_for(1, (0.5, 2.0)), None)
    model = simper_tf.Supervised(simper_tf.small((8, 8, 1)), views)
    model.compile("adam")
    return model


def simper(kind=simper_tf.SimPer, **given):
    model = kind(simper_tf.small((8, 8, 1)), simper_tf.Views(16, simper_tf.SpeedSets(2), None))
    model.compile("adam", **given)
    return model


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [(CLIPS, WITHOUT_ONE), (tf.data.Dataset.from_tensor_slices((CLIPS, WITHOUT_ONE)).batch(3),)],
    ids=["arrays", "a data set"],
)
def test_a_label_that_is_no_number_is_refused_and_no_weight_lost(data):
    model = supervised()
    with pytest.raises(ValueError, match=r"Labels must be finite\. Received: 1 that are not\. Leave their clips out\."):
        model.fit(*data, batch_size=6 if len(data) > 1 else None, verbose=0)
    assert all(np.isfinite(weights).all() for weights in model.get_weights())


@pytest.mark.slow
def test_labels_may_be_a_list_of_numbers():
    history = supervised().fit(CLIPS, HERTZ.tolist(), batch_size=6, verbose=0).history
    assert history == supervised().fit(CLIPS, HERTZ, batch_size=6, verbose=0).history


def test_classes_are_refused_as_labels():
    with pytest.raises(ValueError, match=r"Labels must be an array of numbers, .*Supervised has no classes.*'a'"):
        supervised().fit(CLIPS, list("abcabc"), batch_size=6)


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"loss": "mse"}, {"metrics": ["mae"]}])
def test_a_foreign_loss_is_refused_until_compiled_without(given):
    model, name = simper(**given), next(iter(given))
    with pytest.raises(
        ValueError, match=rf"SimPer has a loss and logs of its own\. Received: compile\({name}=\.\.\.\)"
    ):
        model.fit(CLIPS, batch_size=6)
    model.compile("adam")
    assert np.isfinite(model.fit(CLIPS, batch_size=6, verbose=0).history["loss"]).all()


@pytest.mark.parametrize("name", ["sample_weight", "class_weight"])
@pytest.mark.parametrize("kind", [simper, supervised])
def test_weights_of_clips_and_classes_are_refused_by_name(kind, name):
    model = kind()
    for call in (model.fit, model.evaluate)[: 1 + (name == "sample_weight")]:
        with pytest.raises(ValueError, match=f"learns from all clips alike. Received: `{name}`. Leave it out, and"):
            call(CLIPS, **{name: np.ones(6)})


def fixed(num_frames):
    clips = keras.Input((num_frames, 8, 8, 1))
    return keras.Model(clips, keras.layers.Dense(1)(keras.layers.Reshape((-1, 64))(clips)))


VIEWS = simper_tf.Views(16, simper_tf.SpeedSets(2), None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("small", VIEWS), r"`encoder` must be a keras\.Model of clips, such as simper_tf\.small.* Received: 'small'"),
        ((None, VIEWS), "`encoder` must be a keras.Model of clips"),
        ((fixed(16), VIEWS.__call__), "`views` must be simper_tf.Views, or a subclass. Received: <bound"),
        ((fixed(16), VIEWS, 1.5), "`seed` must be a whole number. Received: 1.5"),
        ((fixed(40), VIEWS), "The encoder takes clips of 40 frames, and the views have 16. Build it for any number"),
    ],
)
def test_parts_that_make_no_method_are_refused(given, message):
    encoder, views, *seed = given
    with pytest.raises(ValueError, match=message):
        simper_tf.SimPer(encoder, views, seed=seed[0] if seed else 0)


def test_an_encoder_may_take_the_length_of_the_views_alone():
    assert simper_tf.SimPer(fixed(16), VIEWS, seed=np.int64(3)).frame_shape == (8, 8, 1)


def test_bytes_have_the_same_features_when_called_as_predicted():
    model = simper()
    np.testing.assert_allclose(model(CLIPS), model.predict(CLIPS, verbose=0), atol=1e-6)
    np.testing.assert_allclose(model(CLIPS / np.float32(255)), model(CLIPS), atol=1e-6)


def test_export_of_a_method_names_what_is_exported():
    with pytest.raises(ValueError, match=r"SimPer is not exported whole\. .*simper_tf\.export_model\(model\.encoder"):
        simper().export("saved_model")


class Forgets(simper_tf.SimPer):
    """Names a log that it does not give."""

    def log_names(self):
        return [*super().log_names(), "off"]


class Many(simper_tf.SimPer):
    """Gives a loss for each clip."""

    def loss_and_logs(self, features, batch, training=True):
        loss, logs = super().loss_and_logs(features, batch, training)
        return loss + tf.zeros([3]), logs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Forgets, r"`Forgets\.log_names` must name what `loss_and_logs` gives.*'off'.* named, .* given\."),
        (Many, r"`Many\.loss_and_logs` must give one number.*Received: a loss of shape \(3,\)\."),
    ],
)
def test_a_subclass_that_breaks_its_word_is_refused(kind, said):
    with pytest.raises(ValueError, match=said):
        simper(kind).fit(CLIPS, batch_size=6, verbose=0)
