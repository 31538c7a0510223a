"""Formats of laboratories, watches, phones and telescopes: what is in them, damage, bounds and missing libraries."""

import builtins
import importlib
import io
import struct

import numpy as np
import pytest
from astropy.io import fits

from benchmarks.made_formats import COUNT, RATE, STAMPS, TIMES, WAVE, acq, fit, gpx, health, tcx, xdf
from simper_tf.recordings import sources
from simper_tf.tables import channels, limits, series_files
from simper_tf.tables.formats import fits as fits_tables
from simper_tf.tables.formats import tracks
from simper_tf.utils import endings
from simper_tf.utils.errors import RawDataError


def curve(**more):
    """Returns the bytes of a light curve with errors and background."""
    given = {"TIME": ("D", "BJD - 2457000, days", 1325 + TIMES), "SAP_FLUX": ("D", "e-/s", WAVE),
             "SAP_FLUX_ERR": ("D", "e-/s", WAVE / 9), "SAP_BKG": ("D", "e-/s", 5 - WAVE), **more}  # fmt: skip
    columns = [fits.Column(name, kind, unit, array=values) for name, (kind, unit, values) in given.items()]
    out = io.BytesIO()
    table = fits.BinTableHDU.from_columns(columns)
    fits.HDUList([fits.PrimaryHDU(), table, fits.ImageHDU(np.zeros((9, 9), np.float32))]).writeto(out, checksum=True)
    return out.getvalue()


MADE = {
    "a.xdf": (xdf, "ecg", 1 / RATE), "a.fit": (fit, "power", 1.0), "a.acq": (acq, "pulse", 1 / RATE),
    "a.gpx": (lambda: gpx().encode(), "hr", 1 / RATE), "a.tcx": (lambda: tcx().encode(), "HeartRateBpm", 1 / RATE),
    "export.xml": (lambda: health().encode(), "HeartRate", 1 / RATE), "a.fits": (curve, "SAP_FLUX", 86400 / RATE),
}  # fmt: skip


@pytest.fixture(params=MADE)
def made(request, tmp_path):
    path = tmp_path / request.param
    path.write_bytes(MADE[request.param][0]())
    return path


def test_each_format_gives_values_names_and_times(made):
    found, (_, name, step) = series_files.series_of(made), MADE[made.name]
    np.testing.assert_allclose(found.times, step * np.arange(COUNT), atol=1e-3 * step)
    np.testing.assert_allclose(found.values[:, 0], (WAVE - WAVE.mean()) / WAVE.std(), atol=2e-3)
    assert found.names == (name,)


def test_each_format_is_opened_as_a_series(made):
    assert isinstance(sources.open_file(made), sources.Series)
    assert made.suffix in (*endings.SERIES, *endings.PACKED)


@pytest.mark.parametrize("left", [0.05, 0.5, 0.97])
def test_a_file_cut_off_is_refused(made, left):
    content = made.read_bytes()
    made.write_bytes(content[: round(left * len(content))])
    with pytest.raises(RawDataError, match=rf"{made.name}: found "):
        series_files.series_of(made)


def test_a_stream_that_ends_within_a_chunk_is_read_with_a_note(tmp_path):
    chunk = struct.pack("<BIHIBI", 4, 10**4, 3, 1, 4, 500) + b"\x08" + bytes(8)
    (tmp_path / "a.xdf").write_bytes(xdf(extra=chunk))
    found = series_files.series_of(tmp_path / "a.xdf")
    assert len(found.times) == COUNT
    assert found.notes[0].startswith("The file is damaged, or cut off: ")


def test_a_file_of_too_many_values_is_refused(made, monkeypatch):
    monkeypatch.setattr(limits, "MOST_VALUES", COUNT - 1)
    with pytest.raises(RawDataError, match="values; expected 95 or fewer"):
        list(channels.parts(str(made), None, False, "", []))


