"""What tables of readings have in common: errors, octaves, true frequencies, and the document they are put into."""

import argparse
import dataclasses
import pathlib

import numpy as np

from simper_tf import files, tables

OCTAVE = 0.25  # Share of the truth beyond which the octave is another.


def errors(truths: np.ndarray, hertz: np.ndarray) -> np.ndarray:
    """Returns the Hz by which each reading is off; of no answer, NaN, all of the truth.

    Args:
        truths: `(N,)` Hz.
        hertz: `(N,)` Hz read, NaN for no answer.
    """
    truths, hertz = np.asarray(truths, np.float64), np.asarray(hertz, np.float64)
    return np.where(np.isfinite(hertz), np.abs(hertz - truths), truths)


def off_by_an_octave(truths: np.ndarray, hertz: np.ndarray) -> np.ndarray:
    """Returns `(N,)`, whether each reading is so far off as if of another octave; arguments are those of `errors`."""
    return errors(truths, hertz) > OCTAVE * np.asarray(truths)


def mean_frequency(turns: np.ndarray, times: np.ndarray, start: float, seconds: float) -> float:
    """Returns the mean frequency in Hz from the first to the last frame of a window.

    Args:
        turns: `(T,)` how many repetitions there have been at each frame of a recording.
        times: `(T,)` seconds of its frames, which are equally far apart.
        start: Second of the window's first frame.
        seconds: As many frames as the window has, each as long as to the next one: the last begins before the end.
    """
    step = times[1] - times[0]
    ends = np.clip([start, start + seconds - step], times[0], times[-1])
    return float(np.diff(np.interp(ends, times, turns))[0] / np.diff(ends)[0])


@dataclasses.dataclass(frozen=True)
class Made:
    """A recording of which the frequency is known.

    Attributes:
        path: Its frames, `.npy`.
        times: `(T,)` seconds of its frames.
        turns: `(T,)` how many repetitions, or beats, there have been.
    """

    path: pathlib.Path
    times: np.ndarray
    turns: np.ndarray

    def frequency(self, start: float, seconds: float) -> float:
        """Returns the mean frequency over some seconds, in Hz; see `mean_frequency`."""
        return mean_frequency(self.turns, self.times, start, seconds)


def changed(parser: argparse.ArgumentParser, args: argparse.Namespace) -> str:
    """Returns a sentence on the flags, but for paths, that are not the defaults of a command; nothing without any."""
    given = {name: value for name, value in vars(args).items() if value != parser.get_default(name)}
    other = [f"--{name}={value}" for name, value in given.items() if not isinstance(value, pathlib.Path)]
    return f" Run with {' '.join(f'`{each}`' for each in other)}." if other else ""


def into_document(path: pathlib.Path | None, command: str, text: str):
    """Puts what a command reports into its place in a document, if there is one."""
    if path:
        files.write_atomically(path, tables.put_table(path.read_text(), command, text, path))
