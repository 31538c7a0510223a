"""A page in the browser that reads recordings: an application for any WSGI server, and one that serves it."""

import contextlib
import functools
import io
import itertools
import math
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from simper_tf.commands import annotated, console, html_page, learners, page_form, sample
from simper_tf.commands.command_options import App
from simper_tf.reading import answers, drawing, records, source_reader
from simper_tf.recordings import arrays, search
from simper_tf.utils import quiet
from simper_tf.utils.errors import RawDataError, guarding, printable

_MEGABYTE = 1_000_000
# Names by which a browser on this machine can call it.
_HERE = ("127.0.0.1", "localhost")
# Connections that are open, requests that are worked at, and seconds after which one that sends nothing more is ended.
_CONNECTIONS, _THREADS, _SILENT = 512, 32, 60
# Seconds within which the head of a first request must have arrived, a whole request, and that a recording may last.
_GREETING, _ARRIVING, _LONGEST = 5, 600, 7200
# Recordings that are read or wait; more are asked to come again. Threads for the rest of the page are left.
_WAITING = 24
_MOST_PACKED = 50  # Recordings of a packed file.
# Bytes that a camera may send at once, which stay in memory; pixels a side, and frames a second.
_FROM_CAMERA, _CAMERA_SIDE, _CAMERA_RATE = 2**21, 80, 120


class _Left(BaseException):
    """The browser that asked has closed the connection."""


def serve(asked: App):
    """Serves the page until this process is told to stop."""
    model = None
    if asked.model:
        quiet.start()
        from simper_tf.reading import exported

        model = exported.Exported(asked.model)
    with uploads() as folder:
        app = make(model, asked.max_megabytes, asked.host, folder)
        serving = server(app, asked.host, asked.port, asked.max_megabytes)
        console.say(f"http://{asked.host}:{serving.effective_port} shows the page; Ctrl-C ends it.")
        with _Stopping(serving):
            serving.run()
    console.say("Ended; nothing that was uploaded is kept.")


