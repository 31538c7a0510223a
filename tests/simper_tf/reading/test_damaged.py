"""Damaged files are read or refused in one sentence that names them; nothing else comes out."""

import numpy as np
import pytest
import scipy.io.wavfile

from datasets.countix import standin
from simper_tf.reading import read
from simper_tf.recordings import search
from simper_tf.recordings.errors import RawDataError

RNG = np.random.default_rng(0)


def write_sources(folder):
    times = np.arange(60) / 12
    frames = [np.roll(np.full((48, 64, 3), range(3), np.uint8) * 40, int(9 * np.sin(7 * time)), 1) for time in times]
    standin.encode(folder / "a.mp4", frames, times)
    np.save(folder / "a.npy", RNG.integers(0, 255, (80, 8, 8), np.uint8))
    (folder / "a.csv").write_text("\n".join(["time,x", *(f"{time:.2f},{np.sin(7 * time):.3f}" for time in times)]))
    scipy.io.wavfile.write(folder / "a.wav", 100, np.int16(1000 * np.sin(np.arange(600) / 10)))
    return sorted(folder.iterdir())


def damaged(content):
    """Returns bytes that are cut off, or of which some are others, anywhere or in the header."""
    content = bytearray(content)
    how = RNG.integers(3)
    if how == 0:
        return content[: RNG.integers(len(content))]
    for _ in range(RNG.integers(1, 20)):
        content[RNG.integers(len(content) if how == 1 else min(len(content), 200))] = RNG.integers(256)
    return content


@pytest.mark.slow
def test_damaged_and_renamed_files_are_read_or_refused_by_name(tmp_path):
    (tmp_path / "whole").mkdir()
    whole = write_sources(tmp_path / "whole")
    endings = [path.suffix for path in whole]
    refused = 0
    for number in range(80):
        source = whole[number % len(whole)]
        ending = source.suffix if number % 5 else RNG.choice(endings)
        path = tmp_path / f"f {number} é{ending}"
        path.write_bytes(damaged(source.read_bytes()))
        found, problems, _ = search.find([str(path)], 20.0)
        for each in found:
            try:
                list(read.read(read.prepare(each, read.Wishes())))
            except RawDataError as error:
                problems.append(error)
        for problem in problems:
            assert str(problem).startswith(f"{path}: found ")
            assert "\n" not in str(problem)
        refused += bool(problems)
    assert refused > 20
