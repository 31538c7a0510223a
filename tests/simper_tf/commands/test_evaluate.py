"""`simper evaluate` and `simper export`: errors against labels, and the encoder as a file."""

import dataclasses
import json
import types

import numpy as np
import pytest
from made_answers import answer, done
from made_up import row

import simper_tf
from docs.sample import repetitions
from simper_tf.commands import evaluate, learners, main, sample
from simper_tf.data.own_labels import Stretch
from simper_tf.evaluation import rows
from simper_tf.reading.learned import Learned
from simper_tf.recordings.source_contract import Info
from simper_tf.utils.errors import RawDataError


def stretch(start, end, count=None, hertz=None):
    return Stretch("a.mp4", start, end, hertz or count / (end - start), 2, count is not None)


def test_a_sentence_counts_what_was_read_and_its_mean_error():
    assert evaluate._sentence("read", np.array([0.1, -0.3, np.nan]), "Hz") == (
        "read: 2 of 3 stretches, off by 0.2 Hz in the mean."
    )
    assert evaluate._sentence("model", np.array([np.nan]), "Hz") == "model: 0 of 1 stretches."


def test_each_stretch_is_told_by_the_answer_that_fills_it():
    first, second = answer(0.5, 0.0, 9, confidence=0.7), answer(0.25, 20.0, 5, confidence=0.9)
    reading = done(second, first).reading
    for counted, start, end in ((9, 0, 18), (5, 20, 40)):
        told = evaluate.told_of(reading, stretch(start, end, counted))
        assert (told.count, evaluate.error_of(told, stretch(start, end, counted))) == (counted, 0)


def test_of_answers_that_fill_a_stretch_the_surest_is_told():
    sure, other = answer(0.5, 0.0, 9, confidence=0.9), answer(0.8, 0.0, 15, confidence=0.7)
    assert evaluate.told_of(done(sure, other).reading, stretch(0, 19, hertz=0.5)).hertz == 0.5
    few = answer(3.0, 0.0, 2, confidence=0.95)  # It fills less than half of what the others do.
    assert evaluate.told_of(done(few, other).reading, stretch(0, 19, hertz=0.8)).hertz == 0.8


def test_the_tempo_of_a_stretch_is_the_one_that_predict_tells():
    spans = ((0.0, 4.0), (4.0, 8.0), (12.0, 16.0), (16.0, 19.0))  # With a pause, so that count over length is less.
    read = done(answer(hertz=0.2631, repetitions=spans)).reading
    told = evaluate.told_of(read, stretch(0, 20, 4))
    assert str(told) == "0.263 Hz, 4 repetitions"
    part = evaluate.told_of(read, stretch(10, 20, hertz=0.28))
    assert part.hertz == pytest.approx(1 / 3.5)
    assert str(part) == "0.286 Hz"


@pytest.mark.parametrize(
    ("answers", "reason"), [((), "nothing repeats"), ((answer(0.5, 0.0, 9),), "no repetition there")]
)
def test_where_nothing_is_read_the_reason_is_told(answers, reason):
    assert str(evaluate.told_of(done(*answers).reading, stretch(30, 40, 3))) == f"nothing ({reason})"


@pytest.mark.parametrize(
    ("refusal", "seconds", "reason"),
    [
        ("check", 12.0, "The model was not asked: found a series; expected pictures for --model."),
        ("read", 2.0, "The model needs 3.0 s, and the recording lasts 2.0 s: it was not asked."),
        ("", 12.0, "no window, in 0.4 to 2 Hz, of which it is sure"),
    ],
)
def test_a_model_that_is_silent_says_why(refusal, seconds, reason, monkeypatch):
    def refuse(which):
        if which == refusal:
            raise RawDataError("a.mp4", "a series", "pictures for --model", "Name another.")
        return Learned(float("nan"), 3, (0.4, 2.0))

    model = types.SimpleNamespace(
        band=None, window=lambda seconds: 3.0, check=lambda source: refuse("check"), read=lambda part: refuse("read")
    )
    monkeypatch.setattr(learners.learned, "planned", lambda *given: None)
    read = dataclasses.replace(done(answer()), info=Info(10.0, seconds, 24, 32))
    assert evaluate._of_model(None, stretch(0, 9, 4), read, model).reason == reason


def test_evaluation_without_labels_is_refused(tmp_path, capsys):
    (tmp_path / "clip.mp4").write_bytes(bytes(range(256)))
    with pytest.raises(SystemExit) as end:
        main.main(["evaluate", str(tmp_path / "clip.mp4")])
    assert end.value.code == 2
    assert "--labels must name a file of what somebody has counted." in capsys.readouterr().err


