"""A small server that answers as TF Serving's REST interface is documented to, by a SavedModel. For tests.

`/v1/models/<name>/metadata` and `/v1/models/<name>:predict`, in row form (`instances`) and in column form (`inputs`).
"""

import contextlib
import http.server
import json
import threading

import numpy as np
import tensorflow as tf
from google.protobuf import json_format
from tensorflow.core.protobuf import saved_model_pb2


@contextlib.contextmanager
def serving(version, name="simper"):
    """Yields the address of a server of an exported version, and a list that fills with the bodies it was sent."""
    bodies, graph = [], saved_model_pb2.SavedModel()
    graph.ParseFromString((version / "saved_model.pb").read_bytes())
    told = json_format.MessageToDict(
        graph.meta_graphs[0], preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    signatures = tf.saved_model.load(version).signatures

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self._answer(200, {"metadata": {"signature_def": {"signature_def": told["signature_def"]}}})

        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                assert self.path == f"/v1/models/{name}:predict"
                self._answer(200, predict(signatures, json.loads(bodies[-1])))
            except tf.errors.InvalidArgumentError as error:
                self._answer(400, {"error": error.message})

        def _answer(self, code, value):
            body = json.dumps(value).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def predict(signatures, asked):
    """Returns what the server answers to a request, both as JSON."""
    signature = signatures[asked.get("signature_name", "serving_default")]
    rows = asked.get("instances")
    lists = asked.get("inputs") if rows is None else {name: [row[name] for row in rows] for name in rows[0]}
    kinds = {spec.name: spec.dtype.as_numpy_dtype for spec in signature.structured_input_signature[1].values()}
    answer = signature(**{name: tf.constant(np.array(value, kinds[name])) for name, value in lists.items()})
    values_of = {name: value.numpy().tolist() for name, value in answer.items()}
    if rows is None:
        return {"outputs": values_of if len(values_of) > 1 else next(iter(values_of.values()))}
    if len(values_of) == 1:
        return {"predictions": next(iter(values_of.values()))}
    return {
        "predictions": [dict(zip(values_of, values, strict=True)) for values in zip(*values_of.values(), strict=True)]
    }
