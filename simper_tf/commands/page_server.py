"""A page in the browser that reads recordings: an application for any WSGI server, and one that serves it."""

import contextlib
import functools
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator

from simper_tf.commands import console, page_connections, page_form, page_readings, sample
from simper_tf.commands.command_options import App
from simper_tf.utils import quiet, systems
from simper_tf.utils.errors import printable

# Names by which a browser on this machine can call it.
_HERE = ("127.0.0.1", "localhost")
# Recordings that are read or wait; more are asked to come again. Threads for the rest of the page are left.
_WAITING = 24


def serve(asked: App):
    """Serves the page until this process is told to stop."""
    model = None
    if asked.model:
        quiet.start()
        from simper_tf.reading import exported

        model = exported.Exported(asked.model)
    with uploads() as folder:
        app = make(model, asked.max_megabytes, asked.host, folder)
        serving = page_connections.server(app, asked.host, asked.port, asked.max_megabytes)
        console.say(f"http://{asked.host}:{serving.effective_port} shows the page; Ctrl-C ends it.")
        with _Stopping(serving):
            serving.run()
    console.say("Ended; nothing that was uploaded is kept.")


@contextlib.contextmanager
def uploads() -> Iterator[str]:
    """Yields a folder that goes when the block ends, or this process, however that is."""
    folder = tempfile.mkdtemp(prefix="simper-app-")
    # It waits for the end of its input, which comes with the end of this process, and is not told of Ctrl-C.
    code = "import shutil, sys; sys.stdin.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"
    with subprocess.Popen([sys.executable, "-c", code, folder], stdin=subprocess.PIPE, **systems.apart()):
        yield folder


class _Queue:
    """Readings that follow one another in the order in which they came."""

    def __init__(self):
        self._came, self._left = [], threading.Condition()

    @contextlib.contextmanager
    def turn(self, tell: Callable[[int], None]) -> Iterator[None]:
        """Waits for those that came before, with their number told about once a second, until the block is the next."""
        mine = object()
        with self._left:
            self._came.append(mine)
        try:
            while before := self._before(mine):
                tell(before)
            yield
        finally:
            with self._left:
                self._came.remove(mine)
                self._left.notify_all()

    def _before(self, ticket):
        with self._left:
            self._left.wait_for(lambda: self._came[0] is ticket, timeout=1.0)
            return self._came.index(ticket)


class _Stopping(console.ToldToStop):
    """Ends a server when this process is told to stop."""

    def __init__(self, serving):
        self._serving = serving

    def _told(self, number, frame=None):
        # From another thread, since it waits for the loop that this one is in.
        threading.Thread(target=self._serving.close).start()
        raise SystemExit


