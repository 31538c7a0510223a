"""Series in packed files, in arrays by name, in HDF5, in records with blocks of samples, and in line protocol."""

import gzip
import json
import zipfile

import h5py
import numpy as np
import pytest
import wfdb

from simper_tf.recordings import search
from simper_tf.tables import series_files
from simper_tf.tables.formats import packed
from simper_tf.utils.errors import RawDataError

COUNT, RATE = 96, 50.0
TIMES = np.arange(COUNT) / RATE
WAVE = np.round(2 + np.sin(2 * np.pi * 2.5 * TIMES), 6)
TABLE = "time,x\n" + "\n".join(f"{time:.2f},{value}" for time, value in zip(TIMES, WAVE, strict=True))


def check(found, names=("x",)):
    np.testing.assert_allclose(found.times, TIMES, atol=1e-6)
    np.testing.assert_allclose(found.values[:, 0], (WAVE - WAVE.mean()) / WAVE.std(), atol=1e-3)
    assert found.names == names


def zipped(path, **texts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name.replace("__DOT__", ".").replace("__SLASH__", "/"), text)
    return path


def test_the_one_table_in_a_packed_file_is_read(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    check(series_files.series_of(tmp_path / "a.csv.gz"))
    macs = {"data__SLASH__a__DOT__csv": TABLE, "__MACOSX__SLASH____DOT___a__DOT__csv": "\0", "__DOT__DS_Store": "\0"}
    check(series_files.series_of(zipped(tmp_path / "a.zip", **macs)))


def test_what_cannot_be_unpacked_is_refused_by_name(tmp_path):
    two = zipped(tmp_path / "two.zip", a__DOT__mp4="", b__DOT__mp4="")
    with pytest.raises(RawDataError, match=r"two\.zip: found 2 files in it, none of which is a series; expected one"):
        series_files.series_of(two)
    content = gzip.compress(TABLE.encode())
    (tmp_path / "cut.csv.gz").write_bytes(content[:-30])
    (tmp_path / "not.zip").write_bytes(content)
    for name in ("cut.csv.gz", "not.zip"):
        with pytest.raises(RawDataError, match=rf"{name}: found what cannot be unpacked"):
            series_files.series_of(tmp_path / name)
    (tmp_path / "twice.gz.gz").write_bytes(gzip.compress(content))
    with pytest.raises(RawDataError, match=r"found the packed file twice\.gz in it"):
        series_files.series_of(tmp_path / "twice.gz.gz")
    (tmp_path / "words.txt.gz").write_bytes(gzip.compress(b"no numbers at all\n" * 9))
    with pytest.raises(RawDataError, match=r"words\.txt\.gz: words\.txt: found no numbers"):
        series_files.series_of(tmp_path / "words.txt.gz")


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "MOST_VALUES", 1000)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"0" * 10**6))
    with (
        pytest.raises(RawDataError, match="found more than 16,000 bytes in it"),
        packed.opened(tmp_path / "a.csv.gz"),
    ):
        pytest.fail("It was unpacked.")


@pytest.mark.parametrize("beside", [{"fs": 50}, {"dt": 0.02}, {"t": TIMES}, {"sampling_rate": np.array([50.0])}])
def test_arrays_by_name_have_their_rate_or_times_beside_them(tmp_path, beside):
    np.savez(tmp_path / "a.npz", x=WAVE, **beside)
    check(series_files.series_of(tmp_path / "a.npz"))


def test_objects_and_damage_in_arrays_by_name_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.array([{"a": 1}], object))
    with pytest.raises(RawDataError, match=r"a\.npz: found what cannot be read"):
        series_files.series_of(tmp_path / "a.npz")


@pytest.mark.parametrize("place", ["/", "sensor", "sensor/x"])
@pytest.mark.parametrize("ending", [".h5", ".hdf5", ".nc"])
def test_an_attribute_states_the_rate_of_a_data_set(tmp_path, ending, place):
    with h5py.File(tmp_path / f"a{ending}", "w") as file:
        file["sensor/x"] = WAVE
        file[place].attrs["frequency"] = RATE
    check(series_files.series_of(tmp_path / f"a{ending}"), ("sensor.x",))


