"""Reading of a whole recording: frames at their own times to what repeats.

    reading = film_reader.reading_of_frames(frames)  # (seconds, (H, W, C) uint8), longest side up to 80
    for answer in reading.clear:
        print(answer.hertz, answer.count, answer.repetitions)

Every scene is read by itself. No band, no window and no tempo is asked
for: from 0.05 Hz to 45 % of the frame rate whatever repeats at least
two and a half times is an answer.
"""

import concurrent.futures
import dataclasses
import functools
import math
from collections.abc import Iterable
from itertools import compress

import numpy as np
import threadpoolctl

from simper_tf.reading import continued, intervals, result
from simper_tf.reading.films import (
    camera,
    compression,
    counters,
    courses,
    events,
    magnitudes,
    movement,
    places,
    rhythm_network,
    skin,
    stretches,
)
from simper_tf.reading.films.verdict import Evidence, box
from simper_tf.signals import filters

LOWEST_HERTZ = 0.05  # Six periods fill the longest stretch that is read, 120 s.
FEWEST = 2.5  # Repetitions in a result: two may be chance.
# Share of what moves in the picture that must come back where the network does not hold the tempo the likeliest. Digits
# of a clock beside a plot turn evenly, and are 0.01 to 0.06. Right ones of `benchmarks/evidence.csv` have 0.19 or more.
LEAST_SHOWN = 0.1
FEWEST_FRAMES = 8  # In a scene that is read.
# Chance by the network of the tempo that it holds the likeliest, at least: where none is, all have 0.05 to 0.08. And by
# what factor it exceeds that of any other: of a crowd, or of cars that pass, by 1.2 at most.
LIKELIEST, AHEAD = 0.1, 1.2
# Root mean square of the change of a pixel, in gray levels, below which nothing moves.
STILL = 0.15
_HIDDEN_PULSE = "Skin may show a pulse behind what moves: `face` reads it alone."
_ORDER = (
    result.CLEAR, result.UNCLEAR, result.TOO_FEW, result.TOO_FAR, result.NOTHING, result.STILL, result.BLACK,
    result.TOO_SHORT,
)  # fmt: skip


def reading_of_frames(
    frames: Iterable[tuple[float, np.ndarray]],
    *,
    band: tuple[float, float] | None = None,
    keys: tuple[float, ...] = (),
    face: bool = False,
    longest_step: float = math.inf,
) -> result.Reading:
    """What repeats in a recording.

    Args:
        frames: Seconds and `(H, W, C)` uint8 of every frame, C 1 or 3.
        band: Lowest and highest frequency in hertz; None for all.
        keys: Seconds of the key frames of the file. What repeats with
            them and hardly moves is the compression of the file.
        face: Whether the frames show a face alone, whose pulse is sought.
        longest_step: Seconds from one frame to the next beyond which some were lost: nothing is read across.
    """
    read_ones, has_hidden_pulse = [], False
    for stretch in stretches.cut(frames, longest_step):
        # Several threads for matrices as small wait for each other: on busy cores they take up to 70 times as long.
        with threadpoolctl.threadpool_limits(1, user_api="blas"):
            verdict, answers = _of_stretch(stretch, band, keys, face)
            has_hidden_pulse |= not face and _has_pulse_beside(answers, stretch, band, keys)
        scene = result.Scene(float(stretch.times[0]), float(stretch.times[-1]), verdict)
        read_ones.append((stretch.scene, scene, answers))
    indices = dict.fromkeys(index for index, _, _ in read_ones)
    scenes = tuple(_joined([scene for at, scene, _ in read_ones if at == index]) for index in indices)
    answers = [answer for _, _, some in read_ones for answer in some]
    answers = tuple(sorted(continued.joined(answers), key=lambda answer: -answer.confidence))
    verdict = min((scene.verdict for scene in scenes), key=_ORDER.index, default=result.TOO_SHORT)
    notes = _notes(scenes, answers) + (_HIDDEN_PULSE,) * has_hidden_pulse
    return result.Reading(scenes, answers, verdict, notes)


def _joined(scenes: list[result.Scene]) -> result.Scene:
    """One scene of the overlapping stretches of it."""
    verdict = min((scene.verdict for scene in scenes), key=_ORDER.index)
    return result.Scene(scenes[0].start, scenes[-1].end, verdict)


