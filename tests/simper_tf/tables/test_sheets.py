"""Tables of spreadsheets, Parquet, Feather and JSON: what is read of them, and what is refused in a line."""

import json
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from simper_tf.recordings import search
from simper_tf.tables import series_files
from simper_tf.tables.texts import sheets
from simper_tf.utils.errors import RawDataError

COUNT = 100
TIMES = np.arange(COUNT) / 50
WAVE = 3 + np.sin(2 * np.pi * 1.2 * TIMES)
FRAME = pd.DataFrame({"time": TIMES, "chest": WAVE})
ROWS = [["time", "chest"], *FRAME.to_numpy().tolist()]
_OFFICE = "http://schemas.openxmlformats.org/"
_MAIN, _RELATED = f"{_OFFICE}spreadsheetml/2006/main", f"{_OFFICE}officeDocument/2006/relationships"


def cell(place, value):
    text = f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return text if isinstance(value, str) else f'<c r="{place}"><v>{value}</v></c>'


def filled(rows):
    """Returns the XML of rows of at most 26 cells, None for an empty one."""
    lines = []
    for y, row in enumerate(rows, 1):
        cells = [cell(f"{chr(65 + x)}{y}", value) for x, value in enumerate(row) if value is not None]
        lines.append(f'<row r="{y}">{"".join(cells)}</row>')
    return "".join(lines)


def xlsx(path, sheets, dimension="A1"):
    """Writes the least that is a workbook: the XML of the rows of each sheet by its name."""
    related = f'<Relationships xmlns="{_OFFICE}package/2006/relationships">'
    names = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>' for k, name in enumerate(sheets, 1))
    parts = "".join(
        f'<Relationship Id="r{k}" Type="{_RELATED}/worksheet" Target="worksheets/sheet{k}.xml"/>'
        for k in range(1, len(sheets) + 1)
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", f'<Types xmlns="{_OFFICE}package/2006/content-types"/>')
        book = f'<Relationship Id="r1" Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/>'
        file.writestr("_rels/.rels", f"{related}{book}</Relationships>")
        file.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>{names}</sheets></workbook>'
        )
        file.writestr("xl/_rels/workbook.xml.rels", f"{related}{parts}</Relationships>")
        for k, rows in enumerate(sheets.values(), 1):
            sheet = f'<dimension ref="{dimension}"/><sheetData>{rows}</sheetData>'
            file.writestr(f"xl/worksheets/sheet{k}.xml", f'<worksheet xmlns="{_MAIN}">{sheet}</worksheet>')
    return path


def check(found, names=("chest",)):
    np.testing.assert_allclose(found.times, TIMES, atol=1e-9)
    np.testing.assert_allclose(found.values[:, 0], (WAVE - WAVE.mean()) / WAVE.std(), atol=1e-5)
    assert found.names == names


def test_a_spreadsheet_is_read_with_its_names(tmp_path):
    found = series_files.series_of(xlsx(tmp_path / "a.xlsx", {"data": filled(ROWS)}))
    check(found)
    assert found.notes == ()


def test_names_that_are_no_utf_8_are_opened(tmp_path):
    plain = xlsx(tmp_path / "a.xlsx", {"data": filled(ROWS)})
    check(series_files.series_of(plain.rename(tmp_path / "\udcff\udcfe.xlsx")))
    FRAME.to_parquet(tmp_path / "a.parquet")
    check(series_files.series_of((tmp_path / "a.parquet").rename(tmp_path / "\udcff.parquet")))


def test_of_two_sheets_that_with_most_numbers_is_read(tmp_path):
    sheets = {"about": filled([["Subject", "7"], ["Age", 31]]), "data": filled(ROWS)}
    found = series_files.series_of(xlsx(tmp_path / "a.xlsx", sheets))
    check(found)
    assert found.notes == ("Of 2 sheets 'data' is read, with most numbers.",)


