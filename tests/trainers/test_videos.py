"""The commands of docs/your_own_data.md, by the user's door: real videos, processes, a kill on the way."""

import csv
import json
import os
import pathlib
import re
import shlex
import signal

import numpy as np
import photographs
import pytest
from absl import flags
from finished import flags_of, results
from processes import Command, done, wait_for
from rest_server import serving

from simper_tf.commands import main
from simper_tf.training import run_folder
from simper_tf.training.checkpoints import checkpoint_steps
from trainers import client, evaluate, export, pretrain

ROOT = pathlib.Path(__file__).parents[2]
PAGE, _, _ = (ROOT / "docs" / "your_own_data.md").read_text().partition("## Your own series")
SHORT, _, WHOLE = (
    [shlex.split(line) for line in re.findall(r"^    (?:python -m )?((?:trainers\.|simper )\w.*)$", part, re.MULTILINE)]
    for part in PAGE.partition("## With all settings")
)
COMMANDS = [SHORT[0], *WHOLE]
LEARN = [word.replace("--minutes=5", "--minutes=0.1") for word in COMMANDS[1]]
# Frequency (Hz), frames per second, and width and height: files of which no two are alike.
FILES = {
    "a.mp4": (0.9, 25, (160, 120)),
    "b.mp4": (1.4, 30, (90, 120)),
    "c.mp4": (2.1, 24, (128, 96)),
    "d.mp4": (1.2, 25, (160, 90)),
}
pytestmark = pytest.mark.slow


def finished(folder, words, *more):
    code, out, err = done([*words, *more], folder=folder)
    assert code == 0, err
    return out


