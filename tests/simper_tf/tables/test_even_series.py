"""Long files: the part that is wanted is read alone, block by block, and is that of the whole file."""

import math

import numpy as np
import pytest
import scipy.io.wavfile
from test_series_files import write_edf, write_wfdb

from simper_tf.recordings import sources
from simper_tf.tables import channels, even_series, series_files
from simper_tf.tables.formats import sound
from simper_tf.utils.errors import RawDataError

RATE = 50.0
VALUES = np.sin(0.3 * np.arange(4000)) + 0.1 * np.cos(0.01 * np.arange(4000))


def written(folder, kind):
    path = folder / f"a{kind}"
    if kind == ".npy":
        np.save(path, VALUES)
    elif kind == ".wav":
        scipy.io.wavfile.write(path, int(RATE), VALUES)
    elif kind == ".edf":
        write_edf(path)
    elif kind == ".hea":
        write_wfdb(folder, "a")
    else:
        lines = [f"{k / RATE:.2f},{value:.6f}" for k, value in enumerate(VALUES)]
        path.write_text("\n".join(["time,x", *lines]))
    return path


def held(path, *span):
    return series_files.series_of(path, RATE if path.suffix == ".npy" else None, False, "", (), "", *span)


@pytest.mark.parametrize("kind", [".npy", ".wav", ".edf", ".hea", ".csv"])
def test_a_part_of_a_file_is_that_of_the_whole(tmp_path, monkeypatch, kind):
    path = written(tmp_path, kind)
    whole, part = held(path), held(path, 2.0, 3.5)
    inside = (whole.times >= 2.0) & (whole.times < 3.5)
    np.testing.assert_allclose(part.times, whole.times[inside], atol=1e-9)
    expected = whole.values[inside].astype(np.float64)
    expected = (expected - expected.mean(axis=0)) / expected.std(axis=0)
    found = (part.values - part.values.mean(axis=0)) / part.values.std(axis=0)
    np.testing.assert_allclose(found, expected, atol=2e-4)
    assert part.names == whole.names


