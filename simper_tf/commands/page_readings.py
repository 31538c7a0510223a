"""What the page shows of recordings: uploads read, copied with their count, and frames of a camera counted."""

import contextlib
import itertools

import numpy as np

from simper_tf.commands import annotated, console, html_page, learners, page_form
from simper_tf.reading import answers, drawing, records, source_reader
from simper_tf.recordings import arrays, search
from simper_tf.utils.errors import RawDataError, guarding, printable

_LONGEST = 7200  # Seconds that a recording may last.
_MOST_PACKED = 50  # Recordings of a packed file.
# Of a camera: pixels a side, and frames a second.
_CAMERA_SIDE, _CAMERA_RATE = 80, 120


class Left(BaseException):
    """The browser that asked has closed the connection."""


def all_answered(recordings, answer):
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
        with guarding(path, Left, OSError):
            yield
    except RawDataError as error:
        raise ValueError(page_form.as_on_the_page(str(error).replace(str(path), name))) from error


def answered(path, name, asked, model, check):
    """Returns what a page shows of each recording of an upload."""
    wishes, unit, rate = asked
    parts = []
    with _said_by_name(path, name):
        for done in _read(path, name, wishes, rate, model, check):
            drawn = [path.with_name(f"{width}.png") for width in ("wide", "narrow")]
            for picture, narrow in zip(drawn, (False, True), strict=True):
                picture.write_bytes(drawing.canvas(done, unit, narrow).png())
            record = records.of(done, unit)
            tables = {"answers": records.answer_rows, "repetitions": records.repetition_rows}
            tables = {words: records.table(rows(record)) for words, rows in tables.items()}
            parts.append(page_form.answer(done, html_page.recording(record, *drawn), tables))
    return parts


def copied(path, name, asked, model, check):
    """Returns the bytes of a copy of an upload with the count on its frames."""
    wishes, _, rate = asked
    with _said_by_name(path, name):
        source = _sources(path, rate)[0]
        source.require_pictures("a copy with the count", twice=True)
        seconds, out = source.info().seconds, path.with_name("counted.mp4")
        done = source_reader.reading_of_source(source, wishes, lambda second: check(second / seconds / 2))
        annotated.write(out, source, wishes, done, lambda second: check((1 + second / seconds) / 2))
        return out.read_bytes()


def counted(content, given):
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
        "spans": [list(span) for answer in done.reading.clear[:1] for span in answer.repetitions],
    }


def _sources(path, rate):
    """Returns the recordings of an upload, one or those of a packed file.

    Raises:
        RawDataError: there are none, or too many.
    """
    found = search.find([str(path)], rate)
    for problem in itertools.chain(found.problems, found.skipped if not found.sources else ()):
        raise problem
    if len(found.sources) > _MOST_PACKED:
        raise RawDataError(path, f"{len(found.sources)} recordings", f"{_MOST_PACKED} or fewer", "Pack fewer.")
    return found.sources


def _read(path, name, wishes, rate, model, check):
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
            source, wishes, lambda second, all=seconds: check(min(second / all, 1.0))
        )
        if asked:
            done = learners.with_model(source, wishes, done, asked)
        found.append(source_reader.renamed(done, printable(source.name.replace(str(path), name, 1)), notes))
    return found
