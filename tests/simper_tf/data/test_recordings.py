"""`Recordings`: anybody's files as clips to learn from."""

import tracemalloc

import keras
import numpy as np
import pytest

from datasets.countix import standin
from simper_tf import Recordings, SimPer, SpeedSets, Views
from simper_tf.encoders import ENCODERS
from simper_tf.recordings.pixels import levels


def bar(seconds, rate, frequency, height=48, width=64):
    """Returns frames of a bright bar that goes to and fro as a saw, which no half period repeats."""
    times = np.arange(round(seconds * rate)) / rate
    places = (0.2 + 0.6 * (frequency * times % 1)) * width
    columns = np.arange(width)
    frames = 40 + 180 * np.exp(-(((columns - places[:, None]) / (0.12 * width)) ** 2))
    return times, np.repeat(frames[:, None, :, None], height, axis=1).astype(np.uint8)


def write(path, seconds, rate, frequency, **size):
    times, frames = bar(seconds, rate, frequency, **size)
    standin.encode(path, np.repeat(frames, 3, axis=-1), times)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder of three videos of several rates and sizes, gray frames, a series and damaged files."""
    folder = tmp_path_factory.mktemp("clips")
    write(folder / "a.mp4", 8, 25, 1.0)
    write(folder / "b.mp4", 9, 30, 1.5, height=64, width=48)
    write(folder / "c.mp4", 10, 24, 2.0, height=36, width=96)
    np.save(folder / "d.npy", bar(8, 25, 1.2)[1][..., 0])
    (folder / "cut.mp4").write_bytes((folder / "a.mp4").read_bytes()[:900])
    (folder / "empty.mp4").touch()
    (folder / "pulse.csv").write_text("time,x\n" + "\n".join(f"{k / 10},{k % 7}" for k in range(90)))
    return folder


@pytest.fixture(scope="module")
def recordings(folder):
    return Recordings(folder, rate=25.0)


@pytest.mark.slow
def test_mixed_recordings_get_one_rate_length_size_and_color(recordings, folder):
    assert (recordings.clips.shape[1:], recordings.clips.dtype) == ((150, 18, 24, 3), np.uint8)
    assert recordings.rate == 25.0
    names = [f"{folder}/{name}" for name in ("a.mp4", "b.mp4", "c.mp4", "d.npy")]
    assert sorted(set(recordings.recordings)) == names
    assert len(recordings) == len(recordings.starts) == len(recordings.recordings)
    for name, seconds in zip(names, (8, 9, 10, 8), strict=True):
        starts = recordings.starts[np.array(recordings.recordings) == name]
        assert starts[0] == 0
        assert np.all(np.diff(starts) > 0)
        assert starts[-1] == pytest.approx(seconds - 6, abs=0.08)


def test_a_clip_shows_what_its_recording_shows_at_that_time(recordings, folder):
    numbers = [k for k, name in enumerate(recordings.recordings) if name.endswith("c.mp4")]
    for k in (numbers[0], numbers[-1]):
        brightest = recordings.clips[k].astype(float).mean(axis=(1, 3)).argmax(axis=1)
        times = recordings.starts[k] + np.arange(150) / 25
        phase = 2.0 * times % 1
        inside = (phase > 0.15) & (phase < 0.85)  # A frame between two of a jump is a mixture.
        expected = (0.2 + 0.6 * phase) * 24 - 0.5
        assert np.abs(brightest - expected)[inside].max() < 1.6


def test_bad_files_and_series_are_named_and_left_out(recordings, folder):
    said = sorted(str(problem) for problem in recordings.problems)
    assert [text.split(":")[0] for text in said] == [
        f"{folder}/{name}" for name in ("cut.mp4", "empty.mp4", "pulse.csv")
    ]
    assert "found a series; expected a video, or an array of frames" in said[2]


def test_gray_arrays_alone_stay_gray(folder):
    gray = Recordings(folder / "d.npy", rate=25.0, size=(6, 8))
    assert gray.clips.shape[2:] == (6, 8, 1)
    color = levels(np.uint8([[[[255, 0, 0]]], [[[0, 0, 255]]]]), 1)
    assert color.ravel().tolist() == [76, 29]
    assert levels(np.float32([[[[3.6]]]]), 3).tolist() == [[[[4, 4, 4]]]]


def test_a_file_named_twice_is_taken_once(folder):
    found = Recordings([folder / "a.mp4", f"{folder}/*.mp4", str(folder / "a.mp4")])
    assert [source.name[-5:] for source in found.sources] == ["a.mp4", "b.mp4", "c.mp4"]


def test_nothing_to_learn_from_is_one_error_that_names_the_first(folder, tmp_path):
    with pytest.raises(ValueError, match=rf"^No recording to learn from. {tmp_path}: .* a folder with"):
        Recordings(tmp_path)
    with pytest.raises(
        ValueError,
        match=r"^No recording to learn from. The first of 2: .*empty.mp4: found an empty",
    ):
        Recordings([folder / "cut.mp4", folder / "empty.mp4"])
    with pytest.raises(ValueError, match=r"d.npy: .*expected a rate"):
        Recordings(folder / "d.npy")


def test_a_recording_with_a_gap_in_every_window_is_named(tmp_path):
    lines = [f"{k / 10},{k % 7}" for k in range(900) if k % 60 < 40]  # 2 s are missing of every 6.
    (tmp_path / "pulse.csv").write_text("time,x\n" + "\n".join(lines))
    with pytest.raises(ValueError, match=r"pulse.csv: found gaps; expected 1\d s without one, .* or shorten `window`"):
        len(Recordings(tmp_path / "pulse.csv", window=10.0, band=(0.5, 1.2)))


@pytest.mark.slow
def test_of_more_clips_than_fit_those_held_are_drawn_from_all(recordings, folder):
    size = recordings.clips[0].nbytes
    few = Recordings(folder, rate=25.0, megabytes=5.5 * size / 1e6, seed=1)
    assert few.clips.shape == (5, *recordings.clips.shape[1:])
    known = {
        (name, start): clip
        for name, start, clip in zip(recordings.recordings, recordings.starts, recordings.clips, strict=True)
    }
    for name, start, clip in zip(few.recordings, few.starts, few.clips, strict=True):
        np.testing.assert_array_equal(clip, known[name, start])
    assert set(few.recordings) != {recordings.recordings[0]}
    again = Recordings(folder, rate=25.0, megabytes=5.5 * size / 1e6, seed=1)
    np.testing.assert_array_equal(again.starts, few.starts)


@pytest.mark.slow
def test_a_recording_ten_times_as_long_takes_no_more_memory(tmp_path):
    peaks = []
    for number, seconds in enumerate((30, 300)):
        path = tmp_path / f"{number}.npy"
        frames = np.lib.format.open_memmap(path, "w+", np.uint8, (seconds * 10, 24, 32))
        frames[:] = bar(30, 10, 0.7, 24, 32)[1][np.arange(len(frames)) % 300, :, :, 0]
        frames.flush()
        tracemalloc.start()
        found = Recordings(path, rate=10.0, megabytes=0.2)
        assert found.clips.nbytes <= 0.2e6
        assert sum(1 for _ in found.each(0)) >= seconds // 4
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_damage_on_the_way_is_noted_and_what_came_before_is_kept(tmp_path):
    frames = bar(20, 10, 0.7, 24, 32)[1].astype(np.float32) / 255
    frames[150] = np.nan
    np.save(tmp_path / "a.npy", frames[..., 0])
    found = Recordings(tmp_path / "a.npy", rate=10.0)
    assert found.problems == []
    assert found.starts.max() <= 9.0
    assert "found a frame 150 that is not finite" in str(found.problems[0])


@pytest.mark.slow
def test_a_method_learns_from_recordings_and_reads_frequencies(recordings):
    keras.utils.set_random_seed(0)
    times = SpeedSets(num_views=2)
    model = SimPer(ENCODERS["small"](recordings.clips.shape[2:]), Views(times.longest_view(150), times, None))
    model.compile(keras.optimizers.Adam(3e-3))
    model.fit(recordings, batch_size=4, epochs=2, verbose=0)
    assert np.isfinite(model.evaluate(recordings, batch_size=4, verbose=0)["loss"])
    true = {"a.mp4": 1.0, "b.mp4": 1.5, "c.mp4": 2.0, "d.npy": 1.2}
    expected = [true[name[-5:]] for name in recordings.recordings]
    found = model.frequency(recordings, recordings.rate)
    np.testing.assert_allclose(found, expected, atol=0.02)
    assert model.frequency(recordings.clips[0], 25.0) == pytest.approx(found[0], abs=1e-5)
    np.testing.assert_allclose(model.frequency(recordings.clips[:2], [25.0, 50.0]), [found[0], 2 * found[1]], rtol=1e-5)
    with pytest.raises(ValueError, match="`rate` must be one number, or one for each of 2 clips"):
        model.frequency(recordings.clips[:2], [25.0] * 3)