@pytest.mark.parametrize("factor", [1, 1e3])
def test_records_with_blocks_of_samples_are_one_series(tmp_path, factor):
    name = "Timestamp" if factor == 1e3 else "time"
    blocks = [{"ecg": {name: factor * TIMES[k], "Samples": [*WAVE[k : k + 16]]}} for k in range(0, COUNT, 16)]
    (tmp_path / "a.json").write_text(json.dumps({"device": "m", "data": blocks}))
    check(series_files.series_of(tmp_path / "a.json"), ("ecg.Samples",))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, blocks)))
    check(series_files.series_of(tmp_path / "a.jsonl"), ("ecg.Samples",))


def test_lines_of_json_are_rows(tmp_path):
    rows = [json.dumps({"time": time, "x": value}) for time, value in zip(TIMES, WAVE, strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(rows) + "\n")
    check(series_files.series_of(tmp_path / "a.jsonl"))


@pytest.mark.parametrize("unit", [1e9, 1e6, 1e3])
def test_line_protocol_is_read_by_its_stamps(tmp_path, unit):
    stamps = [round(unit * (1704448272 + time)) for time in TIMES]
    lines = [f"ecg,person=p1 x={value},n=3i {stamp}" for value, stamp in zip(WAVE, stamps, strict=True)]
    others = [f"ecg,person=p2 x=1.5 {stamp}" for stamp in stamps[:5]]
    path = tmp_path / "a.lp"
    path.write_text("\n".join(["# exported", *lines, *others]))
    assert series_files.is_table(path)
    found = series_files.series_of(path)
    check(found)
    assert found.notes[0] == "Of 2 series 'ecg,person=p1' is read, with most lines."


@pytest.mark.parametrize(
    "beside", [{"fs": 50}, {"meta": {"sampling_rate": "50 Hz", "notch": 60}}, {"sample_interval_ms": 20.0}]
)
def test_json_states_the_rate_beside_its_samples(tmp_path, beside):
    (tmp_path / "a.json").write_text(json.dumps({"device": "m", **beside, "x": [*WAVE]}))
    check(series_files.series_of(tmp_path / "a.json"))


def test_each_series_of_a_zip_is_a_recording(tmp_path):
    several = {"run/a.csv": TABLE, "run/b.tsv": TABLE.replace(",", "\t"), "README.txt": "Nothing but words. " * 40}
    path = zipped(tmp_path / "all.zip", **several, **{"__MACOSX/run/._a.csv": "\0", "film.mp4": ""})
    found = search.find([str(path)])
    assert [source.name for source in found.sources] == [f"{path}/run/a.csv", f"{path}/run/b.tsv"]
    for source in found.sources:
        source.info()
        np.testing.assert_allclose(source.part(0, 99)[0], TIMES, atol=1e-6)
    assert [error.path for error in found.skipped] == [tmp_path / "all.zip: README.txt"]
    assert not found.problems
    damaged = bytearray(path.read_bytes())
    damaged[60:70] = bytes(10)
    path.write_bytes(damaged)
    found = search.find([str(path)])
    assert [source.name for source in found.sources] == [f"{path}/run/b.tsv"]
    assert ["all.zip: found what cannot be unpacked" in str(problem) for problem in found.problems] == [True]


def test_a_record_in_a_zip_is_read_with_its_samples(tmp_path):
    fine = {"fs": RATE, "units": ["mV"], "sig_name": ["x"], "fmt": ["16"], "write_dir": str(tmp_path)}
    wfdb.wrsamp("100", p_signal=WAVE[:, None], **fine)
    with zipfile.ZipFile(tmp_path / "mit.zip", "w") as archive:
        for name in ("100.dat", "100.hea"):
            archive.write(tmp_path / name, f"mit/{name}")
        archive.writestr("mit/RECORDS", "100")
    (source,) = search.find([str(tmp_path / "mit.zip")]).sources
    source.info()
    assert source.names == ("x",)
    np.testing.assert_allclose(source.part(0, 99)[0], TIMES, atol=1e-6)