@pytest.mark.parametrize(
    ("name", "package"), [("a.xdf", "pyxdf"), ("a.fit", "fitdecode"), ("a.acq", "bioread"), ("a.fits", "astropy")]
)
def test_a_missing_library_is_named_with_what_installs_it(tmp_path, monkeypatch, name, package):
    (tmp_path / name).write_bytes(MADE[name][0]())

    def without(wanted, *rest):
        if wanted.partition(".")[0] == package:
            raise ImportError(wanted)
        return builtins.__import__(wanted, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(
        RawDataError, match=rf"{name}: found a file for which the package {package} is missing.*\[formats\]"
    ):
        list(channels.parts(str(tmp_path / name), None, False, "", []))


def test_a_column_of_a_light_curve_is_read_where_it_is_named(tmp_path):
    (tmp_path / "a.fits").write_bytes(curve())
    assert "SAP_FLUX_ERR, SAP_BKG." in series_files.series_of(tmp_path / "a.fits").notes[0]
    found = series_files.series_of(tmp_path / "a.fits", columns=["SAP_BKG"])
    np.testing.assert_allclose(found.values[:, 0], (WAVE.mean() - WAVE) / WAVE.std(), atol=2e-3)


def test_times_of_kepler_and_tess_without_a_unit_are_days(tmp_path):
    (tmp_path / "a.fits").write_bytes(curve(TIME=("D", None, 1325 + TIMES)))
    found = series_files.series_of(tmp_path / "a.fits")
    np.testing.assert_allclose(found.times, 86400 * TIMES, atol=1)
    assert "taken for days" in found.notes[0]


def test_fits_is_told_from_a_watch_by_its_first_bytes(tmp_path):
    (tmp_path / "a.fit").write_bytes(curve())
    assert series_files.series_of(tmp_path / "a.fit").names == ("SAP_FLUX",)


def test_fits_with_pictures_alone_or_altered_bytes_is_refused(tmp_path):
    fits.PrimaryHDU(np.zeros((20, 30), np.float32)).writeto(tmp_path / "image.fits")
    with pytest.raises(RawDataError, match=r"image\.fits: found pictures alone; expected a table"):
        series_files.series_of(tmp_path / "image.fits")
    content = curve()
    at = content.index((1325 + TIMES[2:3]).astype(">f8").tobytes())
    (tmp_path / "altered.fits").write_bytes(content[:at] + b"\x41" + content[at + 1 :])
    with pytest.raises(RawDataError, match=r"altered\.fits: found what cannot be read .*verification failed"):
        series_files.series_of(tmp_path / "altered.fits")


def test_a_watch_file_with_an_altered_byte_is_refused(tmp_path):
    content = bytearray(fit())
    content[-20] ^= 4
    (tmp_path / "a.fit").write_bytes(content)
    with pytest.raises(RawDataError, match=r"expected a \.fit file"):
        series_files.series_of(tmp_path / "a.fit")


def test_a_kind_of_records_of_a_phone_is_read_by_name(tmp_path):
    (tmp_path / "export.xml").write_text(health())
    assert "HeartRate (96), StepCount (48)" in series_files.series_of(tmp_path / "export.xml").notes[0]
    found = series_files.series_of(tmp_path / "export.xml", columns=["StepCount"])
    assert found.names == ("StepCount",)
    assert len(found.times) == COUNT // 2
    with pytest.raises(RawDataError, match=r"records of Weight asked for.*There are: HeartRate \(96\)"):
        series_files.series_of(tmp_path / "export.xml", columns=["Weight"])


def test_xml_with_entities_or_of_another_kind_is_refused(tmp_path):
    bomb = '<!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    (tmp_path / "bomb.gpx").write_text(gpx(bomb))
    with pytest.raises(RawDataError, match=r"bomb\.gpx: found a declaration of 'a'; expected elements alone"):
        series_files.series_of(tmp_path / "bomb.gpx")
    outside = f'<!DOCTYPE gpx [<!ENTITY a SYSTEM "{tmp_path}/secret">]>'
    (tmp_path / "outside.gpx").write_text(gpx(outside))
    with pytest.raises(RawDataError, match="found a declaration of 'a'"):
        series_files.series_of(tmp_path / "outside.gpx")
    (tmp_path / "page.xml").write_text("<html><p>1</p></html>")
    with pytest.raises(RawDataError, match=r"found XML of <html>; expected <gpx>, <TrainingCenterDatabase>"):
        series_files.series_of(tmp_path / "page.xml")


def test_a_point_lacks_what_it_does_not_have(tmp_path):
    (tmp_path / "a.gpx").write_text(gpx().replace(f"<g:hr>{WAVE[3]}</g:hr>", "", 1))
    table = tracks.xml(tmp_path / "a.gpx")
    column = table.columns[table.names.index("hr")]
    assert np.flatnonzero(np.isnan(column)).tolist() == [3]
    assert list(table.columns[table.names.index("time")]) == STAMPS


def test_a_table_of_fits_without_numbers_names_none(tmp_path):
    fits.BinTableHDU.from_columns([fits.Column("NAME", "4A", array=["a", "b"])]).writeto(tmp_path / "names.fits")
    assert fits_tables.table_of(tmp_path / "names.fits").names == []
    with pytest.raises(RawDataError, match=r"names\.fits"):
        series_files.series_of(tmp_path / "names.fits")
