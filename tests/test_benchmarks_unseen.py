"""The list of files with truths that were written before they were read."""

import csv
import pathlib
import re

import pytest

from benchmarks import real, unseen

DOCS = pathlib.Path(__file__).parents[1] / "docs"
HEAD = "file,group,seen,truth,tolerance,kind,seconds,repository,commit,path,answer,outcome,confidence\n"


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """A list of three drawn series, two of which lie in a folder `files`, and one of the other group."""
    table = tmp_path / "unseen.csv"
    rows = [
        "swing.csv,H,swing,1 Hz,0.02,drawn,20,a/b,0,data/swing.csv,-,silent,-",
        "line.csv,H,line,nothing repeats,-,control,20,a/b,0,line.csv,,,",
        'gone.csv,I,swing,1 Hz,0.02,drawn,20,c/d,0,gone.csv,"1.000 Hz, 20 in 0.0-20.0 s",right,1.00',
    ]
    table.write_text(HEAD + "\n".join(rows) + "\n")
    folder = tmp_path / "files" / "a+b"
    (folder / "data").mkdir(parents=True)
    folder.joinpath("line.csv").write_text("time,x\n" + "".join(f"{k / 50},{k}\n" for k in range(500)))
    folder.joinpath("data", "swing.csv").write_text("not read in these tests")
    monkeypatch.setattr(unseen, "TABLE", table)
    return tmp_path / "files"


def judged(answer, outcome):
    return real.Judged(answer, outcome, "0.90", "clear", 0.0, 0.1, None)


def test_a_file_that_is_not_there_keeps_its_answer(listed, monkeypatch):
    monkeypatch.setattr(real, "judge", lambda path, true: judged("1.010 Hz, 20 in 0.0-20.0 s", real.RIGHT))
    swing, line, gone = unseen.rows_now(unseen.listed(), listed, "")
    assert (swing["answer"], swing["outcome"], swing["confidence"]) == ("1.010 Hz, 20 in 0.0-20.0 s", "right", "0.90")
    assert gone == unseen.listed()[2]
    assert line["outcome"]


def test_only_the_groups_asked_for_are_read(listed, monkeypatch):
    monkeypatch.setattr(real, "judge", lambda path, true: pytest.fail("read"))
    assert unseen.rows_now(unseen.listed(), listed, "I") == unseen.listed()


def test_what_moves_is_told(listed, monkeypatch, capsys):
    monkeypatch.setattr(real, "judge", lambda path, true: judged("1.010 Hz", real.RIGHT))
    unseen.rows_now(unseen.listed(), listed, "H")
    swing, line = capsys.readouterr().out.splitlines()
    assert swing.endswith("was silent: -")
    assert line.endswith("was unread: ")


def test_a_written_list_is_read_back_as_it_was(listed):
    rows, text = unseen.listed(), unseen.TABLE.read_text()
    unseen.write(rows)
    assert unseen.TABLE.read_text() == text
    assert unseen.listed() == rows


def test_the_report_counts_files_that_were_read_by_group(listed):
    lines = unseen.report(unseen.listed()).splitlines()
    assert lines[0] == "| group | repeats | right | octave named | wrong | silent | not opened | controls | answered |"
    assert lines[2:] == ["| H | 1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 |", "| I | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |"]


def test_a_folder_that_is_not_there_ends_the_command(listed, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["unseen", f"--files={listed / 'none'}"])
    with pytest.raises(SystemExit):
        unseen.main()
    assert "no such folder" in capsys.readouterr().err


def test_a_line_is_a_control_that_is_refused(listed):
    now = unseen.rows_now(unseen.listed(), listed, "H")[1]
    assert (now["answer"], now["outcome"], now["confidence"]) == ("-", real.REFUSED, "-")


def test_every_row_has_a_truth_that_can_be_judged():
    with unseen.TABLE.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        true = real.truth(row)
        assert true.is_control or true.near is not None or true.count is not None, row["file"]
        assert true.is_control == row["kind"].startswith("control"), row["file"]
    assert len({row["file"] for row in rows}) == len(rows)


def first_readings(of, groups):
    """Of the first readings of some groups: right of those opened, refused of the controls, and not opened of all."""
    row = r"^\| ([A-Z, ]+) \| (\w+) \| [\w-]+ \| (\d+) \| (\d+|-).*\| (\d+) \| (\d+) \| (\d+|-) \|$"
    rows = re.findall(row, DOCS.joinpath("measured.md").read_text(), re.MULTILINE)
    some = [cells for names, kind, *cells in rows if kind == of and set(names.split(", ")) <= set(groups)]
    columns = ([int(cell.replace("-", "0")) for cell in column] for column in zip(*some, strict=True))
    repeat, right, closed, controls, answered = map(sum, columns)
    return f"{right} of {repeat - closed}", f"{controls - answered} of {controls}", f"{closed} of {repeat}"


@pytest.mark.parametrize(("of", "newest"), [("films", "NPRTYZ"), ("series", "OQSUVWX")])
def test_the_page_sums_up_first_readings(of, newest):
    said = " ".join(DOCS.joinpath("recordings.md").read_text().split())
    (right, refused, closed), (new_right, new_refused, _) = (
        first_readings(of, groups) for groups in ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", newest)
    )
    assert f"| {right} | {new_right} |" in said
    assert f"| {refused} | {new_refused} |" in said
    assert of == "films" or f"{closed} series were not opened" in said
