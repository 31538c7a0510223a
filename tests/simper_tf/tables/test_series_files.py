"""Series of binary files: arrays, sound, EDF, WFDB and MATLAB, and damaged files of every kind."""

import functools
import importlib
import pathlib
import struct
import tempfile
from unittest import mock

import numpy as np
import pytest
import scipy.io
import scipy.io.wavfile

from simper_tf.commands import early_checks
from simper_tf.recordings import search
from simper_tf.tables import channels, limits, series_files
from simper_tf.tables.formats import named_arrays, sound
from simper_tf.tables.texts import layouts
from simper_tf.utils import endings
from simper_tf.utils.errors import RawDataError

COUNT, RATE = 600, 50.0
TIMES = np.arange(COUNT) / RATE
WAVE = np.sin(2 * np.pi * 1.2 * TIMES)
RNG = np.random.default_rng(3)


def check(found, channels=1):
    np.testing.assert_allclose(found.times, TIMES, atol=1e-4)
    assert found.values.shape == (COUNT, channels)
    assert np.corrcoef(found.values[:, 0], WAVE)[0, 1] > 0.999


def write_edf(path, rates=(50, 10)):
    pyedflib = pytest.importorskip("pyedflib")
    with pyedflib.EdfWriter(str(path), len(rates)) as file:
        for k, rate in enumerate(rates):
            about = {"label": f"S{k}", "dimension": "mV", "sample_frequency": rate, "physical_max": 2.0}
            limits = {
                "physical_min": -2.0,
                "digital_max": 32767,
                "digital_min": -32768,
                "transducer": "",
                "prefilter": "",
            }
            file.setSignalHeader(k, about | limits)
        file.writeSamples([WAVE if rate == 50 else WAVE[:120].copy() for rate in rates])


def write_wfdb(folder, name="a"):
    wfdb = pytest.importorskip("wfdb")
    wfdb.wrsamp(
        name, fs=RATE, units=["mV", "mV"], sig_name=["I", "II"], p_signal=np.stack([WAVE, 2 - WAVE], 1),
        fmt=["16", "16"], write_dir=str(folder),
    )  # fmt: skip


def test_arrays_need_a_rate(tmp_path):
    np.save(tmp_path / "a.npy", np.stack([WAVE, -WAVE], 1))
    check(series_files.series_of(tmp_path / "a.npy", RATE), 2)
    with pytest.raises(RawDataError, match=r"samples without their rate; .* Name it, such as `rate=50`, at which"):
        series_files.series_of(tmp_path / "a.npy")


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.float32])
def test_wav_files_below_4000_hz_are_read_as_they_are(tmp_path, kind):
    values = 100 * np.stack([WAVE, -WAVE], 1) + (128 if kind == np.uint8 else 0)
    scipy.io.wavfile.write(tmp_path / "a.wav", int(RATE), values.astype(kind))
    check(series_files.series_of(tmp_path / "a.wav"), 2)


@pytest.mark.parametrize("ending", [".wav", ".flac", ".mp3"])
def test_loudness_of_sound_is_read_every_hundredth_of_a_second(tmp_path, ending):
    soundfile = pytest.importorskip("soundfile")
    times = np.arange(80_000) / 8000
    loud = 0.5 + 0.4 * np.sin(2 * np.pi * times)
    soundfile.write(tmp_path / f"a{ending}", loud * RNG.uniform(-0.9, 0.9, len(times)), 8000)
    found = series_files.series_of(tmp_path / f"a{ending}")
    assert found.names == ("loudness",)
    np.testing.assert_allclose(found.times[:999], np.arange(999) / 100)
    assert len(found.times) <= (999 if ending != ".mp3" else 1020)  # MP3 has whole frames of sound.
    assert np.corrcoef(found.values[:999, 0], loud[80::80])[0, 1] > 0.95


@pytest.mark.parametrize("rate", [500, 8000])
def test_flac_that_leaves_its_length_open_is_counted(tmp_path, rate):
    soundfile = pytest.importorskip("soundfile")
    path = tmp_path / "a.flac"
    soundfile.write(path, RNG.uniform(-0.9, 0.9, (10 * rate, 2)), rate)
    whole = series_files.series_of(path)
    content = bytearray(path.read_bytes())
    content[21] &= 0xF0
    content[22:26] = bytes(4)
    path.write_bytes(content)
    found = series_files.series_of(path)
    np.testing.assert_array_equal(found.times, whole.times)
    np.testing.assert_array_equal(found.values, whole.values)
    np.testing.assert_allclose(series_files.series_of(path, start=4.0).times[0], 4.0)


def test_an_even_tone_is_evenly_loud(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "a.wav", 0.5 * np.sin(2 * np.pi * 440 * np.arange(8000) / 8000), 8000)
    np.testing.assert_allclose(sound.sound(tmp_path / "a.wav").values[:], 0.5 / np.sqrt(2), rtol=0.002)


