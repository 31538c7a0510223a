import json
import re
import subprocess
import sys
import types

import numpy as np
import pytest
from absl import flags
from made_up import row

from simper_tf import rows, tables
from simper_tf.methods import METHODS
from trainers import compare, sweep

RNG = np.random.default_rng(67)
MARKED = tables.new_document("Mine", compare.COMMAND)
SCORES = {("fft", "mae"): 0.5, ("fft", "mape"): 20.0, ("1nn", "mae"): 0.25, ("1nn", "mape"): 10.0}


def made_up_rows(method, seed=0):
    """Returns rows of a run whose values rise with the seed."""
    return [
        row(protocol, metric, value * (1 + seed), method=method, seed=seed, seconds=100.0 + 50 * seed)
        for (protocol, metric), value in SCORES.items()
    ]


def keep_features(folder, num_clips=12, **reference):
    """Writes the `features.npz` of a run."""
    folder.mkdir(parents=True)
    few = {"series": RNG.normal(size=(num_clips, 40, 2)), "labels": np.arange(1.0, num_clips + 1)}
    np.savez(folder / "features.npz", rates=np.full(num_clips, 20.0), **few, **reference)


@pytest.fixture
def comparison(tmp_path, monkeypatch):
    """Returns the flags of a comparison whose runs are made up; `trained` lists the folders and changes of all."""
    config = types.SimpleNamespace(
        base="base.cfg",
        runs=tmp_path / "runs",
        document=tmp_path / "docs" / "table.md",
        entries=["simclr", "untrained"],
    )
    config.seeds, config.trained, config.fails = ["0", "1"], [], None

    def train(folder, changes, split):
        assert split == "test"
        if folder.name == config.fails:
            raise ValueError("The run failed.")
        config.trained.append((folder.name, changes))
        keep_features(folder, angle=RNG.normal(size=(6, 40)))
        return made_up_rows(changes.get("method", "untrained"), int(changes["seed"]))

    monkeypatch.setattr(flags, "FLAGS", config)
    monkeypatch.setattr(sweep, "train", train)
    return config


def test_the_table_has_a_line_an_entry_with_the_papers_numbers_beside_its_own():
    results = {
        "simclr": [*made_up_rows("simclr"), row("pixels", method="simclr", seconds=100.0)],
        "untrained": [*made_up_rows("untrained"), *made_up_rows("untrained", 1)],
    }
    header, _, *lines = [line.strip("| ").split(" | ") for line in compare.table(results).splitlines()]
    names = ["fft mae", "fft mape", "1nn mae", "1nn mape"]
    assert header == ["method", *(part for name in names for part in (name, "paper")), "pixels mae", "seconds"]
    ours, papers = ["0.5", "20", "0.25", "10"], ["2.96", "109.27", "0.98", "48.30"]
    cells = [part for own, paper in zip(ours, papers, strict=True) for part in (f"{own} [0.1, 0.15]", paper)]
    assert lines[0] == ["SimCLR", *cells, "0.125 [0.1, 0.15]", "100"]
    ours = ["0.75 ± 0.35", "30 ± 14", "0.375 ± 0.18", "15 ± 7.1"]
    cells = [part for own in ours for part in (f"{own} (n=2)", "")]
    assert lines[1] == ["control: encoder untrained", *cells, "", "125"]


def test_every_method_is_an_entry_and_every_flag_of_one_is_known(call):
    assert {changes.get("method", "simper") for changes, _ in compare.ENTRIES.values()} == set(METHODS)
    for changes, _ in compare.ENTRIES.values():
        call(lambda: None, "--run_dir=none", *(f"--{name}={value}" for name, value in changes.items()))
    assert set(compare.PAPER) <= set(compare.ENTRIES)


def test_all_runs_are_made_and_table_rows_and_figures_put_down(comparison, capsys):
    comparison.entries.append("simclr")  # Twice is once.
    compare.main()
    assert comparison.trained == [
        ("simclr_0", {"method": "simclr", "seed": "0"}),
        ("simclr_1", {"method": "simclr", "seed": "1"}),
        ("untrained_0", {"epochs": 0, "seed": "0"}),
        ("untrained_1", {"epochs": 0, "seed": "1"}),
    ]
    document = comparison.document
    results = {name: [*made_up_rows(name), *made_up_rows(name, 1)] for name in ("simclr", "untrained")}
    expected = tables.put_table(
        tables.new_document("Methods side by side", compare.COMMAND), compare.COMMAND, compare.table(results)
    )
    assert document.read_text() == expected
    assert rows.read_rows(document.with_suffix(".jsonl")) == [row for found in results.values() for row in found]
    for name in ("table_features.png", "table_embeddings.png"):
        assert document.with_name(name).read_bytes().startswith(b"\x89PNG")
    assert "Run 4/4: untrained, seed 1" in capsys.readouterr().out


