"""A model trained on recordings, and a look at whether they can be learned from."""

import math
import pathlib
from collections.abc import Sequence

from simper_tf.commands import console
from simper_tf.commands.command_options import Clips, Train
from simper_tf.data import held_out, own_labels
from simper_tf.recordings import search
from simper_tf.training import resumed
from simper_tf.utils import files, quiet
from simper_tf.utils.options import declared, text_of


def train(names: Sequence[str], asked: Train) -> int | None:
    """Trains on recordings and exports the model; says what is proposed, what is left out and what is written.

    A training that was stopped goes on where it was.

    Returns:
        None, or the exit code of one that was stopped.

    Raises:
        WrongWord: labels, or recordings to be held out, do not fit the recordings.
        ValueError: no recording can be used, or what is asked for does not fit them.
        OSError: the model cannot be written.
    """
    found = search.find(list(names), asked.rate, is_fallback=True, time=asked.time, columns=asked.columns)
    folder = pathlib.Path(asked.out)
    _check_words(found.sources, asked)
    names = [source.name for source in found.sources if not source.is_live]
    with resumed.begun(folder / "training", _asked(asked), names) as begun:
        if begun.is_finished:
            console.say(f"Training was finished: {begun.model} is its model. Nothing was to be trained.")
            console.say("Other recordings, --steps or --seed train anew.")
            return None
        return _train(found, folder, asked, begun)


def _check_words(sources, asked):
    """Refuses labels, and recordings to be held out, that do not fit the recordings."""
    with console.checking_words():
        if asked.labels:
            own_labels.stretches_in(asked.labels, sources, (0.0, math.inf))
        held_out.held_out(sources, asked.held_out)


def _train(found, folder, asked, begun):
    console.say("Loading TensorFlow and counting what repeats in the recordings ...")
    quiet.start()
    from simper_tf.training import counted as counting
    from simper_tf.training.from_recordings import from_recordings

    counted = counting.Counted(console.say, begun.hertz)
    wishes = {"method": asked.method, "seed": asked.seed, "hold_out": asked.held_out, "labels": asked.labels or None}
    model = from_recordings(found, counted=counted, **wishes, **_given(asked))
    _say_clips(model.recordings, counted, asked)
    counted(model.held_out)
    begun.hertz = {name: hertz for name, hertz in counted.hertz.items() if name not in counted.told}
    begun.keep()
    hertz = _fitted(model, asked.steps, asked, begun)
    learned = {name: counted.hertz.get(name, ()) for name in hertz}
    if counting.differs(hertz, learned, model.recordings.band):
        console.say("Model and count differ: it trains for as many steps again, once.")
        hertz = _fitted(model, 2 * asked.steps, asked, begun)
    if model.stretches:
        console.say(model.told_by_labels)
    _say_agreement(hertz, counted)
    if model.held_out:
        console.say(f"Held out, nothing was learned from {'them' if model.held_out[1:] else 'it'}:")
        _say_agreement({source.name: _read_by(model, source) for source in model.held_out}, counted)
    _say(counting.worth({*hertz, *(source.name for source in model.held_out)}, counted.hertz, counted.told))
    path = model.export(folder / "saved_model")
    begun.model = str(path)
    begun.keep()
    console.say(f"SavedModel: {path}.")
    other = "new.csv" if model.recordings.are_series else "new.mp4"
    console.say(f"It reads others: simper predict {other} --model={asked.out}")


def _fitted(model, steps, asked, begun):
    """Trains up to so many steps in all, and returns what the model reads of the recordings it learned from."""
    import keras

    class Stopped(keras.callbacks.Callback):
        """Ends the training after the step in which this process was told to stop."""

        def on_train_batch_end(self, batch, logs=None):
            if stop():
                raise console.Interruption(stop.signal)

    with console.StopRequest() as stop:
        model.fit(steps, asked.batch_size, callbacks=[Stopped()], checkpoints=begun.checkpoints)
    return model.frequencies()


def _read_by(model, source):
    """Returns what a model reads of a recording that it has not seen; NaN, with the reason printed, for nothing."""
    try:
        return model.frequency(source.name)
    except ValueError as error:
        _say(f"NOTE {error}")
        return math.nan


def _asked(asked):
    """Returns what a training depends on, beside its recordings: name -> text."""
    settings = {field.name: text_of(getattr(asked, field.name)) for field in declared(asked) if field.name != "out"}
    if asked.labels:
        text = pathlib.Path(asked.labels).read_text(errors="replace")
        settings["labels"] = f"{asked.labels} ({files.checksum(text)})"
    return settings


def validate(names: Sequence[str], asked: Clips) -> int:
    """Reads all recordings and says what can be learned from; returns the exit code, 1 where one cannot be used.

    Raises:
        ValueError: no recording can be used, or what is asked for does not fit them.
    """
    quiet.start()
    from simper_tf.data.recording_clips import Recordings
    from simper_tf.training.counted import Counted

    counted = Counted(console.say)
    recordings = Recordings(names, counted=counted, time=asked.time, columns=asked.columns, **_given(asked))
    noted = _say_clips(recordings, counted, asked)
    which = "The others" if recordings.problems else "All recordings"
    console.say(f"{which} can be used{', but not for what the notes name' * bool(noted)}.")
    return int(bool(recordings.problems))


def _given(asked):
    """Returns the arguments of `Recordings` that are given."""
    given = {name: getattr(asked, name) for name in ("band", "window", "rate")}
    return {name: value for name, value in given.items() if value is not None}


def _say_clips(recordings, counted, asked):
    """Reads all clips, and says how many there are and what is left out; returns notes of what the band leaves out."""
    number, (length, height, width, _) = len(recordings), recordings.clip_shape
    for problem in recordings.problems:
        _say(f"Left out: {problem}")
    what = "samples" if recordings.are_series else f"frames of {height} x {width} pixels"
    low, high = recordings.band
    counts = _counted("recording", len(recordings.sources)), _counted("clip", number)
    console.say(
        f"{', '.join(counts)} of {length / recordings.rate:.3g} s: {length} {what} at {recordings.rate:.4g} per second."
    )
    console.say(f"What repeats at {low:.3g} to {high:.3g} Hz can be read.")
    notes = counted.notes(recordings.band, bool(asked.band))
    for note in notes:
        _say(f"NOTE {note}")
    return notes


def _say_agreement(hertz, counted):
    """Says of each recording that was counted or labeled whether the model reads the same, and whether to use it."""
    from simper_tf.training import counted as counting

    known = {name: counted.hertz[name] for name in hertz if name in counted.hertz}
    for name, frequencies in known.items():
        console.say(f"{name}: {counting.compared(hertz[name], frequencies, name in counted.told)}")
    comparable = {name: frequencies for name, frequencies in known.items() if frequencies}
    agreeing = sum(counting.agrees(hertz[name], frequencies) for name, frequencies in comparable.items())
    console.say(counting.verdict(agreeing, len(comparable)))


def _say(sentence):
    """Prints a sentence of the library; `model` is the flag of simper predict."""
    console.say(console.in_flags(sentence, {"model", *(field.name for field in declared(Train))}))


def _counted(what, number):
    return f"{number} {what}{'s' * (number != 1)}"
