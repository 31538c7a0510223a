"""`simper`: its words, its refusals before anything heavy is loaded, and the sample that comes with it."""

import csv
import importlib.util
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import simper_tf
from docs import sample as drawing
from simper_tf.commands import console, early_checks, main, predict, sample
from simper_tf.commands.command_options import App, Clips, Predict, Train
from simper_tf.recordings import search, sources
from simper_tf.utils import endings
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.options import declared

ROOT = pathlib.Path(__file__).parents[3]
HEAVY = ("tensorflow", "keras", "numpy", "pandas", "matplotlib", "cv2", "av", "tensorflow_datasets", "absl")


def refused(capsys, *words):
    """Returns the line by which words are refused."""
    with pytest.raises(SystemExit) as end:
        main.main(words)
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["predcit"], "simper: error: there is no command 'predcit'. Did you mean predict? Try simper --help."),
        (["predict", "a", "--bnad=1,2"], "there is no flag --bnad. Did you mean --band? Try simper predict --help."),
        (["predict", "a", "--ban=1,2"], "there is no flag --ban. Did you mean --band?"),
        (["predict"], "there is nothing to read. Name a file, a folder, a pattern or the number of a camera."),
        (["predict", "a", "--band=3"], "--band takes two rising numbers in Hz, such as 0.4,5.5. Found: 3"),
        (["predict", "a", "--band=1,x"], "predict: error: --band takes numbers separated by commas. Found: '1,x'."),
        (["predict", "a", "--crop=1,2,3"], "--crop takes x,y,width,height in pixels. Found: 1,2,3"),
        (["predict", "a", "--crop=1,2,0,4"], "--crop takes x,y,width,height in pixels. Found: 1,2,0,4"),
        (["predict", "a", "--unit=mph"], "error: --unit must be one of hz, bpm, per_minute, count. Found: 'mph'."),
        (["predict", "a", "--hop=2"], "--hop=2 means nothing without --window."),
        (["predict", "a", "--window=0"], "--window must be above 0 and finite. Found: 0.0."),
        (["predict", "a", "--end=1", "--start=2"], "--end=1 must be later than --start=2."),
        (["predict", "a", "--end=nan"], "--end=nan must be later than --start=0."),
        (["train", "a.mp4", "--band=2,1"], "--band takes two rising numbers in Hz, such as 0.4,5.5. Found: 2.0,1.0"),
        (["predict", "a", "--start=inf"], "--start must be at least 0 and finite. Found: inf."),
        (["predict", "a", "--band=1,inf"], "--band takes two rising numbers in Hz, such as 0.4,5.5. Found: 1.0,inf"),
        (["train", "a.mp4", "--hold_out=1.5"], "--hold_out takes a share from 0 to below 1, such as 0.2, or names."),
        (["train", "a.mp4", "--hold_out=nan"], "such as 0.2, or names. Found: nan."),
        (["train", "a.mp4", "--seed=-1"], "--seed must be at least 0 and at most 4294967295. Found: -1."),
        (["train", "a.mp4", "--steps=0"], "error: --steps must be at least 1 and finite. Found: 0."),
        (["app", "--port=70000"], "error: --port must be at least 0 and at most 65535. Found: 70000."),
        (["train", "a.mp4", "--steps=x"], "simper train: error: --steps takes a whole number. Found: 'x'."),
        (["predict", ""], "simper predict: error: the name of a recording is empty."),
        (["demo", "--out="], "simper demo: error: --out is empty. Is a variable of the shell not set?"),
        (["demo", "--", "--face"], "simper demo: error: it takes flags alone. Found: --face. Try simper demo --help."),
        (["demo", "clip.mp4"], "simper demo: error: it takes flags alone. Found: clip.mp4. Try simper demo --help."),
    ],
)
def test_a_wrong_word_is_one_line_that_says_what_is_right(capsys, words, line):
    assert line in refused(capsys, *words)


