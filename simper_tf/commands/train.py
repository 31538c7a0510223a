"""SimPer trained on recordings, and a look at whether they can be learned from."""

import pathlib
from collections.abc import Sequence

from simper_tf.commands import console
from simper_tf.commands.command_options import Clips, Train
from simper_tf.utils import quiet
from simper_tf.utils.errors import printable


def train(names: Sequence[str], asked: Train):
    """Trains on recordings and exports the model; says what is proposed, what is left out and what is written.

    Raises:
        ValueError: no recording can be used, or what is asked for does not fit them.
        OSError: the model cannot be written.
    """
    console.say("Loading TensorFlow and counting what repeats in the recordings ...")
    quiet.start()
    import keras

    from simper_tf.training import counted as counting
    from simper_tf.training.from_recordings import from_recordings

    counted = counting.Counted(console.say)
    model = from_recordings(names, seed=asked.seed, counted=counted, **_given(asked))
    _say_clips(model.recordings, counted, asked)

    class Shown(keras.callbacks.Callback):
        """Progress, pass by pass."""

        def on_epoch_end(self, epoch, logs=None):
            passes = self.params["epochs"]
            self.counter = getattr(self, "counter", None) or console.Counter("pass", passes)
            if epoch or passes == 1:  # The first one was compiled too: nothing is known of the others.
                self.counter(epoch + 1)

    console.say("The first step is compiled before it runs, which may take a minute ...")
    model.fit(asked.steps, asked.batch_size, callbacks=[Shown()])
    hertz = model.frequencies()
    if counting.differs(hertz, counted.hertz, model.recordings.band):
        console.say("Model and count differ: it trains for as many steps again, once.")
        model.fit(asked.steps, asked.batch_size, callbacks=[Shown()])
        hertz = model.frequencies()
    _say_agreement(hertz, counted.hertz)
    console.say(f"SavedModel: {model.export(pathlib.Path(asked.out) / 'saved_model')}.")
    console.say(f"It reads others: simper predict new.mp4 --model={asked.out}")


def validate(names: Sequence[str], asked: Clips) -> int:
    """Reads all recordings and says what can be learned from; returns the exit code, 1 where one cannot be used.

    Raises:
        ValueError: no recording can be used, or what is asked for does not fit them.
    """
    quiet.start()
    from simper_tf.data.recording_clips import Recordings
    from simper_tf.training.counted import Counted

    counted = Counted(console.say)
    recordings = Recordings(names, counted=counted, **_given(asked))
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
        console.say(f"Left out: {problem}")
    what = "samples" if recordings.are_series else f"frames of {height} x {width} pixels"
    low, high = recordings.band
    counts = _counted("recording", len(recordings.sources)), _counted("clip", number)
    console.say(
        f"{', '.join(counts)} of {length / recordings.rate:.3g} s: {length} {what} at {recordings.rate:.4g} per second."
    )
    console.say(f"What repeats at {low:.3g} to {high:.3g} Hz can be read.")
    notes = counted.notes(recordings.band, f"--band={asked.band[0]:g},{asked.band[1]:g}" if asked.band else "")
    for note in notes:
        console.say(f"NOTE {note}")
    return notes


def _say_agreement(hertz, counted):
    """Says of each recording that was counted whether the model reads the same, and whether to use it."""
    from simper_tf.training import counted as counting

    for name, frequencies in counted.items():
        if name in hertz:
            console.say(f"{printable(name)}: {counting.compared(hertz[name], frequencies)}")
    told = {name: frequencies for name, frequencies in counted.items() if frequencies and name in hertz}
    agreeing = sum(counting.agrees(hertz[name], frequencies) for name, frequencies in told.items())
    console.say(counting.verdict(agreeing, len(told)))


def _counted(what, number):
    return f"{number} {what}{'s' * (number != 1)}"