def _of_stretch(
    stretch: stretches.Stretch, band: tuple[float, float] | None, keys: tuple[float, ...], face: bool
) -> tuple[str, list[result.Answer]]:
    """Verdict on one stretch, and its answers."""
    if len(stretch.times) < FEWEST_FRAMES:
        return result.TOO_SHORT, []
    if stretch.frames.max() < stretches.BLACK:
        return result.BLACK, []
    gray = _gray(stretch.frames)
    if gray.std(0).max() < STILL:
        return result.STILL, []
    if face:
        answers = skin.answers(stretch, band, keys, whole=True)
        return answers[0].verdict if answers else result.NOTHING, answers
    steady, ranked = _ranked(stretch, gray, band, keys)
    if steady is None and not ranked:
        return result.TOO_FAR, []
    steady = gray if steady is None else steady
    parts = functools.cache(lambda: courses.moving_parts(gray))  # Seldom asked for.
    found = places.distinct(ranked, parts, result.SEEN, result.SURE)
    answers = [_answer(stretch, steady, candidate) for candidate in found]
    if not any(answer.is_clear for answer in answers):
        pulse = skin.answers(stretch, band, keys)
        answers = pulse if pulse and not camera.pans(gray) else answers
    if not answers:
        answers = [_answer(stretch, steady, candidate) for candidate in movement.twice(ranked)]
    verdict = min((answer.verdict for answer in answers), key=_ORDER.index, default=result.NOTHING)
    return verdict, answers


def _gray(frames: np.ndarray) -> np.ndarray:
    """Mean of the channels, `(T, H, W, 1)` float32; NumPy takes five times as long over a last axis of three."""
    total = frames[..., :1].astype(np.float32)
    for channel in range(1, frames.shape[3]):
        total += frames[..., channel : channel + 1]
    total /= frames.shape[3]
    return total


def _has_pulse_beside(
    answers: list[result.Answer],
    stretch: stretches.Stretch,
    band: tuple[float, float] | None,
    keys: tuple[float, ...],
) -> bool:
    """Whether skin shows a clear pulse beside a clear movement, of which it is no multiple.

    What moves changes colors too, and three readouts may agree on it: so the pulse is not told, but where to find it.
    """
    moving = [answer.hertz for answer in answers if answer.reader == "movement" and answer.is_clear]
    seen = [pulse for pulse in (skin.answers(stretch, band, keys) if moving else []) if pulse.is_clear]
    frames = stretch.evenly(stretch.frames) if seen else stretch.frames
    multiples = (skin.is_multiple(frames, stretch.rate, pulse.hertz, hertz) for pulse in seen for hertz in moving)
    return bool(seen) and not any(multiples)


def _ranked(
    stretch: stretches.Stretch, gray: np.ndarray, band: tuple[float, float] | None, keys: tuple[float, ...]
) -> tuple[np.ndarray | None, list[movement.Candidate]]:
    """Steady frames and candidates of a stretch: as filmed, and wherever the picture stands.

    Each way is tried only where nothing was clear before. There are no frames where the camera moves too far.
    """
    ranked: list[movement.Candidate] = []
    (low, high), rate, steady = band or (LOWEST_HERTZ, np.inf), stretch.rate, None
    with concurrent.futures.ThreadPoolExecutor(1) as network:  # It takes as long as all proposals.
        asked: list[tuple[np.ndarray, concurrent.futures.Future]] = []  # Most looks share their frames.
        for look in camera.looks(gray):
            heard = next((told for frames, told in asked if frames is look.heard), None)
            if heard is None:
                heard = network.submit(rhythm_network.hear, stretch.times, look.heard[..., 0])
                asked.append((look.heard, heard))
            limits = low / rate, min(high / rate, filters.HIGHEST_SHARE, look.fastest or np.inf)
            some = movement.weighed(movement.proposed(stretch.evenly(look.scores()), limits), heard.result(), rate)
            if look.of_magnitudes:
                some = _of_the_scene(some, look, stretch, limits, heard.result())
            least = camera.faintest(look.steady, look.is_steadied)
            some = compression.without(some, gray[0].size, least, keys, rate)
            steady = look.steady if look.is_in_place else steady
            some = _agreed(some, keys, rate) if look.of_shifts else some
            ranked += [dataclasses.replace(each, in_place=look.is_in_place) for each in some]
            if any(candidate.confidence >= result.SURE for candidate in ranked if candidate.evidence.count > 2):
                break
    return steady, movement.surest_first(ranked)


