"""Figures of the method, drawn from the data that is there."""

import pytest
from matplotlib import image

from docs import features as of_features
from reproduce import figures


@pytest.mark.slow
def test_figures_are_drawn_of_the_data_that_is_there(data_dir, tmp_path, capsys):
    out, raw = tmp_path / "out", str(tmp_path / "raw")
    figures.draw(figures.FIGURES, ["scamps", "rotating_digits/digits"], out, str(data_dir), raw)
    said = capsys.readouterr().out
    assert "Left out: scamps/paper/2.0.0 is not built and its raw files are missing" in said
    assert sorted(path.stem for path in out.iterdir()) == sorted(figures.FIGURES)
    assert all(image.imread(path).std() > 0.05 for path in out.iterdir())
    assert f"Figure: {out / 'views.png'}." in said


def test_an_unknown_figure_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"--only takes some of .* Found: views,digits"):
        figures.draw(["views", "digits"], [], None, "", "")


@pytest.mark.slow
def test_without_any_data_only_similarities_are_drawn(tmp_path, capsys):
    figures.draw(figures.FIGURES, ["scamps"], tmp_path / "out", str(tmp_path), str(tmp_path / "raw"))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["similarities.png"]


def test_figures_of_the_guide_show_runs_of_their_tables():
    for name, (_, titles) in of_features.SHOWN.items():
        assert tuple(of_features.runs(name)) == titles
    for cells in of_features.runs("unseen").values():
        gap, span = (dict(run.changes) for run, _ in cells[::2])
        assert (gap["label_gap"], span["label_range"]) == ("2,3.5", "1.5,4")


def test_the_guide_reads_a_protocol_off_a_table_of_clips(tmp_path):
    (tmp_path / "clips.csv").write_text("id,label (Hz),fft (Hz)\na,1.5,1.4\nb,2,4\n")
    true, read = of_features.of_clips(tmp_path / "clips.csv", "fft")
    assert (true.tolist(), read.tolist()) == ([1.5, 2.0], [1.4, 4.0])
