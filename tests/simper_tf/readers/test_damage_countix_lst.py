"""Whatever happens to a file of Countix or GOES-16, the answer is a named error, a named skip or a valid example."""

import h5py
import numpy as np
import pytest

from simper_tf.readers import countix, goes
from simper_tf.readers.errors import RawDataError
from simper_tf.standins import countix as countix_standin
from simper_tf.standins import lst as lst_standin

ROUNDS = 60
NUM_FRAMES = 30
WORDS = ["", "-1", "nan", "inf", "1e99", "x", "0", "999999999999999999999", '"', "\0", "7,7", "1.5"]
VALUES = [np.nan, np.inf, -1e30, 0, -5, "K", b"\xff\xfe", [1, 2, 3], np.int8(-1), "none of these"]


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """The bytes of one sound file of each format, by the ending of its name."""
    folder = tmp_path_factory.mktemp("sound")
    times = np.arange(45) / 25
    frames = [np.full((48, 64, 3), 5 * index, np.uint8) for index in range(len(times))]
    countix_standin.encode(folder / "sound.mp4", frames, times)
    rng = np.random.default_rng(0)
    kelvin = rng.uniform(250, 320, (24, 40))
    lst_standin.write_map(folder / "sound.nc", kelvin, rng.random(kelvin.shape) < 0.7)
    rows = [f"a{row:010d},push up,10,20,1{row % 5}.250000,19.500000,{row % 70 + 2}" for row in range(30)]
    header = "video_id,class,kinetics_start,kinetics_end,repetition_start,repetition_end,count"
    (folder / "sound.csv").write_text("\n".join([header, *rows]) + "\n")
    return {path.suffix: path.read_bytes() for path in folder.iterdir()}


def damage(sound, rng):
    """Cuts the file short, flips some of its bits, or overwrites a stretch of it."""
    content, kind = bytearray(sound), rng.integers(3)
    if kind == 0:
        return bytes(content[: rng.integers(len(content))])
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(len(content)))
        if kind == 1:
            content[at] ^= 1 << int(rng.integers(8))
        else:
            content[at : at + 8] = rng.bytes(len(content[at : at + 8]))
    return bytes(content)


def damaged_files(sound, folder, suffix, rounds):
    for seed in range(rounds):
        path = folder / f"damaged{seed}{suffix}"
        path.write_bytes(damage(sound, np.random.default_rng(seed)))
        yield path


def test_a_damaged_video_is_skipped_by_name_or_gives_a_whole_clip(originals, tmp_path):
    segment = countix.Segment(0, "abcdefghijk", "push up", 0, 2, 0.1, 1.7, 3)
    kept = 0
    for path in damaged_files(originals[".mp4"], tmp_path, ".mp4", ROUNDS):
        located = countix.Located(segment, str(path), 0)
        _, example, reason = countix.read_or_skip(located, num_frames=NUM_FRAMES, size=16)
        if example is None:
            assert str(path) in reason
            continue
        kept += 1
        assert (example["clip"].shape, example["clip"].dtype) == ((NUM_FRAMES, 16, 16, 3), np.uint8)
        # All of the segment is there: no more than the longest gap is missing at either end.
        assert 1.6 - 2 * 0.25 <= (NUM_FRAMES - 1) / example["rate"] <= 1.6
    assert 0 < kept < ROUNDS


def result_or_message(read, path):
    try:
        return read(path), ""
    except RawDataError as error:
        return None, str(error)


def check_annotations(path):
    segments, message = result_or_message(countix.read_annotations, path)
    if segments is None:
        assert str(path) in message
        return False
    assert len({segment.key for segment in segments}) == len(segments) > 0
    for segment in segments:
        assert len(segment.video_id) == 11
        assert 0 <= segment.clip_start <= segment.clip_end
        assert segment.start < segment.end
        assert segment.count >= 1
    return True


def test_damaged_annotations_are_refused_by_name_or_give_possible_segments(originals, tmp_path):
    outcomes = [check_annotations(path) for path in damaged_files(originals[".csv"], tmp_path, ".csv", ROUNDS)]
    assert any(outcomes)
    assert not all(outcomes)


def test_a_wrong_value_in_any_column_is_refused_or_gives_possible_segments(originals, tmp_path):
    lines = originals[".csv"].decode().splitlines()
    rng = np.random.default_rng(0)
    for index in range(ROUNDS):
        row, column = int(rng.integers(len(lines))), int(rng.integers(7))
        fields = lines[row].split(",")
        fields[column] = WORDS[index % len(WORDS)]
        path = tmp_path / f"{index}.csv"
        path.write_text("\n".join([*lines[:row], ",".join(fields), *lines[row + 1 :]]) + "\n")
        check_annotations(path)


def check_map(path):
    celsius, message = result_or_message(goes.read_map, path)
    if celsius is None:
        assert str(path) in message
        return False
    measured = celsius[np.isfinite(celsius)]
    assert (celsius.dtype, celsius.ndim) == (np.float32, 2)
    assert np.all(np.abs(measured) <= 100)
    return True


def test_a_damaged_netcdf_file_is_refused_by_name_or_gives_a_map(originals, tmp_path):
    outcomes = [check_map(path) for path in damaged_files(originals[".nc"], tmp_path, ".nc", ROUNDS)]
    assert any(outcomes)
    assert not all(outcomes)


def test_a_wrong_or_missing_attribute_is_refused_by_name_or_gives_a_map(originals, tmp_path):
    rng = np.random.default_rng(0)
    for index in range(ROUNDS):
        path = tmp_path / f"{index}.nc"
        path.write_bytes(originals[".nc"])
        with h5py.File(path, "r+") as file:
            variable = file[("LST", "DQF")[index % 2]]
            name = sorted(set(variable.attrs) - {"DIMENSION_LIST"})[int(rng.integers(len(variable.attrs) - 1))]
            del variable.attrs[name]
            value = VALUES[int(rng.integers(len(VALUES)))]
            variable.attrs[name] = np.bytes_(value) if isinstance(value, bytes) else value
        check_map(path)
