"""Rules of the reader of series, and the series on which `benchmarks.rules` switches them off.

They are the groups G and I of `benchmarks/unseen.csv`, `series2`, windows of hearts of `benchmarks.series`, published
and generated, and controls of a minute, ten minutes and an hour.
"""

import pathlib
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from benchmarks import ablation, controls, real, series, unseen
from benchmarks.ablation import Rule
from simper_tf.reading.series import (
    beat_courses,
    beat_shapes,
    beat_stretches,
    beats,
    handling,
    motion,
    rhythms,
    series_reader,
    spectral_lines,
    tempo_spans,
    tempos,
    uneven,
)
from simper_tf.recordings import sources
from simper_tf.utils.errors import RawDataError

GROUPS = "GI"
# Seconds of controls, and of each kind that many; and generated hearts of a kind.
CONTROLS, GENERATED = {60: 8, 600: 3, 3600: 1}, 2

_SOURCES, _COURSES, _JUDGED = beat_courses._sources, beat_courses._courses, tempos.judged
_COURSE, _TRIED, _FOUND = ("best", "tries", "find_in"), ("tries", "find_in"), ("find_in",)


def _without(name):
    return lambda *given: ((kind, course) for kind, course in _COURSES(*given) if kind != name)


def _plain(places, curve, is_known, half):
    return np.diff(places + beat_shapes.shift(curve, places))


RULES = {
    "speed": Rule("its speed is one", beat_courses, "_courses", _without("speed"), _COURSE),
    "slope": Rule("its slopes are one", beat_courses, "_courses", _without("slope"), _COURSE),
    "energy": Rule("energy above the band is one", beat_courses, "_courses", _without("energy"), _COURSE),
    "common": Rule("channels have a part in common", beat_courses, "_sources", lambda *given: (
        source for source in _SOURCES(*given) if source[0] is not None), _COURSE),
    "flat": Rule("flat energy shows no beats", beat_courses, "_FLAT", 0.0, _COURSE),
    "faint": Rule("what filters leave of nothing is nothing", beat_courses, "_FAINT", 0.0, _COURSE),
    "holes": Rule("nothing is known in holes", beat_courses, "_HOLE", np.inf, _TRIED),
    "periods": Rule("six periods of a course are tried, not three", beats, "_PERIODS", 3, _TRIED),
    "rounds": Rule("the template is learned in two rounds, not one", beats, "_ROUNDS", 1, _TRIED),
    "cost": Rule("uneven intervals cost likeness", beats, "_COST", 0.0, _TRIED),
    "lost": Rule("intervals to lost beats do not count", beats, "_LOST", -2.0, _TRIED),
    "intervals": Rule("intervals are those seen whole", beats, "_intervals", _plain, _TRIED),
    "tops": Rule("tops lie between samples", beat_shapes, "shift", lambda curve, places: 0.0, _TRIED),
    "quiet": Rule("likeness counts less where little happens", beat_shapes, "_QUIET", 1e-9, _TRIED),
    "even": Rule("intervals are even below a bound", beats, "_EVEN", 0.0, _TRIED),
    "faster": Rule("beats alike between beats are faster ones", beats, "_FASTER", 9.0, _FOUND),
    "bounded": Rule("odds are bounded", beats, "_MOST_ODDS", np.inf, _FOUND),
    "line": Rule("the line of a spectrum tells sureness", beat_shapes, "line", lambda *given: 0.0, _FOUND),
    "part": Rule("a part of what is faster is none", spectral_lines, "is_part", lambda *given: False),
    "folded": Rule("samples fold harmonics back", spectral_lines, "_folded", lambda share, places, reach: 0 * places),
    "pairs": Rule("a pair is one repetition", tempo_spans, "_is_part_of", lambda *given: False),
    "slow spans": Rule("three slow spans are read, not one", tempo_spans, "_SLOW", 1),
    "joined": Rule("stretches are joined", beat_stretches, "_joined", lambda answers: answers),
    "support": Rule("neighbors support a tempo", tempos, "_SUPPORT", 0.0),
    "judged": Rule("stretches are judged together", tempos, "judged", lambda heard, looks: list(heard)),
    "apart": Rule("channels that vary apart are looks", beat_stretches, "_apart", lambda values: 1.0),
    "looks": Rule("looks cost odds", tempos, "judged", lambda heard, looks: _JUDGED(heard, 1)),
    "tried": Rule("three candidates of a stretch, not one", tempos, "_TRIED", 1),
    "motion": Rule("motion is taken out of a pulse", motion, "channels", lambda names: ([], [])),
    "agreed": Rule("channels that agree are read", series_reader, "_agreed", lambda *given: ([], [])),
    "handling": Rule("handling at both ends is left out", handling, "outside", lambda values: slice(0, len(values))),
    "bouts": Rule("bouts are sought in shorter stretches", series_reader, "_of_bouts", lambda *given: ([], [])),
    "least": Rule("slower clocks are asked where little is clear", series_reader, "_LEAST", 0.0),
    "most": Rule("but not where much is", series_reader, "_LEAST", 1.0),
    "uneven": Rule("uneven times have lines", uneven, "is_one", lambda times: False),
    "slow noise": Rule("slow noise has lines too", uneven, "_is_of_slow_noise", lambda *given: False),
    "halves": Rule("both halves show the line", uneven, "_IN_HALVES", -1e9),
    "explained": Rule("a line explains much", uneven, "_EXPLAINED", 0.0),
    "chance": Rule("a line is no chance", uneven, "_BY_CHANCE", np.inf),
    "means": Rule("means of bursts show lines", uneven, "clearest_of_means", lambda *given: []),
    "rivals": Rule("rivals of a line count", uneven, "_LEAST_CHANCE", 0.0),
    "channels": Rule("channels of slow series are read each", rhythms, "_channels", lambda values: (None,)),
    "fine clock": Rule("many samples have a finer clock", rhythms, "_AS_IF_RATE", np.inf),
    "whole": Rule("all spans of a slow series are told", rhythms, "_of_whole", lambda *given: []),
    "seen": Rule("a rhythm fills much, or is often", rhythms, "_is_often", lambda *given: True),
    "sharp": Rule("a rhythm is at its sharp line", rhythms, "_on_line", lambda answer, *given: answer),
    "shown": Rule("a rhythm has a share of the power", rhythms, "_SHOWN", 0.0),
    "parts": Rule("parts between long holes are read", rhythms, "parts", lambda times: [slice(None)]),
    "clocks": Rule("clocks between the slowest and the first", rhythms, "_STEP", 1e9),
    "overlap": Rule("clocks overlap", rhythms, "_OVERLAP", 1.0),
}  # fmt: skip
REMEMBERED = ((beat_courses, "best"), (beats, "tries"), (beats, "find_in"))


