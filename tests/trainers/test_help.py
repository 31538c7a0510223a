"""`--help` of every command."""

import pathlib
import re

import pytest
from absl import flags
from processes import done

from trainers import help, options

COMMANDS = sorted(
    path.stem for path in pathlib.Path("trainers").glob("*.py") if "cli.run(" in path.read_text() and path.stem != "cli"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_the_flags_of_the_command(name):
    code, out, err = done([f"trainers.{name}", "--helpfull"])
    assert (code, err) == (0, "")
    assert f"usage: python -m trainers.{name} " in out
    assert "repeat this option" not in out
    source = pathlib.Path(f"trainers/{name}.py").read_text()
    own = set(re.findall(r"flags\.DEFINE_\w+\(\s*\"(\w+)\"", source))
    shown = set(re.findall(r"^  --(\w+)", out, re.MULTILINE))
    assert shown
    assert own <= shown
    sources = "".join(path.read_text() for path in pathlib.Path("trainers").glob("*.py"))
    settings = flags.FlagValues()
    options.define(settings)
    assert {flag for flag in shown if f'"{flag}"' not in sources} <= {*settings}  # And none of a library.


def shown(full=False, headings=()):
    values = flags.FlagValues()
    options.define(values)
    text = help.text("trainers.pretrain", "Trains.", options.groups(headings), values, full=full)
    return text, set(re.findall(r"^  --(\w+)", text, re.MULTILINE))


def test_help_shows_the_flags_of_users_and_helpfull_all():
    text, often = shown()
    assert 35 <= len(often) <= 45
    assert {"run_dir", "dataset", "method", "temperature", "labeled_clips", "band", "flip_probability"} <= often
    assert not {"share_spatial", "kernel_frames", "worker_seconds"} & often
    assert f"{'  --batch_size=4':<28}Clips a step" in text
    full, every = shown(full=True)
    values = flags.FlagValues()
    options.define(values)
    assert every == set(values) - {"help", "helpfull", "helpshort", "helpxml", "flagfile", "undefok"}
    assert text.endswith(f"{len(every) - len(often)} more flags, which few need: --helpfull.\n")
    assert "few need" not in full


def test_every_flag_is_told_in_sentences():
    values = flags.FlagValues()
    options.define(values)
    for name in shown(full=True)[1]:
        assert re.fullmatch(r"(<.*>: )?[A-Z].*\.", values[name].help), name
    assert re.search(r"Default: 0\.1 \(.*simclr.*\), 0\.2 \(moco\), 1\.0 \(simper\)\.", values["temperature"].help)
    assert values["prior_weight"].help.endswith("Default: 0.0.")
    assert values["flip_probability"].help.endswith("Default: 0.5 (simper; others have their own).")


def test_evaluation_and_export_show_what_they_may_change():
    data = {"run_dir", "data_dir", "manual_dir"}
    evaluation = {"split", "validation_clips", "test_clips", "artifacts", "labeled_clips"}
    assert shown(headings=options.OF_EVALUATION)[1] == data | evaluation
    assert shown(True, options.OF_EXPORT)[1] == data | {"format", "max_frames", "readout", "warm_up"}


def test_flags_stand_in_their_groups_with_defaults_and_choices():
    values = flags.FlagValues()
    flags.DEFINE_integer("number", 3, "How many.", flag_values=values, module_name="trainers.paint")
    flags.DEFINE_enum("color", None, ["red", "blue"], "Which.", flag_values=values, module_name="trainers.paint")
    flags.DEFINE_bool("other", True, "A library's.", flag_values=values, module_name="library")
    flags.DEFINE_list("range", ["1", "2"], "From where to where.", flag_values=values, module_name="trainers.options")
    flags.DEFINE_string("glue", "", "Glue of paper.", flag_values=values, module_name="trainers.options")
    groups = {"the wall": {"range": False, "glue": True, "unknown": False}}
    assert help.text("trainers.paint", "Paints.\n", groups, values, full=False) == (
        "Paints.\n\nusage: python -m trainers.paint --flag=value ... [--flagfile=FILE]\n\n"
        f"Flags of this command:\n{'  --number=3':<28}How many.\n{'  --color':<28}Which. One of red, blue.\n\n"
        f"Flags of the wall:\n{'  --range=1,2':<28}From where to where.\n\n"
        "1 more flags, which few need: --helpfull.\n"
    )
    told = f"Flags of the wall:\n{'  --range=1,2':<28}From where to where.\n{'  --glue':<28}Glue of paper.\n"
    assert told in help.text("trainers.paint", "Paints.\n", groups, values)


def test_an_empty_flag_takes_back_what_a_flagfile_has_set(call, tmp_path):
    flagfile = tmp_path / "mine.cfg"
    flagfile.write_text("--run_dir=mine\n--norm=group\n--encoder=cnn3d\n")
    found = []

    def keep():
        found.append(options.settings())

    call(keep, f"--flagfile={flagfile}")
    call(keep, f"--flagfile={flagfile}", "--encoder=small", "--norm=")
    assert [settings.options.get("norm") for settings in found] == ["group", None]
    with pytest.raises(ValueError, match=r"`norm=group` means nothing with .*an empty `norm=`"):
        call(keep, f"--flagfile={flagfile}", "--encoder=small")
