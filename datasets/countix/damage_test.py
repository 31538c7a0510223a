"""Random damage to files of Countix: a clear error, a named skip or the true example, nothing else."""

import csv

import numpy as np
import pytest

from datasets.countix import reader, standin
from datasets.damages import DAMAGES, flip_bits, other_digit, outcomes

pytestmark = pytest.mark.slow

NUM_FRAMES = 30
WORDS = ["", "-1", "nan", "inf", "1e99", "x", "0", "999999999999999999999", '"', "\0", "7,7", "1.5"]
# What an mp4 file has only once and without a checksum: the coded pictures and how to decode them, where they lie in
# the file and when they are shown. The decoder hides what it cannot decode.
UNCHECKED_BOXES = ("mdat", "stsd", "stsz", "stsc", "stco", "stts", "ctts", "stss", "elst", "mdhd", "mvhd")


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    path = tmp_path_factory.mktemp("countix") / "sound.mp4"
    times = np.arange(45) / 25
    standin.encode(path, [np.full((48, 64, 3), 5 * index, np.uint8) for index in range(len(times))], times)
    return path


@pytest.fixture(scope="module")
def annotations(tmp_path_factory):
    path = tmp_path_factory.mktemp("annotations") / "countix_train.csv"
    rows = [f"a{row:010d},push up,10,20,1{row % 5}.250000,19.500000,{row % 70 + 2}" for row in range(30)]
    header = "video_id,class,kinetics_start,kinetics_end,repetition_start,repetition_end,count"
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def boxes(content, start=0, end=None):
    """Yields name, start and end of the content of each box of an mp4 file."""
    end = len(content) if end is None else end
    while start + 8 <= end:
        length, name = (
            int.from_bytes(content[start : start + 4], "big"),
            content[start + 4 : start + 8].decode("latin1"),
        )
        yield name, start + 8, start + length
        if name in ("moov", "trak", "edts", "mdia", "minf", "stbl"):
            yield from boxes(content, start + 8, start + length)
        start += length


def test_a_damaged_video_is_skipped_by_name_or_read_correctly(video):
    segment = reader.Segment(0, "abcdefghijk", "push up", 0, 2, 0.1, 1.7, 3)

    def read():
        key, example, reason = reader.read_or_skip(
            reader.Located(segment, str(video), 0), num_frames=NUM_FRAMES, size=16
        )
        if example is None:
            assert str(video) in reason
            return []
        # All of the segment is there: no more than the longest gap is missing at either end.
        assert 1.6 - 2 * 0.25 <= (NUM_FRAMES - 1) / example["rate"] <= 1.6
        return [(key, example)]

    unchecked = [(start, end) for name, start, end in boxes(video.read_bytes()) if name in UNCHECKED_BOXES]
    counts = outcomes(video, read, unchecked)
    assert min(counts[kind] for kind in ("skipped", "equal", "unchecked")) > 5


def test_a_damaged_picture_is_hidden_the_same_way_each_time(tmp_path, video):
    # Bits of a coded picture that others refer to: six of them, as found where decoders in threads raced for it.
    path = tmp_path / "damaged.mp4"
    path.write_bytes(flip_bits(np.random.default_rng([57, 1]), video.read_bytes()))
    located = reader.Located(reader.Segment(0, "abcdefghijk", "push up", 0, 2, 0.1, 1.7, 3), str(path), 0)
    clips = [reader.read_or_skip(located, num_frames=NUM_FRAMES, size=16)[1]["clip"] for _ in range(100)]
    assert all(np.array_equal(clip, clips[0]) for clip in clips)


def wrong_word(rng, data):
    lines = data.decode().splitlines()
    row, column = int(rng.integers(len(lines))), int(rng.integers(7))
    fields = lines[row].split(",")
    fields[column] = WORDS[int(rng.integers(len(WORDS)))]
    return "\n".join([*lines[:row], ",".join(fields), *lines[row + 1 :], ""]).encode()


@pytest.mark.parametrize("damages", [(*DAMAGES, other_digit), (wrong_word,)], ids=["bytes", "words"])
def test_damaged_annotations_are_refused_or_read_as_written(annotations, damages):
    def read():
        return [(segment.key, segment._asdict()) for segment in reader.read_annotations(annotations)]

    def explain(segments):
        rows = list(csv.DictReader(annotations.read_text().splitlines()))
        said = [(row["video_id"], float(row["repetition_start"]), float(row["repetition_end"])) for row in rows]
        for _, segment in segments:
            assert -0.25 <= segment["start"] - segment["clip_start"] < segment["end"] - segment["clip_start"]
            assert segment["end"] <= segment["clip_end"] + 0.25
        counts = [segment["count"] for _, segment in segments]
        return (
            said == [(segment["video_id"], segment["start"], segment["end"]) for _, segment in segments]
            and counts == [int(row["count"]) for row in rows]
            and min(counts) >= 1
        )

    counts = outcomes(annotations, read, explain=explain, damages=damages)
    assert min(counts["error"], counts["equal"] + counts["unchecked"]) > 10