class Item(NamedTuple):
    """A recording.

    Attributes:
        part: That it belongs to.
        name: Of it.
        judge: Reads it, and returns the outcome of it, or of each window.
    """

    part: str
    name: str
    judge: Callable[[], tuple[str, ...]]


def items(folder: pathlib.Path, published: pathlib.Path) -> Iterator[Item]:
    """Yields the recordings that are there.

    Args:
        folder: Of files of `unseen.csv`.
        published: Of the folders `series`, `series2` and `phone_ppg`.
    """
    for row in unseen.listed():
        path = unseen.path_of(row, folder)
        if row["group"] in GROUPS and path.is_file():
            yield from _file("files", path, row)
    for row in real.listed_in(published / "series2" / "truth.csv"):
        yield from _file("files", published / "series2" / row["file"], {"tolerance": "0.03", **row})
    for name in ("series", "phone_ppg"):
        for heart in series.real_hearts(published / name):
            yield Item("hearts", heart.kind, lambda heart=heart: _of_heart(heart))
    for heart in series.generated_hearts(GENERATED):
        yield Item("hearts", heart.kind, lambda heart=heart: _of_heart(heart))
    for seconds, each in CONTROLS.items():
        times = np.arange(0, seconds, 1 / next(rate for length, rate, *_ in controls.CASES if length == seconds))
        for kind in controls.KINDS:
            for number in range(100, 100 + each):
                values = controls.made(kind, times, np.random.default_rng(number))[:, None]
                yield Item("controls", f"{kind}, {seconds} s", lambda times=times, values=values: (
                    real.ANSWERED if controls.is_answered(times, values) else real.REFUSED,))  # fmt: skip


def _file(part, path, row):
    """Yields a file, none if it cannot be opened or is no series."""
    true = real.truth(row)
    try:
        source = sources.open_file(path, true.rate, is_fallback=True)
        if source.has_pictures:
            return
        times, values = source.part(0.0, np.inf)
    except RawDataError as refusal:
        print(refusal)
        return
    names = tuple(source.names)
    yield Item(part, row["file"], lambda: (
        real.outcome(true, series_reader.reading_of_samples(times, values, names=names).clear)[0],))  # fmt: skip


def _of_heart(heart):
    """Returns outcomes of all windows, as one of the whole recording, and each by itself."""
    windows = list(series.windows(heart))
    alone = [bpm if sure >= series.SURE else np.nan for bpm, sure in map(series.own, windows)]
    return tuple(
        real.SILENT if np.isnan(found) else real.RIGHT if abs(found - window.bpm) < series.RIGHT else real.WRONG
        for answers in ([window.whole for window in windows], alone)
        for window, found in zip(windows, answers, strict=True)
    )


def parts(
    folder: pathlib.Path, published: pathlib.Path, names: list[str], longest: float
) -> list[tuple[str, ablation.Rows]]:
    """Reads all recordings with every rule and without each of some; returns heads and outcomes of parts.

    Args:
        folder, published: As `items` takes them.
        names: Of rules.
        longest: CPU seconds of a reading with every rule, above which a recording is left out: dozens follow.
    """
    rows: dict[str, ablation.Rows] = {}
    left = []
    for item in items(folder, published):
        began, without = time.process_time(), {}
        for name, outcomes in ablation.said(item.judge, RULES, names, REMEMBERED):
            without[name] = outcomes
            if not name and time.process_time() - began > longest:
                left.append(item.name)
                break
        else:
            rows.setdefault(item.part, []).append(without)
        moved = {name: len(found) == 1 and found[0] for name, found in without.items() if name and found != without[""]}
        print(item.part, item.name, *set(without[""]), moved, sep=" | ", flush=True)
    print(f"{len(left)} take more than {longest:g} s and are left out: {', '.join(left)}.")
    return [(f"{part.capitalize()}: {len(some)} recordings.", some) for part, some in rows.items()]
