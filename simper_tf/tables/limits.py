"""How much of a recording is held at once."""

from simper_tf.utils import worker
from simper_tf.utils.errors import RawDataError

MOST_VALUES = 2**26  # 0.5 GB of them: three days at 250 Hz.


def refuse_long(path, number: int):
    """Raises RawDataError if a recording has too many values to be held; has memory for those that can be."""
    if number > MOST_VALUES:
        raise RawDataError(
            path, f"{number:,} values", f"{MOST_VALUES:,} or fewer", "Cut it into parts, or thin it out."
        )
    worker.expect(number)
