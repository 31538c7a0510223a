"""Which recordings nothing is learned from; told before TensorFlow is loaded."""

import numbers
from collections.abc import Sequence

from simper_tf.data import own_labels
from simper_tf.recordings.source_contract import Source
from simper_tf.utils.errors import RawDataError


def held_out(sources: Sequence[Source], hold_out: float | Sequence[str]) -> list[Source]:
    """Returns the sources that nothing is learned from, in their order.

    Args:
        sources: Of all recordings.
        hold_out: A share of those that can be opened, which is spread evenly, or names, or the ends of their paths.

    Raises:
        ValueError: a share is not in [0, 1), a name is none of one recording, or nothing is left to learn from.
    """
    if isinstance(hold_out, numbers.Real):
        if not 0 <= hold_out < 1:
            raise ValueError(
                f"`hold_out` must be a share from 0 to below 1, or names of recordings. Received: {hold_out:g}."
            )
        fine = [source for source in sources if _is_readable(source)] if hold_out else []
        held = spread(fine, max(round(hold_out * len(fine)), 1)) if fine else []
    else:
        known = [source.name for source in sources]
        names = {own_labels.known("`hold_out`", name, known) for name in hold_out}
        held = [source for source in sources if source.name in names]
    if held and len(held) == len(sources):
        raise ValueError(
            f"`hold_out` leaves none of {len(sources)} recordings to learn from. Name more of them, or hold out fewer."
        )
    return held


def _is_readable(source):
    """Returns whether a recording can be opened: one that cannot tells nothing of what was learned."""
    try:
        source.info()
    except RawDataError:
        return False
    finally:
        source.forget()
    return True


def spread(items: Sequence, count: int) -> list:
    """Returns so many items, in their order and spread evenly over it; all of them if there are no more."""
    count = min(count, len(items))
    return [items[int((k + 0.5) * len(items) / count)] for k in range(count)]
