"""Files of numbers that would crash, hang or fill the memory, or answer from elsewhere: one sentence each."""

import json
import os

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.io

from simper_tf.recordings import sources
from simper_tf.tables import channels, series_files
from simper_tf.tables.formats import array_files
from simper_tf.utils.errors import RawDataError

RATE = 50.0
TIMES = np.arange(200) / RATE
WAVE = np.sin(2 * np.pi * 1.2 * TIMES)


def refused(path, found):
    """Checks that a file is refused in a sentence that names it and what was found."""
    with pytest.raises(RawDataError, match=found) as told:
        series_files.series_of(path, RATE)
    assert str(told.value).startswith(f"{path}: found ")
    assert "\n" not in str(told.value)


def test_cells_in_cells_end_no_process_but_the_workers(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"x": WAVE})
    cell = b"\6\0\0\0\x08\0\0\0\1" + bytes(7) + b"\5\0\0\0\x08\0\0\0\1\0\0\0\1\0\0\0\1" + bytes(7)
    cells = [b"\x0e\0\0\0" + (56 * depth - 8).to_bytes(4, "little") + cell for depth in range(20_000, 0, -1)]
    (tmp_path / "deep.mat").write_bytes((tmp_path / "a.mat").read_bytes()[:128] + b"".join(cells))
    refused(tmp_path / "deep.mat", r"damage or a size that ends its reader \(SIGSEGV\)")
    assert len(series_files.series_of(tmp_path / "a.mat", RATE).times) == 200


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("a.mat", "MATLAB, HDF5 or netCDF"), ("a.h5", "MATLAB, HDF5 or netCDF"), ("a.nc", "MATLAB, HDF5 or netCDF"),
     ("a.edf", "EDF, EDF"), ("a.bdf", "EDF, EDF"), ("a.xdf", "XDF"), ("a.wav", "WAV, FLAC or MP3"),
     ("a.flac", "WAV, FLAC or MP3")],
)  # fmt: skip
@pytest.mark.parametrize("content", [b"GRIB\0\xff\xf0\x01" + bytes(300), b"Made by a program, in words. " * 30])
def test_a_file_of_another_kind_is_told_what_is_read(tmp_path, name, kinds, content):
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, rf"found a \.\w+ file of another kind, which begins with b'.*; expected {kinds}.*as CSV")


def virtual(path, name):
    layout = h5py.VirtualLayout((200,), "f8")
    layout[:] = h5py.VirtualSource(name, "x", (200,))
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("v", layout)


def external(path, name):
    with h5py.File(path, "w") as file:
        file.create_dataset("v", (200,), "f8", external=[(name, 0, 1600)])


@pytest.mark.parametrize("write", [virtual, external])
def test_values_in_other_files_are_never_read(tmp_path, write):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["x"] = WAVE
    write(tmp_path / "a.mat", str(tmp_path / "secret.h5"))
    refused(tmp_path / "a.mat", "a data set v whose values are in other files; expected values in the file itself")


