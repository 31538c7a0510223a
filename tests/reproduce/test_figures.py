"""Figures of the method, drawn from the data that is there."""

import pytest
from matplotlib import image

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
