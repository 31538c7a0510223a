"""A page in the browser: drop a recording, see what repeats in it, download the answers.

python -m trainers.app --port=8000

For one person on one machine: it listens on this machine alone unless --host says otherwise, reads one recording at a
time, and keeps none. Needs the extra `app`.
"""

import threading

from absl import flags

from simper_tf.commands import console, page_server
from trainers import cli


def main():
    """Serves the page until it is told to stop."""
    config, model = flags.FLAGS, None
    if config.model:
        from simper_tf.reading import exported  # Loads TensorFlow.

        model = exported.Exported(config.model)
    app = page_server.make(model, config.max_megabytes, config.host)
    server = page_server.server(app, config.host, config.port, config.max_megabytes)
    console.say(f"http://{config.host}:{server.effective_port} shows the page; Ctrl-C ends it.")
    with _Stopping(server):
        server.run()
    console.say("Ended; nothing that was uploaded is kept.")


class _Stopping(console.ToldToStop):
    """Ends a server when this process is told to stop."""

    def __init__(self, server):
        self._server = server

    def _told(self, number, frame=None):
        # From another thread, since it waits for the loop that this one is in.
        threading.Thread(target=self._server.close).start()
        raise SystemExit


if __name__ == "__main__":
    flags.DEFINE_string(
        "host", "127.0.0.1", "Address to listen on; 0.0.0.0 lets others in, whom nothing asks for a password."
    )
    flags.DEFINE_integer("port", 8000, "Port to listen on; 0 for any that is free.", 0, 65535)
    flags.DEFINE_string(
        "model", "", "Read by this exported model too: the folder of a run, or of a saved model. It runs the model's "
        "own graph: name only models of people you trust."
    )  # fmt: skip
    flags.DEFINE_float("max_megabytes", 2000.0, "Size of the largest recording that is taken.", 0.001)
    cli.run(main)
