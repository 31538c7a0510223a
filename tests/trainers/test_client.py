"""The client asks a served model about a video: over HTTP here, over gRPC where its messages are installed."""

import concurrent.futures
import json
import re
import sys
import types

import numpy as np
import photographs
import pytest
import tensorflow as tf
from absl import flags
from rest_server import serving

from simper_tf import small
from simper_tf.export import saved_model, warm_up
from trainers import client


@pytest.fixture(scope="module")
def version(exported):
    return exported[1]


def test_requests_have_the_documented_form_byte_for_byte():
    inputs = {"frames": np.uint8([[[[[7]]]], [[[[9]]]]]), "rate": np.float32([30, 24.5])}
    assert client.encode("answer", inputs, rows=False) == (
        b'{"signature_name": "answer", "inputs": {"frames": [[[[[7]]]], [[[[9]]]]], "rate": [30.0, 24.5]}}'
    )
    assert client.encode("answer", inputs, rows=True) == (
        b'{"signature_name": "answer", "instances": [{"frames": [[[[7]]]], "rate": 30.0}, '
        b'{"frames": [[[[9]]]], "rate": 24.5}]}'
    )


@pytest.mark.parametrize(
    "answer",
    [
        {"outputs": {"frequency_hz": [1.5, 2.5], "confidence": [0.5, 1.0]}},
        {"predictions": [{"frequency_hz": 1.5, "confidence": 0.5}, {"frequency_hz": 2.5, "confidence": 1.0}]},
    ],
)
def test_answers_of_both_forms_are_read_alike(answer):
    decoded = client.decode(answer, ["confidence", "frequency_hz"])
    assert {name: values.tolist() for name, values in decoded.items()} == {
        "frequency_hz": [1.5, 2.5],
        "confidence": [0.5, 1.0],
    }


@pytest.mark.parametrize("answer", [{"outputs": [[1.0, 2.0]]}, {"predictions": [[1.0, 2.0]]}])
def test_the_name_of_a_single_output_is_put_back(answer):
    assert client.decode(answer, ["features"])["features"].tolist() == [[1.0, 2.0]]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [False, True])
def test_over_http_a_clip_is_answered_as_the_model_does(version, loaded, rows):
    clips = np.random.default_rng(1).integers(0, 256, (2, 80, 12, 12, 1), np.uint8)
    inputs = {"frames": clips, "rate": np.float32([30, 24])}
    expected = loaded.signatures["answer"](**{k: tf.constant(v) for k, v in inputs.items()})
    with serving(version) as (address, bodies):
        server = client.connect(address, "simper", "answer", rows=rows)
        assert server.frame_shape == [12, 12, 1]
        answer = server.ask(inputs)
        assert set(json.loads(bodies[0])) == {"signature_name", "instances" if rows else "inputs"}
        for name, values in expected.items():
            np.testing.assert_allclose(answer[name], values, rtol=1e-5)
        with pytest.raises(OSError, match=r"(?s):predict: .*`frames` must last 2 s, 2 periods"):
            server.ask({"frames": clips[:, :40], "rate": inputs["rate"]})
        with pytest.raises(OSError, match=r"has no signature count\. It has: .*answer, answer_float32, feat"):
            client.connect(address, "simper", "count")


@pytest.mark.slow
def test_the_command_reads_a_video_window_by_window(version, tmp_path, capsys):
    photographs.swinging(tmp_path / "me.mp4", 1.3, number=0, rate=25, seconds=13.0)
    values = flags.FlagValues()
    with serving(version) as (address, bodies), pytest.MonkeyPatch.context() as patch:
        patch.setattr(flags, "FLAGS", values)
        client.define(values)
        values(["client", f"--video={tmp_path / 'me.mp4'}", f"--server={address}", "--seconds=6", "--hop=3"])
        client.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" s:")[0] for line in lines[:-1]] == ["from 0.0", "from 3.0", "from 6.0", "from 7.0"]
    for line in lines[:-1]:
        confidence, hertz = re.search(
            r"confidence ([\d.]+)  frequency_hz ([\d.]+)  heart_rate_bpm [\d.]+  \(", line
        ).groups()
        assert float(confidence) > 0.5
        assert abs(float(hertz) - 1.3) < 0.02
    assert lines[-1].startswith("4 windows of 0.02 MB: half within ")
    assert len(bodies) == 4


