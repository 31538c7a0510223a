"""A page in the browser: drop a recording, see what repeats in it, download the answers.

python -m trainers.app --port=8000

For one person on one machine: it listens on this machine alone unless --host says otherwise, reads one recording at a
time, and keeps none. Needs the extra `app`.
"""

import base64
import logging
import pathlib
import tempfile
import threading

from absl import flags

from simper_tf.reading import answers, exported, read
from simper_tf.recordings import search
from simper_tf.recordings.errors import RawDataError, printable
from trainers import cli
from trainers.predictions import html, pages, pictures, tables

_MEGABYTE = 1_000_000
# Names by which a browser on this machine can call it.
_HERE = ("127.0.0.1", "localhost")


def main():
    """Serves the page until it is told to stop."""
    cli.silence_decoders()
    config = flags.FLAGS
    model = exported.Exported(config.model) if config.model else None
    app = make(model, config.max_megabytes, config.host)
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # Not a line a request.

    try:
        server = make_server(config.host, config.port, app, threaded=True)
    except SystemExit:  # So Werkzeug ends where an address is in use, after two lines of its own.
        raise OSError(f"--port={config.port} on {config.host} cannot be used, see above: name another.") from None
    cli.say(f"http://{config.host}:{server.server_port} shows the page; Ctrl-C ends it.")
    with _Stopping(server):
        server.serve_forever()
    cli.say("Ended; nothing that was uploaded is kept.")


def make(model=None, max_megabytes: float = 2000.0, host: str = "127.0.0.1"):
    """Returns the application, for any server that speaks WSGI.

    Args:
        model: An `exported.Exported` that reads pictures too; None for none.
        max_megabytes: The largest recording that is taken.
        host: Where it will listen: on this machine alone, requests that name another are refused, so that no page of
            another site can reach it by a name of its own.

    Raises:
        ValueError: the extra `app` is not installed.
    """
    try:
        import flask
    except ImportError as error:
        raise ValueError("The page needs Flask: pip install 'simper-tf[app]'.") from error
    app = flask.Flask("simper_tf", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = round(max_megabytes * _MEGABYTE)
    if host in _HERE:
        app.config["TRUSTED_HOSTS"] = list(_HERE)
    busy = threading.Lock()  # Decoding and drawing take all of a machine, and an upload some of its disk.

    @app.get("/")
    def ask():
        return pages.form()

    @app.post("/read")
    def show():
        given = flask.request.headers
        if given.get("Origin", flask.request.host_url.rstrip("/")) != flask.request.host_url.rstrip("/"):
            return pages.refusal("Only this page itself may send recordings here."), 403
        try:
            with busy, tempfile.TemporaryDirectory() as folder:
                form, upload = flask.request.form, flask.request.files.get("recording")
                if not (upload and upload.filename):
                    raise ValueError("There is no recording. Choose a file first.")
                return _answered(upload, pathlib.Path(folder), pages.asked(form), model)
        except ValueError as error:
            return pages.refusal(str(error)), 400
        except (*cli.EXPECTED, MemoryError) as error:
            return pages.refusal(f"It could not be read: {error or 'memory ran out'}. Cut it, or free some space."), 500

    @app.errorhandler(413)
    def too_large(_):
        return pages.refusal(
            f"The recording has more than {max_megabytes:g} MB. Cut it, or start the page with more --max_megabytes."
        ), 413

    return app


def _answered(upload, folder, asked, model):
    """Returns the page of a recording that was uploaded, which is written to a folder to be read."""
    wishes, unit, rate = asked
    name = pathlib.PurePath(upload.filename.replace("\\", "/")).name
    path = folder / f"recording{pathlib.PurePath(name).suffix[:16]}"
    upload.save(path)
    try:
        done = _read(path, name, wishes, rate, model)
    except RawDataError as error:
        raise ValueError(pages.as_on_the_page(str(error).replace(str(path), name))) from error
    picture = folder / "picture.png"
    pictures.figure(done, unit).savefig(picture, format="png", dpi=110)
    csv = base64.b64encode(tables.csv_text([done], unit).encode()).decode()
    return pages.answer(html.recording(done, picture, unit), csv, f"{pathlib.PurePath(name).stem}.csv")


def _read(path, name, wishes, rate, model):
    """Returns a file as a `tables.Done` of a name.

    Raises:
        RawDataError: it cannot be read.
    """
    found = search.find([str(path)], rate, True)
    for problem in found.problems:
        raise problem
    (source,) = found.sources
    notes = ()
    try:
        if model:
            model.check(source)
    except RawDataError as error:
        model, notes = None, (f"The model was not asked: it found {error.found} and expects {error.expected}.",)
    opened = read.prepare(source, wishes, model and model.shape)
    given = list(read.read(opened, (model,) if model else ()))
    notes = (*opened.notes, *notes, *read.unread(opened, given))
    return tables.Done(printable(name), opened.info, notes, answers.agree(given))


class _Stopping(cli.ToldToStop):
    """Ends a server when this process is told to stop."""

    def __init__(self, server):
        self._server = server

    def _told(self, number, frame=None):
        # From another thread, since it waits for the loop that this one is in.
        threading.Thread(target=self._server.shutdown).start()


if __name__ == "__main__":
    flags.DEFINE_string(
        "host", "127.0.0.1", "Address to listen on; 0.0.0.0 lets others in, whom nothing asks for a password."
    )
    flags.DEFINE_integer("port", 8000, "Port to listen on; 0 for any that is free.", 0, 65535)
    flags.DEFINE_string(
        "model", "", "Read videos by this exported model too: the folder of a run, or of a saved model."
    )
    flags.DEFINE_float("max_megabytes", 2000.0, "Size of the largest recording that is taken.", 0.001)
    cli.run(main)
