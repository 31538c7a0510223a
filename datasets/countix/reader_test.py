import numpy as np
import pytest

from datasets.countix import reader, standin
from simper_tf.utils.errors import RawDataError

SECONDS = 4
OPTIONS = {"num_frames": 20 * SECONDS, "size": 96}
HEADER = "video_id,class,kinetics_start,kinetics_end,repetition_start,repetition_end,count"
ROW = "abcdefghijk,push up,10,20,12.500000,19.000000,4"


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("countix")
    return folder, standin.write(folder, subjects=3, seconds=SECONDS, seed=1)


def read_split(raw, split, **options):
    """Returns (truth of the row, segment, (key, example, reason)) for each row of a split."""
    folder, truth = raw
    videos = reader.index_videos(folder)
    segments = reader.read_annotations(reader.find_annotations(folder, split))
    results = [reader.read_or_skip(reader.locate(segment, videos), **OPTIONS, **options) for segment in segments]
    return list(zip(truth[split], segments, results, strict=True))


def disc_positions(clip):
    """Where the disc is in each frame, as a share of the width: the centre of what is bright and yellow."""
    yellow = (clip[..., 0].astype(float) + clip[..., 1] > 340) & (clip[..., 2] < 180)
    return (yellow * (np.arange(clip.shape[2]) + 0.5)).sum(axis=(1, 2)) / yellow.sum(axis=(1, 2)) / clip.shape[2]


def count_swings(clip):
    spectrum = np.abs(np.fft.rfft(disc_positions(clip) - disc_positions(clip).mean()))
    return int(np.argmax(spectrum))


