"""A model of anybody's recordings in five lines: what it takes is proposed from them, as for a run on recordings.

Example:

    model = simper_tf.from_recordings("clips/*.mp4")
    model.fit(steps=500)
    print(model.frequency("new.mp4"))
    model.export("saved_model")
"""

import math
import os
from collections.abc import Sequence

from simper_tf.data import held_out as held
from simper_tf.data import own_labels
from simper_tf.data.recording_clips import Recordings
from simper_tf.recordings import search
from simper_tf.signals.rhythm_form import SIDE
from simper_tf.training.counted import Counted
from simper_tf.training.own_model import OwnModel, names_of
from simper_tf.training.own_replay import OwnReplay
from simper_tf.training.own_simper import OwnSimPer

METHODS = "auto", "simper", "replay"


def from_recordings(
    names: str | os.PathLike | Sequence[str | os.PathLike] | search.Found,
    *,
    method: str = "auto",
    num_views: int = 5,
    seed: int = 0,
    hold_out: float | Sequence[str] = 0.0,
    labels: str | os.PathLike | None = None,
    counted: Counted | None = None,
    time: str | int = "",
    columns: Sequence[str | int] = (),
    **given,
) -> OwnModel:
    """Returns a method for recordings, to be trained by `fit`.

    What repeats in the recordings is counted first, for some seconds each.

    Args:
        names: Files, folders and patterns with *, one or several; or what `search.find` has found.
        method: `simper`; `replay`, for films alone, which goes on from what other films have taught; `auto` for
            `replay` of films and `simper` of series.
        num_views: Views in each of the two sets of a clip, of SimPer.
        seed: Of weights, order and views.
        hold_out: Recordings that nothing is learned from: a share of them, or their names, or the ends of their paths.
        labels: File of what somebody has counted in some recordings, see `own_labels.stretches_in`. It replaces the
            count there, and tells at which multiple of the frequency features run.
        counted: What reads them; None for one that says nothing meanwhile. Its `hertz` get what the labels say.
        time, columns: Of tables that are named, see `Recordings`.
        given: What is not to be proposed: `band`, `window`, `hop`, `rate`, `size` and others, see `Recordings`.

    Raises:
        ValueError: no recording can be used, or what is asked for does not fit them; as `own_labels.stretches_in`.

    Example:
        >>> from simper_tf.commands import sample
        >>> model = simper_tf.from_recordings(sample.PATH)
        >>> len(model.recordings), model.recordings.clip_shape
        (14, (74, 32, 32, 3))
        >>> model.fit(steps=500), model.frequency(sample.PATH)  # doctest: +SKIP
    """
    if method not in METHODS:
        raise ValueError(f"`method` must be one of {', '.join(METHODS)}. Received: {method!r}.")
    counted, stretches = counted or Counted(), []
    found = names
    if not isinstance(names, search.Found):
        found = search.find(names_of(names), given.get("rate"), is_fallback=True, time=time, columns=columns)
    if labels:
        stretches = own_labels.stretches_in(labels, found.sources, (0.0, math.inf))
    for stretch in stretches:
        counted.tell(stretch.recording, stretch.hertz)
    held_out = held.held_out(found.sources, hold_out)
    found = found._replace(sources=[source for source in found.sources if source not in held_out])
    given |= {"seed": seed, "counted": counted}
    are_films = any(source.has_pictures for source in found.sources)
    if method == "replay" and not are_films:
        raise ValueError("`method=replay` learns from pictures, and no recording has any. Leave it out.")
    if method == "simper" or not are_films:
        made = OwnSimPer(Recordings(found, **given), num_views, seed)
    else:
        made = OwnReplay(Recordings(found, **{"size": (SIDE, SIDE), **given}), seed)
    made.held_out, made.stretches = tuple(held_out), tuple(stretches)
    return made
