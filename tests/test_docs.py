"""The guides say what is so: their code runs, and the site that holds them needs nothing from elsewhere."""

import importlib.util
import pathlib
import re
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


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("mkdocs"), reason="needs the extra `docs`, which `make docs` installs")
def test_the_site_has_every_module_and_loads_nothing_from_elsewhere(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", f"--site-dir={tmp_path}"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    pages = {path.stem for path in (tmp_path / "reference").glob("*.html")}
    assert {"simper_tf", "simper_tf.encoders.small", "simper_tf.methods.moco", "simper_tf.views"} <= pages
    remote = r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(?:https?:)?//[^\s>]*|url\([\"']?(?:https?:)?//[^)]*"
    read = [path.read_text() for kind in ("html", "css") for path in tmp_path.rglob(f"*.{kind}")]
    assert [found for text in read for found in re.findall(remote, text)] == []
