"""Where a sample is missing, a series is refused or not, as somebody chooses."""

import numpy as np
import pytest

from simper_tf import Recordings
from simper_tf.reading import adapted, read
from simper_tf.recordings import gaps
from simper_tf.recordings.errors import RawDataError
from simper_tf.recordings.sources import Series


def written(path, times):
    path.write_text("time,x\n" + "".join(f"{time},{k % 7}\n" for k, time in enumerate(times)))
    return Series(path)


@pytest.mark.parametrize("lost", [[7], [7, 8, 9]])
def test_a_missing_sample_is_refused_with_the_longest_hole_if_so_chosen(tmp_path, lost):
    source = written(tmp_path / "a.csv", np.delete(np.arange(40) / 20, lost))
    gaps.check(source, "interpolate")
    found = rf"found {0.05 * (1 + len(lost)):.3g} s without a sample; expected one every 0.05 s\. Fill them"
    with pytest.raises(RawDataError, match=found):
        gaps.check(source, "refuse")


def test_uneven_times_are_no_gap(tmp_path):
    uneven = (np.arange(40) + np.random.default_rng(1).uniform(-0.3, 0.3, 40)) / 20
    gaps.check(written(tmp_path / "a.csv", uneven), "refuse")


@pytest.mark.parametrize(
    ("rate", "lost", "is_bridged"),
    # A quarter of the fastest period, of 5.5 Hz, or of 4.5 where the rate shows no more; or a single sample.
    [(250, 9, True), (250, 20, False), (50, 1, True), (50, 2, False), (10, 1, True), (10, 2, False)],
)
def test_a_gap_is_bridged_in_reading_where_it_is_in_training(tmp_path, rate, lost, is_bridged):
    times = np.delete(np.arange(20 * rate) / rate, 7 * rate + np.arange(lost))
    path = tmp_path / "a.csv"
    path.write_text("time,x\n" + "".join(f"{time},{np.sin(7 * time)}\n" for time in times))
    learned_from = Recordings(path, window=12.0, hop=1.0, band=(0.4, min(5.5, 0.45 * rate)))
    opened = read.prepare(Series(path), read.Wishes(window=12.0, hop=1.0))
    starts = [[*learned_from.starts], [window.start for window in opened.windows()]]
    for found in starts:
        assert (min(found) < 7) == is_bridged
        assert max(found) > 7


def test_no_window_in_which_a_sensor_was_off_is_learned_from(tmp_path):
    times = np.arange(1500) / 50
    values = np.where((times > 8) & (times < 22), 7.0, np.sin(7 * times))
    (tmp_path / "a.csv").write_text("time,x\n" + "".join(f"{t},{x}\n" for t, x in zip(times, values, strict=True)))
    opened = read.prepare(Series(tmp_path / "a.csv"), read.Wishes())
    clips = adapted._training_clips(opened, 0)
    assert len(clips) > 5
    assert (np.ptp(clips, axis=1) > 0).all()
    off = read.prepare(Series(tmp_path / "a.csv"), read.Wishes(start=9.0, end=20.0))
    with pytest.raises(RawDataError, match="found no window without a hole in which it changes; expected one to learn"):
        adapted._training_clips(off, 0)