def test_a_missing_package_is_one_sentence_with_its_extra(capsys, monkeypatch):
    real = importlib.util.find_spec
    lacking = ("flask", "waitress", "keras", "distributed")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in lacking else real(name))
    assert refused(capsys, "app") == (
        "simper app: error: flask, waitress are not installed. Install the extra: "
        "pip install '.[app]' in the folder of the checkout."
    )
    assert refused(capsys, "predict", "a", "--scheduler=tcp://localhost:8786") == (
        "simper predict: error: distributed is not installed. Install the extra: "
        "pip install '.[cluster]' in the folder of the checkout."
    )
    learns = "error: keras is not installed. Install the extra: pip install '.[train]' in the folder of the checkout."
    for words in (
        ["train", "a"],
        ["validate", "a"],
        ["export"],
        ["predict", "a", "--model=m"],
    ):
        assert refused(capsys, *words).endswith(learns)


def test_words_become_the_options_that_flagfiles_have():
    names, options = main.parsed(
        "predict", ["a.mp4", "--band", "0.5,2", "b.csv", "--face", "--rate=25", "--crop=1,2,3,4"]
    )
    assert names == ["a.mp4", "b.csv"]
    assert options == Predict(band=(0.5, 2.0), face=True, rate=25.0, crop=(1, 2, 3, 4))
    assert main.parsed("app", ["--port=0"]) == ([], App(port=0))
    assert main.parsed("predict", ["a.csv", "--face", "--", "-rf.csv", "--rate=5"]) == (
        ["a.csv", "-rf.csv", "--rate=5"], Predict(face=True)
    )  # fmt: skip


def test_help_fits_a_screen_and_names_every_command(capsys):
    main.main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    for name in main.COMMANDS:
        assert any(line.startswith(f"  {name} ") for line in lines), name
    assert main.main(["--version"]) is None
    assert capsys.readouterr().out == f"simper {simper_tf.__version__}\n"


