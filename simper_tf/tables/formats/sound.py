"""Samples of sound files: those of sensors as they are, of what is heard how loud it is."""

import contextlib
import os
import pathlib
import shutil
import struct
import tempfile

import numpy as np

from simper_tf.tables.even_series import Stored
from simper_tf.tables.formats.sampled import Sampled, library, reading, unknown_kind
from simper_tf.tables.limits import refuse_long
from simper_tf.utils.errors import RawDataError

# From so many samples a second on a sound file is sound, in which repetitions are told by how loud it is: biosignals
# come at 2,000 at most, telephones at 8,000. A hundred values a second follow knocks of 20 Hz.
_SOUND_RATE, _LOUDNESS_RATE = 4000, 100
# Bytes of the header of FLAC whose last 36 bits are the number of samples, 0 where it was not known.
_LENGTH, _BITS = (20, 26), 2**36 - 1
_OF_NO_KIND = 1, 2  # Errors of libsndfile: of no format, or of one that it does not know.
_LOUD_AT_ONCE = 2**10  # Values of loudness, of 10 s of sound.


def sound(path: pathlib.Path) -> Sampled:
    """Returns the samples of a sound file; of 4,000 a second and more, how loud it is every 0.01 s.

    Raises:
        RawDataError: it is damaged, or its header contradicts itself.
    """
    soundfile = library(path, "soundfile")
    notes, whole = _check_riff(path), _with_length(path, soundfile)

    @contextlib.contextmanager
    def opened():
        with _reading_sound(path, soundfile):
            if whole:
                whole.seek(0)
            with soundfile.SoundFile(whole or os.fsencode(path)) as file:
                yield file

    with opened() as file:
        rate, channels, frames = file.samplerate, file.channels, len(file)
        if file.format == "MP3":  # Its header's length is a guess.
            frames = _count(file)
    if not 0 < rate <= 10**6 or frames < 3:  # No sound card has more than 768 kHz.
        raise RawDataError(path, f"{frames} samples at {rate} a second", "a recording", "Record it again.")

    def samples(first, last):
        with opened() as file:
            file.seek(first)
            found = file.read(last - first, dtype="float64", always_2d=True)
        if len(found) < last - first:
            raise RawDataError(path, f"{first + len(found)} samples", f"{frames}, as its header says", "Save it again.")
        return found

    if rate < _SOUND_RATE:
        refuse_long(path, frames * channels)
        return Sampled(Stored((frames, channels), samples), float(rate), [""] * channels, notes)
    step = rate // _LOUDNESS_RATE
    refuse_long(path, frames // step)
    # Blocks without an edge: a tone of 440 Hz would beat with plain ones of 0.01 s, 20 times a second.
    weights = np.hanning(2 * step + 2)[1:-1].reshape(2, step) / np.hanning(2 * step + 2).sum()

    def loudness(first, last):
        parts = []
        for start in range(first, last, _LOUD_AT_ONCE):
            stop = min(start + _LOUD_AT_ONCE, last)
            power = (samples(start * step, (stop + 1) * step) ** 2).mean(axis=1).reshape(-1, step)
            parts.append(np.sqrt(power[:-1] @ weights[0] + power[1:] @ weights[1]))
        return np.concatenate(parts)

    return Sampled(Stored((frames // step - 1, 1), loudness), rate / step, ["loudness"], notes, step=step)


def _count(file):
    """Returns how many samples can be read."""
    return sum(iter(lambda: len(file.read(2**16, dtype="float32")), 0))


def _with_length(path, soundfile):
    """Returns a copy of a FLAC file whose header leaves the length open, with the counted one; None of any other file.

    So is what was recorded into a pipe. Nothing finds a place in it until its header tells the length.
    """
    with path.open("rb") as file:
        header = bytearray(file.read(_LENGTH[1]))
        if (
            not header.startswith(b"fLaC")
            or len(header) < _LENGTH[1]
            or int.from_bytes(header[slice(*_LENGTH)]) & _BITS
        ):
            return None

        class Piped(soundfile.SoundFile):
            def seekable(self):
                return False

        with _reading_sound(path, soundfile), Piped(os.fsencode(path)) as sound:
            count = _count(sound)
        stated = int.from_bytes(header[slice(*_LENGTH)]) | (count & _BITS)
        header[slice(*_LENGTH)] = stated.to_bytes(_LENGTH[1] - _LENGTH[0])
        copy = tempfile.TemporaryFile()  # noqa: SIM115  (it is read later)
        copy.write(header)
        shutil.copyfileobj(file, copy)
    return copy


@contextlib.contextmanager
def _reading_sound(path, soundfile):
    with reading(path, "a sound file"):
        try:
            yield
        except soundfile.LibsndfileError as error:
            if error.code in _OF_NO_KIND:
                raise unknown_kind(path, "WAV, FLAC or MP3") from error
            raise


def _check_riff(path):
    """Returns a note where a wav file is cut off; refuses one whose header contradicts itself."""
    with path.open("rb") as file:
        start = file.read(36)
        size = os.fstat(file.fileno()).st_size
    if start[:4] != b"RIFF" or len(start) < 36 or start[12:16] != b"fmt ":
        return []
    (stated,), (channels, rate, speed, align, bits) = (
        struct.unpack_from("<I", start, 4),
        struct.unpack_from("<HIIHH", start, 22),
    )
    if (speed and align and speed % align == 0 and speed != rate * align) or not channels:
        said = f"{channels} channels of {bits} bits, {align} bytes at once, {rate} times and {speed} bytes a second"
        raise RawDataError(path, f"a header that contradicts itself ({said})", "a whole wav file", "Save it again.")
    missing = stated + 8 - size
    return [f"{missing:,} of {stated + 8:,} bytes are missing: the file is cut off."] if 1 < missing < 2**31 else []
