"""`Recordings` of series and of arrays at hand: what is a recording, what a channel, and what is made up of gaps."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf import Recordings, SimPer, SpeedSets, Views, small1d
from simper_tf.data.proposals import Proposal
from simper_tf.export.served_features import FeaturesModel
from simper_tf.recordings.source_contract import Info
from simper_tf.utils.standardize import standardize

RNG = np.random.default_rng(83)


def wave(seconds, rate, frequency=1.0, channels=1):
    """Returns `(T, C)` of a beat with a strong second harmonic, in a large unit."""
    angle = 2 * np.pi * frequency * np.arange(round(seconds * rate))[:, None] / rate + np.arange(channels)
    return 5e4 + 300 * (np.sin(angle) + 0.8 * np.sin(2 * angle + 1))


def table(path, times, values):
    rows = [",".join("" if np.isnan(number) else f"{number:.6f}" for number in row) for row in np.c_[times, values]]
    path.write_text("\n".join(["time,x", *rows]) + "\n")


@pytest.mark.parametrize(
    ("given", "number", "frame"),
    [
        (RNG.random((3, 600)), 3, (1, 1, 1)),
        (RNG.random((3, 600, 2)), 3, (1, 1, 2)),
        (RNG.integers(0, 255, (2, 600, 10, 12)).astype(np.uint8), 2, (10, 12, 1)),
        (RNG.integers(0, 255, (2, 600, 10, 12, 3)).astype(np.uint8), 2, (10, 12, 3)),
        ([RNG.random(600), RNG.random(900)], 2, (1, 1, 1)),
        ([RNG.random((600, 3)), RNG.random((900, 3))], 2, (1, 1, 3)),
        ([RNG.integers(0, 255, (600, 10, 12)).astype(np.uint8)], 1, (10, 12, 1)),
        ((RNG.integers(0, 255, (600, 10, 12, 3)).astype(np.uint8),), 1, (10, 12, 3)),
    ],
)
def test_the_number_of_axes_tells_what_arrays_hold(given, number, frame):
    found = Recordings(given, rate=30.0, hop=2.0)
    assert [source.name for source in found.sources] == [f"array {k}" for k in range(number)]
    assert found.clip_shape[1:] == frame
    assert found.clips.shape[1:] == found.clip_shape
    assert found.clips.dtype == (np.float32 if frame[:2] == (1, 1) else np.uint8)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            RNG.random((300, 24, 32, 3)),
            r"may be 300 recordings of gray frames that are 3 wide, or one .* Give \[",
        ),
        (RNG.random((300, 3)), "array 0: found 3 samples of 1 channels; expected time first, 16 or more"),
        (RNG.random(300), r"Received: shape \(300,\). Give a single one as \[array\]."),
        ([RNG.random((3, 300))], "array 0: found 3 samples of 300 channels; expected time first"),
        (RNG.random((300, 24, 32)), "array 0: found 24 samples of 32 channels; expected time first"),
        (
            [RNG.random(300), np.array(["a"] * 300)],
            "array 1: found <U1 of shape .*; expected numbers, one recording",
        ),
        ([RNG.random((600, 1)), RNG.random((600, 2))], "Found: 1 in array 0, 2 in array 1. Name files of one kind"),
    ],
)
def test_implausible_axes_are_refused_with_what_to_give(given, message):
    with pytest.raises(ValueError, match=message):
        Recordings(given, rate=30.0)


def test_files_of_other_columns_are_learned_from_by_name(tmp_path):
    times = np.arange(0, 20, 0.02)
    red, dark = wave(20, 50)[:, 0], np.zeros(1000)
    for name, head, columns in (
        ("a.csv", "clock,R,G,time", (times[::-1], red, dark, times)),
        ("b.csv", "time,G,R,x", (times, 2 * red, red, 3 * red)),
    ):
        np.savetxt(tmp_path / name, np.stack(columns, 1), "%.6f", ",", header=head, comments="")
    given = {"time": "time", "columns": ["R", "G"]}
    found = Recordings([tmp_path / "a.csv", tmp_path / "b.csv"], **given, window=5.0)
    assert found.clip_shape == (220, 1, 1, 2)
    assert found.table == given
    first, second = (next(found.each(k))[1] for k in range(2))
    np.testing.assert_allclose(first[:, 0, 0, 0], second[:, 0, 0, 0], atol=1)
    assert not np.ptp(first[..., 1])
    with pytest.raises(ValueError, match=r"number of channels\. Found: .* or the channels of all by `columns`"):
        Recordings([tmp_path / "a.csv", tmp_path / "b.csv"], window=5.0)
    with pytest.raises(ValueError, match="`time` and `columns` name columns of files, and arrays have none"):
        Recordings(wave(20, 50).T, rate=50.0, columns=["R"])


def test_a_series_that_is_left_out_may_have_other_channels(tmp_path):
    for number in range(3):
        np.save(tmp_path / f"{number}.npy", wave(30, 50.0, channels=2))
    np.save(tmp_path / "stray.npy", wave(1, 50.0, channels=5))
    found = Recordings(tmp_path, rate=50.0)
    assert found.clip_shape[-1] == 2
    assert [source.name[-5:] for source in found.sources] == ["0.npy", "1.npy", "2.npy"]
    (problem,) = found.problems
    assert "stray.npy: found 1.00 s; expected" in str(problem)


@pytest.mark.parametrize("rate", [None, [30.0], [30.0, 0.0], -1.0])
def test_arrays_need_a_rate_or_one_each(rate):
    with pytest.raises(ValueError, match=r"`rate` must be the samples .* one number, or one for each of 2. Received"):
        Recordings([RNG.random(600), RNG.random(600)], rate=rate)


@pytest.mark.slow
def test_resampling_differing_rates_keeps_the_frequency():
    found = Recordings([wave(40, 200.0), wave(40, 64.0), wave(40, 30.0)], rate=[200.0, 64.0, 30.0])
    assert found.rate == 44.0
    frequencies = np.fft.rfftfreq(16 * 264, 1 / 44)
    for clip in found.clips:
        power = np.abs(np.fft.rfft((clip - clip.mean(axis=0))[:, 0, 0, 0] * np.hanning(264), 16 * 264))
        assert frequencies[power.argmax()] == pytest.approx(1.0, abs=0.02)


def test_training_and_scoring_see_windows_as_the_served_model():
    raw = wave(40, 40.0, channels=2)
    raw[100] += 1e5  # A jolt, which is cut once and not twice.
    found = Recordings([raw], rate=40.0, window=6.0, hop=3.0)
    windows = np.stack([raw[round(start * 40) :][:240] for start in found.starts])[:, :, None, None]
    encoder = small1d((1, 1, 2))
    model = SimPer(encoder, Views(120, SpeedSets(num_views=4)))
    served = FeaturesModel(encoder, (1, 1, 2)).features(tf.constant(np.float32(windows)))["features"]
    np.testing.assert_allclose(model.encode(found.clips), served, atol=1e-4)
    seen = Views(120, appearance=None)
    first, second = (seen(clips, (0, 1))["views"] for clips in (found.clips, windows))
    np.testing.assert_allclose(first, second, atol=1e-5)


@pytest.mark.slow
def test_short_gaps_are_interpolated_and_no_clip_spans_long_ones(tmp_path):
    times, values = np.arange(3000) / 50, wave(60, 50.0)[:, 0]
    whole = values.copy()
    values[200] = values[1700] = np.nan  # A sample; and a second and a half.
    values[1500:1575] = np.nan
    table(tmp_path / "a.csv", times, values)
    table(tmp_path / "whole.csv", times, whole)
    found, complete = Recordings(tmp_path / "a.csv", window=6.0), Recordings(tmp_path / "whole.csv", window=6.0)
    assert found.starts.min() == 0
    assert not np.any((found.starts < 31.5 - 0.03) & (found.starts + 6 > 30 + 0.03))
    assert np.any(found.starts > 31)
    first, second = (standardize(each.clips)[0, :, 0, 0, 0] for each in (found, complete))
    np.testing.assert_allclose(first, second, atol=0.02)


def test_the_longest_bridged_gap_follows_from_the_band():
    proposal = Proposal(44.0, 264, 132, (1, 1), (0.4, 5.0), (0.5, 2.0))
    assert proposal.longest_gap(Info(100.0, 60.0, 1, 1, longest_gap=0.025)) == pytest.approx(0.05)
    assert proposal.longest_gap(Info(25.0, 60.0, 1, 1, longest_gap=0.1)) == 0.1


def test_gaps_are_refused_on_request_and_uneven_times_are_none(tmp_path):
    times, values = np.arange(1500) / 50, wave(30, 50.0)[:, 0]
    table(tmp_path / "uneven.csv", times + RNG.uniform(-0.2, 0.2, 1500) / 50, values)
    kept = np.arange(1500) != 700
    table(tmp_path / "row_lost.csv", times[kept], values[kept])
    values[700] = np.nan
    table(tmp_path / "cell_lost.csv", times, values)
    found = Recordings(tmp_path, gaps="refuse")
    assert [source.name[-10:] for source in found.sources] == ["uneven.csv"]
    assert len(Recordings(tmp_path).sources) == 3
    said = sorted(str(problem) for problem in found.problems)
    assert [text.partition(": ")[2] for text in said] == [
        "found 0.04 s without a sample; expected one every 0.02 s. Fill them, leave it out, or interpolate gaps."
    ] * 2
    with pytest.raises(ValueError, match=r"`gaps` must be one of interpolate, refuse. Received: 'ignore'"):
        Recordings(tmp_path, gaps="ignore")


def test_while_a_sensor_is_off_there_are_no_clips():
    values = wave(60, 50.0)
    values[1000:2000] = 7.0  # From 20 to 40 s.
    found = Recordings([values], rate=50.0, window=6.0, hop=1.0)
    inside = (found.starts >= 20) & (found.starts + 6 <= 40)
    assert len(found) > 20
    assert not inside.any()
    assert np.ptp(found.clips, axis=1).min() > 0


def test_rates_above_the_need_of_the_band_are_lowered(tmp_path):
    np.save(tmp_path / "a.npy", wave(30, 250.0))
    assert Recordings(tmp_path / "a.npy", rate=250.0).rate == 44.0
    assert Recordings([wave(60, 250.0)], rate=250.0, band=(0.2, 2.0)).rate == 16.0
    table(tmp_path / "b.csv", np.arange(1500) / 50, wave(30, 50.0))
    assert Recordings(tmp_path / "b.csv", rate=25.0).rate == 25.0


@pytest.mark.slow
def test_a_model_learns_from_and_reads_arrays_in_their_own_unit():
    hertz = RNG.uniform(0.8, 2.5, 8)
    found = Recordings(np.stack([wave(20, 40.0, each)[:, 0] for each in hertz]), rate=40.0)
    times = SpeedSets(num_views=4)
    keras.utils.set_random_seed(0)
    model = SimPer(small1d((1, 1, 1)), Views(times.longest_view(found.clip_shape[0]), times))
    model.compile(keras.optimizers.Adam(3e-3))
    model.fit(found, batch_size=4, epochs=6, verbose=0)
    read = model.frequency(found, found.rate)
    truth = hertz[[int(name.split()[1]) for name in found.recordings]]
    assert np.median(np.abs(read - truth)) < 0.03
    raw = wave(6, 40.0, 1.7)[:, :, None, None].astype(np.float32)
    assert model.frequency(raw, 40.0) == pytest.approx(1.7, abs=0.05)
    assert model.frequency(-1e-3 * raw + 8, 40.0) == pytest.approx(1.7, abs=0.05)
