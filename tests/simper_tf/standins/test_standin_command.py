import sys
import types

import pytest

from simper_tf.standins import __main__ as command


@pytest.fixture
def fake(monkeypatch):
    """A data set whose writer writes one file, and fails if its seed is 13."""

    def write(out, subjects, seconds, seed):
        out.mkdir()
        (out / "file").write_text(f"{subjects} {seconds} {seed}")
        if seed == 13:
            raise ValueError("bad luck")

    monkeypatch.setitem(sys.modules, "fake_standin", types.SimpleNamespace(write=write))
    monkeypatch.setitem(command.MODULES, "fake", "fake_standin")


@pytest.mark.usefixtures("fake")
def test_options_reach_the_writer_and_the_result_lies_where_asked(tmp_path, capsys):
    out = tmp_path / "new" / "data"
    command.main(["fake", f"--out={out}", "--subjects=2", "--seconds=5", "--seed=7"])
    assert (out / "file").read_text() == "2 5 7"
    assert f"--manual_dir={out}" in capsys.readouterr().out


@pytest.mark.usefixtures("fake")
def test_a_failure_leaves_nothing_behind(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["fake", f"--out={tmp_path / 'data'}", "--seed=13"])
    assert list(tmp_path.iterdir()) == []
    assert "bad luck" in capsys.readouterr().err


@pytest.mark.usefixtures("fake")
def test_files_that_are_there_are_not_overwritten(tmp_path, capsys):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(SystemExit):
        command.main(["fake", f"--out={tmp_path}"])
    assert "exists and is not an empty folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("arguments", [["ubfc"], ["nothing", "--out=x"], ["ubfc", "--out=x", "--seconds=0"]])
def test_wrong_options_are_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        command.main(arguments)
    assert "usage" in capsys.readouterr().err


def test_a_missing_pyav_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(ImportError, match="needs PyAV"):
        command.main(["ubfc", f"--out={tmp_path / 'data'}", "--subjects=1", "--seconds=1"])
    assert list(tmp_path.iterdir()) == []