def test_a_wav_file_that_is_cut_off_is_told(tmp_path):
    scipy.io.wavfile.write(tmp_path / "a.wav", 50, (1000 * WAVE).astype(np.int16))
    whole = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "a.wav").write_bytes(whole[:-400])
    found = series_files.series_of(tmp_path / "a.wav")
    assert len(found.times) == COUNT - 200
    assert found.notes == (f"400 of {len(whole):,} bytes are missing: the file is cut off.",)


def test_a_wav_header_with_two_rates_is_refused(tmp_path):
    scipy.io.wavfile.write(tmp_path / "a.wav", 50, (1000 * WAVE).astype(np.int16))
    content = bytearray((tmp_path / "a.wav").read_bytes())
    struct.pack_into("<I", content, 24, 60)
    (tmp_path / "a.wav").write_bytes(content)
    with pytest.raises(RawDataError, match=r"a header that contradicts itself .1 channels of 16 bits"):
        series_files.series_of(tmp_path / "a.wav")


def test_edf_signals_of_the_highest_rate_are_read(tmp_path):
    write_edf(tmp_path / "a.edf")
    found = series_files.series_of(tmp_path / "a.edf")
    check(found)
    assert found.names == ("S0",)
    assert found.notes == ("Signals of a lower rate are left out: S1.",)


@pytest.mark.parametrize("ending", [".hea", ".dat"])
def test_wfdb_records_are_read_by_either_file(tmp_path, ending):
    write_wfdb(tmp_path)
    found = series_files.series_of(tmp_path / f"a{ending}")
    check(found, 2)
    assert found.names == ("I", "II")


def test_wfdb_headers_may_not_name_files_elsewhere(tmp_path):
    write_wfdb(tmp_path)
    header = (tmp_path / "a.hea").read_text()
    for name in ("../a.dat", "/etc/a.dat", "s3://a/b.dat"):
        (tmp_path / "a.hea").write_text(header.replace("a.dat", name))
        with pytest.raises(RawDataError, match="expected files beside it"):
            series_files.series_of(tmp_path / "a.hea")
    (tmp_path / "a.hea").unlink()
    with pytest.raises(RawDataError, match=r"no header beside it; expected a\.hea"):
        series_files.series_of(tmp_path / "a.dat")


@pytest.mark.parametrize(
    "held",
    [
        {"ecg": WAVE, "fs": RATE}, {"data": {"val": WAVE[None], "sampling_rate": RATE}}, {"x": WAVE, "t": TIMES},
        {"x": WAVE, "timer": 1000 * TIMES}, {"x": WAVE, "Fs": RATE, "short": WAVE[:50]},
    ],
)  # fmt: skip
def test_matlab_files_are_read_with_the_rate_or_times_beside(tmp_path, held):
    scipy.io.savemat(tmp_path / "a.mat", held)
    check(series_files.series_of(tmp_path / "a.mat"))


def test_a_compressed_matlab_file_is_read(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"fs": RATE, "x": WAVE}, do_compression=True)
    check(series_files.series_of(tmp_path / "a.mat"))


def test_matlab_files_of_version_7_3_are_read(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.mat", "w", userblock_size=512) as file:
        file["x"], file["fs"] = WAVE[None], RATE
    with (tmp_path / "a.mat").open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file")
    check(series_files.series_of(tmp_path / "a.mat"))


def test_a_matlab_file_without_numbers_is_refused(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"name": "somebody"})
    with pytest.raises(RawDataError, match="no series among name; expected an array of numbers"):
        series_files.series_of(tmp_path / "a.mat")


def test_a_swollen_matlab_file_is_refused_before_it_is_loaded(tmp_path, monkeypatch):
    scipy.io.savemat(tmp_path / "a.mat", {"x": WAVE, "held": {"y": np.zeros(5000)}}, do_compression=True)
    monkeypatch.setattr(limits, "MOST_VALUES", 5000)
    monkeypatch.setattr(scipy.io, "loadmat", lambda *_, **__: pytest.fail("It was loaded."))
    with pytest.raises(RawDataError, match="values; expected 5,000 or fewer"):
        named_arrays.matlab(tmp_path / "a.mat")


def test_pickles_in_arrays_are_not_opened(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}] * 9, object), allow_pickle=True)
    with pytest.raises(RawDataError, match="found Python objects; expected numbers"):
        series_files.series_of(tmp_path / "a.npy", RATE)


def test_an_archive_of_arrays_is_no_array(tmp_path):
    np.savez(tmp_path / "a.npz", WAVE)
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(RawDataError, match="found an archive; expected one array"):
        series_files.series_of(tmp_path / "a.npy", RATE)


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "soundfile", None)
    scipy.io.wavfile.write(tmp_path / "a.wav", 50, (1000 * WAVE).astype(np.int16))
    with pytest.raises(RawDataError, match=r"the package soundfile is missing; .* pip install"):
        sound.sound(tmp_path / "a.wav")


