"""Texts whose lines stand in quotes as a whole, as spreadsheets write a table that they took for one column."""

import itertools

import numpy as np
import pandas as pd
import pytest

from simper_tf.tables import channels, series_files
from simper_tf.tables.texts import layouts
from simper_tf.utils.errors import RawDataError

RATE = 25
WAVE = 3 + np.sin(np.arange(40) / 2)
TIMES = {"seconds": "{:.2f}", "dates": "2024-03-01 10:00:{:06.3f}", "clock": "10:00:{:06.3f}"}


def lines_of(mark, form, decimal, names):
    rows = [[form.format(k / RATE), f"{value:.3f}"] for k, value in enumerate(WAVE)]
    rows = [[cell.replace(".", decimal) for cell in row] for row in rows]
    return [mark.join(row) for row in [["time", "value"]] * names + rows]


def assert_read(path, names):
    series = series_files.series_of(path)
    np.testing.assert_allclose(series.times, np.arange(len(WAVE)) / RATE, atol=1e-6)
    np.testing.assert_allclose(series.values[:, 0], (WAVE - WAVE.mean()) / WAVE.std(), atol=2e-3)
    assert series.names == (("value",) if names else ("",))


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("mark", [",", ";", "\t", ", "])
def test_lists_of_one_number_are_numbers(mark, names, tmp_path):
    lines = ["time,length,value".replace(",", mark)] * names
    lines += [f"{k / RATE:.2f}{mark}[60]{mark}[{value:.3f}]" for k, value in enumerate(WAVE)]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    assert_read(tmp_path / "a.csv", names)


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("form", TIMES.values(), ids=TIMES.keys())
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_lines_in_quotes_are_read_as_without_them(tmp_path, mark, form, names):
    for decimal, end, before in itertools.product(".,", ("\n", "\r\n", ",,\n"), ("", "\ufeff")):
        if decimal != mark:
            lines = [f'"{line}"' for line in lines_of(mark, form, decimal, names)]
            (tmp_path / "a.csv").write_text(before + end.join([*lines, ""]), encoding="utf-8", newline="")
            assert_read(tmp_path / "a.csv", names)


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_quotes_inside_of_quoted_lines_are_doubled(tmp_path, mark, names):
    lines = [[f'""{cell}""' for cell in line.split(mark)] for line in lines_of(mark, TIMES["dates"], ".", names)]
    (tmp_path / "a.csv").write_text("".join(f'"{mark.join(line)}"\n' for line in lines))
    assert_read(tmp_path / "a.csv", names)


def test_whole_numbers_below_the_name_of_a_time_are_two_cells(tmp_path):
    rows = [f'"{k},{k % 7}"\n' for k in range(40)]
    (tmp_path / "a.csv").write_text('"time,value"\n' + "".join(rows))
    assert len(series_files.series_of(tmp_path / "a.csv").names) == 1


@pytest.mark.parametrize("name", ["x", "speed, km/h", ""])
def test_decimal_commas_in_quotes_are_one_column(tmp_path, name):
    rows = [f'"{value:.2f}"\n'.replace(".", ",") for value in WAVE]
    (tmp_path / "a.csv").write_text(f'"{name}"\n' * bool(name) + "".join(rows))
    series = series_files.series_of(tmp_path / "a.csv", RATE)
    np.testing.assert_allclose(series.values[:, 0], (WAVE - WAVE.mean()) / WAVE.std(), atol=2e-2)


@pytest.mark.parametrize("line", ['"0.1","2.5"', '"0.1",2.5', '0.1,"2,5"', '"0.1 mV"', '"2024-03-01"', "0.1,2.5", '""'])
def test_cells_in_quotes_are_no_lines_in_quotes(line):
    assert not layouts.in_quotes(['"time,x"', *[line] * 9])


def test_a_table_in_one_column_of_a_sheet_is_read():
    name, *rows = lines_of(",", "{:.2f}", ".", True)
    series = channels.of_data_frame("sheet", pd.DataFrame({name: rows}), None, "", [])
    np.testing.assert_allclose(series.times, np.arange(len(WAVE)) / RATE, atol=1e-6)


def test_a_refusal_names_the_file_whose_lines_are_in_quotes(tmp_path):
    (tmp_path / "a.csv").write_text('"time,value"\n' + '"1.5 ,word"\n' * 9)
    with pytest.raises(RawDataError, match=r"/a\.csv: found "):
        series_files.series_of(tmp_path / "a.csv")
