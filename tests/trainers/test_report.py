import types

import pytest
from absl import flags
from made_up import row

from simper_tf import rows, tables
from trainers import report

MARKED = tables.new_document("Mine", report.COMMAND)


@pytest.fixture
def gathering(tmp_path, monkeypatch):
    """Returns the flags of a report of two runs that differ in their seed."""
    config = types.SimpleNamespace(rows=tmp_path / "rows.jsonl", document=tmp_path / "mine.md")
    config.runs = [str(tmp_path / "a"), str(tmp_path / "b")]
    for seed, run in enumerate(config.runs):
        (tmp_path / run).mkdir()
        found = [row("fft_resolved", value=0.1 + 0.1 * seed, seed=seed), row("1nn", "mape", 4.0, "%", seed=seed)]
        rows.write_rows(f"{run}/results.jsonl", found)
    config.document.write_text(MARKED)
    monkeypatch.setattr(flags, "FLAGS", config)
    return config


def test_the_runs_are_put_beside_the_paper(gathering, capsys):
    report.main()
    assert gathering.document.read_text() == tables.put_table(
        MARKED,
        report.COMMAND,
        "| readout | MAE (Hz) | paper | MAPE (%) | paper |\n| --- | --- | --- | --- | --- |\n"
        "| Fourier readout, octave by the pixels, no label | 0.15 ± 0.071 (n=2) | 0.22 |  | 16.49 |\n"
        "| Fourier readout, harmonic from 10 labels |  |  |  |  |\n"
        "| Fourier readout in the band, octave not resolved |  |  |  |  |\n"
        "| nearest neighbor, by cross-correlation |  | 0.09 | 4 ± 0 (n=2) | 4.51 |\n"
        "| nearest neighbor, by spectrum |  |  |  |  |\n"
        "| control: spectrum of the pixels, nothing learned |  |  |  |  |",
    )
    assert "table of 2 run(s)" in capsys.readouterr().out


def test_a_run_added_later_joins_the_rows_of_those_before_and_one_repeated_replaces_its_own(gathering):
    both, gathering.runs = gathering.runs, gathering.runs[:1]
    report.main()
    gathering.runs = both[1:]
    report.main()
    report.main()
    assert sorted(row.seed for row in rows.read_rows(gathering.rows)) == [0, 0, 1, 1]
    assert "0.15 ± 0.071 (n=2)" in gathering.document.read_text()


def test_rows_of_validation_clips_are_left_out(gathering):
    chosen = [row("fft_resolved", value=9.0, seed=0, split="validation")]
    rows.write_rows(f"{gathering.runs[0]}/results.jsonl", chosen)
    report.main()
    assert "0.15 ± 0.071 (n=2)" in gathering.document.read_text()
    assert {row.split for row in rows.read_rows(gathering.rows)} == {"test"}


def refused(config, message):
    with pytest.raises(ValueError, match=message):
        report.main()
    assert not config.rows.exists()


def test_a_folder_without_rows_is_refused_by_its_name(gathering, tmp_path):
    gathering.runs.append(str(tmp_path / "c"))
    refused(gathering, rf"--runs=.*/a,.*/b,.*/c: no results.jsonl with rows of test clips in {tmp_path / 'c'}\.")
    gathering.runs = []
    refused(gathering, "--runs=: no results.jsonl with rows of test clips in no folder")


def test_runs_of_two_kinds_are_refused(gathering):
    rows.write_rows(f"{gathering.runs[1]}/results.jsonl", [row(method="moco", encoder="repnet", seed=7)])
    refused(
        gathering, r"differ in more than their seed: m with e on d/c; moco with repnet on d/c\. Name runs of one kind"
    )


def test_runs_of_two_settings_are_refused_and_old_rows_pass_for_any(gathering):
    rows.write_rows(f"{gathering.runs[1]}/results.jsonl", [row("fft", seed=7, settings="a1")])
    report.main()
    rows.write_rows(f"{gathering.runs[1]}/results.jsonl", [row("fft", seed=8, settings="b2")])
    gathering.rows.unlink()
    refused(
        gathering, r"differ in more than their seed: .*on d/c, settings a1; m with e on d/c, settings b2\. Name runs"
    )


def test_a_document_without_marks_is_refused_before_anything_is_written(gathering):
    gathering.document.write_text("# Mine\n")
    refused(gathering, f"--document={gathering.document} lacks the lines '<!-- results: {report.COMMAND} -->'")
    assert gathering.document.read_text() == "# Mine\n"