@contextlib.contextmanager
def uploads() -> Iterator[str]:
    """Yields a folder that goes when the block ends, or this process, however that is."""
    folder = tempfile.mkdtemp(prefix="simper-app-")
    # It waits for the end of its input, which comes with the end of this process, and is not told of Ctrl-C.
    words = ["sh", "-c", 'read -r line; rm -rf "$1"', "sh", folder]
    with subprocess.Popen(words, stdin=subprocess.PIPE, process_group=0):
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

    def _before(self, one):
        with self._left:
            self._left.wait_for(lambda: self._came[0] is one, timeout=1.0)
            return self._came.index(one)


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
    app.config["MAX_CONTENT_LENGTH"] = round(max_megabytes * _MEGABYTE)
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
                    content, name = answer(_copied, *recordings[0]), f"{pathlib.PurePath(recordings[0][1]).stem}.mp4"
                    return flask.send_file(io.BytesIO(content), "video/mp4", as_attachment=True, download_name=name)
                return page_form.page(_all_answered(recordings, functools.partial(answer, _answered)))
        except _Left:
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
        if (flask.request.content_length or 0) > _FROM_CAMERA:
            return flask.jsonify(said="The camera has sent too much at once.", spans=[]), 413
        if not watching.acquire(blocking=False):
            return flask.jsonify(said="Another camera is read.", spans=[]), 503
        try:
            return flask.jsonify(_counted(flask.request.get_data(), flask.request.args))
        except ValueError as error:
            return flask.jsonify(said=printable(str(error)), spans=[]), 400
        finally:
            watching.release()

    @app.errorhandler(413)
    def too_large(_):
        if (flask.request.content_length or 0) <= max_megabytes * _MEGABYTE:
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

    It raises `_Left` once the browser that sent the request is gone, as far as servers say so.
    """
    is_gone = environ.get("waitress.client_disconnected", lambda: False)

    def check(share=None):
        tell(share)
        if is_gone():
            raise _Left

    return check


def server(app, host: str, port: int, max_megabytes: float):
    """Returns a server of the application that listens; `run` serves and `close` ends it.

    Raises:
        OSError: the address is in use.
        ValueError: the extra `app` is not installed.
    """
    try:
        import waitress
    except ImportError as error:
        raise ValueError("The page needs waitress: pip install '.[app]' in the checkout.") from error
    try:
        made = waitress.create_server(
            app, host=host, port=port, ipv4=":" not in host, ipv6=":" in host, threads=_THREADS,
            channel_timeout=_SILENT, cleanup_interval=1, connection_limit=_CONNECTIONS, ident=None,
            max_request_body_size=round(max_megabytes * _MEGABYTE), channel_request_lookahead=1,
            inbuf_overflow=_FROM_CAMERA,  # Less is held in memory: pictures of a camera are never stored.
        )  # fmt: skip
    except OSError as error:
        raise OSError(f"--port={port} on {host} cannot be used ({error.strerror}): name another.") from error
    except ValueError as error:
        raise ValueError(f"--host={host} is no address of this machine. Name one, such as 127.0.0.1.") from error
    made.channel_class = _limited(made.channel_class)
    made.maintenance = functools.partial(_without_silent, made, made.maintenance)
    return made


def _without_silent(serving, maintenance, now):
    """Does what a server does once a second, and ends connections that were opened and never asked for anything."""
    maintenance(now)
    for connection in serving.active_channels.values():
        connection.will_close = connection.will_close or time.monotonic() > connection.greeted_by


def _limited(channel):
    """Returns a class of connections that end where a request takes too long to arrive, by however few bytes."""

    class Limited(channel):
        _began = math.inf

        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            self.greeted_by = time.monotonic() + _GREETING

        def received(self, data):
            completed = super().received(data)
            if completed or self.request is None or self.request.headers_finished:
                self.greeted_by = math.inf
            self._began = math.inf if self.request is None else min(self._began, time.monotonic())
            self.will_close = self.will_close or time.monotonic() > self._began + _ARRIVING
            return completed

    return Limited


def _all_answered(recordings, answer):
    """Returns what a page shows of recordings; where one of several cannot be read, the others are.

    Raises:
        ValueError: the only one cannot be read.
    """
    parts = []
    for path, name in recordings:
        try:
            parts += answer(path, name)
        except ValueError as error:
            if len(recordings) == 1:
                raise
            parts.append(page_form.refused(str(error)))
    return parts


@contextlib.contextmanager
def _said_by_name(path, name):
    """Raises as ValueError what is wrong with an upload, with its own name."""
    try:
        with guarding(path, _Left, OSError):
            yield
    except RawDataError as error:
        raise ValueError(page_form.as_on_the_page(str(error).replace(str(path), name))) from error


def _answered(path, name, asked, model, check):
    """Returns what a page shows of each recording of an upload."""
    wishes, unit, rate = asked
    parts = []
    with _said_by_name(path, name):
        for done in _read(path, name, wishes, rate, model, check):
            drawn = [path.with_name(f"{width}.png") for width in ("wide", "narrow")]
            for picture, narrow in zip(drawn, (False, True), strict=True):
                drawing.figure(done, unit, narrow).savefig(picture, format="png", dpi=110)
            record = records.of(done, unit)
            tables = {"answers": records.answer_rows, "repetitions": records.repetition_rows}
            tables = {words: records.table(rows(record)) for words, rows in tables.items()}
            parts.append(page_form.answer(done, html_page.recording(record, *drawn), tables))
    return parts


def _copied(path, name, asked, model, check):
    """Returns the bytes of a copy of an upload with the count on its frames."""
    wishes, _, rate = asked
    with _said_by_name(path, name):
        source = _sources(path, rate)[0]
        source.require_pictures("a copy with the count", twice=True)
        seconds, out = source.info().seconds, path.with_name("counted.mp4")
        done = source_reader.reading_of_source(source, wishes, lambda second: check(second / seconds / 2))
        annotated.write(out, source, wishes, done, lambda second: check((1 + second / seconds) / 2))
        return out.read_bytes()


def _counted(content, given):
    """Returns what is said of the frames of a camera, and start and end of each repetition in seconds from the first.

    Raises:
        ValueError: they are none.
    """
    try:
        height, width, rate = int(given["height"]), int(given["width"]), float(given["rate"])
    except (KeyError, ValueError) as error:
        raise ValueError("The camera has sent no height, width and rate.") from error
    is_fine = 0 < height <= _CAMERA_SIDE and 0 < width <= _CAMERA_SIDE and 0 < rate <= _CAMERA_RATE
    if not is_fine or not content or len(content) % (3 * height * width):
        raise ValueError(f"The camera has sent {len(content)} bytes, no frames of {width} x {height} pixels.")
    frames = np.frombuffer(content, np.uint8).reshape(-1, height, width, 3)
    with guarding("camera"):
        done = source_reader.reading_of_source(arrays.sources([frames], rate)[0])
    return {
        "said": answers.lines(done)[0],
        "spans": [list(span) for one in done.reading.clear[:1] for span in one.repetitions],
    }


def _sources(path, rate):
    """Returns the recordings of an upload, one or those of a packed file.

    Raises:
        RawDataError: there are none, or too many.
    """
    found = search.find([str(path)], rate, rate is not None)
    for problem in itertools.chain(found.problems, found.skipped if not found.sources else ()):
        raise problem
    if len(found.sources) > _MOST_PACKED:
        raise RawDataError(path, f"{len(found.sources)} recordings", f"{_MOST_PACKED} or fewer", "Pack fewer.")
    return found.sources


def _read(path, name, wishes, rate, model, check=None):
    """Returns the recordings of a file of a name, each a `source_reader.Done`.

    Raises:
        RawDataError: one cannot be read.
    """
    found = []
    for source in _sources(path, rate):
        if (seconds := source.info().seconds) > _LONGEST and source.has_pictures:
            expected = f"{console.clock(_LONGEST)} or less"
            raise RawDataError(path, console.clock(seconds), expected, "Cut it, or read it by simper predict.")
        notes, asked = (), model
        try:
            if model:
                model.check(source)
        except RawDataError as error:
            asked, notes = None, (learners.not_asked(error),)
        done = source_reader.reading_of_source(
            source, wishes, check and (lambda second, all=seconds: check(min(second / all, 1.0)))
        )
        if asked:
            done = learners.with_model(source, wishes, done, asked)
        found.append(source_reader.renamed(done, printable(source.name.replace(str(path), name, 1)), notes))
    return found
