"""Exported models where they are served: the loader of TensorFlow 1, TensorFlow's C library, `saved_model_cli`.

Python's `tf.saved_model.load` alone proves nothing: it also calls what no server can run.
"""

import functools
import os
import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest
import replica_exports
import tensorflow as tf
from c_api import ask
from tensorflow.core.protobuf import saved_model_pb2

from simper_tf.encoders import ENCODERS, small, ts_can, with_saliency_sampler
from simper_tf.export import saved_model

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(17)
FRAME, RATE, BAND = (12, 10, 3), 10.0, (2.0, 4.0)
SIGNATURES = tuple(
    name + suffix
    for name in ("serving_default", "answer", "features", "frequency_over_time")
    for suffix in ("", "_float32")
)
# Of all kinds but one, for the time it takes: signatures differ in what is around the encoder, which is the same.
SOME = ("serving_default", "frequency_over_time_float32")
KINDS = {name: functools.partial(make, FRAME) for name, make in ENCODERS.items()}
KINDS["ts_can attention"] = lambda: ts_can(FRAME, attention=True)
KINDS["saliency"] = lambda: with_saliency_sampler(small((None, None, 3)), FRAME)
POLICIES = ("float32", "mixed_bfloat16")
# Under the second policy those encoders whose operations the others share: a plain one, batch norm in three dimensions,
# attention over time and over frames, and a sampler.
MIXED = ("small", "resnet3d18", "repnet", "ts_can attention", "saliency")
MADE = [(kind, "float32") for kind in KINDS] + [(kind, "mixed_bfloat16") for kind in MIXED]
ALL = pytest.mark.parametrize(("kind", "policy"), MADE, ids=[" ".join(each) for each in MADE])
WEIGHTS, OWN = {}, {}


def asked_of(kind):
    """Returns the signatures that are asked of an encoder."""
    return SIGNATURES if kind == "small" else SOME


def request(signature, clips, rate=RATE):
    """Returns the inputs of a signature for uint8 clips."""
    frames = clips / np.float32(255) if signature.endswith("float32") else clips
    given = {"frames": frames} | ({} if signature.startswith("features") else {"rate": np.full(len(clips), rate, "f")})
    if signature.startswith("frequency_over_time"):
        given |= {name: np.full(len(clips), 10, np.int32) for name in ("window_frames", "hop_frames")}
    return given


@pytest.fixture(scope="module")
def clips():
    return RNG.integers(0, 256, (2, 10, *FRAME), np.uint8)


@pytest.fixture(scope="module")
def versions(tmp_path_factory, clips):
    """Returns the exported version of each encoder of `MADE`, after batch norm has seen clips."""
    folder, exported = tmp_path_factory.mktemp("served"), {}
    for kind, policy in MADE:
        keras.mixed_precision.set_dtype_policy(policy)
        try:
            encoder = KINDS[kind]()
            encoder(clips / np.float32(255), training=True)
            WEIGHTS[kind], OWN[kind, policy] = len(encoder.weights), encoder(clips / np.float32(255), training=False)
            exported[kind, policy] = saved_model.export_model(encoder, folder / f"{kind}_{policy}", FRAME, BAND)
        finally:
            keras.mixed_precision.set_dtype_policy("float32")
    return exported


@pytest.fixture(scope="module")
def in_c(versions, clips):
    """Returns what the C library answers, likewise; one process for all."""
    keys = [(key, name) for key in versions for name in asked_of(key[0])]
    answers = ask([(versions[key], name, request(name, clips)) for key, name in keys])
    return dict(zip(keys, answers, strict=True))


def count_variables(version):
    """Returns how many variables the graph of an exported version makes."""
    saved = saved_model_pb2.SavedModel.FromString((version / "saved_model.pb").read_bytes())
    return sum(node.op == "VarHandleOp" for node in saved.meta_graphs[0].graph_def.node)