@pytest.mark.parametrize(
    ("ending", "named", "own", "sent"),
    [
        ("csv", 0.0, 400, 44.0),
        ("csv", 400.0, 400, 400.0),
        ("csv", 100.0, 400, 100.0),
        ("csv", 44.0, 25, 44.0),
        ("csv", 0.0, 25, 25.0),
        # The only rate that an array has is the one that is named.
        ("npy", 400.0, 400, 44.0),
        ("npy", 25.0, 25, 25.0),
    ],
)
def test_a_series_is_sent_at_the_rate_named_or_that_of_the_band(tmp_path, ending, named, own, sent):
    times = np.arange(8 * own) / own
    wave, path = np.sin(2 * np.pi * 1.25 * times), tmp_path / f"a.{ending}"
    np.save(path, wave) if ending == "npy" else np.savetxt(
        path, np.stack([times, wave], 1), delimiter=",", header="time,x", comments=""
    )
    source, rate = client._opened(path, named)
    assert rate == pytest.approx(sent)
    starts, frames = zip(*client.clips_of(source, rate, 4.0, 2.0, [1, 1, 1]), strict=True)
    assert starts == pytest.approx([0, 2, 4])
    for clip in frames:
        assert len(clip) == round(4 * sent)
        spectrum = np.abs(np.fft.rfft(clip.ravel() * np.hanning(len(clip))))
        assert np.argmax(spectrum) == 5  # Of 4 s at 1.25 Hz.


@pytest.mark.parametrize(("own", "words", "frames"), [(40, [], 40), (0, [], 60), (40, ["--seconds=3"], 30)])
def test_windows_are_as_long_as_the_model_takes(tmp_path, monkeypatch, own, words, frames):
    np.save(tmp_path / "me.npy", np.random.default_rng(0).integers(0, 256, (90, 8, 8, 1), np.uint8))
    sent, values = [], flags.FlagValues()
    ask = lambda inputs: sent.append(inputs["frames"].shape) or {"frequency_hz": np.ones(1)}  # noqa: E731
    server = types.SimpleNamespace(frame_shape=[8, 8, 1], num_frames=own, inputs={"frames": None}, ask=ask)
    monkeypatch.setattr(client, "connect", lambda *_: server)
    monkeypatch.setattr(flags, "FLAGS", values)
    client.define(values)
    values(["client", f"--video={tmp_path / 'me.npy'}", "--rate=10", *words])
    client.main()
    assert {shape[1] for shape in sent} == {frames}


@pytest.mark.parametrize(("head", "named"), [("time,b,c", 0.0), ("a,b,c", 10.0)])
def test_a_client_sends_the_columns_that_are_named(tmp_path, head, named):
    waves = np.sin(np.arange(80)[:, None] * [0.2, 0.5, 0.7])
    waves[:, 0] = np.arange(80) / 10 if head.startswith("time") else waves[:, 0]
    np.savetxt(tmp_path / "a.csv", waves, delimiter=",", header=head, comments="")
    source, rate = client._opened(tmp_path / "a.csv", named, ["c"])
    (_, clip), *_ = client.clips_of(source, rate, 3.0, 3.0, [1, 1, 1])
    assert (rate, clip.shape) == (pytest.approx(10), (30, 1, 1, 1))


def test_a_series_without_a_rate_is_refused_where_none_is_named(tmp_path):
    np.save(tmp_path / "a.npy", np.sin(np.arange(100)))
    with pytest.raises(ValueError, match=r"a\.npy: found samples without their rate"):
        client._opened(tmp_path / "a.npy", 0.0)


def test_a_last_window_ends_with_the_recording(tmp_path):
    levels = np.broadcast_to(np.arange(200, dtype=np.uint8)[:, None, None], (200, 4, 6))
    np.save(tmp_path / "a.npy", levels)
    source, rate = client._opened(tmp_path / "a.npy", 10.0)
    starts, frames = zip(*client.clips_of(source, rate, 6.0, 4.0, [2, 3, 1]), strict=True)
    assert starts == pytest.approx([0, 4, 8, 12, 14])
    np.testing.assert_array_equal(frames[-1][:, 1, 2, 0], np.arange(140, 200))


