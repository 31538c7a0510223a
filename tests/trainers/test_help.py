"""`--help` of every command."""

import pathlib
import re
import subprocess
import sys

import pytest
from absl import flags

from trainers import help, options

COMMANDS = sorted(
    path.stem for path in pathlib.Path("trainers").glob("*.py") if "cli.run(" in path.read_text() and path.stem != "cli"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_the_flags_of_the_command_and_no_other_help(name):
    done = subprocess.run(
        [sys.executable, "-m", f"trainers.{name}", "--help"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"usage: python -m trainers.{name} " in done.stdout
    assert "helpfull" not in done.stdout
    own = set(
        re.findall(
            r'"(\w+)"',
            "".join(re.findall(r"flags\.DEFINE_\w+\(\s*\"\w+\"", pathlib.Path(f"trainers/{name}.py").read_text())),
        )
    )
    shown = set(re.findall(r"^  --(\w+)", done.stdout, re.MULTILINE))
    assert own <= shown
    assert shown
    sources = "".join(path.read_text() for path in pathlib.Path("trainers").glob("*.py"))
    settings = flags.FlagValues()
    options.define(settings)
    assert {flag for flag in shown if f'"{flag}"' not in sources} <= set(settings)  # And none of a library.
    if name in ("pretrain", "evaluate", "export"):
        assert {"run_dir", "temperature", "kernel_frames", "hue", "labeled_clips", "band"} <= shown
        assert "  --batch_size=4\n      Clips a step" in done.stdout
        assert re.search(r"--temperature\n.*\n?.*Default of .*simper 1\.0", done.stdout)


def test_flags_stand_in_their_groups_with_defaults_and_choices():
    values = flags.FlagValues()
    flags.DEFINE_integer("number", 3, "How many.", flag_values=values, module_name="trainers.paint")
    flags.DEFINE_enum("color", None, ["red", "blue"], "Which.", flag_values=values, module_name="trainers.paint")
    flags.DEFINE_bool("other", True, "A library's.", flag_values=values, module_name="library")
    flags.DEFINE_list("range", ["1", "2"], "From where to where.", flag_values=values, module_name="trainers.paint")
    assert help.text("paint", "Paints.\n", {"the wall": ["range", "unknown"]}, values) == (
        "Paints.\n\nusage: python -m trainers.paint --flag=value ... [--flagfile=FILE]\n\n"
        "Flags of this command:\n  --number=3\n      How many.\n  --color\n      <red|blue>: Which.\n\n"
        "Flags of the wall:\n  --range=1,2\n      From where to where.\n"
    )


def test_an_empty_flag_takes_back_what_a_flagfile_has_set(call, tmp_path):
    flagfile = tmp_path / "mine.cfg"
    flagfile.write_text("--run_dir=mine\n--norm=group\n--encoder=cnn3d\n")
    found = []

    def keep():
        found.append(options.settings())

    call(keep, f"--flagfile={flagfile}")
    call(keep, f"--flagfile={flagfile}", "--encoder=small", "--norm=")
    assert [settings.options.get("norm") for settings in found] == ["group", None]
    with pytest.raises(ValueError, match=r"--norm=group means nothing with .*an empty --norm="):
        call(keep, f"--flagfile={flagfile}", "--encoder=small")