def test_lines_above_a_sheet_and_empty_cells_are_no_harm(tmp_path):
    rows = [["Trial 3", None], [None, None], *ROWS]
    rows[50] = [rows[50][0], None]
    found = series_files.series_of(xlsx(tmp_path / "a.xlsx", {"data": filled(rows)}))
    np.testing.assert_allclose(found.times, np.delete(TIMES, 47), atol=1e-9)
    assert found.names == ("chest",)


def test_a_sheet_without_names_has_no_row_more(tmp_path):
    found = series_files.series_of(xlsx(tmp_path / "a.xlsx", {"data": filled(ROWS[1:])}))
    check(found, ("",))
    assert found.notes == ("The first column rises by 0.02 and is taken for seconds.",)


def test_a_sheet_that_only_claims_to_be_huge_is_read(tmp_path):
    check(series_files.series_of(xlsx(tmp_path / "a.xlsx", {"data": filled(ROWS)}, "A1:XFD1048576")))


@pytest.mark.parametrize(
    ("row", "column", "found"),
    [(1_048_576, "XFD", "damage or a size that ends its reader"), (100_000, "HA", "the last of 100,000 x 209")],
)
def test_a_cell_far_out_takes_neither_memory_nor_time(tmp_path, row, column, found):
    far = f'{filled([[1]])}<row r="{row}">{cell(f"{column}{row}", 1)}</row>'
    path = xlsx(tmp_path / "a.xlsx", {"data": far}, f"A1:{column}{row}")
    with pytest.raises(RawDataError, match=found) as refusal:
        series_files.series_of(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("ending", "write"), [(".parquet", FRAME.to_parquet), (".feather", FRAME.to_feather)])
def test_tables_of_arrow_are_read(tmp_path, ending, write):
    write(tmp_path / f"a{ending}")
    check(series_files.series_of(tmp_path / f"a{ending}"))


@pytest.mark.parametrize("kind", ["bool", "boolean", "object"])
def test_truth_values_of_pandas_are_numbers(kind):
    index = pd.Timestamp("2024-05-01") + pd.to_timedelta(TIMES, unit="s")
    series = pd.Series(WAVE > 3.5, index).astype(kind)
    for given in (series, series.to_frame("on")):
        table = sheets.of_data_frame("table", given)
        assert table.columns[-1].tolist() == (WAVE > 3.5).tolist()


@pytest.mark.filterwarnings("error")
def test_names_of_several_levels_are_joined():
    levels = pd.MultiIndex.from_tuples([("wrist", "x"), ("wrist", "y")])
    frame = pd.DataFrame({0: WAVE, 1: 2 * WAVE}, index=pd.Index(TIMES, name="time")).set_axis(levels, axis=1)
    table = sheets.of_data_frame("table", frame)
    assert [*table.names] == ["time", "wrist x", "wrist y"]


def test_the_index_of_a_parquet_file_is_a_column(tmp_path):
    stamps = pd.Timestamp("2023-08-10 23:59:59") + pd.to_timedelta(TIMES, unit="s")
    pd.DataFrame({"chest": WAVE}, index=pd.DatetimeIndex(stamps, name="when")).to_parquet(tmp_path / "a.parquet")
    check(series_files.series_of(tmp_path / "a.parquet"))


@pytest.mark.parametrize("write", ["to_parquet", "to_csv", "to_feather"])
def test_spans_of_pandas_are_times(tmp_path, write):
    path = tmp_path / f"a.{write.partition('_')[2]}"
    getattr(FRAME.assign(time=pd.to_timedelta(TIMES, unit="s")), write)(path)
    check(series_files.series_of(path))


def test_spans_by_iso_8601_are_times(tmp_path):
    FRAME.assign(time=pd.to_timedelta(TIMES, unit="s")).to_json(
        tmp_path / "a.json", orient="records", date_format="iso"
    )
    check(series_files.series_of(tmp_path / "a.json"))