def compare(answer, expected):
    assert not isinstance(answer, str), answer
    assert set(answer) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(answer[name], value, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_c_library_answers_as_python_does(versions, in_c, clips, policy):
    signatures = tf.saved_model.load(versions["small", policy]).signatures
    for name in asked_of("small"):
        compare(in_c[("small", policy), name], signatures[name](**request(name, clips)))


@ALL
def test_the_c_library_has_the_features_of_the_encoder_itself(in_c, kind, policy):
    # The encoder was called op by op: in half precision a graph rounds less often.
    tolerance = 1e-4 if policy == "float32" else 0.05
    own = tf.cast(OWN[kind, policy], tf.float32)
    assert np.ptp(own) > 0
    found = in_c[(kind, policy), "serving_default"]["features"]
    np.testing.assert_allclose(found, own, atol=tolerance * np.abs(own).max())


@ALL
def test_the_loader_of_tensorflow_1_answers_as_the_c_library_does(versions, in_c, clips, kind, policy):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        meta = tf.compat.v1.saved_model.load(session, ["serve"], str(versions[kind, policy]))
        for name in asked_of(kind):
            signature = meta.signature_def[name]
            feeds = {signature.inputs[key].name: value for key, value in request(name, clips).items()}
            fetches = {key: output.name for key, output in signature.outputs.items()}
            compare(session.run(fetches, feeds), in_c[(kind, policy), name])
    assert count_variables(versions[kind, policy]) == WEIGHTS[kind]


@pytest.fixture(scope="module")
def trained_on_replicas(tmp_path_factory):
    """Returns a folder of encoders trained and exported on one and on two replicas under every policy."""
    folder = tmp_path_factory.mktemp("replicas")
    script = pathlib.Path(replica_exports.__file__)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(script.parents[3])}
    done = subprocess.run(
        [sys.executable, script, folder], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("policy", POLICIES)
def test_what_one_and_two_replicas_trained_is_served(trained_on_replicas, policy):
    folders, clips = [trained_on_replicas / f"{policy}_{number}" for number in (1, 2)], replica_exports.clips()
    rate = np.full(len(clips), replica_exports.RATE, np.float32)
    answers = ask([(folder / "1", "serving_default", {"frames": clips, "rate": rate}) for folder in folders])
    for folder, answer in zip(folders, answers, strict=True):
        assert count_variables(folder / "1") == 18  # Three convolutions of two weights, three norms of four.
        signature = tf.saved_model.load(folder / "1").signatures["serving_default"]
        compare(answer, signature(frames=clips, rate=rate))
        own = np.load(folder / "features.npy")
        np.testing.assert_allclose(answer["features"], own, rtol=1e-5, atol=1e-5)
        assert np.ptp(own) > 1e-3


def command_line(*arguments, cwd):
    """Runs `saved_model_cli` and returns what it prints."""
    program = pathlib.Path(sys.executable).with_name("saved_model_cli")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, cwd=cwd, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_saved_model_cli_shows_and_runs_a_model(tmp_path):
    clips = RNG.integers(0, 256, (2, 60, 12, 10, 3), np.uint8)
    version = saved_model.export_model(small((None, None, 3)), tmp_path, FRAME, (1.0, 5.0))
    words = ["--dir", str(version), "--tag_set", "serve", "--signature_def", "serving_default"]
    shown = command_line("show", *words, cwd=tmp_path)
    assert "inputs['frames'] tensor_info:\n      dtype: DT_UINT8\n      shape: (-1, -1, 12, 10, 3)\n" in shown
    assert "inputs['rate'] tensor_info:\n      dtype: DT_FLOAT\n      shape: (-1)\n" in shown
    np.savez(tmp_path / "clips.npz", frames=clips)
    inputs = ["--inputs", "frames=clips.npz[frames]", "--input_exprs", "rate=[30.0, 24.0]"]
    command_line("run", *words, *inputs, "--outdir", "answers", cwd=tmp_path)
    answers = {path.stem: np.load(path) for path in (tmp_path / "answers").iterdir()}
    signature = tf.saved_model.load(version).signatures["serving_default"]
    compare(answers, signature(frames=clips, rate=tf.constant([30.0, 24.0])))