def make(model=None, max_megabytes: float = 2000.0, host: str = "127.0.0.1", folder: str | None = None):
    """Returns the application.

    A request is received before anything waits, so that a slow upload keeps nobody. One recording is read at a time.

    Args:
        model: An `exported.Exported` that reads too; None for none.
        max_megabytes: The largest recording that is taken.
        host: Where it will listen: on this machine alone, requests that name another are refused, so that no page of
            another site can reach it by a name of its own.
        folder: Where uploads lie while they are read; None for that of temporary files.

    Raises:
        ValueError: the extra `app` is not installed.
    """
    try:
        import flask
    except ImportError as error:
        raise ValueError("The page needs Flask: pip install '.[app]' in the checkout.") from error
    app = flask.Flask("simper_tf", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = round(max_megabytes * page_connections.MEGABYTE)
    if host in _HERE:
        app.config["TRUSTED_HOSTS"] = list(_HERE)
    queue, waiting, watching = _Queue(), threading.BoundedSemaphore(_WAITING), threading.BoundedSemaphore(1)
    shares = {}  # Of recordings: number that the page has drawn -> the part that is read, or how many come before.

    @app.get("/")
    def ask():
        return page_form.form(max_megabytes)

    @app.get("/sample.mp4")
    def play():
        return flask.send_file(sample.PATH)

    @app.get("/progress/<key>")
    def progress(key):
        return flask.jsonify(shares.get(key))

    def refuse_others():
        given = flask.request.headers
        if given.get("Origin", flask.request.host_url.rstrip("/")) != flask.request.host_url.rstrip("/"):
            flask.abort(flask.make_response(page_form.refusal("Only this page itself may send recordings here."), 403))

    @app.post("/read")
    @app.post("/copy")
    @app.post("/sample")
    def show():
        refuse_others()
        key = None
        if not waiting.acquire(blocking=False):
            return page_form.refusal(f"{_WAITING} recordings are waiting already. Send it again in a minute."), 503
        try:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                form, recordings = flask.request.form, _received(flask.request, pathlib.Path(own))
                key, asked = form.get("key"), page_form.asked(form)
                check = _leaving(flask.request.environ, functools.partial(shares.__setitem__, key))

                def answer(work, path, name):
                    with queue.turn(lambda before: check({"before": before})):
                        return work(path, name, asked, model, check)

                if flask.request.path == "/copy":
                    (path, name), *_ = recordings
                    content, name = answer(page_readings.copied, path, name), f"{pathlib.PurePath(name).stem}.mp4"
                    return flask.send_file(io.BytesIO(content), "video/mp4", as_attachment=True, download_name=name)
                shown = page_readings.all_answered(recordings, functools.partial(answer, page_readings.answered))
                return page_form.page(shown)
        except page_readings.Left:
            return "", 499
        except ValueError as error:
            return page_form.refusal(str(error)), 400
        except OSError as error:
            reason = f"It could not be read: {error}. Cut it, or free some space."
            return page_form.refusal(reason), 500
        finally:
            shares.pop(key, None)
            waiting.release()

    @app.post("/camera")
    def count():
        refuse_others()
        if (flask.request.content_length or 0) > page_connections.IN_MEMORY:
            return flask.jsonify(said="The camera has sent too much at once.", spans=[]), 413
        if not watching.acquire(blocking=False):
            return flask.jsonify(said="Another camera is read.", spans=[]), 503
        try:
            return flask.jsonify(page_readings.counted(flask.request.get_data(), flask.request.args))
        except ValueError as error:
            return flask.jsonify(said=printable(str(error)), spans=[]), 400
        finally:
            watching.release()

    @app.errorhandler(413)
    def too_large(_):
        if (flask.request.content_length or 0) <= max_megabytes * page_connections.MEGABYTE:
            return page_form.refusal("The form has more fields than the page sends. Send it from the page itself."), 413
        return page_form.refusal(
            f"The recording has more than {max_megabytes:g} MB. Cut it, or start the page with more --max_megabytes."
        ), 413

    return app


def _received(request, folder):
    """Returns paths and names of the recordings of a request, which are written into a folder.

    Raises:
        ValueError: it has none, or several to be copied.
    """
    if request.path == "/sample":
        return [(pathlib.Path(shutil.copy(sample.PATH, folder)), sample.PATH.name)]
    uploads = [upload for upload in request.files.getlist("recording") if upload.filename]
    if not uploads:
        raise ValueError("There is no recording. Choose a file first.")
    if request.path == "/copy" and len(uploads) > 1:
        raise ValueError(f"A copy is of one recording. Found: {len(uploads)}. Choose one.")
    received = []
    for number, upload in enumerate(uploads):
        name = pathlib.PurePath(upload.filename.replace("\\", "/")).name
        path = folder / f"recording{number}{pathlib.PurePath(name).suffix[:16]}"
        upload.save(path)
        received.append((path, name))
    return received


def _leaving(environ, tell):
    """Returns a function that tells which part of a recording is read.

    It raises `page_readings.Left` once the browser that sent the request is gone, as far as servers say so.
    """
    is_gone = environ.get("waitress.client_disconnected", lambda: False)

    def check(share):
        tell(share)
        if is_gone():
            raise page_readings.Left

    return check