def bases(folder):
    """Returns small whole files of all kinds."""
    pairs = list(zip(TIMES, WAVE, strict=True))
    (folder / "a.csv").write_text("time,x\n" + "".join(f"{time:.2f},{value:.3f}\n" for time, value in pairs))
    (folder / "b.txt").write_text("# rate 50 Hz\n" + "".join(f"{value:.3f}\t{time:.2f}\n" for time, value in pairs))
    np.save(folder / "a.npy", WAVE)
    scipy.io.wavfile.write(folder / "a.wav", 50, (1000 * WAVE).astype(np.int16))
    scipy.io.savemat(folder / "a.mat", {"x": WAVE, "fs": RATE}, do_compression=True)
    write_edf(folder / "a.edf")
    write_wfdb(folder, "w")
    return sorted(folder.iterdir())


def damaged(content):
    """Returns bytes that are cut off, or of which some are others, anywhere or near the start."""
    content = bytearray(content)
    how = RNG.integers(3)
    if how == 0:
        return content[: RNG.integers(len(content))]
    for _ in range(RNG.integers(1, 20)):
        content[RNG.integers(len(content) if how == 1 else min(len(content), 200))] = RNG.integers(256)
    return content


def read_or_refuse(path):
    """Returns the sentence of a refusal, "" for a series that is sound."""
    try:
        found = series_files.series_of(path, 20.0)
    except RawDataError as error:
        return str(error)
    assert np.isfinite(found.values).all()
    assert (np.diff(found.times) > 0).all()
    assert found.times[-1] <= 2001 * len(found.times) * np.median(np.diff(found.times))
    return ""


@pytest.mark.slow
def test_damaged_and_renamed_files_are_read_or_refused_by_name(tmp_path):
    (tmp_path / "whole").mkdir()
    whole = bases(tmp_path / "whole")
    said = []
    for number in range(300):
        source = whole[number % len(whole)]
        ending = source.suffix if number % 5 else str(RNG.choice([path.suffix for path in whole]))
        path = tmp_path / f"{source.stem}{ending}"
        (tmp_path / "w.hea").write_bytes((tmp_path / "whole" / "w.hea").read_bytes())
        path.write_bytes(damaged(source.read_bytes()))
        said.append(read_or_refuse(path))
    refusals = [text for text in said if text]
    assert 60 < len(refusals) < 290
    assert all(text.startswith(f"{tmp_path}/") and "\n" not in text for text in refusals)


def test_in_a_folder_a_wfdb_record_is_one_recording(tmp_path):
    write_wfdb(tmp_path)
    assert [pathlib.Path(source.name).name for source in search.find([str(tmp_path)]).sources] == ["a.hea"]


def test_endings_are_those_of_the_files_that_are_read():
    read = {*endings.TEXTS, *endings.PACKED, *channels._TABLES, *channels._BINARY}
    assert {*endings.SERIES, *endings.PACKED} == read


def test_a_text_of_unknown_ending_is_laid_out_once(tmp_path, monkeypatch):
    def here(task, path, **given):
        module, name = task.split(":")
        yield from getattr(importlib.import_module(module), name)(str(path), **given)

    layout = mock.Mock(wraps=layouts.layout_of.__wrapped__)
    monkeypatch.setattr(tempfile, "tempdir", None)  # Which the worker sets for itself.
    monkeypatch.setattr(layouts, "layout_of", functools.lru_cache(layout))
    monkeypatch.setattr(series_files.worker, "answers", lambda *given, memory=None, **more: here(*given, **more))
    path = tmp_path / "a.lvm"
    path.write_text("time,x\n" + "".join(f"{time},{value}\n" for time, value in zip(TIMES, WAVE, strict=True)))
    assert not early_checks.refusal(str(path))
    (source,) = search.find([str(path)]).sources
    source.only(0.0, 2.0)
    assert source.info().rate == pytest.approx(RATE)
    assert layout.call_count == 1


@pytest.mark.parametrize(("most", "times"), [(search._MOST_HELD, 1), (0, 2)])
def test_a_series_of_a_folder_is_read_once_where_there_is_room(tmp_path, monkeypatch, most, times):
    np.savetxt(tmp_path / "a.csv", np.stack([TIMES, WAVE], axis=1), delimiter=",")
    series_of = mock.Mock(wraps=series_files.series_of)
    monkeypatch.setattr(series_files, "series_of", series_of)
    monkeypatch.setattr(search, "_MOST_HELD", most)
    (source,) = search.find([str(tmp_path)]).sources
    assert source.channels() == 1
    assert series_of.call_count == times
