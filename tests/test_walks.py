"""Walks through the house: a clip visits the files that CONTRIBUTING.md names, few of them, and seldom turns back."""

import concurrent.futures
import itertools
import pathlib
import re
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from test_layers import ROOT, imported, modules, name_of

from simper_tf.encoders import small
from simper_tf.losses import info_nce
from simper_tf.methods import SimPer
from simper_tf.reading import source_reader
from simper_tf.recordings import sources
from simper_tf.utils import ahead
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views

# Heading of the walk -> files at most, and at most so many returns to a file that was left.
LIMITS = {"From the builder to the loss": (15, 12), "From a recording to its answer": (13, 9)}
# What hands a clip back to where it came from.
HANDING_BACK = {"utils", "filters.py"}
# Words of a stop to which no import leads.
HANDED_OVER = ("from disk", "by argument")
KNOWN = {name: path for part in ("simper_tf", "datasets") for name, path in modules(part).items()}


def stops(heading):
    """Returns the paths of a walk with what is said of each, in their order."""
    text = (ROOT / "CONTRIBUTING.md").read_text().split(f"### {heading}\n")[1].split("\n#")[0]
    lines = re.findall(r"^\d+\. `([^`]+\.py)`(.*(?:\n   .*)*)", text, re.MULTILINE)
    return {ROOT / path: said for path, said in lines}


@pytest.mark.parametrize("heading", LIMITS)
def test_a_walk_is_short_and_its_files_are_there(heading):
    walk = stops(heading)
    assert 5 < len(walk) <= LIMITS[heading][0]
    assert all(path.is_file() for path in walk)


@pytest.mark.parametrize("heading", LIMITS)
def test_imports_lead_from_each_stop_to_the_next_one(heading):
    walk = stops(heading)
    uses = {path: {KNOWN.get(word) for word in imported(path)} for path in walk}
    for earlier, later in itertools.pairwise(walk):
        if not any(word in walk[later] for word in HANDED_OVER):
            before = [*walk][: [*walk].index(later)]
            assert any(later in uses[path] or path in uses[later] for path in before), f"{earlier} -> {later}"


class Arrived(Exception):
    """The clip is at the loss."""


def holds_clips(value):
    """Returns whether a value, or one inside it, is an array of clips, of what is made of them, or of their scores."""
    if isinstance(value, dict | list | tuple):
        return any(map(holds_clips, value.values() if isinstance(value, dict) else value))
    return isinstance(value, tf.Tensor | np.ndarray) and len(value.shape) >= 3


def trip(function):
    """Returns the files of the package whose functions were called with clips, but for `HANDING_BACK`, in order."""
    files = []

    def look(frame, event, _):
        path = pathlib.Path(frame.f_code.co_filename)
        if event == "call" and ROOT / "simper_tf" in path.parents and not HANDING_BACK & {*path.parts}:
            code = frame.f_code
            given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
            if holds_clips(given) and files[-1:] != [path]:
                files.append(path)

    sys.setprofile(look)
    try:
        function()
    except Arrived:
        pass
    finally:
        sys.setprofile(None)
    return files


@pytest.fixture
def step(swinging_bars, monkeypatch):
    """Returns a function that takes clips from a batch to the loss of SimPer, op by op."""
    model = SimPer(small((None, None, 1), widths=(4,)), Views(16, SpeedSets(2)))
    model.compile(keras.optimizers.SGD())
    original = info_nce.generalized_info_nce

    def arrive(*arguments):
        original(*arguments)
        raise Arrived

    monkeypatch.setattr(info_nce, "generalized_info_nce", arrive)
    return lambda: model.train_step(tf.constant(swinging_bars[0]))


@pytest.mark.slow
def test_a_clip_of_a_batch_visits_the_files_of_its_walk_alone(step):
    heading = "From the builder to the loss"
    files, walk = trip(step), [*stops(heading)]
    visited = [path for path in walk if path in files]
    assert {*files} == {*visited}, [name_of(path) for path in files if path not in walk]
    assert visited[0] == ROOT / "simper_tf/methods/base.py"
    assert visited[-1] == files[-1] == ROOT / "simper_tf/losses/info_nce.py"
    # What does not run here comes before it.
    others = [path.relative_to(ROOT).parts[:2] for path in walk if path not in files]
    assert {part[part[0] == "simper_tf"] for part in others} == {"datasets", "data", "training"}
    returns = len(files) - len({*files})
    assert returns <= LIMITS[heading][1], " ".join(path.stem for path in files)


class AtOnce:
    """An executor without a thread, so that the way of frames has an order."""

    def __init__(self, number):
        self.number = number

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, function, *given):
        future = concurrent.futures.Future()
        future.set_result(function(*given))
        return future


@pytest.mark.slow
def test_frames_of_a_recording_visit_only_the_files_of_its_walk(tmp_path, monkeypatch):
    monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", AtOnce)
    monkeypatch.setattr(ahead, "read_ahead", lambda items, most: items)
    heading, columns, times = "From a recording to its answer", np.arange(24), np.arange(120) / 12
    places = 12 + 3 * np.sin(2 * np.pi * 0.7 * times)
    # Most of the ground stays bright and shows a steady light: under a changing one all of it is done twice.
    bars = 90 + 130 * np.exp(-0.5 * np.square((columns - places[:, None]) / 1.5))
    np.save(tmp_path / "bar.npy", np.repeat(bars[:, None].astype(np.uint8), 24, axis=1))
    source = sources.open_file(tmp_path / "bar.npy", 12.0)
    files, walk = trip(lambda: source_reader.reading_of_source(source)), [*stops(heading)]
    assert {*files} <= {*walk}, [name_of(path) for path in files if path not in walk]
    # Videos alone are decoded, in another process.
    assert {path.stem for path in walk if path not in files} == {"sources", "video", "decoding"}
    # What is done of each course in turn counts once.
    steps = [*dict.fromkeys(itertools.pairwise(files))]
    returns = sum(later in files[: files.index(earlier) + 1] for earlier, later in steps)
    assert returns <= LIMITS[heading][1], " ".join(path.stem for path in files)
