"""Asks a served model about a video or a series: windows of it, their answers, and how long they took.

python -m trainers.client --video=me.mp4 --server=http://localhost:8501 --model=simper
python -m trainers.client --video=pulse.csv --server=http://localhost:8501 --model=simper
python -m trainers.client --video=me.mp4 --server=grpc://localhost:8500 --model=simper
"""

import trainers.quiet  # noqa: F401  isort: skip
import json
import pathlib
import time
import urllib.error
import urllib.request

import numpy as np
from absl import flags

from simper_tf.export.saved_model import FLOAT_SUFFIX
from simper_tf.recordings import gaps, sources, windows
from simper_tf.recordings.pixels import levels
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.standardize import is_series
from trainers import cli

SECONDS = 6.0  # Of a window, for models of clips of any length: two repetitions or more at 0.34 Hz.


def main():
    """Prints what a server answers to every window of `--video`."""
    values, signature = flags.FLAGS, flags.FLAGS.signature
    source, rate = _opened(pathlib.Path(values.video), values.rate, values.columns)
    if not source.has_pictures:
        signature = signature.removesuffix(FLOAT_SUFFIX) + FLOAT_SUFFIX
    server = connect(values.server, values.model, signature, values.timeout, values.max_megabytes, values.rows)
    if source.has_pictures == is_series(server.frame_shape):
        takes = "series" if source.has_pictures else f"frames of {server.frame_shape}"
        raise ValueError(f"{values.server} takes {takes}, which --video={values.video} does not hold. Name another.")
    seconds = []
    length = values.seconds or (server.num_frames / rate if server.num_frames else SECONDS)
    for start, frames in clips_of(source, rate, length, values.hop, server.frame_shape):
        began = time.monotonic()
        inputs = {"frames": frames[None], "rate": np.float32([rate])}
        answer = server.ask({name: value for name, value in inputs.items() if name in server.inputs})
        seconds.append(time.monotonic() - began)
        values = "  ".join(f"{name} {np.round(value[0], 4)}" for name, value in sorted(answer.items()))
        cli.say(f"from {start:.1f} s: {values}  ({1000 * seconds[-1]:.0f} ms)")
    if not seconds:
        raise ValueError(f"--video={values.video} has no window of {length:g} s without a gap. Lower --seconds.")
    half, most = 1000 * np.median(seconds), 1000 * max(seconds)
    cli.say(
        f"{len(seconds)} windows of {frames.nbytes / 1e6:.2f} MB: half within {half:.0f} ms, all within {most:.0f} ms."
    )


def _opened(path, rate, columns=()):
    """Returns a recording and the rate at which it is sent: the wanted one, or its own, at most 8 a period of series.

    Of a file that does not say its rate, the wanted one is its own.
    """
    source = sources.open_file(path, columns=columns)
    try:
        own = source.info().rate
    except RawDataError:
        if not rate:
            raise
        source, own, rate = sources.open_file(path, rate, is_fallback=True, columns=columns), rate, 0.0
    most = np.inf if source.has_pictures else windows.FRAMES_A_PERIOD * windows.BAND[1]
    return source, rate or min(own, most)


def clips_of(source, rate, seconds, hop, frame_shape):
    """Yields the start in seconds and the frames of each window; a last one ends with the recording.

    Frames are `(round(seconds * rate), H, W, C)`, uint8 of pictures and float32 of a series.
    """
    info = source.info()
    length, step, averages = round(seconds * rate), max(round(hop * rate), 1), windows.averages(info.rate, rate)
    plan = windows.Plan(rate, length, step, windows.BAND, averages)
    longest_gap = info.longest_gap if source.has_pictures else gaps.longest(info, plan.band)
    if source.has_pictures:
        source.require_pictures("`video`")
    for window in windows.cut(source.frames(0.0, np.inf, tuple(frame_shape[:2]), None), plan, longest_gap):
        yield window.start, levels(window.frames, frame_shape[2]) if source.has_pictures else window.frames


def connect(address, model, signature, timeout=60.0, max_megabytes=64, rows=False):
    """Returns a `Rest` or a `Grpc` for `http://host:port` or `grpc://host:port`.

    An address that is neither is a ValueError, and so are frames of other than 1 or 3 channels; a server that does not
    answer, or lacks the model, is an OSError.
    """
    scheme, _, rest = address.partition("://")
    if scheme in ("http", "https"):
        server = Rest(address.rstrip("/"), model, signature, timeout, rows)
    elif scheme == "grpc":
        server = Grpc(rest, model, signature, timeout, max_megabytes)
    else:
        raise ValueError(f"--server={address} must begin with http://, https:// or grpc://.")
    if server.frame_shape[2] not in (1, 3) and not is_series(server.frame_shape):
        raise ValueError(f"{address} takes frames of {server.frame_shape}: a video has 1 or 3 channels.")
    return server


