"""NumPy arrays of a `.npy` file, one part of which is in memory at a time."""

import pathlib

import numpy as np

from simper_tf.tables.even_series import Stored
from simper_tf.tables.formats.sampled import Sampled
from simper_tf.tables.limits import refuse_long
from simper_tf.utils.errors import RawDataError, UnreadableError

_MOST_AT_ONCE = 2**30  # Bytes of frames that are not stored one after another.


class ArrayFile:
    """An array of a `.npy` file, of which one part along the first axis is in memory at a time.

    It is read rather than mapped: of a file that shrinks meanwhile, a map ends the process.

    Attributes:
        shape, dtype, ndim: As of the array.
        is_fortran: Whether it lies in the order of columns, of which only `whole` is read at once.

    Raises:
        RawDataError: the file is damaged, or holds no numbers of one to four axes, at least 3 in time.
    """

    def __init__(self, path: pathlib.Path):
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)  # Maps it, and looks at nothing but its header.
        except Exception as error:  # Of damaged headers NumPy raises whatever its parser ran into.
            found = (str(error) or type(error).__name__).splitlines()[0]
            if "Python objects" in found:  # Sound, but nothing reads it without running what it says.
                expected = "numbers (T,), (T, C), (T, H, W) or (T, H, W, C)"
                raise RawDataError(path, "Python objects", expected, "Save np.stack(array).astype(float).") from error
            raise UnreadableError(
                path, f"a damaged array ({found})", "what numpy.save writes", "Save it again."
            ) from error
        if not isinstance(array, np.ndarray):
            array.close()
            raise RawDataError(path, "an archive", "one array, as numpy.save writes it", "Save its array by itself.")
        if array.dtype.kind not in "iuf" or not 1 <= array.ndim <= 4 or 0 in array.shape or len(array) < 3:
            expected = "numbers (T,), (T, C), (T, H, W) or (T, H, W, C), T at least 3"
            raise RawDataError(path, f"{array.dtype} of shape {array.shape}", expected, "Save them so.")
        stated, size = array.offset + array.nbytes, path.stat().st_size
        if stated != size:
            raise RawDataError(path, f"{size} bytes", f"{stated}, as its header says", "Save it again.")
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim
        self._path, self._offset, self._num_bytes = path, array.offset, array.nbytes
        self.is_fortran = array.ndim > 1 and not array.flags.c_contiguous
        if self.is_fortran and array.ndim > 2 and array.nbytes > _MOST_AT_ONCE:
            found = f"{array.nbytes / 2**30:.3g} GiB in the order of columns"
            raise RawDataError(path, found, "frame after frame", "Save numpy.ascontiguousarray(frames).")

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        """Yields its parts along the first axis."""
        if self.is_fortran:
            yield from self.whole()
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for _ in range(len(self)):
                yield self._read(file, self._num_bytes // len(self)).reshape(self.shape[1:])

    def whole(self) -> np.ndarray:
        """Returns all of it."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            return self._read(file, self._num_bytes).reshape(self.shape, order="F" if self.is_fortran else "C")

    def part(self, first: int, last: int) -> np.ndarray:
        """Returns some along the first axis, of an array in the order of rows."""
        with self._path.open("rb") as file:
            each = self._num_bytes // len(self)
            file.seek(self._offset + first * each)
            return self._read(file, (last - first) * each).reshape(last - first, *self.shape[1:])

    def _read(self, file, number):
        content = file.read(number)
        if len(content) < number:
            raise RawDataError(self._path, "less than before: it has shrunk", "the whole file", "Save it again.")
        return np.frombuffer(content, self.dtype)


def array(path: pathlib.Path) -> Sampled:
    """Returns a `.npy` array of a series, `(T,)` or `(T, C)`; raises what `ArrayFile` does."""
    held = ArrayFile(path)
    refuse_long(path, int(np.prod(held.shape)))
    channels = int(np.prod(held.shape[1:]))
    if held.is_fortran:
        return Sampled(held.whole().astype(np.float64), None, [""] * channels)
    return Sampled(Stored((len(held), channels), held.part), None, [""] * channels)