@pytest.mark.parametrize(("given", "wanted"), [(1, 1), (1, 3), (3, 3), (3, 1)])
def test_pictures_are_sent_as_levels_of_the_models_channels(tmp_path, given, wanted):
    frames = np.zeros((20, 4, 6, given), np.float32)
    frames[..., 0] = 0.5
    np.save(tmp_path / "a.npy", frames)
    source, rate = client._opened(tmp_path / "a.npy", 10.0)
    ((_, sent),) = client.clips_of(source, rate, 2.0, 2.0, [4, 6, wanted])
    assert (sent.dtype, sent.shape) == (np.uint8, (20, 4, 6, wanted))
    expected = {(1, 1): [128], (1, 3): [128] * 3, (3, 3): [128, 0, 0], (3, 1): [38]}  # 0.299 of red.
    np.testing.assert_array_equal(sent[7, 1, 2], expected[given, wanted])


def test_wrong_addresses_and_absent_servers_are_named():
    with pytest.raises(ValueError, match=r"--server=localhost:8501 must begin with http://, https:// or grpc://\."):
        client.connect("localhost:8501", "simper", "answer")
    with pytest.raises(OSError, match=r"127.0.0.1:9/v1/models/simper/metadata: .*Is the server running there\?"):
        client.connect("http://127.0.0.1:9", "simper", "answer")


def test_without_messages_of_tf_serving_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_serving.apis", None)
    with pytest.raises(ValueError, match=r"grpc:// needs messages of TF Serving: pip install '\.\[serving\]'"):
        client.connect("grpc://localhost:1", "simper", "answer")
    encoder = small((None, None, 1), widths=(4,))
    with pytest.raises(ValueError, match=r"pip install '\.\[serving\]' in the checkout, or export without `warm_up`"):
        saved_model.export_model(encoder, tmp_path, (12, 12, 1), (1, 5), warm_up=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_over_grpc_a_clip_larger_than_its_own_limit_is_answered(loaded):
    grpc = pytest.importorskip("grpc")
    apis = pytest.importorskip("tensorflow_serving.apis.prediction_service_pb2_grpc")
    from tensorflow_serving.apis import get_model_metadata_pb2, predict_pb2

    signatures = loaded.signatures

    class Servicer(apis.PredictionServiceServicer):
        def GetModelMetadata(self, request, context):
            described, answer = (
                get_model_metadata_pb2.SignatureDefMap(),
                get_model_metadata_pb2.GetModelMetadataResponse(),
            )
            described.signature_def["answer"].inputs["rate"].tensor_shape.dim.add(size=-1)
            for size in (-1, -1, 12, 12, 1):
                described.signature_def["answer"].inputs["frames"].tensor_shape.dim.add(size=size)
            answer.metadata["signature_def"].Pack(described)
            return answer

        def Predict(self, request, context):
            given = {name: tf.constant(tf.make_ndarray(value)) for name, value in request.inputs.items()}
            answer = predict_pb2.PredictResponse()
            try:
                for name, value in signatures[request.model_spec.signature_name](**given).items():
                    answer.outputs[name].CopyFrom(tf.make_tensor_proto(value.numpy()))
            except tf.errors.InvalidArgumentError as error:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, error.message)
            return answer

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(2), options=[("grpc.max_receive_message_length", -1)])
    apis.add_PredictionServiceServicer_to_server(Servicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        asked = client.connect(f"grpc://127.0.0.1:{port}", "simper", "answer")
        clips = np.random.default_rng(1).integers(0, 256, (40, 900, 12, 12, 1), np.uint8)  # 5.2 MB
        answer = asked.ask({"frames": clips, "rate": np.full(40, 30, np.float32)})
        assert answer["frequency_hz"].shape == (40,)
        with pytest.raises(OSError, match="`frames` must last 2 s"):
            asked.ask({"frames": clips[:, :40], "rate": np.full(40, 30, np.float32)})
    finally:
        server.stop(None)


@pytest.mark.slow
def test_requests_for_warming_up_are_answered_by_their_model(version, loaded):
    logs = pytest.importorskip("tensorflow_serving.apis.prediction_log_pb2")
    signatures, asked = loaded.signatures, []
    for record in tf.data.TFRecordDataset(str(version / warm_up.FILE)):
        request = logs.PredictionLog.FromString(record.numpy()).predict_log.request
        asked.append(request.model_spec.signature_name)
        given = {name: tf.constant(tf.make_ndarray(value)) for name, value in request.inputs.items()}
        assert all(np.isfinite(values).all() for values in signatures[asked[-1]](**given).values())
    assert sorted(asked) == ["answer", "features", "frequency_over_time", "serving_default"]
