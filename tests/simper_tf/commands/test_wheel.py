"""The wheel has all that the demonstration needs: built, installed into an empty folder, and run from there."""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[3]
# Builds in this process's environment, with no package index.
BUILD = "from setuptools import build_meta; print(build_meta.build_wheel({!r}))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Returns a wheel that is built of a copy of the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    shutil.copytree(ROOT / "simper_tf", sources / "simper_tf", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, sources / name)
    words = [sys.executable, "-c", BUILD.format(str(folder))]
    subprocess.run(words, cwd=sources, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_has_the_package_alone_and_its_command(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"simper_tf"}
    data = ("commands/sample.mp4", "commands/page.html", "commands/page.js", "py.typed")
    assert {f"simper_tf/{name}" for name in data} <= set(names)


@pytest.mark.slow
def test_an_installed_wheel_runs_the_demo_elsewhere(wheel, tmp_path):
    installed = tmp_path / "installed"
    words = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", installed, wheel]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    # What it stands on comes from the environment of the tests; the package itself comes from the wheel.
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    words = [sys.executable, installed / "bin" / "simper", "demo"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ", 9 repetitions from " in done.stdout
    assert (tmp_path / "simper-demo" / "annotated.mp4").exists()
    asked = [sys.executable, "-c", "import simper_tf; print(simper_tf.__file__)"]
    place = subprocess.run(asked, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert pathlib.Path(place.stdout.strip()).is_relative_to(installed)
