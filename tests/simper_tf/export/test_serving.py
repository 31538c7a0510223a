"""Exported models where they are served: the loader of TensorFlow 1, TensorFlow's C library, `saved_model_cli`.

Python's `tf.saved_model.load` alone proves nothing: it also calls what no server can run.
"""

import pathlib

import keras
import numpy as np
import pytest
import replica_exports
import tensorflow as tf
from c_api import ask
from processes import SAVED_MODEL_CLI, done
from special_encoders import KINDS
from tensorflow.core.protobuf import saved_model_pb2

from simper_tf.export import saved_model
from simper_tf.export.served_features import FeaturesModel
from simper_tf.export.served_frequency import FrequencyModel

pytestmark = pytest.mark.slow

FRAME, RATE, BAND = (12, 12, 1), 20.0, (1.0, 5.0)
SIGNATURES = tuple(
    name + suffix
    for name in ("serving_default", "answer", "features", "frequency_over_time")
    for suffix in ("", "_float32")
)
COLOR = (12, 10, 3)
# Encoders with weights and operations of other kinds; what is around them is the same.
SOME = ("physnet", "repnet", "ts_can attention", "saliency")
MADE = [(kind, "float32") for kind in SOME] + [("repnet", "mixed_bfloat16")]
ALL = pytest.mark.parametrize(("kind", "policy"), MADE, ids=[" ".join(made) for made in MADE])
WEIGHTS, OWN = {}, {}


def request(signature, clips, rate=RATE):
    """Returns the inputs of a signature for uint8 clips."""
    frames = clips / np.float32(255) if signature.endswith("float32") else clips
    given = {"frames": frames} | ({} if signature.startswith("features") else {"rate": np.full(len(clips), rate, "f")})
    if signature.startswith("frequency_over_time"):
        given |= {name: np.full(len(clips), 40, np.int32) for name in ("window_frames", "hop_frames")}
    return given


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """Returns the exported version of each encoder of `MADE`, after batch norm has seen clips."""
    folder, exported = tmp_path_factory.mktemp("served"), {}
    clips = color_clips()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FrequencyModel, "signatures", FeaturesModel.signatures)
        for kind, policy in MADE:
            keras.mixed_precision.set_dtype_policy(policy)
            try:
                encoder = KINDS[kind](COLOR)
                encoder(clips / np.float32(255), training=True)
                WEIGHTS[kind], OWN[kind, policy] = len(encoder.weights), encoder(clips / np.float32(255))
                exported[kind, policy] = saved_model.export_model(encoder, folder / f"{kind}_{policy}", COLOR, BAND)
            finally:
                keras.mixed_precision.set_dtype_policy("float32")
    return exported


def color_clips():
    return np.random.default_rng(17).integers(0, 256, (2, 10, *COLOR), np.uint8)


@pytest.fixture(scope="module")
def in_c(versions):
    """Returns the features that the C library answers, likewise."""
    answers = ask([(version, "features", {"frames": color_clips()}) for version in versions.values()])
    return dict(zip(versions, answers, strict=True))


def count_variables(version):
    """Returns how many variables the graph of an exported version makes."""
    saved = saved_model_pb2.SavedModel.FromString((version / "saved_model.pb").read_bytes())
    return sum(node.op == "VarHandleOp" for node in saved.meta_graphs[0].graph_def.node)


def compare(answer, expected):
    assert not isinstance(answer, str), answer
    assert set(answer) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(answer[name], value, rtol=1e-5, atol=1e-5)


def in_tensorflow_1(version, requests):
    """Returns what the loader of TensorFlow 1 answers to requests, signature -> inputs, in their order."""
    answers = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        signatures = tf.compat.v1.saved_model.load(session, ["serve"], str(version)).signature_def
        for name, inputs in requests.items():
            feeds = {signatures[name].inputs[key].name: value for key, value in inputs.items()}
            fetches = {key: output.name for key, output in signatures[name].outputs.items()}
            answers.append(session.run(fetches, feeds))
    return answers


def test_python_c_and_tensorflow_1_answer_alike(exported, loaded, swinging_bars):
    encoder, version = exported
    requests = {name: request(name, swinging_bars[0][:2]) for name in SIGNATURES}
    in_c = dict(zip(requests, ask([(version, *asked) for asked in requests.items()]), strict=True))
    for name in SIGNATURES:
        same = in_c[name.removesuffix("_float32")]
        assert set(in_c[name]) == set(same)
        for key, values in in_c[name].items():
            np.testing.assert_allclose(values, same[key], rtol=1e-3, atol=1e-4)
    twice = {name: requests[name] for name in ("serving_default", "frequency_over_time_float32")}
    for (name, inputs), answer in zip(twice.items(), in_tensorflow_1(version, twice), strict=True):
        compare(answer, in_c[name])
        compare(answer, loaded.signatures[name](**{key: tf.constant(value) for key, value in inputs.items()}))
    assert count_variables(version) == len(encoder.weights)


@ALL
def test_the_c_library_has_the_features_of_the_encoder_itself(in_c, kind, policy):
    # The encoder was called op by op: in half precision a graph rounds less often.
    tolerance = 1e-4 if policy == "float32" else 0.05
    own = tf.cast(OWN[kind, policy], tf.float32)
    assert np.ptp(own) > 0
    np.testing.assert_allclose(in_c[kind, policy]["features"], own, atol=tolerance * np.abs(own).max())


@ALL
def test_tensorflow_1_answers_as_the_c_library_does(versions, in_c, kind, policy):
    (answer,) = in_tensorflow_1(versions[kind, policy], {"features": {"frames": color_clips()}})
    compare(answer, in_c[kind, policy])
    assert count_variables(versions[kind, policy]) == WEIGHTS[kind]


def test_what_two_replicas_trained_is_served(tmp_path):
    script = pathlib.Path(replica_exports.__file__)
    code, _, err = done([script, tmp_path])
    assert code == 0, err
    (answer,) = ask([(tmp_path / "1", "features", {"frames": replica_exports.clips()})])
    assert count_variables(tmp_path / "1") == 18  # Three convolutions of two weights, three norms of four.
    own = np.load(tmp_path / "features.npy")
    np.testing.assert_allclose(answer["features"], own, rtol=1e-5, atol=1e-5)
    assert np.ptp(own) > 1e-3


def test_saved_model_cli_shows_a_model(exported, tmp_path):
    words = ["--dir", str(exported[1]), "--tag_set", "serve", "--signature_def", "serving_default"]
    code, shown, err = done([SAVED_MODEL_CLI, "show", *words], folder=tmp_path)
    assert code == 0, err
    assert "inputs['frames'] tensor_info:\n      dtype: DT_UINT8\n      shape: (-1, -1, 12, 12, 1)\n" in shown
    assert "inputs['rate'] tensor_info:\n      dtype: DT_FLOAT\n      shape: (-1)\n" in shown
