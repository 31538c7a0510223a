"""Data sets are found by their folders, and a folder is all it takes."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import datasets


@pytest.mark.parametrize("part", ["builder", "reader", "standin"])
def test_every_module_that_is_listed_is_found(part):
    listed = datasets.names(part)
    assert {"countix", "lst", "pure", "scamps", "ubfc"} <= {*listed} <= {*datasets.names()}
    wanted = {"builder": "Builder", "reader": "checkup", "standin": "write"}[part]
    assert all(hasattr(datasets.module(name, part), wanted) for name in listed)


@pytest.mark.parametrize("name", ["pure", "scamps", "ubfc"])
def test_the_truth_returned_and_written_names_every_recording(name, tmp_path):
    standin, reader = (datasets.module(name, part) for part in ("standin", "reader"))
    truth = standin.write(tmp_path, subjects=2, seconds=1, height=16, width=24)
    assert json.loads((tmp_path / "truth.json").read_text()) == truth
    assert [reader.recording_of(path).id for path in reader.find(tmp_path)] == list(truth)


def test_a_new_folder_is_found_by_its_builder_alone(tmp_path, monkeypatch):
    for name, file in (("mine", "mine_dataset_builder.py"), ("mine", "reader.py"), ("other", "standin.py")):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / file).touch()
    monkeypatch.setattr(datasets, "__path__", [str(tmp_path)])
    assert (datasets.names(), datasets.names("reader"), datasets.names("standin")) == (["mine"], ["mine"], [])


def test_what_is_not_there_is_refused_with_what_is():
    with pytest.raises(ValueError, match=r"^there is no data set 'nothing'\. There are: countix, .*lst, .*ubfc\.$"):
        datasets.module("nothing")
    with pytest.raises(ValueError, match=r"^rotating_digits has no reader\. Those that have one: countix, .*ubfc\.$"):
        datasets.module("rotating_digits", "reader")


def test_finding_names_loads_neither_tensorflow_nor_tfds():
    code = "import datasets, sys; datasets.names(); sys.exit('tensorflow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_a_data_set_imports_under_its_tfds_build_name_too(tmp_path):
    # `tfds build datasets/lst` imports `lst.lst_dataset_builder`, trainers `datasets.lst.lst_dataset_builder`.
    folder = pathlib.Path(datasets.__file__).parent
    paths = [path for name in datasets.names() for path in (folder / name).glob("*.py")]
    modules = [f"{path.parent.name}.{path.stem}" for path in paths if not path.stem.endswith(("_test", "__init__"))]
    imports = "; ".join(f"import {name}" for name in modules)
    code = f"{imports}; import sys; assert 'datasets' not in sys.modules"
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{folder.parent}"}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)