@pytest.fixture(scope="module")
def journey(tmp_path_factory):
    """Returns a folder in which a run was killed and went on to its end, its flags before, and what was printed."""
    folder = tmp_path_factory.mktemp("journey")
    (folder / "clips").mkdir()
    for number, (name, (frequency, rate, size)) in enumerate(FILES.items()):
        photographs.swinging(folder / "clips" / name, frequency, number, rate, seconds=8.0, size=size)
    whole = (folder / "clips" / "a.mp4").read_bytes()
    (folder / "clips" / "broken.mp4").write_bytes(whole[: len(whole) // 2])
    photographs.swinging(folder / "new.mp4", 1.7, 5, 25, seconds=8.0)
    quick = ("--num_views=2", "--size=12,16", "--save_seconds=1")
    killed = Command([*LEARN, *quick], folder)
    checkpoints = folder / "runs" / "mine" / "checkpoints"
    wait_for(lambda: max(checkpoint_steps(checkpoints), default=0) > 0, killed)
    killed.send_signal(signal.SIGKILL)
    first, _ = killed.communicate()
    before = flags_of(folder / "runs" / "mine")
    return folder, before, first, finished(folder, LEARN, *quick)


@pytest.fixture
def run(journey, monkeypatch):
    """Returns the folder of the run, in whose parents the commands are called."""
    monkeypatch.chdir(journey[0])
    return pathlib.Path("runs/mine")


def test_the_page_has_the_commands_that_are_run_here():
    assert [words[words[0] == "simper"].removeprefix("trainers.") for words in COMMANDS] == [
        "predict", "pretrain", "evaluate", "evaluate", "export", "predict", "client",
    ]  # fmt: skip


def test_the_page_begins_with_commands_that_need_no_checkout():
    assert [words[:2] for words in SHORT] == [
        ["simper", name] for name in ("predict", "train", "predict", "evaluate", "export")
    ]
    for _, name, *words in SHORT:
        main.parsed(name, words)


def test_one_paragraph_says_what_is_done_and_why(journey):
    _, before, first, _ = journey
    (told,) = [line for line in first.splitlines() if " are learned from" in line]
    assert told.startswith(
        "3 of 4 recordings (0:32 in all) are learned from, and 1 held out for the scores: clips/c.mp4. "
    )
    for words in (
        "25 frames per second (the median of the recordings)",
        "12 x 16 pixels (as asked for)",
        "Clips last 5.32 s (4.8 of the slowest repetitions that were counted)",
        "0.45 to 4.2 Hz can be read (the upper end with 6 frames to a period, around the 0.9 to 2.1 Hz that repeat",
        "Views show 76 frames",
        "0.58 to 1.73 times the speed (so that the slowest view shows what repeats slowest well enough)",
        "Noise in them is as strong at all times.",
        f"Training takes {before['steps']} steps (0.1 minutes at ",
    ):
        assert words in told
    assert before["interpolation"] == "steady"
    assert re.search(r"^Left out: clips/broken.mp4: found ", first, re.MULTILINE)


def test_a_killed_run_continues_to_its_fixed_number_of_steps(journey, run):
    _, before, first, second = journey
    assert int(before["steps"]) > 1
    assert re.search(r"^Continuing at step \d+: simper", second, re.MULTILINE)
    assert "Measuring" in first
    assert "Measuring" not in second
    assert "Building" not in second
    assert flags_of(run) == before
    assert f"step {before['steps']}/{before['steps']}" in second


def test_scores_say_there_is_no_label_and_how_readings_agree(run, plain, capsys):
    plain(evaluate.main, *COMMANDS[2][1:], "--noartifacts")
    out = capsys.readouterr().out
    assert "there are no errors, only how sure readings are and whether they agree" in out
    assert " mae" not in out
    found = {(row["protocol"], row["metric"]): row for row in results(run)}
    readouts = ("fft_resolved", "pixels", "selfdistance")
    scores = {(name, f"label_free_{what}") for name in readouts for what in ("periodic", "confidence")}
    assert found.keys() == scores | {("fft_resolved", f"label_free_agreement_{name}") for name in readouts[1:]}
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in found.values())
    assert found["selfdistance", "label_free_periodic"]["value"] == 1
    assert {row["dataset"] for row in found.values()} == {"own_videos"}
    each = list(csv.DictReader((run / "clips.csv").open()))
    assert len(each) == found["pixels", "label_free_confidence"]["n"]
    names = ("fft_resolved", "label_free_pixels", "label_free_selfdistance")
    assert {f"{name} (Hz)" for name in names} <= set(each[0])
    assert not any(name.startswith("label (") for name in each[0])
    for name in readouts:
        sure = np.mean([float(line[f"confidence of {name}"]) for line in each])
        assert sure == pytest.approx(found[name, "label_free_confidence"]["value"], rel=1e-5)


def test_the_exported_model_reads_another_recording_right(run, plain, monkeypatch):
    plain(export.main, *COMMANDS[4][1:])
    facts = json.loads((run / "saved_model" / "2" / "assets.extra" / "metadata.json").read_text())
    assert facts["band_hz"] == pytest.approx([0.45, 4.2], abs=1e-6)
    assert (facts["frame_shape"], facts["dataset"]) == ([12, 16, 3], "own_videos")
    assert not main.main(COMMANDS[5][1:])
    (record,) = json.loads(pathlib.Path("runs/predict/predictions.json").read_text())
    assert record["learned"]["model"] == pytest.approx(1.7, abs=0.02)


def test_the_other_commands_read_and_ask(run, monkeypatch, capsys):
    assert main.main(COMMANDS[0][1:]) == 1
    assert "1 of 5 could not be read" in capsys.readouterr().err
    values = flags.FlagValues()
    client.define(values)
    monkeypatch.setattr(flags, "FLAGS", values)
    with serving(run / "saved_model" / "1") as (address, _):
        values([each.replace("http://localhost:8501", address) for each in COMMANDS[6]])
        client.main()
    assert "windows of" in capsys.readouterr().out


def test_labels_give_errors_and_the_exported_models_multiple(run, plain, capsys):
    """Whoever counts every second swing says that features run at twice the frequency, whatever pixels show."""
    lines = [f"{name},{60 * frequency / 2}" for name, (frequency, *_) in FILES.items()]
    pathlib.Path("labels.csv").write_text("\n".join(["recording,per_minute", *lines[:3]]))
    plain(evaluate.main, *COMMANDS[3][1:])
    assert "labeled clips say that features run at 2 times the frequency." in capsys.readouterr().out
    found = {row["protocol"]: row for row in results(run) if row["metric"] == "mae"}
    assert found["fft_calibrated"]["value"] < 0.02
    assert found["fft_resolved"]["value"] == pytest.approx(2.1 / 2, abs=0.02)
    plain(export.main, "--run_dir=runs/mine")
    metadata = max(run.glob("saved_model/*/assets.extra/metadata.json"), key=lambda path: int(path.parts[-3]))
    assert json.loads(metadata.read_text())["harmonic"] == 0.5
    pathlib.Path("labels.csv").write_text("recording,per_minute\nz.mp4,54")
    with pytest.raises(ValueError, match=r"line 2: found 'z\.mp4', which names none of the recordings"):
        plain(pretrain.main, *LEARN[1:], "--labels=labels.csv", "--run_dir=runs/other", "--num_views=2", "--size=12,16")
    assert not list(pathlib.Path("runs/other").glob("checkpoints"))
    plain(evaluate.main, *COMMANDS[2][1:], "--noartifacts")  # Without labels they tell nothing any more.
    assert set(run_folder.read_readout(run)) == {"fft_resolved", "fft_fundamental"}


def test_recordings_that_have_changed_since_are_refused_by_name(run, plain):
    added = pathlib.Path("clips/e.mp4")
    added.write_bytes(pathlib.Path("new.mp4").read_bytes())
    os.utime("clips/a.mp4", (1, 1))  # As in a copy: it is the same recording.
    whole = pathlib.Path("clips/d.mp4").read_bytes()
    pathlib.Path("clips/d.mp4").write_bytes(whole[:-1] + b"x")
    words = [*LEARN[1:], "--num_views=2", "--size=12,16"]
    expected = (
        r"not those that the run in runs/mine began with: 1 new \(clips/e.mp4\), 1 changed \(clips/d.mp4\). Put them"
    )
    with pytest.raises(ValueError, match=expected):
        plain(pretrain.main, *words)
    added.unlink()
    pathlib.Path("clips/d.mp4").write_bytes(whole)
    plain(pretrain.main, *words, "--noartifacts")
    with pytest.raises(ValueError, match="--interpolation was steady, now linear"):
        plain(pretrain.main, *words, "--noartifacts", "--interpolation=linear")
    plain(evaluate.main, *COMMANDS[2][1:], "--noartifacts")  # What was decoded is still there.


def test_a_single_gray_recording_trains_all_but_its_last_part(plain, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    times, columns = np.arange(240) / 10, np.arange(32)
    frames = 40 + 180 * np.exp(-(((columns - 16 - 9 * np.sin(2 * np.pi * 0.8 * times)[:, None]) / 4) ** 2))
    np.save("one.npy", np.repeat(frames[:, None], 24, axis=1).astype(np.uint8))
    words = ["--videos=one.npy", "--rate=10", "--steps=1", "--num_views=2", "--run_dir=run", "--noartifacts"]
    with pytest.raises(ValueError, match=r"--band=0\.4,4\.5 leaves no room for faster views at 10 frames a second"):
        plain(pretrain.main, *words, "--band=0.4,4.5")
    plain(pretrain.main, *words, "--band=0.4,4", "--interpolation=linear")
    out = capsys.readouterr().out
    assert "at 0.8 to 1.25 times the speed (as far as what repeats fastest keeps two frames to a period)" in out
    assert "Between two frames they show their mean, as in the paper." in out
    flags = flags_of(tmp_path / "run")
    assert (flags["speed_range"], flags.get("interpolation", "linear")) == ("0.8,1.25", "linear")
    assert "There is one recording (0:24): its first part is learned from, and its last, " in out
    assert "10 frames per second (as asked for) and 18 x 24 pixels" in out
    assert "Training takes 1 steps (as asked for)." in out
    assert {row["n"] for row in results(tmp_path / "run")} == {1}


def test_features_of_a_prior_are_read_in_its_band(plain, tmp_path, monkeypatch):
    """Pixels may show the other period, for which the prior is there: they do not tell the multiple."""
    monkeypatch.chdir(tmp_path)
    np.save("one.npy", np.random.default_rng(0).integers(0, 256, (200, 12, 16), np.uint8))
    words = ["--videos=one.npy", "--rate=10", "--steps=1", "--num_views=2", "--run_dir=run", "--noartifacts"]
    plain(pretrain.main, *words, "--band=0.4,4", "--prior_weight=1")
    plain(export.main, "--run_dir=run")
    assert {row["protocol"] for row in results(tmp_path / "run")} == {"fft_fundamental", "pixels", "selfdistance"}
    facts = json.loads((tmp_path / "run" / "saved_model" / "1" / "assets.extra" / "metadata.json").read_text())
    assert facts["harmonic"] == "fundamental"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--dataset=rotating_digits/digits"],
            "--dataset=rotating_digits/digits does not go with --videos: the videos are",
        ),
        (["--epochs=3"], "--epochs=3 does not go with --videos: use --minutes, or --steps. Leave it out."),
        (["--method=supervised"], "--method=supervised does not go with --videos: it learns from labels"),
        (["--label_fraction=0.5"], "--label_fraction=0.5 does not go with --videos: videos have no labels"),
        (["--split=validation"], "held-out recordings are --split=test"),
        (["--steps=9"], "--minutes=0.1 and --steps=9 both say how long to train. Leave one out."),
        (["--videos=", "--labels=labels.csv"], "--labels=labels.csv means something with --videos only"),
        (["--videos="], "--minutes=0.1 means something with --videos only"),
        (
            ["--videos=nothing/*.mp4"],
            r"No recording to learn from. nothing/\*.mp4: .* no file that fits",
        ),
        (["--videos=empty"], "No recording to learn from. empty: .* a folder without a recording"),
    ],
)
def test_contradicting_flags_are_refused_and_leave_nothing(words, message, plain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("empty").mkdir()
    with pytest.raises(ValueError, match=message):
        plain(pretrain.main, *LEARN[1:], *words)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
