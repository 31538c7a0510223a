"""Samples of binary files with a rate of their own, and what their readers share."""

import contextlib
import importlib
from typing import NamedTuple

import numpy as np

from simper_tf.tables.even_series import Stored
from simper_tf.utils import raw_files
from simper_tf.utils.errors import RawDataError, UnreadableError, install, is_full


class Sampled(NamedTuple):
    """Samples of a file.

    Attributes:
        values: `(T, C)` float64, or `Stored` in the file.
        rate: Samples per second; None where the file does not say.
        names: Of the channels.
        notes: Sentences on what was left out.
        times: `(T,)` seconds where the file has them, else None.
        step: Samples of the file to each of these.
    """

    values: np.ndarray | Stored
    rate: float | None
    names: list[str]
    notes: list[str] = []
    times: np.ndarray | None = None
    step: int = 1


def library(path, name: str, extra: str = ""):
    """Returns a module that only some files need.

    Args:
        path: The file that needs it.
        name: Of the module.
        extra: Of the package that brings it; "" where it comes with the package itself.

    Raises:
        RawDataError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        action = install(extra) if extra else "Run pip install . in the folder of the checkout."
        found = f"a file for which the package {package} is missing"
        raise RawDataError(path, found, f"{package} installed", action) from error


@contextlib.contextmanager
def reading(path, expected: str):
    """Raises UnreadableError of a file on which its library stumbles: of damaged ones it raises anything."""
    try:
        yield
    except (RawDataError, MemoryError):
        raise
    except Exception as error:
        if is_full(error):
            raise
        found = (str(getattr(error, "strerror", None) or error) or type(error).__name__).splitlines()[0][:200]
        raise UnreadableError(path, f"what cannot be read ({found})", expected, "Save or copy it again.") from error


def unknown_kind(path, kinds: str) -> RawDataError:
    """Returns what to raise of a file that begins as none of its ending does: it may be sound, and of another program.

    Args:
        path: The file.
        kinds: What is read under its ending.
    """
    start = raw_files.head(path)[:8]
    action = "Save it as one of these, or as CSV; if it is one, it is damaged: copy it again."
    return RawDataError(
        path, f"a {path.suffix.lower()} file of another kind, which begins with {start!r}", kinds, action
    )
