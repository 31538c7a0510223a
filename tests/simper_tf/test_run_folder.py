"""What a run's folder says of the settings it was trained with."""

import dataclasses

import pytest

from simper_tf import run_folder
from simper_tf.settings import Settings

MINE = Settings(run_dir="mine", speed_range=(0.5, 2.0), deterministic=True, options={"temperature": 2.0})


@pytest.fixture
def folder(tmp_path):
    """Returns the folder of a run of `MINE`."""
    run_folder.begin(tmp_path, MINE, print)
    return tmp_path


@pytest.mark.parametrize(
    ("written", "meant"),
    [("--speed_range=0.5,2.0", "0.5,2"), ("--deterministic=True", "true"), ("--temperature=2.0", "2")],
)
def test_a_line_of_the_flags_that_is_written_otherwise_says_the_same(folder, written, meant):
    path = folder / "flags.cfg"
    text = path.read_text()
    assert f"{written}\n" in text
    path.write_text(text.replace(written, f"{written.partition('=')[0]}={meant}"))
    assert run_folder.differences(folder, MINE) == ""


@pytest.mark.parametrize(("written", "other"), [("--speed_range=0.5,2.0", "0.5,2.1"), ("--temperature=2.0", "3")])
def test_a_flag_that_has_another_value_is_named_with_both(folder, written, other):
    path = folder / "flags.cfg"
    name, _, value = written.partition("=")
    path.write_text(path.read_text().replace(written, f"{name}={other}"))
    assert run_folder.differences(folder, MINE) == f"{name} was {other}, now {value}"


def test_a_run_from_before_there_was_a_flag_is_one_with_its_default(folder):
    path = folder / "flags.cfg"
    path.write_text(path.read_text().replace("--steps=0\n", ""))
    assert run_folder.differences(folder, MINE) == ""
    assert run_folder.differences(folder, dataclasses.replace(MINE, steps=5)) == "--steps was not set, now 5"
