"""The commands of "Your own series" in docs/your_own_data.md, one after the other."""

import contextlib
import io
import json
import pathlib
import re
import shlex

import numpy as np
import pulses
import pytest
from absl import flags
from rest_server import serving

from simper_tf.commands import main
from trainers import client

ROOT = pathlib.Path(__file__).parents[2]
_, _, PAGE = (ROOT / "docs" / "your_own_data.md").read_text().partition("## Your own series")
COMMANDS = [
    shlex.split(line) for line in re.findall(r"^    (?:python -m )?((?:trainers\.|simper )\w.*)$", PAGE, re.MULTILINE)
]
# Hz, and samples per second: no two files are alike.
FILES = {"a.csv": (0.8, 25), "b.csv": (1.1, 50), "c.csv": (1.6, 64), "d.csv": (2.1, 50), "e.csv": (2.7, 100)}
NEW, TOLERANCE = (1.9, 1.35), 0.03  # Hz. Who guesses within 0.7 to 3 Hz is off by 0.7 in the mean.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def journey(tmp_path_factory):
    """Returns a folder in which a run has ended, and what was printed."""
    folder = tmp_path_factory.mktemp("journey")
    signals = folder / "signals"
    signals.mkdir()
    for number, (name, (frequency, rate)) in enumerate(FILES.items()):
        pulses.write(signals / name, *pulses.pulse(frequency, 40, rate, number, 2), lost=range(90, 900, 77))
    times, values = pulses.pulse(1.0, 40, 50, 9, 2)
    (signals / "times_alone.csv").write_text("time\n" + "\n".join(f"{time:.4f}" for time in times))
    pulses.write(signals / "still.csv", times, np.ones_like(values))
    pulses.write(signals / "short.csv", times[:150], values[:150])
    for number, frequency in enumerate(NEW):
        # The second is slower than what was learned from, and as it was brought to.
        times, values = pulses.pulse(frequency, 20, (40, 25)[number], 20 + number, 2)
        pulses.write(folder / ("new.csv" if not number else "other.csv"), times, 1e-6 * (values - 3e5))
    _, *words = COMMANDS[1]
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        main.main([*words, "--steps=150"])
    return folder, printed.getvalue()


@pytest.fixture
def run(journey, monkeypatch):
    """Returns the folder of the run, in whose parents the commands are called."""
    monkeypatch.chdir(journey[0])
    return pathlib.Path("runs/pulse")


@pytest.fixture
def with_flags(monkeypatch):
    """Returns a function that runs the `main` of a command with flags of its own."""

    def call(module, words):
        values = flags.FlagValues()
        module.define(values)
        values(words)
        monkeypatch.setattr(flags, "FLAGS", values)
        return module.main()

    return call


def test_the_page_has_the_commands_that_are_run_here():
    names = [words[words[0] == "simper"].removeprefix("trainers.") for words in COMMANDS]
    assert names == ["predict", "train", "predict", "client"]


def test_files_unfit_to_learn_from_are_named_with_the_reason(journey):
    _, first = journey
    left = dict(re.findall(r"^Left out: signals/(\w+)\.csv: found (.*)$", first, re.MULTILINE))
    assert left["times_alone"].startswith("a column of times alone; expected a column of values beside it.")
    assert left["still"].startswith("values that never change; expected a series in which something repeats.")
    assert left["short"].startswith("3.00 s; expected 6.00 s or more.")
    assert set(left) == {"times_alone", "still", "short"}
    assert "5 recordings, " in first
    assert "5 of 5 agree." in first


def test_the_model_has_the_channels_and_no_size_of_pictures(run):
    facts = json.loads((run / "saved_model" / "1" / "assets.extra" / "metadata.json").read_text())
    assert (facts["frame_shape"], facts["value_range"]) == ([1, 1, 2], None)


def test_the_model_reads_unseen_files_in_another_unit(run):
    assert not main.main([*COMMANDS[2][1:], "other.csv"])
    records = json.loads(pathlib.Path("runs/predict/predictions.json").read_text())
    for record, frequency in zip(records, NEW, strict=True):
        np.testing.assert_allclose(record["learned"]["model"], frequency, atol=TOLERANCE)


def test_a_server_is_asked_about_a_series_in_its_own_unit(run, with_flags, capsys):
    with serving(run / "saved_model" / "1") as (address, _):
        words = [each.replace("http://localhost:8501", address) for each in COMMANDS[3]]
        with_flags(client, words)
        told = [float(hertz) for hertz in re.findall(r"frequency_hz ([\d.]+)", capsys.readouterr().out)]
        assert len(told) >= 4
        # After seconds of training features of one window may run at another multiple, by which a server is misled.
        off = [hertz for hertz in told if abs(hertz - NEW[0]) > TOLERANCE]
        assert len(off) <= 1, told
        assert all(min(abs(hertz * k - NEW[0]) for k in (1 / 3, 1 / 2, 2, 3)) < 3 * TOLERANCE for hertz in off), off
        with pytest.raises(ValueError, match=r"me\.mp4: no such file"):
            with_flags(client, [*words, "--video=me.mp4"])


def test_a_model_of_series_refuses_what_it_was_not_trained_on(run, capsys, tmp_path):
    times, values = pulses.pulse(1.0, 20, 50, 3, 3)
    pulses.write(tmp_path / "three.csv", times, values)
    np.save(tmp_path / "frames.npy", np.random.default_rng(0).integers(0, 255, (300, 8, 8), np.uint8))
    names = [str(tmp_path / "three.csv"), str(tmp_path / "frames.npy")]
    assert main.main(["predict", f"--model={run}", "--rate=30", f"--out={tmp_path / 'out'}", *names]) == 1
    said = capsys.readouterr().err
    assert "2 of 2 could not be read" in said
    refused = "three.csv: found 3 channels; expected 2, as --model reads."
    assert f"{refused} Name its channels by --columns, or another --model." in said
    assert "frames.npy: found pictures; expected a series, as --model reads. Name another --model." in said


def test_channels_that_differ_are_refused_with_two_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for channels in (1, 3):
        pulses.write(pathlib.Path(f"{channels}.csv"), *pulses.pulse(1.0, 20, 50, 1, channels))
    with pytest.raises(SystemExit):
        main.main(["train", "*.csv", "--out=run"])
    assert "the same number of channels. Found: 1 in 1.csv, 3 in 3.csv. Name" in capsys.readouterr().err
    assert not pathlib.Path("run").exists()


def test_named_columns_of_files_that_differ_are_learned(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for channels in (1, 3):
        pulses.write(pathlib.Path(f"{channels}.csv"), *pulses.pulse(1.0, 20, 50, 1, channels))
    pathlib.Path("counted").write_text("recording,hz\n3.csv,1.0\n")
    named = ["*.csv", "--columns=ppg 0", "--time=time"]
    assert not main.main(["validate", *named])
    assert "All recordings can be used" in capsys.readouterr().out
    assert not main.main(["train", *named, "--steps=1", "--hold_out=3.csv", "--out=run"])
    said = capsys.readouterr().out
    assert "Held out, nothing was learned from it:" in said
    assert "NOTE" not in said  # The model reads the column of the file that was held out.
    assert not main.main(["evaluate", "3.csv", *named[1:], "--labels=counted", "--model=run"])
    assert "model: " in capsys.readouterr().out