class Rest:
    """A model behind TF Serving's REST interface, asked input by input, or clip by clip (`instances`) by `rows`.

    `frame_shape` is that of the model, and `num_frames` the length of its clips, 0 for any.
    """

    def __init__(self, address, model, signature, timeout, rows):
        self.url, self.signature, self.timeout, self.rows = f"{address}/v1/models/{model}", signature, timeout, rows
        signatures = self._get(f"{self.url}/metadata", None)["metadata"]["signature_def"]["signature_def"]
        if signature not in signatures:
            raise OSError(f"{self.url} has no signature {signature}. It has: {', '.join(sorted(signatures))}.")
        self.inputs, self.outputs = signatures[signature]["inputs"], sorted(signatures[signature]["outputs"])
        _, length, *self.frame_shape = (int(dim["size"]) for dim in self.inputs["frames"]["tensor_shape"]["dim"])
        self.num_frames = max(length, 0)

    def ask(self, inputs):
        """Returns the outputs of a request as arrays, by name."""
        return decode(self._get(f"{self.url}:predict", encode(self.signature, inputs, self.rows)), self.outputs)

    def _get(self, url, body):
        try:
            with urllib.request.urlopen(url, data=body, timeout=self.timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise OSError(f"{url}: {_told(error.read())}") from error
        except (OSError, ValueError) as error:
            raise OSError(f"{url}: {getattr(error, 'reason', error)}. Is the server running there?") from error


class Grpc:
    """A model behind TF Serving's gRPC interface; its address is host and port.

    Messages have at most `max_megabytes`: gRPC's own limit of 4 is less than a clip of 128 x 128 pixels.
    """

    def __init__(self, address, model, signature, timeout, max_megabytes):
        try:
            import grpc
            from tensorflow_serving.apis import get_model_metadata_pb2, predict_pb2, prediction_service_pb2_grpc
        except ImportError as error:
            raise ValueError(
                "grpc:// needs messages of TF Serving: pip install '.[serving]' in the checkout."
            ) from error
        limits = [(f"grpc.max_{way}_message_length", int(max_megabytes * 2**20)) for way in ("send", "receive")]
        self._stub = prediction_service_pb2_grpc.PredictionServiceStub(grpc.insecure_channel(address, limits))
        self._error, self._messages, self._address = grpc.RpcError, predict_pb2, address
        self.model, self.signature, self.timeout = model, signature, timeout
        asked = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
        asked.model_spec.name = model
        described = get_model_metadata_pb2.SignatureDefMap()
        self._call(self._stub.GetModelMetadata, asked).metadata["signature_def"].Unpack(described)
        if signature not in described.signature_def:
            names = ", ".join(sorted(described.signature_def))
            raise OSError(f"{address} has no signature {signature}. It has: {names}.")
        self.inputs = described.signature_def[signature].inputs
        _, length, *self.frame_shape = (dim.size for dim in self.inputs["frames"].tensor_shape.dim)
        self.num_frames = max(length, 0)

    def ask(self, inputs):
        """Returns the outputs of a request as arrays, by name."""
        import tensorflow as tf

        asked = self._messages.PredictRequest()
        asked.model_spec.name, asked.model_spec.signature_name = self.model, self.signature
        for name, value in inputs.items():
            asked.inputs[name].CopyFrom(tf.make_tensor_proto(value))
        answer = self._call(self._stub.Predict, asked)
        return {name: tf.make_ndarray(value) for name, value in answer.outputs.items()}

    def _call(self, function, request):
        try:
            return function(request, timeout=self.timeout)
        except self._error as error:
            raise OSError(f"{self._address}: {error.details()}") from error


def encode(signature, inputs, rows):
    """Returns the body of a REST request, bytes, in row or column form.

    Source: https://www.tensorflow.org/tfx/serving/api_rest, "Specifying input tensors".
    """
    # Shortest decimals of float32: JSON has only doubles.
    lists = {name: np.asarray(value).tolist() for name, value in inputs.items()}
    if not rows:
        return json.dumps({"signature_name": signature, "inputs": lists}).encode()
    instances = [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return json.dumps({"signature_name": signature, "instances": instances}).encode()


def decode(answer, outputs):
    """Returns the arrays in the answer to a REST request; where there is one output alone, its name is left out."""
    if "outputs" in answer:
        values = answer["outputs"]
        return (
            {name: np.array(values[name]) for name in outputs} if isinstance(values, dict) else _only(outputs, values)
        )
    rows = answer["predictions"]
    if not isinstance(rows[0], dict):
        return _only(outputs, rows)
    return {name: np.array([row[name] for row in rows]) for name in outputs}


def _only(outputs, values):
    (name,) = outputs
    return {name: np.array(values)}


def _told(body):
    try:
        return json.loads(body)["error"]
    except (ValueError, KeyError, AttributeError):
        return body[:200].decode(errors="replace")


def define(values=flags.FLAGS):
    """Defines the flags of the command in some `FlagValues`."""
    flags.DEFINE_string(
        "video",
        None,
        "Video file, array of frames (.npy), or a series (.csv, .npy, .wav).",
        required=True,
        flag_values=values,
    )
    flags.DEFINE_string(
        "server", "http://localhost:8501", "http://, https:// or grpc:// with host and port.", flag_values=values
    )
    flags.DEFINE_string("model", "simper", "Name of the model on the server.", flag_values=values)
    flags.DEFINE_string("signature", "answer", "Signature to ask.", flag_values=values)
    flags.DEFINE_float(
        "seconds", 0.0, f"Length of a window; 0 takes that of the model, or {SECONDS:g} where any will do.",
        lower_bound=0.0, flag_values=values,
    )  # fmt: skip
    flags.DEFINE_float("hop", 3.0, "Seconds from one window to the next.", lower_bound=0.0, flag_values=values)
    flags.DEFINE_float(
        "rate",
        0.0,
        "Frames or samples per second that are sent; 0 takes those of the file, of a series at most 44. Files that do "
        "not say their rate need it.",
        lower_bound=0.0,
        flag_values=values,
    )
    flags.DEFINE_list(
        "columns", [], "Columns of a series that are sent, by name or number; all by default.", flag_values=values
    )
    flags.DEFINE_float("timeout", 60.0, "Longest wait for an answer, in seconds.", lower_bound=0.0, flag_values=values)
    flags.DEFINE_float("max_megabytes", 64.0, "Largest message, gRPC only.", lower_bound=0.0, flag_values=values)
    flags.DEFINE_boolean("rows", False, "Send clip by clip, REST only.", flag_values=values)


if __name__ == "__main__":
    define()
    cli.run(main)
