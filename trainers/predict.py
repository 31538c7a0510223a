"""Reads how often something repeats in anybody's recordings, with no label, and says so where nothing does.

python -m trainers.predict swing.mp4 videos/ 'clips/**/*.mov' pulse.csv 0

Recordings are video files, folders (of pictures too), patterns, series (.csv, .npy, .wav) and numbers of cameras. The
answers go to `predictions.csv` and `predictions.json`, with what every readout says, and to a picture a recording.
"""

import contextlib
import hashlib
import pathlib
import sys
import time

from absl import flags

from simper_tf.reading import adapted, answers, exported, read
from simper_tf.recordings import search
from simper_tf.recordings.errors import RawDataError, printable
from simper_tf.training import run_folder
from simper_tf.utils import files
from trainers import cli
from trainers.predictions import html, pictures, tables, videos

# Windows of a recording that are printed; the files have all.
_MOST_PRINTED = 20
# Times that writing all answers takes, until they are written again.
_WRITING = 10


def main(names):
    """Reads the recordings of that names; ends with 1 where one could not be read."""
    cli.silence_decoders()
    if not names:
        raise ValueError("there is nothing to read. Name a file, a folder, a pattern or the number of a camera.")
    wishes, folder = wishes_from(flags.FLAGS), pathlib.Path(flags.FLAGS.out)
    model = exported.Exported(flags.FLAGS.model) if flags.FLAGS.model else None
    found, problems, skipped = search.find(names, flags.FLAGS.rate, True)
    for problem in problems:
        _complain(problem)
    for reason in skipped:
        cli.say(f"skipped, no series: {reason}")
    if flags.FLAGS.video:
        if not (len(found) == 1 and found[0].has_pictures):
            raise ValueError(
                f"--video={flags.FLAGS.video} is for one recording with pictures. Found: {len(found)} in all."
            )
        videos.refuse_unwritable(pathlib.Path(flags.FLAGS.video), found[0])
    total = len(problems) + len(found)
    with _alone(folder):
        done = _read_all(found, problems, folder, lambda source: _read(source, wishes, model))
        if done:
            if flags.FLAGS.report:
                paths = [picture_path(folder, each.name) for each in done]
                files.write_atomically(folder / "predictions.html", html.render(done, paths, flags.FLAGS.unit))
            cli.say(f"Written: {folder / tables.CSV}, {folder / tables.JSON}.")
    if problems:
        sys.exit(f"predict: {len(problems)} of {total} could not be read, see above.")


def _read_all(found, problems, folder, read_one):
    """Reads recordings one after another, empties the list of them, and returns a `tables.Done` for each."""
    done, written, due = [], 0, 0.0
    try:
        while found:
            source = found.pop(0)  # What it holds of a file goes with it.
            try:
                opened, read_now = read_one(source)
            except MemoryError:
                _note(problems, RawDataError(source.name, "more than fits into memory", "less", "Read a part of it."))
                continue
            except RawDataError as error:
                _note(problems, error)
                continue
            done.append(read_now)
            if time.monotonic() > due:  # Seldom where there are many, as all of them are written each time.
                began, written = time.monotonic(), len(done)
                tables.write(folder, done, flags.FLAGS.unit)
                due = time.monotonic() + _WRITING * (time.monotonic() - began)
            try:
                _show(folder, opened, read_now)
            except RawDataError as error:
                _note(problems, error)
            done[-1] = read_now.without_courses()
    finally:  # So that nothing that fails loses what was read.
        if written < len(done):
            tables.write(folder, done, flags.FLAGS.unit)
    return done


@contextlib.contextmanager
def _alone(folder):
    """Keeps other commands from writing into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.alone(folder / run_folder.LOCK, wait=False):
            yield
    except files.InUse as error:
        raise files.InUse(f"--out={folder} is written by {error}. Wait for it, or name another folder.") from error


def _note(problems, error):
    problems.append(error)
    _complain(error)


def wishes_from(config) -> read.Wishes:
    """Returns what parsed flags ask for.

    Raises:
        ValueError: a flag has not the form it needs.
    """
    band, box = _numbers("band", config.band, float, 2), None
    if not 0 < band[0] < band[1]:
        raise ValueError(f"--band takes two rising numbers in Hz, such as 0.4,5.5. Found: {','.join(config.band)}")
    if config.crop:
        box = _numbers("crop", config.crop, int, 4)
        if min(box[:2]) < 0 or min(box[2:]) < 1:
            raise ValueError(f"--crop takes x,y,width,height in pixels. Found: {','.join(config.crop)}")
    end = float("inf") if config.end is None else config.end
    if end <= config.start:
        raise ValueError(f"--end={end:g} must be later than --start={config.start:g}.")
    for name in ("window", "hop", "rate"):
        if config[name].value == 0:
            raise ValueError(f"--{name} must be above 0. Found: 0.")
    return read.Wishes(band, config.window, config.hop, config.start, end, box, config.face)


def picture_path(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Returns where the picture of a recording goes: two of the same file name differ in their folders."""
    # No more letters, each of up to four bytes, than leave room for what else is in a name of 255 bytes.
    stem = "".join(letter if letter.isalnum() else "_" for letter in pathlib.Path(name).name[:50])
    return folder / f"{stem}_{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:6]}.png"


