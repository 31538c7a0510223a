"""Fine-tuned models with heads of their own, heart rates and counts, as clients of TensorFlow's C library see them."""

import getpass
import pathlib
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from c_api import ask

from simper_tf.encoders import small
from simper_tf.evaluation.tasks import Frequency
from simper_tf.export import saved_model
from simper_tf.export.served_features import FeaturesModel
from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.export.served_head import ServedHead
from simper_tf.methods import SimPer, Supervised
from simper_tf.training import checkpoints, encoder_weights
from simper_tf.views.views import Views

pytestmark = pytest.mark.slow

FRAME, T, RATE = (12, 12, 1), 40, 20.0
SIGNATURES = [name + suffix for name in ("serving_default", "answer", "features") for suffix in ("", "_float32")]
# Task of the labels, what 1 Hz is in its unit, and the head.
TASKS = {"heart_rate_bpm": (Frequency("bpm"), 60.0, "spectrum"), "count": (Frequency("count"), T / RATE, "repnet")}


def encoder():
    return small((None, None, 1), widths=(4, 4), outputs=2)


def without_labels(encoder):
    keras.utils.set_random_seed(8)
    model = SimPer(encoder, Views(20, SimPer.times_for(2, (0.5, 2.0)), SimPer.appearance), seed=3)
    model.compile(keras.optimizers.Adam(3e-3))
    return model


@pytest.fixture(scope="module")
def trained(tmp_path_factory, swinging_bars):
    """Returns a method trained without labels and the folder of its run, with checkpoint and export."""
    folder, model = tmp_path_factory.mktemp("runs") / "source", without_labels(encoder())
    model.train_step(tf.constant(swinging_bars[0]))
    folder.mkdir()
    (folder / "flags.cfg").write_text("--seed=0\n")
    (folder / "results.jsonl").write_text("")
    saved = checkpoints.Checkpoints(folder / "checkpoints", model)
    saved.step.assign(1)
    saved.save()
    with pytest.MonkeyPatch.context() as patch:  # That of frequencies takes seconds to trace.
        patch.setattr(FrequencyModel, "signatures", FeaturesModel.signatures)
        saved_model.export_model(model.encoder, folder / "saved_model", FRAME, (0.5, 4.0))
    return model, folder


@pytest.fixture(scope="module")
def heads(trained, swinging_bars):
    """Returns methods fine-tuned from that run's export, and where they were exported, by the name of the answer."""
    _, folder = trained
    clips, frequencies = swinging_bars
    exported = {}
    for name, (task, factor, head) in TASKS.items():
        keras.utils.set_random_seed(9)
        begun, labels = encoder(), factor * frequencies
        encoder_weights.assign(begun, encoder_weights.load(folder / "saved_model").encoder, folder)
        told = {"label_mean": float(labels.mean()), "label_deviation": float(labels.std())}
        views = Views(T, Supervised.times_for(2, (0.5, 2.0)), None)
        model = Supervised(begun, views, head=head, cycles_per_label=1 / (factor * RATE), **told)
        model.compile(keras.optimizers.Adam(3e-3))
        model.train_step((tf.constant(clips), tf.constant(labels)))
        exported[name] = (
            model,
            saved_model.export_head(model.encoder, folder.parent / name, FRAME, ServedHead.own(model, task)),
        )
    return exported


@pytest.mark.parametrize("name", TASKS)
def test_the_c_library_answers_what_the_method_predicts(heads, swinging_bars, name):
    clips, (model, version) = swinging_bars[0], heads[name]
    frames = {signature: clips / np.float32(255) if "float" in signature else clips for signature in SIGNATURES}
    answers = dict(zip(SIGNATURES, ask([(version, key, {"frames": frames[key]}) for key in SIGNATURES]), strict=True))
    labels, features = model.predict_labels(clips), model.encode(clips)
    assert len(set(labels.numpy())) > 1
    for signature, answer in answers.items():
        told = {"serving_default": {name, "features"}, "answer": {name}, "features": {"features"}}
        assert set(answer) == told[signature.removesuffix("_float32")]
        if name in answer:
            np.testing.assert_allclose(answer[name], labels, rtol=1e-5)
        if "features" in answer:
            np.testing.assert_allclose(answer["features"], features, atol=1e-5)


def test_equal_heads_are_equal_bytes_and_tell_no_place(heads, tmp_path):
    name = "heart_rate_bpm"
    model, first = heads[name]
    second = saved_model.export_head(model.encoder, tmp_path, FRAME, ServedHead.own(model, TASKS[name][0]))
    root = pathlib.Path(saved_model.__file__).parents[2]
    words = {str(pathlib.Path.home()), str(first.parents[1]), str(root), sys.prefix, getpass.getuser() + "@"}
    for path in filter(pathlib.Path.is_file, first.rglob("*")):
        assert not [word for word in words if len(word) > 2 and word.encode() in path.read_bytes()], path
        if path.parent.name == "variables":
            assert path.read_bytes() == (second / path.relative_to(first)).read_bytes()


def test_an_encoder_read_back_has_the_loss_of_the_checkpoint(trained, swinging_bars):
    model, folder = trained
    clips, batch = swinging_bars[0], model.views(tf.constant(swinging_bars[0]), tf.constant([5, 1]))

    def loss_of(method):
        return float(method.loss_and_logs(method.encode_views(batch["views"], training=False), batch)[0])

    (served,) = ask([(folder / "saved_model" / "1", "features", {"frames": clips})])
    np.testing.assert_allclose(served["features"], model.encode(clips), atol=1e-5)
    first_losses = []
    for part in ("", "saved_model"):
        again = encoder()
        encoder_weights.assign(again, encoder_weights.load(folder / part).encoder, folder)
        np.testing.assert_array_equal(again(clips / np.float32(255)), model.encoder(clips / np.float32(255)))
        method = without_labels(again)
        assert loss_of(method) == loss_of(model)
        first_losses.append(float(method.train_step(tf.constant(clips))["loss"]))
    assert first_losses[0] == first_losses[1]
    assert loss_of(without_labels(encoder())) != loss_of(model)


@pytest.mark.parametrize("name", TASKS)
def test_a_head_read_back_has_the_loss_and_labels_of_the_export(heads, swinging_bars, name):
    model, version = heads[name]
    clips, labels = swinging_bars[0], TASKS[name][1] * swinging_bars[1]
    weights = encoder_weights.load(version.parent, with_head=True)

    def loss_of(method):
        batch = method.views(tf.constant(clips), tf.constant([5, 1])) | {"labels": tf.constant(labels)}
        return float(method.loss_and_logs(method.encode_views(batch["views"], training=False), batch, False)[0])

    views = Views(T, Supervised.times_for(2, (0.5, 2.0)), None)
    # New labels of another mean and deviation do not move what the head says.
    others = {"cycles_per_label": model.options.cycles_per_label, "label_mean": 3.0, "label_deviation": 7.0}
    again = Supervised(encoder(), views, head=model.options.head, **others)
    assert loss_of(again) != loss_of(model)
    encoder_weights.assign(again.encoder, weights.encoder, version)
    encoder_weights.assign_head(again, weights.head, version)
    np.testing.assert_array_equal(again.predict_labels(clips), model.predict_labels(clips))
    assert loss_of(again) == loss_of(model)
    again.compile(keras.optimizers.Adam(1e-4))
    assert np.isfinite(again.train_step((tf.constant(clips), tf.constant(labels)))["loss"])
