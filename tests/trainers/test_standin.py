"""The command that writes a miniature data set writes all of it or nothing, and says in a line why not."""

import sys
import types

import pytest
from processes import done

import datasets
from simper_tf.data import tfds_builders
from trainers import standin


@pytest.fixture
def fake(monkeypatch):
    """A data set whose writer writes one file, and fails if its seed is 13."""

    def write(out, subjects, seconds, seed):
        out.mkdir()
        (out / "file").write_text(f"{subjects} {seconds} {seed}")
        if seed == 13:
            raise ValueError("bad luck")

    modules = {("fake", "standin"): types.SimpleNamespace(write=write)}
    monkeypatch.setattr(datasets, "module", lambda *which: modules[which])


@pytest.mark.usefixtures("fake")
def test_sizes_reach_the_writer_and_the_result_lies_where_asked(tmp_path):
    out = tmp_path / "new" / "data"
    standin.write("fake", out, 2, 5, 7)
    assert (out / "file").read_text() == "2 5 7"
    made = {"made_by": "trainers.standin", "subjects": 2, "seconds": 5, "seed": 7}
    assert tfds_builders.standin_of(out) == tfds_builders.standin_of(out / "DATASET_2") == made
    assert not tfds_builders.standin_of(out.parent)
    assert [path.name for path in out.parent.iterdir()] == ["data"]


@pytest.mark.usefixtures("fake")
def test_a_failure_leaves_nothing_behind(tmp_path):
    with pytest.raises(ValueError, match="bad luck"):
        standin.write("fake", tmp_path / "data", 1, 1, 13)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("fake")
def test_files_that_are_there_are_not_overwritten(tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(ValueError, match=f"^--out={tmp_path} exists and is not an empty folder"):
        standin.write("fake", tmp_path, 1, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("nothing", "there is no data set 'nothing'"), ("rotating_digits", "rotating_digits has no standin")],
)
def test_a_name_without_a_stand_in_is_refused_with_those_known(name, message, tmp_path):
    with pytest.raises(ValueError, match=rf"^--dataset={name}: {message}\. .*: .*ubfc"):
        standin.write(name, tmp_path / "data", 1, 1)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_pyav_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(ValueError, match="needs PyAV"):
        standin.write("ubfc", tmp_path / "data", 1, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_command_says_one_line_whether_it_succeeds_or_not(tmp_path):
    out = tmp_path / "raw"
    good = done(["trainers.standin", "--dataset=scamps", f"--out={out}", "--subjects=1", "--seconds=1"])
    assert good == (0, f"Wrote scamps to {out}; build it with --manual_dir={out}\n", "")
    bad = done(["trainers.standin", "--dataset=ubfc", f"--out={tmp_path / 'other'}", "--subjects=43"])
    assert bad == (1, "", "standin: error: UBFC-rPPG has 42 subjects. Received subjects=43.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]
