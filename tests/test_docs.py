"""The guides say what is so: their code runs, and the site that holds them needs nothing from elsewhere."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

import simper_tf
from simper_tf.methods import registry

ROOT = pathlib.Path(__file__).parents[1]
# The code of docs/your_own_data.md reads a folder of videos: tests/trainers/test_readme.py.
GUIDES = [ROOT / "CONTRIBUTING.md", *sorted({*(ROOT / "docs").glob("*.md")} - {ROOT / "docs" / "your_own_data.md"})]
CODE = {path.name: re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL) for path in GUIDES}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, blocks in CODE.items() if blocks])
def test_the_code_of_a_guide_prints_the_shapes_it_promises(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "METHODS", dict(registry.METHODS))  # A guide may register one.
    names = {}
    for block in CODE[name]:
        exec(compile(block, name, "exec"), names)
        printed = capsys.readouterr().out
        for shapes in re.findall(r"^print.*  # (\([\d, ()]+\))", block, re.MULTILINE):
            assert shapes in printed


needs_mkdocs = pytest.mark.skipif(
    not importlib.util.find_spec("mkdocs"), reason="needs the extra `docs`, which `make docs` installs"
)


@pytest.mark.slow
@needs_mkdocs
def test_the_site_is_whole_and_loads_nothing_from_elsewhere(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", f"--site-dir={tmp_path}"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    pages = {path.stem for path in (tmp_path / "reference").glob("*.html")}
    named = re.findall(r'href="results/(\w+)\.html"', (tmp_path / "results.html").read_text())
    assert set(named) == {path.stem for path in (ROOT / "docs" / "results").glob("*.md")}
    assert named.index("comparison") < named.index("table2") < named.index("table10")
    api = (tmp_path / "api.html").read_text()
    assert [name for name in simper_tf.__all__ if f"<code>simper_tf.{name}</code>" not in api] == []
    assert {"simper_tf", "simper_tf.encoders.small", "simper_tf.methods.moco", "simper_tf.views.views"} <= pages
    remote = r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(?:https?:)?//[^\s>]*|url\([\"']?(?:https?:)?//[^)]*"
    read = [path.read_text() for kind in ("html", "css") for path in tmp_path.rglob(f"*.{kind}")]
    assert [found for text in read for found in re.findall(remote, text)] == []


def test_every_number_of_the_paper_page_is_in_a_table():
    number = r"(?<![\w.])\d+\.\d+(?:e-\d+)?"
    tables = "".join(path.read_text() for path in (ROOT / "docs" / "results").glob("*.md"))
    said = re.sub(r"\]\([^)]*\)", "]", (ROOT / "docs" / "paper.md").read_text())  # Not of addresses.
    numbers = re.findall(number, said)
    assert len(numbers) > 50
    assert set(numbers) - set(re.findall(number, tables)) == set()


def test_every_link_of_the_documents_leads_to_a_file():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *ROOT.glob("datasets/*/*.md")]
    broken = [
        f"{path.relative_to(ROOT)}: {link}" for path in pages
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text())
        if "://" not in link and not (path.parent / link).exists()
    ]  # fmt: skip
    assert not broken