RECORDS = [{"time": time, "chest": value} for time, value in ROWS[1:]]
COLUMNS = {"time": [*TIMES], "chest": [*WAVE]}
HELD = {
    "columns": (COLUMNS, "chest"), "records": (RECORDS, "chest"), "rows": (ROWS, "chest"), "no_names": (ROWS[1:], ""),
    "nested": ({"id": 7, "run": {"data": RECORDS}}, "chest"),
    "records_of_records": ([{"time": time, "acc": {"x": value}} for time, value in ROWS[1:]], "acc.x"),
    "of_pandas": (json.loads(FRAME.to_json()), "chest"), "split": (json.loads(FRAME.to_json(orient="split")), "chest"),
    "columns_beside_longer_peaks": ({"peaks": [*range(150)], **COLUMNS}, "chest"),
}  # fmt: skip


@pytest.mark.parametrize(("held", "name"), HELD.values(), ids=HELD.keys())
def test_tables_in_json_are_read(tmp_path, held, name):
    (tmp_path / "a.json").write_text(json.dumps(held))
    check(series_files.series_of(tmp_path / "a.json"), (name,))


def test_a_list_of_numbers_in_json_is_one_channel(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([*WAVE]))
    check(series_files.series_of(tmp_path / "a.json", 50.0), ("",))


NO_TABLES = {
    ".json": (b'{"time": [1, 2,', b"\xff\xfe\x00", b"[" * 9000, b'"text"', b"{}", b'{"a": [1, 2]}', b"[[1, 2], [3]]"),
    ".xlsx": (b"PK\x03\x04" + bytes(300), b"no spreadsheet"), ".xls": (b"\xd0\xcf\x11\xe0" + bytes(600),),
    ".ods": (b"PK\x03\x04",), ".parquet": (b"PAR1" + bytes(99) + b"PAR1",), ".feather": (b"ARROW1\0\0" + bytes(99),),
}  # fmt: skip


@pytest.mark.parametrize("ending", NO_TABLES)
def test_what_is_no_table_is_refused_in_one_line(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    for content in NO_TABLES[ending]:
        path.write_bytes(content)
        with pytest.raises(RawDataError, match=r"expected a table with columns of numbers\. Save it as CSV") as refusal:
            series_files.series_of(path, 50.0)
        assert str(refusal.value).startswith(f"{path}: found ")
        assert "\n" not in str(refusal.value)


def test_a_spreadsheet_that_is_cut_off_is_refused(tmp_path):
    path = xlsx(tmp_path / "a.xlsx", {"data": filled(ROWS)})
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(RawDataError, match=r"a\.xlsx: found what cannot be read \(.*\); expected a table"):
        series_files.series_of(path)


@pytest.mark.parametrize(
    ("ending", "module", "package"),
    [
        (".xlsx", "python_calamine", "python-calamine"),
        (".parquet", "pyarrow", "pyarrow"),
        (".feather", "pyarrow", "pyarrow"),
    ],
)
def test_the_package_that_is_missing_is_named(tmp_path, monkeypatch, ending, module, package):
    (tmp_path / f"a{ending}").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(RawDataError, match=f"the package {package} is missing; .* Run pip install {package}"):
        sheets.table_of(tmp_path / f"a{ending}")


def test_a_refusal_names_the_file_and_not_a_copy(tmp_path):
    path = xlsx(tmp_path / "a.xlsx", {"data": filled([["a", "b"]] * 20)})
    with pytest.raises(RawDataError, match="no numbers, row 1: a,b") as refusal:
        series_files.series_of(path)
    assert str(refusal.value).startswith(f"{path}: found ")


def test_in_a_folder_sheets_and_json_with_samples_are_recordings(tmp_path):
    xlsx(tmp_path / "a.xlsx", {"data": filled(ROWS)})
    (tmp_path / "b.json").write_text(json.dumps(COLUMNS))
    (tmp_path / "settings.json").write_text(json.dumps({"name": "walk", "version": 2}))
    (tmp_path / "predictions.json").write_text('[\n {"recording": "a.xlsx", "status": "ok"}\n]\n')
    found = search.find([str(tmp_path)])
    assert [source.name for source in found.sources] == [str(tmp_path / "a.xlsx"), str(tmp_path / "b.json")]
    (skipped,) = found.skipped
    assert str(skipped).startswith(f"{tmp_path / 'settings.json'}: found no table")