def _agreed(some: list[movement.Candidate], keys: tuple[float, ...], rate: float) -> list[movement.Candidate]:
    """Candidates of shifts whose events are alike for certain, at the tempo that the network holds the likeliest.

    Frames that refer to others move tiles too, in patterns of a few frames: those of a coded file are left out.
    """
    return [
        each
        for each in some
        if each.evidence.alike > movement.TWICE
        and _is_likeliest(each.evidence)
        and not (keys and compression.has_pattern(each.hertz, keys, rate))
    ]


def _is_likeliest(shown: Evidence) -> bool:
    """Whether the network holds a tempo the likeliest, by far; not so where it was not asked."""
    return shown.chance > max(AHEAD * shown.rival, LIKELIEST)


def is_shown(shown: Evidence) -> bool:
    """Whether the picture or the network shows a tempo: else it may be told, but is not clear."""
    return shown.explained >= LEAST_SHOWN or _is_likeliest(shown)


def _of_the_scene(
    some: list[movement.Candidate],
    look: camera.Look,
    stretch: stretches.Stretch,
    limits: tuple[float, float],
    heard: rhythm_network.Heard,
) -> list[movement.Candidate]:
    """Candidates of magnitudes less those of pixels that something passes."""
    hertz = [candidate.hertz for candidate in some]
    some = list(compress(some, magnitudes.show_in_coarse(stretch.evenly(look.seen), hertz, look.steady.shape[1:3])))
    if any(candidate.confidence >= result.SURE for candidate in some):
        again = stretch.evenly(courses.tile_scores(magnitudes.of(magnitudes.smaller(look.steady))))
        some = movement.confirmed(some, movement.weighed(movement.proposed(again, limits), heard, stretch.rate))
    return some


def _answer(stretch: stretches.Stretch, gray: np.ndarray, candidate: movement.Candidate) -> result.Answer:
    """Answer in seconds of a candidate in samples."""
    first = stretch.times[0]
    twice = candidate.evidence.count == 2
    run = candidate.run if twice else events.aligned(events.moving(candidate.run))
    hertz = intervals.frequency(run.marks) * stretch.rate
    run = run if twice else events.extended(run)
    last = len(run.course.values) - 1
    gaps = intervals.steady_gaps(run.marks)
    starts, ends = (
        first + np.clip(edge, 0, last) / stretch.rate
        for edge in intervals.beside_pauses(run.marks, run.starts, run.ends)
    )
    spans = tuple(zip(starts.tolist(), ends.tolist(), strict=True))
    error = hertz * np.std(np.log(gaps)) / len(gaps)
    # In its own place all may be its own, however little that is of the picture.
    is_clear = candidate.confidence >= result.SURE and (candidate.tiles is not None or is_shown(candidate.evidence))
    if candidate.in_place:  # Elsewhere little of the picture returns, whatever repeats.
        is_clear = is_clear and not counters.is_counter(stretch.evenly(gray), candidate.run)
    said = result.CLEAR if is_clear else result.UNCLEAR
    if twice or (ends[-1] - starts[0]) * hertz < FEWEST:
        said = result.TOO_FEW
    return result.Answer(
        scene=stretch.scene,
        reader="movement",
        repetitions=spans,
        peaks=tuple((first + np.clip(run.marks, 0, last) / stretch.rate).tolist()),
        hertz=hertz,
        error=float(error),
        pairs=2 * hertz if candidate.pairs else None,
        pauses=continued.pauses(spans, hertz),
        box=box(gray, run, candidate.tiles),
        confidence=candidate.confidence,
        verdict=said,
        times=first + np.arange(last + 1) / stretch.rate,
        course=run.course.values,
    )


def _notes(scenes: tuple[result.Scene, ...], answers: tuple[result.Answer, ...]) -> tuple[str, ...]:
    """What somebody who reads the answers should know."""
    notes = []
    for verdict, words in ((result.BLACK, "black"), (result.STILL, "without any movement")):
        seconds = sum(scene.end - scene.start for scene in scenes if scene.verdict == verdict)
        if any(scene.verdict == verdict for scene in scenes):
            notes.append(f"{seconds:.1f} s are {words}.")
    if len(scenes) > 1:
        notes.append(f"The recording has {len(scenes)} scenes; each was read by itself.")
    return tuple(notes)
