"""Requests that a server answers before the first client comes: `assets.extra/tf_serving_warmup_requests`.

TF Serving reads them when it loads a version, so that no client waits for what the first request prepares. It takes a
TFRecord of `PredictionLog` messages, which the package `tensorflow-serving-api` (the extra `serving`) brings.
"""

import math
import pathlib

import numpy as np
import tensorflow as tf

from simper_tf.utils.units import FEWEST_FRAMES

FILE = pathlib.Path("assets.extra", "tf_serving_warmup_requests")


def protos():
    """Returns the module of the messages; a ValueError if the package is missing."""
    try:
        from tensorflow_serving.apis import prediction_log_pb2
    except ImportError as error:
        raise ValueError(
            "Requests for warming up are messages of TF Serving. Install them: pip install '.[serving]' in the "
            "checkout, or export without `warm_up`."
        ) from error
    return prediction_log_pb2


def write(version, facts, signatures):
    """Writes one request for each signature that takes uint8 frames: one clip, black, of the shortest length."""
    messages = protos()
    with tf.io.TFRecordWriter(str(version / FILE)) as file:
        for name, function in signatures.items():
            inputs = {spec.name: spec for spec in function.structured_input_signature[0]}
            if "frames" in inputs and inputs["frames"].dtype == tf.uint8:
                log = messages.PredictionLog()
                log.predict_log.request.model_spec.signature_name = name
                for key, value in request(facts, inputs).items():
                    log.predict_log.request.inputs[key].CopyFrom(tf.make_tensor_proto(value))
                file.write(log.SerializeToString())


def request(facts, inputs):
    """Returns the smallest request of a signature, an array for each of its inputs."""
    rate = facts.get("least_rate", 0.0)
    shortest = math.ceil(facts.get("least_seconds", 0.0) * rate)
    num_frames = facts["num_frames"] or max(shortest, FEWEST_FRAMES)
    values = {
        "frames": np.zeros((1, num_frames, *facts["frame_shape"]), np.uint8),
        "rate": np.float32([rate]),
        "window_frames": np.int32([num_frames]),
        "hop_frames": np.int32([num_frames]),
    }
    return {name: values[name] for name in inputs}