@pytest.mark.parametrize("kind", [".npy", ".wav", ".edf", ".hea"])
def test_only_the_part_that_is_wanted_is_read(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(even_series, "ROWS", 64)
    spans, real = [], even_series.Stored.__getitem__
    monkeypatch.setattr(
        even_series.Stored,
        "__getitem__",
        lambda self, part: (spans.append((part.start, part.stop)), real(self, part))[1],
    )
    path = written(tmp_path, kind)
    facts, *parts = channels.parts(str(path), RATE, True, "", [], "", 0.0, 2.0)
    assert sum(count for count, _ in parts) == facts[0]["most"] == 100
    count = round(facts[0]["seconds"] * RATE)
    assert max(count - stop for start, stop in spans if start >= 128) < 64  # Its end alone, which tells its length.
    assert facts[0]["seconds"] * RATE == pytest.approx(count)


def test_a_text_is_read_no_further_than_wanted(tmp_path, monkeypatch):
    monkeypatch.setattr(channels, "_HEAD_ROWS", 64)
    (tmp_path / "a.csv").write_text(written(tmp_path, ".csv").read_text() + "\nwords,without,numbers\n" * 2000)
    (part,) = [held(tmp_path / "a.csv", 0.0, 4.0)]
    assert len(part.times) == 200
    assert part.notes == ()


def test_a_text_with_the_newest_row_first_ends_at_its_oldest(tmp_path, monkeypatch):
    lines = written(tmp_path, ".csv").read_text().splitlines()
    (tmp_path / "b.csv").write_text("\n".join([lines[0], *lines[:0:-1]]))
    first, second = held(tmp_path / "a.csv", 0.0, 4.0), held(tmp_path / "b.csv", 0.0, 4.0)
    np.testing.assert_allclose(first.times, second.times, atol=1e-9)
    assert np.corrcoef(first.values[:, 0], second.values[:, 0])[0, 1] > 0.9999


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_blocks_are_scaled_as_all_at_once(monkeypatch, scale):
    monkeypatch.setattr(even_series, "ROWS", 37)
    values = scale * (np.stack([VALUES, 5 + 1e-3 * VALUES[::-1], 0 * VALUES], 1) * np.linspace(0.1, 3, 4000)[:, None])
    values[7], values[-3:] = np.nan, np.nan
    facts, *parts = even_series.parts("x", ["a", "b", "c"], values, RATE, [], 0.0, math.inf)
    whole = series_files.normal("x", np.arange(4000) / RATE, values, ["a", "b", "c"])
    numbers = [np.frombuffer(content, np.float32, offset=8 * count).reshape(count, -1) for count, content in parts]
    np.testing.assert_allclose(np.concatenate(numbers), whole.values, atol=1e-5)
    times = np.concatenate([np.frombuffer(content, np.float64, count) for count, content in parts])
    np.testing.assert_allclose(times, whole.times, atol=1e-9)
    assert (tuple(facts[0]["names"]), tuple(facts[0]["notes"])) == (whole.names, whole.notes)
    assert facts[0]["seconds"] == pytest.approx(whole.seconds)


def test_a_part_that_stands_still_is_no_fault_of_the_file():
    values = np.concatenate([np.zeros(500), VALUES])[:, None]
    facts, *parts = even_series.parts("x", ["a"], values, RATE, [], 0.0, 5.0)
    assert facts[0]["names"] == ["a"]
    assert not np.frombuffer(parts[0][1], np.float32, offset=8 * 250).any()
    with pytest.raises(RawDataError, match="found values that never change"):
        list(even_series.parts("x", ["a"], 0 * values, RATE, [], 0.0, math.inf))
    with pytest.raises(RawDataError, match="found 1 samples that are numbers; expected three or more"):
        list(even_series.parts("x", ["a"], values, RATE, [], 0.0, 0.02))


def test_a_changed_sample_is_refused_when_all_is_read(tmp_path):
    path = written(tmp_path, ".hea")
    content = bytearray((tmp_path / "a.dat").read_bytes())
    content[-2] ^= 1
    (tmp_path / "a.dat").write_bytes(content)
    with pytest.raises(RawDataError, match="not those of its checksum"):
        held(path)
    assert len(held(path, 0.0, 1.0).times) == 50


def test_the_usual_step_of_a_day_is_that_of_all_its_steps():
    steps = np.where(np.arange(3_000_000) % 3 == 0, 0.05, 0.02)
    assert series_files.usual_step(np.cumsum(steps)) == pytest.approx(0.02)


def test_a_source_reads_again_what_another_part_needs(tmp_path):
    source = sources.open_file(written(tmp_path, ".npy"), RATE)
    source.only(1.0, 2.0)
    assert (source.info().seconds, len(source.part(0.0, 9.0)[0])) == (80.0, 50)
    source.only(0.0, math.inf)
    assert len(source.part(0.0, 9.0)[0]) == 450


def test_loudness_is_that_of_blocks_without_an_edge(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    noise = np.random.default_rng(0).normal(0, 0.1, (30_000, 2))
    soundfile.write(tmp_path / "a.wav", noise, 8000, "DOUBLE")
    weights = np.hanning(162)[1:-1, None]
    windows = [noise[80 * k : 80 * k + 160] for k in range(374)]
    expected = [np.sqrt((weights * block**2).mean() / weights.mean()) for block in windows]
    found = sound.sound(tmp_path / "a.wav").values
    np.testing.assert_allclose(found[:][:, 0], expected, rtol=1e-9)
    np.testing.assert_allclose(found[100:200][:, 0], expected[100:200], rtol=1e-9)


def test_a_rate_that_is_a_whole_number_is_one(tmp_path):
    found = series_files.series_of(written(tmp_path, ".npy"), 50)
    np.testing.assert_allclose(np.diff(found.times), 0.02, atol=1e-9)
