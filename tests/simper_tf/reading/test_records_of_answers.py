"""Records of recordings and the tables made of them, by hand and by their schema."""

import csv
import dataclasses
import io
import json
import pathlib

import jsonschema
import pytest
from made_answers import INFO, answer, done

from simper_tf.reading import records, result
from simper_tf.reading.learned import Learned
from simper_tf.recordings.boxes import WHOLE, Box

SCHEMA = json.loads((pathlib.Path(__file__).parents[3] / "docs" / "predictions.schema.json").read_text())
GUIDE = (pathlib.Path(__file__).parents[3] / "docs" / "your_own_data.md").read_text()


def cells(rows):
    return list(csv.DictReader(io.StringIO(records.table(rows))))


def series(*answers, learned=None, **given):
    info = dataclasses.replace(INFO, height=1, width=1)
    return dataclasses.replace(done(*answers, stills=(), **given), info=info, learned=learned)


RECORDS = [
    records.of(done(answer(), answer(1.5, box=WHOLE, error=float("nan"), pauses=((2.0, 3.0),))), "hz", 4.0),
    records.of(series(answer(channel=0, pairs=1.0), channels=("a", "b"), learned=Learned(0.5, 3)), "bpm"),
    records.of(done(answer(verdict=result.UNCLEAR, confidence=0.3)), "count"),
    records.of(done(notes=["Half of it is missing."]), "hz", 4.0),
    records.without("a.mp4: found noise.", records.UNREADABLE, "a.mp4"),
    records.without("a.txt: found words.", records.SKIPPED, "a.txt"),
]  # fmt: skip


@pytest.mark.parametrize("record", RECORDS)
def test_every_record_is_as_its_schema_says(record):
    jsonschema.validate([json.loads(json.dumps(record, allow_nan=False))], SCHEMA)


def test_the_schema_refuses_a_record_of_another_form():
    for change in ({"status": "fine"}, {"count": [1]}, {"new": 1}, {"reason": None}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate([{**RECORDS[0], **change}], SCHEMA)


@pytest.mark.parametrize("rows_of", [records.answer_rows, records.repetition_rows, records.window_rows])
def test_every_recording_has_a_row_with_its_status_in_each_table(rows_of):
    rows = cells(row for record in RECORDS for row in rows_of(record))
    told = dict.fromkeys((row["status"], row["reason"]) for row in rows)
    perhaps = "perhaps 0.5 Hz = 30 per minute, 4 repetitions from 1.0 to 9.0 s, unclear (0.30)"
    assert [*told] == [
        ("ok", ""), ("nothing repeats", perhaps), ("nothing repeats", "nothing repeats"),
        ("unreadable", "a.mp4: found noise."), ("skipped", "a.txt: found words."),
    ]  # fmt: skip
    for name in rows[0]:
        assert f"`{name}`" in GUIDE, name


def test_tables_hold_every_repetition_and_json_no_nan():
    record = records.of(done(answer(error=float("nan"))), "count", 4.0)
    repetitions = cells(records.repetition_rows(record))
    assert [(row["start_s"], row["end_s"]) for row in repetitions][-1] == ("7.000", "9.000")
    assert (record["answers"][0]["value"], record["answers"][0]["error_hz"], record["count"]) == (4, None, 4)
    (row,) = cells(records.answer_rows(record))
    assert (row["count"], row["start_s"], row["end_s"], row["error_hz"]) == ("4", "1.000", "9.000", "")


@pytest.mark.parametrize("read", [done(), done(answer(verdict=result.UNCLEAR)), done(answer(verdict=result.TOO_FEW))])
def test_what_is_no_result_has_no_number_in_the_table(read):
    (row,) = cells(records.answer_rows(records.of(read, "hz")))
    assert {row[name] for name in ("value", "hertz", "count", "confidence", "box")} == {""}
    assert (row["status"], row["verdict"]) == (records.NOTHING, read.reading.verdict)


@pytest.mark.parametrize(("view", "box"), [(None, [8, 0, 24, 12]), ((4, 6, 16, 10), [8, 6, 12, 5])])
def test_a_box_is_in_pixels_of_the_whole_picture_as_crop_is(view, box):
    read = dataclasses.replace(done(answer(box=Box(0.25, 0.0, 0.75, 0.5))), view=view)  # Of 24 x 32 pixels.
    record = records.of(read, "hz")
    assert record["answers"][0]["box"] == box
    assert cells(records.answer_rows(record))[0]["box"] == ",".join(map(str, box))
    assert records.of(series(answer()), "hz")["answers"][0]["box"] is None


def test_a_slow_answer_keeps_its_digits():
    slow = answer(1 / 7200, repetitions=((0.0, 7200.0), (7200.0, 18000.0)))
    assert records.of(done(slow), "hz")["answers"][0]["hertz"] == pytest.approx(1 / 7200, rel=1e-3)


def test_names_are_no_formulas_and_still_join_to_files():
    (row,) = cells(records.answer_rows(records.of(done(answer(channel=0), name="-rf.csv", channels=("=A1", "")), "hz")))
    assert (row["recording"], row["channel"]) == ("./-rf.csv", "'=A1")
    assert records.table([{"a": "-1.5"}]) == "a\n-1.5\n"


def test_channels_are_named_where_there_are_several():
    some = (answer(0.25, channel=0), answer(1.2, channel=1), answer(0.5))
    record = records.of(done(*some, channels=("RESP", "")), "hz")
    assert [one["channel"] for one in record["answers"]] == ["RESP", "channel 2", None]
    assert [row["channel"] for row in cells(records.answer_rows(record))] == ["RESP", "channel 2", ""]