def test_what_was_compared_before_a_run_failed_stays(comparison):
    comparison.fails = "untrained_0"
    with pytest.raises(ValueError, match="The run failed"):
        compare.main()
    assert "SimCLR | 0.75 ± 0.35 (n=2)" in comparison.document.read_text()
    assert "untrained" not in comparison.document.read_text()
    assert len(rows.read_rows(comparison.document.with_suffix(".jsonl"))) == 2 * len(SCORES)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"entries": ["simper", "simclear"]},
            "--entries=simper,simclear: there is no simclear. There are: simclr, moco",
        ),
        ({"entries": []}, "--entries=: there is no name. There are: simclr"),
        ({"seeds": ["0", "0"]}, "--seeds takes different whole numbers"),
    ],
)
def test_a_wrong_comparison_is_refused_before_anything_is_trained_or_written(comparison, changes, message):
    vars(comparison).update(changes)
    with pytest.raises(ValueError, match=message):
        compare.main()
    assert not comparison.trained
    assert not comparison.document.parent.exists()


def test_a_document_without_marks_is_refused_before_anything_is_trained_and_stays(comparison):
    comparison.document.parent.mkdir()
    comparison.document.write_text("# Mine\n")
    with pytest.raises(
        ValueError, match=f"--document={comparison.document} lacks the lines '<!-- results: {compare.COMMAND}"
    ):
        compare.main()
    assert not comparison.trained
    assert comparison.document.read_text() == "# Mine\n"


def test_figures_that_cannot_be_drawn_are_left_out_and_said(tmp_path, capsys):
    folders = {"A": tmp_path / "a", "B": tmp_path / "b"}
    for folder in folders.values():
        keep_features(folder, num_clips=5)  # What repeats in them is not known.
    compare.draw(tmp_path / "table.md", folders, "bpm")
    assert capsys.readouterr().out == "No embedding: it takes 10 clips.\n"
    assert not list(tmp_path.glob("*.png"))


def test_a_plot_library_that_is_missing_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "simper_tf.plots", None)
    monkeypatch.delattr("simper_tf.plots", raising=False)
    compare.draw(tmp_path / "table.md", {}, "Hz")
    assert capsys.readouterr().out == "No plots: matplotlib is not installed (extra `plots`).\n"


@pytest.mark.slow
def test_two_entries_are_compared_from_the_command_line(call, data_dir, tmp_path):
    base, document = tmp_path / "base.cfg", tmp_path / "table.md"
    base.write_text("\n".join([*call.tiny, f"--data_dir={data_dir}", "--noartifacts"]))
    document.write_text(MARKED)
    command = [sys.executable, "-m", "trainers.compare", "--entries=simclr,frame_mean", "--seeds=4"]
    paths = [f"--base={base}", f"--runs={tmp_path / 'runs'}", f"--document={document}"]
    done = subprocess.run([*command, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\| SimCLR \| [\d.]+ \[", document.read_text(), re.MULTILINE)
    assert "| control: mean of each frame | " in document.read_text()
    found = [json.loads(line) for line in document.with_suffix(".jsonl").read_text().splitlines()]
    assert {(row["method"], row["encoder"], row["seed"]) for row in found} == {
        ("simclr", "small", 4), ("untrained", "frame_mean", 4),
    }  # fmt: skip
    assert "No embedding: it takes 10 clips." in done.stdout
    assert (tmp_path / "table_features.png").exists()


def empty(path):
    path.write_bytes(b"")


@pytest.mark.parametrize(
    "damage",
    [
        empty,
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(b"\x80\x04" + bytes(200)),
        lambda path: path.write_bytes(path.read_bytes().replace(b"\x93NUMPY", b"\x93NUMPI")),
        lambda path: np.savez(path, series=np.zeros(3)),
        lambda path: path.unlink(),
    ],
)
def test_damaged_features_of_a_finished_run_are_told_before_anything_is_trained(comparison, damage):
    run = comparison.runs / "untrained_0"
    keep_features(run)
    (run / "results.jsonl").touch()
    damage(run / "features.npz")
    message = rf"^{run}/features\.npz is damaged or missing \(.+\)\. Make it again: .*evaluate --run_dir={run}$"
    with pytest.raises(ValueError, match=message):
        compare.main()
    assert not comparison.trained


def test_features_of_validation_clips_are_not_drawn_for_those_of_test_clips(tmp_path):
    keep_features(tmp_path / "run", split="validation")
    with pytest.raises(ValueError, match=r"features\.npz is not of test clips\. Make it again"):
        compare.features(tmp_path / "run")
    keep_features(tmp_path / "other", split="test")
    assert set(compare.features(tmp_path / "other")) == {"series", "labels", "rates"}


def test_rows_beside_the_document_that_are_damaged_are_told_before_anything_is_trained(comparison):
    comparison.document.parent.mkdir()
    comparison.document.with_suffix(".jsonl").write_text('{"dataset": "rota')
    with pytest.raises(ValueError, match=r"table\.jsonl, line 1, is not a result row"):
        compare.main()
    assert not comparison.trained