@pytest.mark.parametrize("name", main.COMMANDS)
def test_help_of_a_command_names_each_of_its_flags(capsys, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as end:
        main.main([name, "--help"])
    assert not end.value.code
    out = capsys.readouterr().out
    assert f"usage: simper {name} " in out
    assert len(out.splitlines()) <= 40
    assert max(map(len, out.splitlines())) <= 100
    for field in declared(main._named(main.COMMANDS[name].options)):
        assert f"--{field.name}" in out


def test_help_of_a_command_fits_a_narrow_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    with pytest.raises(SystemExit):
        main.main(["evaluate", "--help"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_help_names_the_endings_that_a_refused_folder_points_to(capsys, tmp_path):
    with pytest.raises(SystemExit):
        main.main(["predict", "--help"])
    told = capsys.readouterr().out
    assert all(
        ending in told
        for ending in (*endings.VIDEOS, *endings.PICTURES, *endings.SERIES, *endings.INSTRUMENTS, *endings.PACKED_TEXTS)
    )
    problems = search.find([str(tmp_path)]).problems
    expected = "expected videos, pictures or series. Their endings: simper predict --help."
    assert [str(problem).partition("; ")[2] for problem in problems] == [expected]


def test_words_are_refused_before_anything_heavy_is_loaded():
    code = (
        "import sys\nfrom simper_tf.commands import main\n"
        "for words in (['--help'], ['--version'], *([[name, '--helq'] for name in main.COMMANDS])):\n"
        "    try:\n        main.main(words)\n    except SystemExit:\n        pass\n"
        f"sys.exit(repr([name for name in {HEAVY} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "[]"


def test_python_reads_of_settings_and_the_shell_of_flags(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("frames.npy", np.zeros((20, 8, 8, 3), np.uint8))
    with pytest.raises(RawDataError) as error:
        simper_tf.read("frames.npy")
    assert str(error.value).endswith("Name it, such as `rate=30`.")
    assert main.main(["predict", "frames.npy"]) == 1
    assert capsys.readouterr().err.endswith("Name it, such as --rate=30.\n")


def test_only_settings_that_a_command_has_become_its_flags():
    said = "`band=5,1` and `face=True`: `frames` or `rate` is wrong, not `warm_up=False`."
    flags = "--band=5,1 and --face: `frames` or `rate` is wrong, not --warm_up=False."
    assert console.in_flags(said, {"band", "face", "warm_up"}) == flags


def test_an_error_of_a_user_is_one_line_and_no_other_is_hidden(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def fail(names, options):
        raise errors.pop()

    monkeypatch.setattr(predict, "run", fail)
    errors = [ZeroDivisionError("ours"), OSError("the disk\x1b is full")]
    with pytest.raises(SystemExit) as end:
        main.main(["predict", str(sample.PATH)])
    assert (end.value.code, capsys.readouterr().err) == (1, "simper predict: error: the disk\\x1b is full\n")
    with pytest.raises(ZeroDivisionError):
        main.main(["predict", str(sample.PATH)])


@pytest.mark.slow
def test_the_sample_that_is_shipped_is_the_one_that_is_drawn():
    shipped = list(sources.Video(sample.PATH).frames(0.0, 99.0, (240, 320), None))
    drawn = list(drawing.frames())
    assert [moment for moment, _ in shipped] == pytest.approx([moment for moment, _ in drawn], abs=2e-3)
    for number in range(0, len(drawn), 40):
        assert np.abs(shipped[number][1].astype(int) - drawn[number][1]).mean() < 2.5
    assert sample.PATH.stat().st_size < 1_000_000


@pytest.mark.slow
def test_the_demo_says_what_the_readme_shows_and_counts_nine(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main.main(["demo"]) is None
    out = capsys.readouterr().out
    readme = (ROOT / "README.md").read_text()
    assert f"    simper demo\n\n{textwrap.indent(out, '    ')}" in readme
    (row,) = csv.DictReader((tmp_path / "simper-demo" / predict.CSV).open())
    truth = drawing.repetitions()
    mean = len(truth) / sum(end - start for start, end in truth)
    assert (row["verdict"], row["count"]) == ("clear", "9")
    assert float(row["hertz"]) == pytest.approx(mean, rel=0.02)
    for path in pathlib.Path("simper-demo").iterdir():
        assert str(path) in out


def test_a_file_named_with_a_dash_is_told_from_a_flag(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-a.csv").touch()
    with pytest.raises(SystemExit):
        main.main(["predict", "-a.csv"])
    assert "there is no flag -a.csv. The file is ./-a.csv." in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_refused_by_its_flag(capsys, tmp_path):
    with pytest.raises(SystemExit):
        main.main(["train", str(sample.PATH), "--out=/proc/runs/mine"])  # Where not even root can make a folder.
    said = "--out=/proc/runs/mine: nothing can be written into /proc. Name another folder."
    assert capsys.readouterr().err == f"simper train: error: {said}\n"
    early_checks.check("train", [], Train(out=str(tmp_path / "runs" / "mine")))
    assert not any(tmp_path.iterdir())


def test_what_writes_nothing_needs_no_folder_to_write_into(monkeypatch):
    monkeypatch.chdir("/proc")
    early_checks.check("validate", [], Clips())


@pytest.mark.parametrize(
    ("words", "line", "code"),
    [
        (["train", "nothere.mp4"], "simper train: error: nothere.mp4: no such file.", 1),
        (["predict", "a.mp4", "b.mp4"], "simper predict: error: a.mp4: no such file. b.mp4: no such file.", 1),
        (["predict", "-"], "simper predict: error: -: standard input is not read. Save it to a file.", 1),
        (["predict", "notes.mp4"], "simper predict: error: notes.mp4 is no recording: it is text.", 1),
        (["app", "--model=none"], "simper app: error: --model=none: no such folder. simper train writes one.", 2),
        (["app", "--model=."], "simper app: error: --model=. holds no exported model. simper train writes one.", 2),
        (
            ["demo", "--out=notes.mp4/x"],
            "simper demo: error: --out=notes.mp4/x: notes.mp4 is a file. Name a folder.",
            1,
        ),
        (["evaluate", ".", "--labels=none.csv"], "simper evaluate: error: --labels=none.csv: no such file.", 2),
    ],
)
def test_names_of_no_recording_are_refused_before_imports(capsys, monkeypatch, tmp_path, words, line, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.mp4").write_text("Buy bread.")
    named = main._named
    monkeypatch.setattr(main, "_named", lambda path: named(path) if "options" in path else pytest.fail(path))
    with pytest.raises(SystemExit) as end:
        main.main(words)
    assert end.value.code == code
    assert capsys.readouterr().err.splitlines() == [line]
