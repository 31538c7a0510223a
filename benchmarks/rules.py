"""Rules of the reader of films switched off one by one: what each is good for.

python -m benchmarks.rules --films=FOLDER [--real=FOLDER] [--kept=runs/frames] [--only=NAME,...] [--document=FILE]

Films are those of `benchmarks.films`. Each is decoded once, and what a rule leaves as it is is computed once. A row
tells the outcomes without a rule: on films that were at hand when rules were made, and on the others.
"""

import argparse
import contextlib
import hashlib
import pathlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks import document, films, real
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import (
    camera,
    compression,
    courses,
    events,
    film_reader,
    halves,
    magnitudes,
    movement,
    places,
    rhythm_reader,
    skin,
    stretches,
)

COMMAND = "python -m benchmarks.rules"
COUNTED = (real.RIGHT, films.OCTAVE, real.WRONG, real.SILENT, real.ANSWERED)
# A wrong answer is worse than none.
RANKS = {real.RIGHT: 2, real.REFUSED: 2, real.SILENT: 1, films.OCTAVE: 0, real.WRONG: 0, real.ANSWERED: 0}


class Rule(NamedTuple):
    """How a rule is switched off.

    Attributes:
        what: It does, in words.
        where: Module of a function or number.
        name: Of that.
        instead: What stands there without the rule.
        inside: Names of what is remembered otherwise, see `REMEMBERED`, and is other then.
    """

    what: str
    where: Any
    name: str
    instead: Any
    inside: tuple[str, ...] = ()


def _nothing_heard(times, gray):
    return rhythm_reader.Heard(*(np.zeros(0),) * 3, np.inf)


_LOOKS, _TOLD = film_reader._looks, places.told
_EARLY = ("candidates",)

RULES = {
    "network": Rule("the network is asked", rhythm_reader, "hear", _nothing_heard, ("hear", "candidates")),
    "ladder": Rule("drift is taken out on a ladder of time spans", courses, "SPAN_STEP", 1e9, _EARLY),
    "rungs": Rule("rungs fall by a factor of three, not of nine", courses, "SPAN_STEP", 9.0, _EARLY),
    "tile courses": Rule("courses of tiles, beside those of the picture", courses, "TILE_COURSES", 0, _EARLY),
    "second course": Rule("a second course of each tile", courses, "TILE_COURSES", 1, _EARLY),
    "smoothings": Rule("peaks of three smoothings, not of one", events, "SMOOTHINGS", (24.0,), _EARLY),
    "own halves": Rule("two halves of a course are one cycle", halves, "full", lambda run: (run, False), _EARLY),
    "differ": Rule("halves differ by more than sampling", events, "differ", lambda *given: True, _EARLY),
    "many weighed": Rule("80 candidates are weighed, not 30", movement, "WEIGHED", 30, _EARLY),
    "few of a tempo": Rule("8 candidates of a tempo, not 3", movement, "OF_A_TEMPO", 3, _EARLY),
    "whole cycles": Rule("slower and faster readings are compared", movement, "whole_cycle", lambda one, *_: one),
    "picture halves": Rule("the picture tells halves", halves, "are_halves", lambda run: False),
    "sampled": Rule("cycles that frames catch differently", movement, "SAMPLED", 1),
    "longest": Rule("the longest run stands for its parts", movement, "longer", lambda *given: []),
    "second movement": Rule("a second movement is told", places, "told", lambda *g: _TOLD(*g)[:1]),
    "magnitudes": Rule("magnitudes are read last", film_reader, "_looks", lambda gray: (
        look for look in _LOOKS(gray) if not look.of_magnitudes)),
    "coarse patterns": Rule("coarse patterns confirm magnitudes", magnitudes, "show_in_coarse",
                            lambda seen, hertz, size: [True] * len(hertz)),
    "smaller pictures": Rule("smaller pictures confirm magnitudes", movement, "confirmed", lambda some, others: some),
    "few halves": Rule("pictures tell halves of magnitudes", halves, "are_few_halves", lambda run, scores: False),
    "even light": Rule("light that changes is taken out", camera, "evened", lambda gray: None, ("evened",)),
    "steady camera": Rule("the camera's path is taken out", camera, "steadied", lambda gray: (gray, None),
                          ("steadied",)),
    "too far": Rule("nothing is read where the camera moves too far", camera, "_is_too_far", lambda *given: False,
                    ("steadied", "_path")),
    "few textured": Rule("few tiles tell a pan alone", camera, "FEWEST_TILES", 1, ("steadied", "_path")),
    "moves as one": Rule("no magnitudes where the picture moves as one", camera, "moves_as_one", lambda gray: False),
    "key frames": Rule("faint repetition of key frames is none", compression, "_is_of_keys", lambda *given: False),
    "frame patterns": Rule("faint patterns of frames are none", compression, "_is_pattern", lambda *given: False),
    "fainter": Rule("what is fainter than pixels make is none", compression, "_is_fainter", lambda *given: False),
    "related": Rule("nor are its multiples", compression, "_related", lambda *given: False),
    "pulse": Rule("a pulse of skin is read where nothing moves", film_reader, "_skin", lambda *given, **named: []),
    "skin in step": Rule("halves of the skin pulse in step", skin, "_in_step", lambda *given: True),
    "skin of pans": Rule("no pulse under a camera that pans", camera, "pans", lambda gray: False),
    "cuts seen": Rule("cuts are seen in much of the picture", stretches, "_is_seen", lambda *given: True, ("cuts",)),
    "fades": Rule("fades are cut off", stretches, "_without_fades", lambda piece: [piece]),
    "cuts": Rule("scenes are read by themselves", stretches, "cuts", lambda *given: [], ("cuts",)),
    "aligned": Rule("events are aligned in the whole picture", events, "aligned", lambda run: run),
    "extended": Rule("events are looked for beside a run", events, "extended", lambda run: run),
}  # fmt: skip
# What most rules leave as it is; it takes most of the time.
REMEMBERED = (
    (stretches, "cuts"), (courses, "tile_scores"), (camera, "_path"), (camera, "steadied"), (camera, "evened"),
    (magnitudes, "of"), (rhythm_reader, "hear"), (movement, "candidates"),
)  # fmt: skip