@pytest.mark.slow
@pytest.mark.parametrize("split", reader.TFDS_SPLITS)
def test_counts_are_exact_and_skips_are_those_of_the_truth(raw, split):
    for truth, segment, (key, example, reason) in read_split(raw, split):
        if truth["usable"] is not True:
            assert example is None
            assert truth["video_id"] in reason
            continue
        assert example["count"] == segment.count == truth["count"]
        assert example["label"] == np.float32(truth["count"])
        assert count_swings(example["clip"]) == truth["true_count"]
        assert example["id"] == key
        assert (example["clip"].shape, example["clip"].dtype) == ((20 * SECONDS, 96, 96, 3), np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize("index", [0, 1, 2], ids=["25 per second, bare id", "varying rate", "30 per second"])
def test_each_frame_shows_the_moment_its_rate_says(raw, index):
    truth, segment, (_, example, _) = read_split(raw, "train")[index]
    times = segment.start + np.arange(20 * SECONDS) / example["rate"]
    expected = 0.5 + 0.3 * np.sin(2 * np.pi * truth["turns"] * (times - truth["phase"]))
    # The nearest frame is half a frame away at most, 25 ms at 20 a second, and so is the first from the start.
    slack = 0.3 * 2 * np.pi * truth["turns"] * (0.05 if index == 1 else 0.04) + 0.01
    np.testing.assert_allclose(disc_positions(example["clip"]), expected, atol=slack)


def test_segments_of_one_clip_have_their_own_key_and_count(raw):
    whole, part = read_split(raw, "train")[4:6]
    assert whole[1].stem == part[1].stem
    assert whole[2][0] != part[2][0]
    assert part[2][1]["count"] == whole[2][1]["count"] - 1


def test_rows_that_differ_in_the_count_alone_have_different_keys(raw):
    segments = [segment for _, segment, _ in read_split(raw, "val")]
    first, again = segments[0], segments[-1]
    assert first._replace(row=0, count=0) == again._replace(row=0, count=0)
    assert first.key != again.key


def test_a_missing_video_is_skipped_with_the_names_tried(raw):
    truth, segment, (_, example, reason) = read_split(raw, "train")[-1]
    assert truth["usable"] == "missing"
    assert example is None
    assert f"{segment.stem}.mp4 or {segment.video_id}.mp4" in reason


def test_a_short_segment_is_skipped_with_both_numbers(raw):
    _, _, (_, _, reason) = read_split(raw, "train")[3]
    assert "found 51 frames in the segment" in reason
    assert f"expected at least {20 * SECONDS}" in reason


def test_crop_keeps_the_native_rate_and_the_share_of_the_count(raw):
    truth, segment, (_, example, _) = read_split(raw, "train", fit="crop")[2]
    assert example["rate"] == pytest.approx(30, rel=1e-3)
    share = (20 * SECONDS - 1) / 30 / (segment.end - segment.start)
    assert example["label"] == pytest.approx(truth["count"] * share, rel=0.02)
    assert example["count"] == truth["count"]


def test_an_unknown_fit_is_an_error_and_not_a_skip(raw):
    with pytest.raises(ValueError, match="fit is one of"):
        read_split(raw, "test", fit="stretch")


def test_more_repetitions_than_half_the_frames_are_refused(raw):
    folder, _ = raw
    segment = reader.read_annotations(reader.find_annotations(folder, "train"))[0]
    located = reader.locate(segment._replace(count=100), reader.index_videos(folder))
    with pytest.raises(RawDataError, match="100 repetitions in 84 frames"):
        reader.read_segment(located, **OPTIONS)


def test_the_kinetics_name_is_preferred_to_the_bare_id(tmp_path):
    names = ["deep/er/abcdefghijk_000010_000020.MP4", "abcdefghijk.webm", "abcdefghijk_000010_000020.txt"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    segment = reader.Segment(0, "abcdefghijk", "", 10, 20, 12.5, 19.0, 4)
    videos = reader.index_videos(tmp_path)
    assert reader.locate(segment, videos) == (segment, str(tmp_path / names[0]), 10)
    other_clip = segment._replace(clip_start=30, clip_end=40)
    assert reader.locate(other_clip, videos) == (other_clip, str(tmp_path / names[1]), 0)
    assert reader.locate(segment._replace(video_id="-----------"), videos).path == ""


@pytest.mark.parametrize("folder", ["", "countix"])
def test_annotations_are_found_here_or_as_unpacked(tmp_path, folder):
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "countix_val.csv").write_text(f"{HEADER}\n{ROW}\n")
    assert reader.find_annotations(tmp_path, "val").is_file()
    with pytest.raises(RawDataError, match=r"no countix_test\.csv"):
        reader.find_annotations(tmp_path, "test")


def test_the_test_file_has_no_class(tmp_path):
    path = tmp_path / "countix_test.csv"
    path.write_text(f"{HEADER.replace('class,', '')}\n{ROW.replace('push up,', '')}\n")
    assert reader.read_annotations(path) == [reader.Segment(0, "abcdefghijk", "", 10, 20, 12.5, 19.0, 4)]


def test_a_segment_may_end_a_rounding_after_its_clip(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"{HEADER}\n{ROW.replace('19.000000', '20.000300')}\n")
    assert reader.read_annotations(path)[0].end == 20.0003


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (",4\n", ",four\n"),
        (",4\n", ",0\n"),
        (",4\n", "\n"),
        (",4\n", ",4,5\n"),
        (",4\n", ",4"),
        ("12.500000", "nan"),
        ("12.500000", "19.5"),
        ("19.000000", "31.0"),
        (",10,", ",ten,"),
        (",20,", f",1{400 * '0'},"),
        ("abcdefghijk", "abc"),
        ("repetition_end", "end"),
        ("push up", '"push up'),
        (f"{ROW}\n", ""),
    ],
)
def test_an_impossible_annotation_is_refused_with_the_file(tmp_path, old, new):
    path = tmp_path / "countix_train.csv"
    path.write_text(f"{HEADER}\n{ROW}\n".replace(old, new))
    with pytest.raises(RawDataError, match=r"countix_train\.csv: found"):
        reader.read_annotations(path)