def test_links_to_other_files_are_not_followed(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["x"] = WAVE
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["v"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "x")
    refused(tmp_path / "a.mat", "no series among nothing")


def test_data_sets_are_bounded_by_their_sum(tmp_path):
    with h5py.File(tmp_path / "a.mat", "w") as file:
        for number in range(10):
            file.create_dataset(f"x{number}", (2**23,), "f8", chunks=(2**20,), fillvalue=1.0)
    refused(tmp_path / "a.mat", "83,886,080 values; expected 67,108,864 or fewer")


def test_an_array_that_shrinks_while_it_is_read_is_an_error(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((100, 64, 64)))
    frames = sources.Frames(tmp_path / "a.npy", RATE).frames(0, np.inf, (8, 8), None)
    next(frames)
    os.truncate(tmp_path / "a.npy", 1000)
    with pytest.raises(RawDataError, match=r"a\.npy: found less than before: it has shrunk; expected the whole file"):
        list(frames)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_read_in_either_order(tmp_path, order):
    values = np.arange(24.0).reshape(4, 3, 2)
    np.save(tmp_path / "a.npy", np.asarray(values, order=order))
    held = array_files.ArrayFile(tmp_path / "a.npy")
    np.testing.assert_array_equal(np.stack([*held]), values)
    np.testing.assert_array_equal(held.whole(), values)


@pytest.fixture
def record(tmp_path):
    """Returns a record with checksums, as `wfdb` writes it."""
    wfdb = pytest.importorskip("wfdb")
    signal = np.stack([WAVE, WAVE**3], axis=1)
    wfdb.wrsamp("w", RATE, ["mV", "mV"], ["I", "II"], signal, fmt=["16", "16"], write_dir=str(tmp_path))
    return tmp_path / "w.hea"


def test_samples_are_held_to_their_checksums(record):
    assert series_files.series_of(record).names == ("I", "II")
    content = bytearray(record.with_suffix(".dat").read_bytes())
    content[102] ^= 8
    record.with_suffix(".dat").write_bytes(content)
    refused(record, "samples of II that are not those of its checksum")


def test_samples_that_are_a_pipe_are_refused_at_once(record):
    record.with_suffix(".dat").unlink()
    os.mkfifo(record.with_suffix(".dat"))
    refused(record, r"found beside it w\.dat, which is no file that can be read; expected its samples")


def test_a_record_of_no_signals_is_refused(tmp_path):
    (tmp_path / "x.hea").write_text("x 0 360 100\n")
    refused(tmp_path / "x.hea", "a header of no signals; expected one or more")


def edf(records, seconds, signals):
    """Returns an EDF file of 100 samples a record, all 0."""

    def field(value, width):
        return str(value).ljust(width).encode()

    head = field(0, 8) + field("X", 80) + field("X", 80) + field("01.01.01", 8) + field("01.01.01", 8)
    head += field(256 * (signals + 1), 8) + field("", 44) + field(records, 8) + field(seconds, 8) + field(signals, 4)
    widths = ("a", 16), ("", 80), ("uV", 8), (-100, 8), (100, 8), (-32768, 8), (32767, 8), ("", 80), (100, 8), ("", 32)
    return head + b"".join(field(*one) * signals for one in widths) + bytes(200 * signals * records)


@pytest.mark.parametrize(
    ("seconds", "signals", "found"), [(0, 1, "records of 0 s; expected samples at a rate"), (1, 0, "number of signals")]
)
def test_edf_files_of_no_time_or_no_signals_are_refused(tmp_path, seconds, signals, found):
    pytest.importorskip("pyedflib")
    (tmp_path / "a.edf").write_bytes(edf(3, seconds, signals))
    refused(tmp_path / "a.edf", found)


def test_pages_are_held_to_their_checksums(tmp_path):
    table = pa.table({"time": TIMES, "x": WAVE})
    pa.parquet.write_table(table, tmp_path / "a.parquet", write_page_checksum=True, compression="none",
                           use_dictionary=False)  # fmt: skip
    assert series_files.series_of(tmp_path / "a.parquet").names == ("x",)
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    content[content.index(WAVE[50].tobytes()) + 6] ^= 1
    (tmp_path / "a.parquet").write_bytes(content)
    refused(tmp_path / "a.parquet", "CRC checksum verification failed")


def test_a_long_word_in_each_row_takes_no_memory(tmp_path):
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 200), pa.array(["w" * 2**20]))
    pa.parquet.write_table(pa.table({"time": TIMES, "x": WAVE, "s": words}), tmp_path / "a.parquet")
    found = series_files.series_of(tmp_path / "a.parquet")
    assert found.names == ("x",)
    np.testing.assert_allclose(found.times, TIMES, atol=1e-9)


@pytest.mark.parametrize("stamp", [-(2**63) + 1, 2**63 - 1])
def test_times_at_the_ends_of_the_clock_are_left_out(tmp_path, stamp):
    stamps = np.array([stamp, *(10**9 * np.arange(1, 200))], "datetime64[ns]")
    pd.DataFrame({"time": stamps, "x": WAVE}).to_parquet(tmp_path / "a.parquet")
    np.testing.assert_allclose(np.diff(series_files.series_of(tmp_path / "a.parquet").times), 1)


def test_nanoseconds_from_the_start_of_the_clock_are_read(tmp_path):
    stamps = (1 - 2**63 + np.arange(200)).astype("datetime64[ns]")
    pd.DataFrame({"time": stamps, "x": WAVE}).to_parquet(tmp_path / "a.parquet")
    np.testing.assert_allclose(np.diff(series_files.series_of(tmp_path / "a.parquet").times), 1e-9, rtol=1e-3)


def test_what_a_library_cannot_compute_is_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("time,x\n0,1\n")
    error = OverflowError("Overflow in int64 addition")
    monkeypatch.setattr(channels, "_read", lambda *_: (_ for _ in ()).throw(error))
    with pytest.raises(RawDataError, match="found numbers or dates too large to compute with"):
        next(channels.parts(str(tmp_path / "a.csv"), None, False, "", []))


def test_objects_of_a_name_each_take_no_square_of_memory(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{f"k{k}": k} for k in range(20_000)]))
    refused(tmp_path / "a.json", "no table")
    rows = [{"time": time, "x": value, f"k{k}": k} for k, (time, value) in enumerate(zip(TIMES, WAVE, strict=True))]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert series_files.series_of(tmp_path / "a.json").names == ("x",)
