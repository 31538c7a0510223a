"""`simper train` and `simper validate`: what they say, leave out and write; a few steps on a few frames."""

import re
import signal

import numpy as np
import pytest

from simper_tf.commands import main, train


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder with two bars that swing sideways, 8 s at 15 frames per second, and a file of noise."""
    folder, columns, times = tmp_path_factory.mktemp("clips"), np.arange(16), np.arange(120) / 15
    for number, hertz in enumerate((0.8, 1.3)):
        bars = np.exp(-0.5 * ((columns - 8 - 4 * np.sin(2 * np.pi * hertz * times)[:, None]) / 1.5) ** 2)
        np.save(folder / f"{number}.npy", np.uint8(40 + 180 * np.repeat(bars[:, None], 12, axis=1)))
    (folder / "broken.npy").write_bytes(np.random.default_rng(0).bytes(400))
    return folder


WORDS = ("--rate=15", "--band=0.6,3")


@pytest.mark.slow
def test_validate_says_what_can_be_learned_from_and_what_not(folder, capsys):
    assert main.main(["validate", str(folder / "*.npy"), *WORDS]) == 1
    first, second, left, told, band, *_, last = capsys.readouterr().out.splitlines()
    assert (first, second) == ("Counting in recording 1 of 2 ...", "Counting in recording 2 of 2 ...")
    assert left.startswith(f"Left out: {folder / 'broken.npy'}: found ")
    assert told.startswith("2 recordings, ")
    assert told.endswith("60 frames of 12 x 16 pixels at 15 per second.")
    assert band == "What repeats at 0.6 to 3 Hz can be read."
    assert last == "The others can be used."
    assert main.main(["validate", str(folder / "0.npy"), str(folder / "1.npy"), *WORDS]) == 0
    assert capsys.readouterr().out.endswith("All recordings can be used.\n")


def test_nothing_to_learn_from_is_one_line(folder, capsys):
    with pytest.raises(SystemExit) as end:
        main.main(["validate", str(folder / "broken.npy")])
    assert end.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("simper validate: error: ")
    assert f"No recording to learn from. {folder / 'broken.npy'}: found " in line


class ToldAtStep:
    """Stands in for what hears Ctrl-C: it is heard after so many steps."""

    def __init__(self, step):
        self.left, self.signal = step, signal.SIGINT

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __call__(self):
        self.left -= 1
        return not self.left


@pytest.mark.slow
def test_a_stopped_training_goes_on_with_the_same_command(folder, tmp_path, capsys, monkeypatch):
    words = ["train", str(folder / "[01].npy"), *WORDS, "--steps=8", f"--out={tmp_path / 'mine'}"]
    with monkeypatch.context() as patch:
        patch.setattr(train.console, "StopRequest", lambda: ToldAtStep(3))
        assert main.main(words) == 130
    assert capsys.readouterr().err.endswith("interrupted; the same command goes on with what it has learned.\n")
    kept = tmp_path / "mine" / "training" / "checkpoints"
    assert (kept / "step-3.index").exists()
    with pytest.raises(SystemExit):
        main.main([*words, "--steps=9"])
    assert "holds a training that was stopped, of other recordings or settings: steps was 8, now 9. Give" in (
        capsys.readouterr().err
    )
    main.main(words)
    said = capsys.readouterr().out
    assert "Counting in" not in said
    assert "step 5/" in said
    assert "step 2/" not in said
    main.main(words)
    assert capsys.readouterr().out.startswith(
        f"Training was finished: {tmp_path / 'mine' / 'saved_model' / '1'} is its"
    )
    assert not (tmp_path / "mine" / "saved_model" / "2").exists()


@pytest.mark.slow
def test_labels_and_recordings_held_out_judge_the_model(folder, tmp_path, capsys):
    labels, out = tmp_path / "labels.csv", tmp_path / "mine"
    labels.write_text("recording,hz\n1.npy,1.3\n")
    words = ["--rate=15", "--band=1,3", "--steps=2", "--hold_out=1.npy", f"--labels={labels}", f"--out={out}"]
    main.main(["train", str(folder / "[01].npy"), *words])
    said = capsys.readouterr().out
    assert "Counting in recording 1 of 1 ..." in said
    assert "\n1 recording, " in said
    _, _, held = said.partition("Held out, nothing was learned from it:\n")
    assert re.match(rf"{folder / '1.npy'}: model.*, label 1.3 Hz: (agrees|wrong)\n. of 1 agree", held)
    assert "The model follows your labels. simper predict without --model does not know them." in held


@pytest.mark.parametrize(
    ("flag", "text", "said"),
    [
        ("--labels=labels.csv", "recording,hz\n1.npy,1.3\n0.npy,fast\n", "labels.csv, line 3: found 'fast' as hz;"),
        ("--labels=labels.csv", "recording,bpm\n1.npy,78\n", "labels.csv: found the columns recording, bpm;"),
        (
            "--labels=labels.csv",
            "recording,hz\n9.npy,1.3\n",
            "line 2: found '9.npy', which names none of the recordings",
        ),
        ("--hold_out=0.9", "", "--hold_out leaves none of 2 recordings to learn from."),
        ("--hold_out=9.npy", "", "--hold_out: found '9.npy', which names none of the recordings"),
    ],
)
def test_words_that_do_not_fit_end_before_any_work(folder, tmp_path, capsys, monkeypatch, flag, text, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(SystemExit) as end:
        main.main(["train", str(folder / "[01].npy"), *WORDS, flag])
    printed = capsys.readouterr()
    assert (end.value.code, printed.out) == (2, "")
    assert said in printed.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_train_writes_a_model_and_names_it(folder, tmp_path, capsys):
    out = tmp_path / "mine"
    assert main.main(["train", str(folder / "*.npy"), *WORDS, "--steps=2", f"--out={out}"]) is None
    lines = capsys.readouterr().out.splitlines()
    assert (out / "saved_model" / "1" / "saved_model.pb").exists()
    assert lines[-2:] == [
        f"SavedModel: {out / 'saved_model' / '1'}.", f"It reads others: simper predict new.mp4 --model={out}",
    ]  # fmt: skip
    assert any(line.startswith("step ") for line in lines)


@pytest.mark.slow
def test_a_model_of_series_is_said_to_read_series(tmp_path, capsys):
    times = np.arange(0, 40, 0.1)
    for number in range(2):
        rows = np.stack([times, np.sin(2 * np.pi * (0.5 + 0.1 * number) * times)], 1)
        np.savetxt(tmp_path / f"{number}.csv", rows, "%.4f", ",", header="time,x", comments="")
    out = tmp_path / "mine"
    assert main.main(["train", str(tmp_path / "*.csv"), "--steps=2", f"--out={out}"]) is None
    assert capsys.readouterr().out.splitlines()[-1] == f"It reads others: simper predict new.csv --model={out}"
