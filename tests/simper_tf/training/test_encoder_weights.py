import itertools
import types

import keras
import numpy as np
import pytest

from simper_tf.encoders import ENCODERS, cnn3d, small, ts_can
from simper_tf.export import saved_model
from simper_tf.methods import BYOL, SimPer, Supervised
from simper_tf.training import checkpoints, encoder_weights
from simper_tf.views.views import Views

FRAME = (36, 36, 3)


def run_of(model, folder, step=5):
    """Writes the folder of a finished run of a compiled method."""
    model.compile(keras.optimizers.Adam())
    (folder / "flags.cfg").write_text("--seed=0\n")
    (folder / "results.jsonl").write_text("")
    saved = checkpoints.Checkpoints(folder / "checkpoints", model)
    saved.step.assign(step)
    saved.save()


def method(kind, encoder):
    return kind(encoder, Views(40, kind.times_for(2, (0.5, 2.0)), kind.appearance))


def same_weights(encoder, other):
    for one, two in zip(encoder.weights, other.weights, strict=True):
        np.testing.assert_array_equal(one, two, err_msg=one.path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SimPer, BYOL, Supervised])
def test_the_encoder_of_a_run_of_any_method_begins_another(tmp_path, kind):
    encoder = small(FRAME)
    run_of(method(kind, encoder), tmp_path)
    other = small(FRAME)
    encoder_weights.assign(other, encoder_weights.load(tmp_path).encoder, tmp_path)
    same_weights(encoder, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_every_encoder_finds_each_of_its_weights_in_a_checkpoint(tmp_path, name):
    encoder, other = (ENCODERS[name]((36, 36, 3)) for _ in range(2))
    for weight in encoder.weights:
        weight.assign(np.random.default_rng(len(weight.path)).normal(size=weight.shape))
    run_of(method(SimPer, encoder), tmp_path)
    encoder_weights.assign(other, encoder_weights.load(tmp_path).encoder, tmp_path)
    same_weights(encoder, other)


def test_objects_that_hold_one_another_are_walked_once():
    links = {0: (1, 2), 1: (3,), 2: (3, 0), 3: ()}
    nodes = [
        types.SimpleNamespace(attributes=[k], children=[types.SimpleNamespace(node_id=child) for child in links[k]])
        for k in links
    ]
    assert sorted(itertools.islice(encoder_weights._attributes(nodes, 0), 9)) == [0, 1, 2, 3]


@pytest.mark.slow
def test_the_encoder_of_an_export_begins_a_run(tmp_path):
    first, second, other = (cnn3d(FRAME) for _ in range(3))
    for encoder in (first, second):
        saved_model.export_model(encoder, tmp_path, FRAME, (0.5, 4.0))
    for source, expected in ((tmp_path / "1", first), (tmp_path / "2", second), (tmp_path, second)):
        encoder_weights.assign(other, encoder_weights.load(source).encoder, source)
        same_weights(expected, other)


@pytest.mark.slow
def test_weights_that_differ_are_named_and_nothing_is_changed(tmp_path):
    run_of(method(SimPer, small(FRAME, outputs=2)), tmp_path)
    other = small(FRAME)
    before = other.get_weights()
    message = (
        r"`encoder_from=\S+` has another encoder than `encoder=small` for these clips: dense/kernel is \(64, 2\) there "
        r"and \(64, 4\) here; dense/bias is \(2,\) there and \(4,\) here\. Give the same encoder, its options"
    )
    with pytest.raises(ValueError, match=message):
        encoder_weights.assign(other, encoder_weights.load(tmp_path).encoder, tmp_path)
    for value, now in zip(before, other.get_weights(), strict=True):
        np.testing.assert_array_equal(value, now)
    with pytest.raises(ValueError, match=r"frame_conv2d_0/kernel is .* there and .*, and \d+ more\."):
        encoder_weights.assign(ts_can(FRAME), encoder_weights.load(tmp_path).encoder, tmp_path)
    with pytest.raises(ValueError, match=r"is \(3, 3, 3, 16\) there and \(3, 3, 1, 16\) here"):
        encoder_weights.assign(small((36, 36, 1), outputs=2), encoder_weights.load(tmp_path).encoder, tmp_path)


@pytest.mark.slow
def test_what_is_no_finished_run_and_no_export_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"`encoder_from=\S+` is neither the folder of a run, .* nor that of an"):
        encoder_weights.load(tmp_path / "nothing")
    (tmp_path / "flags.cfg").write_text("--seed=0\n")
    with pytest.raises(ValueError, match=r"a run that is not finished: it has no checkpoint\. .*pretrain --flagfile="):
        encoder_weights.load(tmp_path)
    run_of(method(SimPer, small(FRAME)), tmp_path)
    assert encoder_weights.load(tmp_path)
    (tmp_path / "results.jsonl").unlink()
    with pytest.raises(ValueError, match=r"not finished: it has no results\. Train and evaluate it first"):
        encoder_weights.load(tmp_path)
    (tmp_path / "results.jsonl").write_text("")
    (data,) = (tmp_path / "checkpoints").glob("*.data*")
    data.write_bytes(data.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"`encoder_from=\S+`: \S+step-5 is damaged: "):
        encoder_weights.load(tmp_path)


def test_a_damaged_export_is_refused(tmp_path):
    (tmp_path / "assets.extra").mkdir()
    (tmp_path / "assets.extra" / "encoder.keras").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"`encoder_from=\S+` is damaged: .* Export again"):
        encoder_weights.load(tmp_path)


@pytest.mark.slow
def test_a_head_begins_another_run_with_the_scale_of_its_labels(tmp_path):
    def supervised(mean, deviation):
        views = Views(40, Supervised.times_for(2, (0.5, 2.0)), None)
        return Supervised(small(FRAME), views, head="spectrum", label_mean=mean, label_deviation=deviation)

    model, other = supervised(80.0, 12.0), supervised(1.0, 0.5)
    run_of(model, tmp_path)
    weights = encoder_weights.load(tmp_path, with_head=True)
    encoder_weights.assign(other.encoder, weights.encoder, tmp_path)
    encoder_weights.assign_head(other, weights.head, tmp_path)
    clips = np.random.default_rng(0).integers(0, 256, (2, 40, *FRAME), np.uint8)
    np.testing.assert_array_equal(model.predict_labels(clips), other.predict_labels(clips))
    assert encoder_weights.load(tmp_path).head is None


@pytest.mark.slow
def test_a_head_that_is_not_there_or_is_another_is_refused(tmp_path):
    run_of(method(SimPer, small(FRAME)), tmp_path)
    message = r"`keep_head`: `encoder_from=\S+` has no head with the scale of its labels: it did not learn from"
    with pytest.raises(ValueError, match=message):
        encoder_weights.load(tmp_path, with_head=True)
    saved_model.export_model(small(FRAME), tmp_path / "saved_model", FRAME, (0.5, 4.0))
    with pytest.raises(ValueError, match=message):
        encoder_weights.load(tmp_path / "saved_model", with_head=True)
    model = method(Supervised, small(FRAME))
    weights = {weight.path: weight.numpy()[:1] for weight in model.head_weights}
    with pytest.raises(ValueError, match=r"has another head than `head=linear` for these clips: .*Give the same head"):
        encoder_weights.assign_head(model, weights, tmp_path)
