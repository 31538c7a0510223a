"""Rules of the readers switched off one by one: what each is good for.

python -m benchmarks.rules --films=FOLDER --real=FOLDER [--kept=runs/frames] [--only=NAME,...] [--document=FILE]
python -m benchmarks.rules --series=FOLDER --real=FOLDER [--only=NAME,...] [--document=FILE]

Films are those of `benchmarks.films`, series those of `benchmarks.series_rules`. Each is opened once, and what a rule
leaves as it is is computed once. A row tells the outcomes without a rule that moves some.
"""

import argparse
import pathlib
from collections.abc import Iterator

import numpy as np

from benchmarks import ablation, document, films, series_rules
from benchmarks.ablation import Rule
from simper_tf.reading.films import (
    camera,
    compression,
    counters,
    courses,
    events,
    film_reader,
    follow,
    halves,
    hints,
    magnitudes,
    movement,
    places,
    rhythm_network,
    skin,
    stretches,
)

COMMAND = "python -m benchmarks.rules"


def _nothing_heard(times, gray):
    return rhythm_network.Heard(*(np.zeros(0),) * 3, np.inf)


_LOOKS, _DISTINCT = camera.looks, places.distinct
_EARLY = ("proposed",)

RULES = {
    "network": Rule("the network is asked", rhythm_network, "hear", _nothing_heard, ("hear",)),
    "ladder": Rule("drift is taken out on a ladder of time spans", courses, "SPAN_STEP", 1e9, _EARLY),
    "rungs": Rule("rungs fall by a factor of three, not of nine", courses, "SPAN_STEP", 9.0, _EARLY),
    "tile courses": Rule("courses of tiles, beside those of the picture", courses, "TILE_COURSES", 0, _EARLY),
    "second course": Rule("a second course of each tile", courses, "TILE_COURSES", 1, _EARLY),
    "smoothings": Rule("peaks of three smoothings, not of one", hints, "SMOOTHINGS", (24.0,), _EARLY),
    "own halves": Rule("two halves of a course are one cycle", halves, "full", lambda run: (run, False), _EARLY),
    "differ": Rule("halves differ by more than sampling", events, "differ", lambda *given: True, _EARLY),
    "many weighed": Rule("80 candidates are weighed, not 30", movement, "WEIGHED", 30, _EARLY),
    "few of a tempo": Rule("8 candidates of a tempo, not 3", movement, "OF_A_TEMPO", 3, _EARLY),
    "whole cycles": Rule("slower and faster readings are compared", movement, "whole_cycle", lambda run, *_: run),
    "sampled": Rule("cycles that frames catch differently", movement, "SAMPLED", 1),
    "longest": Rule("the longest run stands for its parts", movement, "longer", lambda *given: []),
    "shown": Rule("the picture or the network shows it", film_reader, "is_shown", lambda shown: True),
    "counters": Rule("digits that count are told", counters, "is_counter", lambda frames, run: False),
    "second movement": Rule("a second movement is told", places, "distinct", lambda *g: _DISTINCT(*g)[:1]),
    "magnitudes": Rule("magnitudes are read late", camera, "looks", lambda gray: (
        look for look in _LOOKS(gray) if not look.of_magnitudes)),
    "shifts": Rule("shifts of tiles are read last of all", camera, "looks", lambda gray: (
        look for look in _LOOKS(gray) if not look.of_shifts)),
    "coarse patterns": Rule("coarse patterns confirm magnitudes", magnitudes, "show_in_coarse",
                            lambda seen, hertz, size: [True] * len(hertz)),
    "smaller pictures": Rule("smaller pictures confirm magnitudes", movement, "confirmed", lambda some, others: some),
    "followed": Rule("what goes through the picture is followed", follow, "followed", lambda gray: None),
    "steady camera": Rule("the camera's path is taken out", camera, "steadied", lambda gray, *steps: (gray, None),
                          ("steadied",)),
    "too far": Rule("nothing is read where the camera moves too far", camera, "_is_too_far", lambda *given: False,
                    ("steadied", "_path")),
    "few textured": Rule("few tiles tell a pan alone", camera, "FEWEST_TILES", 1, ("steadied", "_path")),
    "of the file": Rule("tempos of the file must be less faint", compression, "_is_of_file", lambda *given: False),
    "fainter": Rule("what is fainter than file and pixels make is none", compression, "_is_fainter",
                    lambda *given: False),
    "pulse": Rule("a pulse of skin is read where nothing moves", skin, "answers", lambda *given, **named: []),
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
    (stretches, "cuts"), (courses, "tile_scores"), (camera, "_path"), (camera, "steadied"),
    (magnitudes, "of"), (rhythm_network, "hear"), (movement, "proposed"),
)  # fmt: skip


def film_parts(rows: list[tuple[films.Film, dict[str, float | None]]]) -> Iterator[tuple[str, ablation.Rows]]:
    """Yields heads and outcomes of films at hand, and of the others."""
    for groups, title in ((films.AT_HAND, "at hand"), (films.TEST, "others")):
        inside = [(film, answers) for film, answers in rows if film.group in groups]
        if not inside:
            continue
        repeat = sum(bool(film.hertz) for film, _ in inside)
        yield (
            f"Films {title}: {repeat} repeat, {len(inside) - repeat} are controls.",
            [
                {name: (films.outcome(film.hertz, hertz),) for name, hertz in answers.items()}
                for film, answers in inside
            ],
        )


def read_films(given: argparse.Namespace, names: list[str]) -> Iterator[tuple[films.Film, dict[str, float | None]]]:
    """Yields films with what is told of them with every rule, by the name "", and without each of some."""
    for film, some in films.all_frames(given.films, given.real, given.kept):
        answers = dict(ablation.said(lambda some=some: films.surest(films.reading_of(some)), RULES, names, REMEMBERED))
        print(film.group, film.name, film.hertz, answers, sep=" | ", flush=True)
        yield film, answers


def main():
    """Reads all films or series with every rule and without each, and prints the table."""
    parser = document.flags(__doc__)
    kinds = parser.add_mutually_exclusive_group(required=True)
    kinds.add_argument("--films", type=pathlib.Path, help="Folder of films of unseen.csv.")
    kinds.add_argument("--series", type=pathlib.Path, help="Folder of series of unseen.csv.")
    parser.add_argument("--real", type=pathlib.Path, required=True, help="Folder of videos, videos2, series and so on.")
    parser.add_argument("--kept", type=pathlib.Path, default=pathlib.Path("runs/frames"), help="Small frames.")
    parser.add_argument("--longest", type=float, default=6.0, help="CPU seconds that a series takes with every rule.")
    parser.add_argument("--only", help="Rules, with commas between; all if not given.")
    given = parser.parse_args()
    rules = series_rules.RULES if given.series else RULES
    names = given.only.split(",") if given.only else list(rules)
    if wrong := [name for name in names if name not in rules]:
        parser.error(f"--only={given.only}: there is no rule {', '.join(wrong)}. There are: {', '.join(rules)}.")
    if given.series:
        parts = series_rules.parts(given.series, given.real, names, given.longest)
    else:
        parts = film_parts(list(read_films(given, names)))
    report = ablation.report(parts, rules)
    document.say(given.document, f"{COMMAND} --series" if given.series else COMMAND, report)


if __name__ == "__main__":
    main()
