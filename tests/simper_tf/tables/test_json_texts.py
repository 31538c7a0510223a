"""Series in JSON one value after another, under any ending, and the starts of blocks of samples."""

import json

import numpy as np
import pandas as pd
import pytest

from simper_tf.tables import series_files
from simper_tf.tables.texts import json_texts
from simper_tf.utils.errors import RawDataError

COUNT, STEP, BLOCK = 96, 0.02, 16
WAVE = np.sin(np.arange(COUNT) / 3)
TIMES = STEP * np.arange(COUNT)
ROWS = [{"time": time, "x": value} for time, value in zip(TIMES.tolist(), WAVE.tolist(), strict=True)]
START = 1466529361088


def read(path, content):
    path.write_text(content)
    return series_files.series_of(path)


def check(found, count=COUNT):
    np.testing.assert_allclose(found.times, TIMES[:count], atol=1e-6)
    wave = WAVE[:count]
    np.testing.assert_allclose(found.values[:, 0], (wave - wave.mean()) / wave.std(), atol=1e-3)


def blocks(starts, name="start", wrap=lambda held: held):
    """Returns lines of records, each a block of samples with its start."""
    starts = zip(range(0, COUNT, BLOCK), starts, strict=False)
    return "\n".join(json.dumps(wrap({name: start, "data": WAVE[k : k + BLOCK].tolist()})) for k, start in starts)


def in_milliseconds(first=START):
    return [first + 1000 * STEP * k for k in range(0, COUNT, BLOCK)]


def test_a_value_in_a_list_of_one_is_read(tmp_path):
    rows = [{"startTimeNanos": START * 10**6 + round(1e9 * time), "fitValue": [{"value": {"fpVal": value}}]}
            for time, value in zip(TIMES.tolist(), WAVE.tolist(), strict=True)]  # fmt: skip
    check(read(tmp_path / "a.json", json.dumps({"Data Source": "a watch", "Data Points": rows})))


@pytest.mark.parametrize("name", ["a.dat", "a.txt", "a.log", "a.json", "a.ndjson", "noending"])
def test_lines_of_json_are_read_under_any_ending(tmp_path, name):
    check(read(tmp_path / name, "\n".join(map(json.dumps, ROWS))))
    assert name in ("a.dat", "a.txt", "a.json") or series_files.is_table(tmp_path / name)


@pytest.mark.parametrize("mark", ["\n", "\r\n", ",\n", "", " ", "\n\x1e", "\n\n"])
def test_values_of_json_may_follow_each_other_in_any_way(tmp_path, mark):
    check(read(tmp_path / "a.json", mark.join(map(json.dumps, ROWS)) + mark))


@pytest.mark.parametrize("name", ["a.json", "a.txt"])
def test_objects_of_json_may_take_several_lines(tmp_path, name):
    check(read(tmp_path / "a.json", "\n".join(json.dumps(row, indent=2) for row in ROWS)))
    check(read(tmp_path / name, json.dumps({"x": WAVE.tolist(), "fs": 1 / STEP}, indent=2)))


def test_arrays_a_line_are_rows(tmp_path):
    check(read(tmp_path / "a.txt", "\n".join(json.dumps([*row.values()]) for row in ROWS)))


def test_a_last_line_of_json_that_is_cut_off_is_left_out(tmp_path):
    found = read(tmp_path / "a.log", "\n".join(map(json.dumps, ROWS))[:-5])
    check(found, COUNT - 1)
    assert found.notes == ("The last line is cut off, and left out.",)
    with pytest.raises(RawDataError, match="what cannot be read"):
        read(tmp_path / "a.jsonl", "\n".join(map(json.dumps, ROWS)).replace("}", "", 1))


def test_a_first_line_of_json_above_a_table_is_a_header(tmp_path):
    rows = "\n".join(f"{row['time']},{row['x']}" for row in ROWS)
    check(read(tmp_path / "a.txt", '{"device": "m"}\n' + rows))


def test_lines_of_json_without_numbers_are_no_series(tmp_path):
    (tmp_path / "a.out").write_text('{"level": "info", "text": "ready"}\n' * 9)
    assert not json_texts.is_series(tmp_path / "a.out")
    assert not series_files.is_table(tmp_path / "a.out")


@pytest.mark.parametrize(
    "name", ["start", "start_ecg", "startEcg", "t0", "begin", "timestamp", "ts", "block_start", "time", "chunk"]
)
@pytest.mark.parametrize("unit", [1, 1e-3, 1e3])
def test_blocks_have_their_start_since_1970_under_any_name(tmp_path, name, unit):
    found = read(tmp_path / "a.dat", blocks([unit * start for start in in_milliseconds()], name))
    check(found)
    assert found.names == ("data",)


@pytest.mark.parametrize(("name", "unit"), [("start", 1), ("t0_ms", 1), ("begin_s", 1e-3), ("block_start_us", 1e3)])
def test_blocks_may_begin_at_zero(tmp_path, name, unit):
    check(read(tmp_path / "a.jsonl", blocks([unit * start for start in in_milliseconds(0)], name)))


def test_the_start_of_blocks_may_be_a_date(tmp_path):
    starts = [str(pd.Timestamp(START, unit="ms") + pd.Timedelta(start, "ms")) for start in in_milliseconds(0)]
    check(read(tmp_path / "a.jsonl", blocks(starts)))


def test_blocks_may_lie_at_any_depth(tmp_path):
    content = blocks(in_milliseconds(), "start_ecg", lambda held: {"d": {"ecg": held, "battery": 3}})
    found = read(tmp_path / "a.dat", content)
    check(found)
    assert found.names == ("d.ecg.data",)


def test_blocks_of_other_sensors_between_leave_the_longest(tmp_path):
    lines = blocks(in_milliseconds(), "ts", lambda held: {"ecg": held}).splitlines()
    others = [json.dumps({"acc": {"ts": START + k, "data": [k, 2]}}) for k in range(len(lines))]
    mixed = [line for pair in zip(lines, others, strict=True) for line in pair]
    check(read(tmp_path / "a.log", "\n".join(mixed)))


def test_a_start_that_counts_samples_is_no_time(tmp_path):
    with pytest.raises(RawDataError, match="samples without their rate"):
        read(tmp_path / "a.jsonl", blocks(range(0, COUNT, BLOCK)))


def test_a_text_that_begins_otherwise_is_read_no_further(tmp_path, monkeypatch):
    monkeypatch.setattr(json_texts, "_first_lines", lambda path: pytest.fail("It is read."))
    (path := tmp_path / "a.csv").write_text("1,2,3\n" * 9)
    assert not json_texts.is_series(path)
    assert not json_texts.is_one(path)


def test_no_more_of_a_line_is_read_than_one_may_have(tmp_path, monkeypatch):
    monkeypatch.setattr(json_texts, "_LONGEST", 64)
    (path := tmp_path / "a.txt").write_text("".join(json.dumps({"x": [1] * number}) + "\n" for number in (3, 400, 3)))
    assert max(map(len, json_texts._first_lines(path))) == 64
    assert not json_texts.is_series(path)


def test_pairs_in_a_list_of_one_result_are_read(tmp_path):
    pairs = [[time, f"{value:.6f}"] for time, value in zip(TIMES.tolist(), WAVE.tolist(), strict=True)]
    result = [{"metric": {"__name__": "load"}, "values": pairs}]
    found = read(tmp_path / "a.json", json.dumps({"status": "success", "data": {"result": result}}))
    assert np.corrcoef(found.values[:, 0], WAVE)[0, 1] == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(np.diff(found.times), STEP, atol=1e-6)