def test_the_scores_of_a_run_are_a_table_without_labels(tmp_path, capsys):
    (tmp_path / "flags.cfg").touch()
    rows.write_rows(tmp_path / "results.jsonl", [row("fft", "mae", 0.125, unit="Hz", n=40)])
    assert main.main(["evaluate", str(tmp_path)]) == 0
    said, header, _, line = capsys.readouterr().out.splitlines()
    assert said == f"{tmp_path}: m, 40 test clips:"
    assert (header, line) == ("| protocol | mae (Hz) |", "| fft | 0.125 [0.1, 0.15] |")


@pytest.mark.parametrize(
    ("made", "remedy"),
    [("flags.cfg", "Score it: python -m trainers.evaluate --run_dir="), ("saved_model/1", "--labels=FILE --model=")],
)
def test_a_folder_without_scores_says_how_to_score_it(made, remedy, tmp_path, capsys):
    (tmp_path / made).mkdir(parents=True) if "/" in made else (tmp_path / made).touch()
    with pytest.raises(SystemExit):
        main.main(["evaluate", str(tmp_path)])
    said = capsys.readouterr().err
    assert f"{tmp_path} holds no scores. " in said
    assert f"{remedy}{tmp_path}." in said


@pytest.mark.slow
def test_the_sample_is_read_as_it_was_drawn(tmp_path, capsys):
    spans = repetitions()
    (tmp_path / "labels.csv").write_text(
        f"recording,count,from,to\nsample.mp4,5,{spans[0][0]},{spans[4][1]}\nsample.mp4,4,{spans[5][0]},{spans[8][1]}\n"
    )
    assert not main.main(["evaluate", str(sample.PATH), f"--labels={tmp_path / 'labels.csv'}"])
    first, second, last = capsys.readouterr().out.splitlines()
    assert "from 0.3 to 7.4 s: true 5 repetitions; read 0.7" in first
    assert "true 4 repetitions; read 0.6" in second
    assert last == "read: 2 of 2 stretches, off by 0 repetitions in the mean."


@pytest.mark.slow
def test_a_count_holds_its_pauses_and_a_tempo_does_not(tmp_path, capsys):
    (labels := tmp_path / "labels.csv").write_text("recording,count,from,to\nsample.mp4,9,0,18\n")
    assert not main.main(["evaluate", str(sample.PATH), f"--labels={labels}"])
    assert ": true 9 repetitions; read 0.666 Hz, 9 repetitions\n" in capsys.readouterr().out
    labels.write_text("recording,hz,from,to\nsample.mp4,0.67,0,18\n")
    assert not main.main(["evaluate", str(sample.PATH), f"--labels={labels}"])
    assert ": true 0.67 Hz; read 0.6" in capsys.readouterr().out


@pytest.mark.slow
def test_an_exported_model_becomes_a_file_beside_it(tmp_path, capsys):
    simper_tf.export_model(simper_tf.small1d((1, 1, 1)), tmp_path / "saved_model", (1, 1, 1), band=(0.5, 4.0))
    assert main.main(["export", f"--model={tmp_path}"]) is None
    path = tmp_path / "tflite" / "1" / "model.tflite"
    assert f"tflite: {path}." in capsys.readouterr().out
    told = json.loads((path.parent / "metadata.json").read_text())
    assert (told["format"], told["band_hz"]) == ("tflite", [0.5, 4.0])


@pytest.mark.slow
@pytest.mark.parametrize("named", ["", "saved_model", "saved_model/1"])
def test_a_run_its_models_and_one_of_them_are_exported_alike(tmp_path, named):
    simper_tf.export_model(simper_tf.small1d((1, 1, 1)), tmp_path / "saved_model", (1, 1, 1), band=(0.5, 4.0))
    assert main.main(["export", f"--model={tmp_path / named}"]) is None
    assert (tmp_path / "tflite" / "1" / "model.tflite").exists()


def test_a_model_that_cannot_be_read_is_refused_with_its_file(tmp_path, capsys):
    (tmp_path / "saved_model.pb").write_text("text")
    with pytest.raises(SystemExit):
        main.main(["export", f"--model={tmp_path}"])
    said = capsys.readouterr().err
    assert f"--model={tmp_path}: {tmp_path} is damaged, or not written by this package: No such file" in said
    assert said.endswith("Train or export again.\n")
    assert len(said.splitlines()) == 1


def test_an_export_of_nothing_says_how_to_make_a_model(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main.main(["export", f"--model={tmp_path}"])
    assert "holds no exported model. Make one: simper train" in capsys.readouterr().err


def test_a_run_that_was_not_exported_is_sent_to_its_trainer(tmp_path, capsys):
    (tmp_path / "flags.cfg").touch()
    with pytest.raises(SystemExit):
        main.main(["export", f"--model={tmp_path}"])
    assert f"Make one: python -m trainers.export --run_dir={tmp_path}." in capsys.readouterr().err
