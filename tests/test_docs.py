"""The guides say what is so: their code runs, and the site that holds them needs nothing from elsewhere."""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]
GUIDES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = {path.name: re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL) for path in GUIDES}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, blocks in CODE.items() if blocks])
def test_the_code_of_a_guide_runs_and_prints_the_shapes_it_promises(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in CODE[name]:
        exec(compile(block, name, "exec"), names)
        printed = capsys.readouterr().out
        for shapes in re.findall(r"^print.*  # (\([\d, ()]+\))", block, re.MULTILINE):
            assert shapes in printed


def build(folder, site):
    """Builds the site of a checkout as `make docs` does."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", f"--site-dir={site}"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


needs_mkdocs = pytest.mark.skipif(
    not importlib.util.find_spec("mkdocs"), reason="needs the extra `docs`, which `make docs` installs"
)


@pytest.mark.slow
@needs_mkdocs
def test_the_site_has_every_module_and_loads_nothing_from_elsewhere(tmp_path):
    build(ROOT, tmp_path)
    pages = {path.stem for path in (tmp_path / "reference").glob("*.html")}
    assert {"simper_tf", "simper_tf.encoders.small", "simper_tf.methods.moco", "simper_tf.views.views"} <= pages
    remote = r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(?:https?:)?//[^\s>]*|url\([\"']?(?:https?:)?//[^)]*"
    read = [path.read_text() for kind in ("html", "css") for path in tmp_path.rglob(f"*.{kind}")]
    assert [found for text in read for found in re.findall(remote, text)] == []


@pytest.fixture
def checkout(tmp_path):
    """Returns a checkout like this one, but without results, whose documents can be changed."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name not in ("docs", "mkdocs.yml", "site"):
            (folder / path.name).symlink_to(path)
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("results"))
    return folder


@pytest.mark.slow
@needs_mkdocs
def test_the_site_shows_the_tables_and_figures_of_results_and_is_built_without_them_too(checkout, tmp_path):
    build(checkout, tmp_path / "without")
    assert not (tmp_path / "without" / "results").exists()
    results = checkout / "docs" / "results"
    (results / "report_figures").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "features_over_angle.png", results / "report_figures" / "figure1.png")
    (results / "table2.json").write_text("{}")
    (results / "report.html").write_text("<!DOCTYPE html>What needs no site, and would lie where its Markdown does.")
    for name in ("table10", "table2", "comparison"):
        (results / f"{name}.md").write_text(
            f"# Title of {name}\n\n|  | MAE |\n| --- | --- |\n| SimPer | 0.{name[5:]}1 |\n"
        )
    details = '<details markdown="1"><summary>How</summary>\n\n```\npython -m\n```\n\n</details>'
    figure = '<a id="figure1"></a>\n\n![Points.](report_figures/figure1.png)'
    (results / "report.md").write_text(f"# All\n\n* [Figure](#figure1)\n\n{figure}\n\n{details}\n")
    build(checkout, tmp_path / "with")
    made = tmp_path / "with" / "results"
    assert "<td>0.21</td>" in (made / "table2.html").read_text()
    assert (made / "report_figures" / "figure1.png").exists()
    assert not (made / "table2.json").exists()
    text = (made / "report.html").read_text()
    assert 'src="report_figures/figure1.png"' in text
    assert re.search(r"<details>\s*<summary>How</summary>\s*<div class=\"highlight\">", text)
    order = re.findall(r"(All|Title of \w+)\s*</span>", (tmp_path / "with" / "index.html").read_text())
    assert order == ["All", "Title of comparison", "Title of table2", "Title of table10"]


def test_every_number_of_the_findings_is_in_a_table_of_results():
    number = r"(?<![\w.])\d+\.\d+(?:e-\d+)?"
    tables = "".join(path.read_text() for path in (ROOT / "docs" / "results").glob("*.md"))
    said = "".join((ROOT / "docs" / f"{name}.md").read_text() for name in ("findings", "evidence"))
    found = re.findall(number, re.sub(r"\]\([^)]*\)", "]", said))  # Not of addresses.
    assert len(found) > 300
    assert set(found) - set(re.findall(number, tables)) == set()
