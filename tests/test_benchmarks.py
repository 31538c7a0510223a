"""The references that speed is measured against do the same work as the package, and all rows have their form."""

import argparse
import json
import math
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from benchmarks import __main__ as bench
from benchmarks import reference, timing
from benchmarks.timing import Row
from simper_tf.losses import similarity
from simper_tf.views import augment

RNG = np.random.default_rng(0)


@pytest.mark.slow
def test_the_reference_changes_speed_as_the_package_does():
    clips, speeds = RNG.integers(0, 256, (2, 40, 6, 5, 3)).astype(np.uint8), tf.constant([[1.6, 0.7], [1.0, 2.0]])
    expected = reference.change_speeds(clips, speeds, 20)
    np.testing.assert_allclose(augment.resample(clips, tf.zeros([2, 2]), speeds, 20), expected, atol=2e-2)


def test_the_interpolation_of_the_reference_is_that_of_numpy():
    x, y = RNG.uniform(-2, 12, 50).astype(np.float32), RNG.normal(size=11).astype(np.float32)
    np.testing.assert_allclose(
        reference.interpolate(x, 0.0, 10.0, tf.constant(y)), np.interp(x, range(11), y), atol=1e-5
    )


def test_the_reference_has_the_similarity_of_the_package():
    first, second = (tf.constant(RNG.normal(size=(2, 3, 25)), tf.float32) for _ in range(2))
    expected = similarity.max_cross_correlation(first, second)
    np.testing.assert_allclose(reference.similarity_rows(first, second), expected, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("share_spatial", [False, True])
def test_views_of_the_reference_share_space_as_the_packages_do(share_spatial):
    still = np.repeat(RNG.integers(0, 256, (2, 1, 12, 12, 1)), 40, axis=1).astype(np.uint8)
    views, speeds = reference.make_views(still, tf.constant([0, 1]), 3, 16, (0.5, 2.0), share_spatial)
    assert views.shape == (2, 6, 16, 12, 12, 1)
    assert 0 <= np.min(views) < 0.3 < 0.7 < np.max(views) <= 1
    np.testing.assert_array_equal(speeds[:, :3], speeds[:, 3:])
    in_a_set = np.abs(views[:, 0] - views[:, 1]).mean(axis=(1, 2, 3, 4))
    assert np.all(in_a_set < 1e-5 if share_spatial else in_a_set > 0.02)
    assert np.all(np.abs(views[:, 0] - views[:, 3]).mean(axis=(1, 2, 3, 4)) > 0.02)


def test_a_row_has_sizes_ratio_and_order_of_growth():
    small, large = timing.results("search", Row(lambda size: (size**2 / 1000, size), (10, 40), "clips"))
    assert small == {
        "name": "search", "counted": "clips", "size": 10, "unit": "s", "ours": 0.1, "reference": 10, "ratio": 100,
        "exponent": None,
    }  # fmt: skip
    assert (large["ours"], large["ratio"], large["exponent"]) == (1.6, 25, pytest.approx(2))


def test_the_ratio_of_a_rate_is_ours_over_the_reference():
    (rate,) = timing.results("rate", Row(lambda size: (30.0, 10.0), (5,), "clips", "clips/s"))
    (alone,) = timing.results("alone", Row(lambda size: (30.0, None), (5,), "clips"))
    assert (rate["ratio"], alone["ratio"]) == (3, None)


@pytest.mark.parametrize(("value", "large"), [(2.0, math.inf), (math.inf, 2.0), (0.0, 1.0), (1.0, 0.0)])
def test_what_never_happened_has_no_order_of_growth(value, large):
    assert timing.exponent((1, value), (2, large)) is None


def test_calls_take_turns_after_a_round_that_is_not_timed():
    called = []
    best = timing.alternate(lambda: called.append("a"), lambda: called.append("b"), repeats=2)
    assert called == ["a", "b"] * 3
    assert len(best) == 2


@pytest.mark.slow
def test_a_peak_holds_what_a_process_held_and_failures_are_told():
    code = "import numpy, sys; numpy.ones(int(sys.argv[1]), numpy.uint8)"
    small, large = (timing.peak_gib(code, size) for size in (1, 2**28))
    assert large - small == pytest.approx(0.25, abs=0.02)
    with pytest.raises(subprocess.CalledProcessError):
        timing.peak_gib("raise SystemExit(3)")


def test_rows_are_chosen_by_patterns_that_fit_some(capsys):
    parser = argparse.ArgumentParser()
    assert bench.chosen(parser, "input_*,views_28*") == ["views_28", "views_28_shared", "input_alone"]
    assert bench.chosen(parser, "*") == list(bench.ROWS)
    with pytest.raises(SystemExit):
        bench.chosen(parser, "loss,view")
    assert "there is no row view. There are: speed_28" in capsys.readouterr().err
    assert all(len(row.sizes) == 2 and row.sizes[0] < row.sizes[1] for row in bench.ROWS.values())


def test_table_and_file_have_a_line_for_each_row_and_size(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "bench" / "results.jsonl")
    monkeypatch.setattr(bench, "ROWS", {"one": Row(lambda size: (0.5 * size, None), (2, 4), "clips")})
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--only=one"])
    bench.main()
    lines = [json.loads(line) for line in bench.RESULTS.read_text().splitlines()]
    assert [(line["name"], line["size"], line["ours"]) for line in lines] == [("one", 2, 1.0), ("one", 4, 2.0)]
    assert "| one | 4 | clips | s | 2 |  |  | 1 |" in capsys.readouterr().out
