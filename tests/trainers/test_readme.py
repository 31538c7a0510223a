"""Commands and code of the README, and of the pages it leads to, do what they say."""

import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np
import photographs
import pytest
from processes import SAVED_MODEL_CLI, done

from simper_tf import encoders, export_model, small
from simper_tf.commands import main
from simper_tf.methods import METHODS
from trainers import evaluate, export, pretrain

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = {path.stem: path.read_text() for path in (ROOT / "docs").glob("*.md")}


def trainer_commands():
    """Returns the arguments of every `python -m trainers.<name>` of two pages that has to do with a run."""
    text = re.sub(r"\s+", " ", PAGES["index"] + PAGES["paper"])
    return [shlex.split(words) for words in re.findall(r"`python -m trainers\.(\w+ --[^`]*run[^`]*)`", text)]


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_commands_of_the_trainers_run_one_after_the_other(call, tmp_path):
    mains = {"pretrain": pretrain.main, "evaluate": evaluate.main, "export": export.main}
    commands = trainer_commands()
    assert [name for name, *_ in commands] == ["pretrain", "evaluate", "export", "pretrain", "pretrain"]
    for name, *arguments in commands:
        whole = ["--steps=6"] * ("--method=supervised" in arguments)
        here = [re.sub("=runs/(quickstart|mine)", f"={tmp_path / 'mine'}", each) for each in arguments]
        # After the flagfile, so that the tiny sizes win.
        here = [each.replace("=runs/", f"={tmp_path}/") for each in here]
        call(mains[name], *here, *call.tiny, "--artifacts", *whole)
    for run, versions in {"mine": {"1", "2"}, "head": {"1"}, "fine_tuned": {"1"}}.items():
        assert {path.name for path in (tmp_path / run / "saved_model").iterdir()} == versions


def test_the_readme_is_read_once():
    assert len(README.split()) < 700


@pytest.mark.slow
def test_the_python_of_the_readme_trains_reads_and_exports(tmp_path, monkeypatch, capsys):
    (tmp_path / "clips").mkdir()
    for name, hertz in {"clips/a.mp4": 0.9, "clips/b.mp4": 1.4, "new.mp4": 1.2}.items():
        photographs.swinging(tmp_path / name, hertz, number=1, rate=25, seconds=10)
    monkeypatch.chdir(tmp_path)
    code = "".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    exec(compile(code.replace("steps=500", "steps=2"), "README.md", "exec"), {})
    assert pathlib.Path("new.png").exists()
    hertz, confidence = map(float, capsys.readouterr().out.split()[-2:])
    assert 0 < hertz < 12.5
    assert 0 <= confidence <= 1
    assert (tmp_path / "saved_model" / "1" / "saved_model.pb").exists()
    (train, predict) = re.findall(r"^    simper ((?:train|predict new).*)$", README, re.MULTILINE)
    assert main.main([*shlex.split(train), "--steps=2"]) is None
    assert not main.main(shlex.split(predict))
    assert re.search(r"^  model: ([\d.]+ Hz|no answer)", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.slow
def test_the_python_reads_videos_to_the_error_it_promises(tmp_path, monkeypatch, capsys):
    (tmp_path / "videos").mkdir()
    frequencies = np.array([0.45, 0.7, 0.97, 1.26, 1.6, 2.0, 2.4, 2.7])
    for k, frequency in enumerate(frequencies):
        photographs.swinging(
            tmp_path / "videos" / f"{k}.mp4", frequency, number=k, rate=(24, 25, 30)[k % 3], seconds=15
        )
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGES["your_own_data"], re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 24
    (promised,) = re.findall(r"Both columns are\s+right to\s+([\d.]+) Hz", PAGES["your_own_data"])
    names = {}
    exec(compile(code, "your_own_data.md", "exec"), names)
    truth = frequencies[[int(pathlib.Path(name).stem) for name in names["recordings"].recordings]]
    assert len(truth) == 8 * 4  # 6 s of 15, every 3 s.
    for column in ("hertz", "untrained"):
        assert np.abs(names[column] - truth).max() < float(promised)
    assert "0.mp4 from 3 s: 0.4" in capsys.readouterr().out
    assert (tmp_path / "frequencies.png").exists()
    assert (tmp_path / "saved_model" / "1" / "saved_model.pb").exists()


@pytest.mark.slow
def test_the_commands_of_serving_show_and_ask_an_exported_model(tmp_path):
    commands = re.findall(r"^    (saved_model_cli (?:.*\\\n)*.*)", PAGES["serving"], re.MULTILINE)[:2]
    assert [command.split()[1] for command in commands] == ["show", "run"]
    export_model(small((None, None, 1)), tmp_path / "runs/quickstart/saved_model", (12, 12, 1), band=(1.0, 5.0))
    frames = np.random.default_rng(3).integers(0, 256, (2, 60, 12, 12, 1), np.uint8)
    np.savez(tmp_path / "clips.npz", frames=frames)
    assert pathlib.Path(sys.executable).with_name("saved_model_cli").exists()
    for command in commands:
        code, _, err = done([SAVED_MODEL_CLI, *shlex.split(command.replace("\\\n", " "))[1:]], folder=tmp_path)
        assert code == 0, err
    answers = {path.stem: np.load(path) for path in (tmp_path / "answers").iterdir()}
    assert answers.keys() == {"frequency_hz", "confidence", "features"}
    assert answers["frequency_hz"].shape == (2,)
    assert np.all((answers["frequency_hz"] >= 1.0) & (answers["frequency_hz"] <= 5.0))


@pytest.mark.slow
def test_a_miniature_is_written_and_rotating_digits_are_built(tmp_path):
    (standin,) = re.findall(
        r"^    python -m (trainers\.standin --dataset=ubfc) --out=standin/ubfc$", PAGES["data_sets"], re.M
    )
    assert done([*standin.split(), f"--out={tmp_path / 'raw'}"])[0] == 0
    assert list((tmp_path / "raw").rglob("vid.avi"))
    (folder,) = re.findall(r"tfds build (datasets/rotating_digits)", PAGES["data_sets"])
    tfds = pathlib.Path(sys.executable).with_name("tfds")
    limits = ["--config=digits", f"--data_dir={tmp_path / 'data'}", "--max_examples_per_split=2"]
    subprocess.run([tfds, "build", folder, *limits], check=True, cwd=ROOT, capture_output=True)
    assert list((tmp_path / "data" / "rotating_digits" / "digits").rglob("*.tfrecord*"))


def test_make_prints_the_two_commands_first():
    said = subprocess.run(["make", "-s"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    assert said[0] == "Begin with these two:"
    assert [line.split()[:2] for line in said[1:3]] == [["make", "quickstart"], ["make", "test"]]


def test_the_make_targets_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make ([\w-]+)", "\n".join([README, *PAGES.values()]), re.MULTILINE)) <= targets


@pytest.mark.parametrize(("flag", "names"), [("method", METHODS), ("encoder", set(encoders.ENCODERS) - {"frame_mean"})])
def test_the_lists_of_methods_and_encoders_are_whole(flag, names):
    (line,) = re.findall(rf"^\* `--{flag}=`: (.*?)(?:;|\. Nothing)", PAGES["paper"], re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`(\w+)`", line)) == set(names)
