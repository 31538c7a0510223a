"""What tables of readings share: errors, octaves, frequencies of windows, and flags that are not the defaults."""

import argparse
import pathlib

import numpy as np
import pytest

from benchmarks import scored


def test_no_answer_is_off_by_all_of_the_truth_and_by_an_octave():
    truths, hertz = np.array([2.0, 2.0, 2.0, 2.0]), np.array([np.nan, 1.6, 1.4, 4.0])
    assert scored.errors(truths, hertz) == pytest.approx([2.0, 0.4, 0.6, 2.0])
    assert scored.off_by_an_octave(truths, hertz).tolist() == [True, False, True, True]


@pytest.mark.parametrize("start", [0.0, 3.5, 8.0])
def test_the_frequency_of_a_window_is_that_from_its_first_frame_to_its_last(start):
    times = np.arange(100) / 10
    turns = 0.3 + times + 0.05 * times**2
    first, last = start, start + 1.9
    expected = 1 + 0.05 * (last**2 - first**2) / 1.9
    assert scored.mean_frequency(turns, times, start, 2.0) == pytest.approx(expected)


def test_flags_that_are_not_the_defaults_are_told_and_paths_are_not():
    parser = argparse.ArgumentParser()
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, default="runs")
    assert scored.changed(parser, parser.parse_args([])) == ""
    assert scored.changed(parser, parser.parse_args(["--each=1", "--out=elsewhere"])) == " Run with `--each=1`."


def test_a_report_goes_into_its_place_in_a_document_if_there_is_one(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("a\n<!-- results: it -->\nold\n<!-- end of results -->\nb\n")
    scored.into_document(path, "it", "new")
    assert path.read_text() == "a\n<!-- results: it -->\nnew\n<!-- end of results -->\nb\n"
    scored.into_document(None, "it", "newer")