def draw(folder: pathlib.Path, done: tables.Done):
    """Writes the picture of a recording into a folder that is there."""
    with files.replacing(picture_path(folder, done.name), "wb") as file:
        pictures.figure(done, flags.FLAGS.unit).savefig(file, format="png", dpi=110)


def _read(source, wishes, model):
    """Reads one recording; returns it as a `read.Opened` and a `tables.Done`."""
    if model:
        model.check(source)
    for flag in ("adapt", "video"):
        if flags.FLAGS[flag].value and (source.has_pictures or flag == "video"):
            source.require_pictures(f"--{flag}", twice=True)
    opened = read.prepare(source, wishes, model and model.shape)
    more = (model,) if model else ()
    if flags.FLAGS.adapt:
        more = (*more, _adapted(opened, flags.FLAGS.adapt))
    total = opened.num_windows
    counter = cli.Counter(printable(source.name), total) if total > _MOST_PRINTED else None
    found = []
    for answer in read.read(opened, more):
        found.append(answer)
        if counter:
            counter(min(len(found), total))
    notes = (*opened.notes, *read.unread(opened, found))
    return opened, tables.Done(source.name, opened.info, notes, answers.agree(found))


def _show(folder, opened, done):
    """Prints what was found in a recording, and writes its picture and its video."""
    cli.say(printable(done.name))
    for note in done.notes:
        cli.say(f"  NOTE {note}")
    for line in tables.lines(done, flags.FLAGS.unit, _MOST_PRINTED):
        cli.say(f"  {line}")
    draw(folder, done)
    if flags.FLAGS.video:
        videos.write(pathlib.Path(flags.FLAGS.video), opened, done, flags.FLAGS.unit)


def _adapted(opened, seconds):
    counter = cli.Counter(f"learning from {printable(opened.source.name)}, second", max(round(seconds), 1))

    def report(left):
        counter.show(min(round(seconds - left), counter.total), f"{cli.clock(left)} left")

    return adapted.adapt(opened, seconds, report=report)


def _numbers(name, texts, kind, count):
    try:
        found = tuple(kind(text) for text in texts)
    except ValueError:
        found = ()
    if len(found) != count:
        raise ValueError(f"--{name} takes {count} numbers with commas between them. Found: {','.join(texts)}")
    return found


def _complain(error):
    print(f"predict: {error}", file=sys.stderr, flush=True)


def define(values=flags.FLAGS):
    """Defines the flags of the command in some `FlagValues`."""
    band = [f"{edge:g}" for edge in read.Wishes().band]
    flags.DEFINE_list("band", band, "Lowest and highest frequency sought, in Hz.", flag_values=values)
    flags.DEFINE_float(
        "window",
        None,
        "Seconds that are read at once; 2.4 periods of the lowest frequency by default.",
        0,
        flag_values=values,
    )
    flags.DEFINE_float(
        "hop", None, "Seconds from one window to the next; half a window by default.", 0, flag_values=values
    )
    flags.DEFINE_float("start", 0.0, "Second at which reading starts.", 0, flag_values=values)
    flags.DEFINE_float(
        "end", None, "Second at which it ends; a camera is recorded until then, 60 s by default.", 0, flag_values=values
    )
    flags.DEFINE_list(
        "crop", None, "Look only at this part of the pictures: x,y,width,height in pixels.", flag_values=values
    )
    flags.DEFINE_boolean(
        "face", False, "Look only at the face, found on the first pictures, and read its pulse too.", flag_values=values
    )
    flags.DEFINE_enum("unit", "hz", list(tables.NAMES), "Unit of what is printed and written.", flag_values=values)
    flags.DEFINE_float(
        "rate",
        None,
        "Frames or samples per second of files that do not say, and at which videos in slow motion were filmed.",
        0,
        flag_values=values,
    )
    flags.DEFINE_string(
        "model", "", "Read by this exported model too: the folder of a run, or of a saved model.", flag_values=values
    )
    flags.DEFINE_float(
        "adapt", 0.0, "Train SimPer for so many seconds on each recording, and read by it too.", 0, flag_values=values
    )
    flags.DEFINE_string(
        "video", "", "Write the one recording here, an .mp4 file, with the reading on its frames.", flag_values=values
    )
    flags.DEFINE_boolean(
        "report", False, "Write one HTML page of all recordings too: predictions.html.", flag_values=values
    )
    flags.DEFINE_string("out", "runs/predict", "Folder of what is written.", flag_values=values)


if __name__ == "__main__":
    define()
    cli.run(main, takes="RECORDING...")