@contextlib.contextmanager
def without(name: str) -> Iterator[None]:
    """Switches a rule off.

    Raises:
        ValueError: there is no such rule.
    """
    if name not in RULES:
        raise ValueError(f"{name}: there is no such rule. There are: {', '.join(RULES)}.")
    rule = RULES[name]
    with mock.patch.object(rule.where, rule.name, rule.instead):
        yield


def said(some: films.Frames, names: Iterable[str]) -> dict[str, float | None]:
    """Returns the frequency that is told of a film, with every rule, by the name "", and without each of some."""
    known: dict = {}
    told = {}
    for name in ("", *names):
        inside = RULES[name].inside if name else ()
        with contextlib.ExitStack() as patches:
            for where, function in REMEMBERED:
                if function not in inside:
                    remembering = _remembering(getattr(where, function), known)
                    patches.enter_context(mock.patch.object(where, function, remembering))
            if name:
                patches.enter_context(without(name))
            told[name] = films.surest(films.reading_of(some))
    return told


def _remembering(function: Callable, known: dict) -> Callable:
    """A function that computes what it is given once."""

    def remembering(*given):
        digest = hashlib.blake2b(function.__name__.encode())
        for one in given:
            for part in one if isinstance(one, tuple) else (one,):
                digest.update(np.ascontiguousarray(part).tobytes())
        key = digest.digest()
        if key not in known:
            known[key] = function(*given)
        return known[key]

    return remembering


def report(rows: list[tuple[films.Film, dict[str, float | None]]]) -> str:
    """Returns Markdown: a row a rule with the outcomes without it, on films at hand and on the others."""
    parts = []
    for groups, title in ((films.AT_HAND, "at hand"), (films.TEST, "others")):
        inside = [(film, told) for film, told in rows if film.group in groups]
        lines = []
        for name in rows[0][1]:
            outcomes = Counter(films.outcome(film.hertz, told[name]) for film, told in inside)
            better, worse = _changed(inside, name)
            what = f"{name}: {RULES[name].what}" if name else "with every rule"
            cells = [outcomes[one] for one in COUNTED] + ([better, worse] if name else ["-", "-"])
            lines.append([what, *map(str, cells)])
        repeat = sum(bool(film.hertz) for film, _ in inside)
        head = f"Films {title}: {repeat} repeat, {len(inside) - repeat} are controls."
        columns = ("without", *COUNTED[:-1], "controls answered", "better", "worse")
        parts.append(head + "\n\n" + markdown_tables.markdown_table(columns, lines))
    return "\n\n".join(parts)


def _changed(rows, name):
    """Films that are told better without a rule, and worse."""
    pairs = [[RANKS[films.outcome(film.hertz, told[one])] for one in (name, "")] for film, told in rows]
    return sum(now > before for now, before in pairs), sum(now < before for now, before in pairs)


def main():
    """Reads all films with every rule and without each, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--films", type=pathlib.Path, required=True, help="Folder of films of unseen.csv.")
    parser.add_argument("--real", type=pathlib.Path, required=True, help="Folder of videos and videos2.")
    parser.add_argument("--kept", type=pathlib.Path, default=pathlib.Path("runs/frames"), help="Small frames.")
    parser.add_argument("--only", default=",".join(RULES), help="Rules, with commas between.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the tables are put into.")
    given = parser.parse_args()
    names = given.only.split(",")
    if wrong := [name for name in names if name not in RULES]:
        parser.error(f"--only={given.only}: there is no rule {', '.join(wrong)}. There are: {', '.join(RULES)}.")
    rows = []
    for film, some in films.all_frames(given.films, given.real, given.kept):
        rows.append((film, said(some, names)))
        print(film.group, film.name, film.hertz, rows[-1][1], sep=" | ", flush=True)
    told = report(rows)
    print(told)
    document.into_document(given.document, COMMAND, told)


if __name__ == "__main__":
    main()
