import pathlib
import types

import pytest
from absl import flags
from made_up import row

from trainers import ablate, sweep


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Returns the flags of a study whose runs are made up; `trained` maps folders to changes."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("base.cfg").write_text("--epochs=1\n")
    config = types.SimpleNamespace(base="base.cfg", runs=tmp_path, table=tmp_path / "docs" / "table.md")
    config.seeds, config.choices, config.trained = ["0", "1"], ["temperature", "outputs"], {}

    def train(folder, changes, split):
        assert changes.pop("artifacts") == "false"
        assert not config.table.exists()  # Or rows would name a commit with changes.
        config.trained[folder.name] = changes
        value = 1.0 if "temperature" in changes else 0.5
        return [row(value=value + int(changes["seed"]), seed=int(changes["seed"]), n=1234, split=split)]

    monkeypatch.setattr(flags, "FLAGS", config)
    monkeypatch.setattr(sweep, "train", train)
    monkeypatch.setattr(ablate, "STUDY", {"temperature": ("0.5", "0.2"), "outputs": ("1",)})
    return config


def test_one_choice_is_changed_at_a_time_for_every_seed(study):
    ablate.main()
    assert study.trained == {
        **{f"seed={seed}": {"seed": seed} for seed in "01"},
        **{f"temperature={t}_seed={seed}": {"temperature": t, "seed": seed} for t in ("0.5", "0.2") for seed in "01"},
        **{f"outputs=1_seed={seed}": {"outputs": "1", "seed": seed} for seed in "01"},
    }


def test_the_document_says_what_was_varied_and_on_how_many_validation_clips(study):
    ablate.main()
    text = study.table.read_text()
    assert "all runs as `base.cfg`, one choice changed at a time, seeds 0, 1." in text
    assert "on 1,234 validation clips" in text
    assert text.splitlines()[4:] == [
        "| changed | to | fft mae |",
        "| --- | --- | --- |",
        "| all as in the flagfile |  | 1 ± 0.71 (n=2) |",
        "| temperature | 0.5 | 1.5 ± 0.71 (n=2) |",
        "| temperature | 0.2 | 1.5 ± 0.71 (n=2) |",
        "| outputs | 1 | 1 ± 0.71 (n=2) |",
    ]


def test_only_the_choices_named_are_varied_and_others_than_those_of_the_study_refused(study):
    study.choices = ["outputs"]
    ablate.main()
    assert list(study.trained) == ["seed=0", "seed=1", "outputs=1_seed=0", "outputs=1_seed=1"]
    study.choices = ["outputs", "seed"]
    with pytest.raises(ValueError, match=r"--choices=outputs,seed: there is no seed\. There are: temperature, outputs"):
        ablate.main()


def test_a_value_that_is_that_of_the_flagfile_or_a_default_is_not_trained_again(study, monkeypatch):
    pathlib.Path("base.cfg").write_text("--temperature=0.50\n--method=simper\n")
    monkeypatch.setattr(ablate, "STUDY", {"temperature": ("0.5", "0.2"), "outputs": ("1", "4"), "epochs": ("10", "1")})
    study.seeds, study.choices = ["0"], ["temperature", "outputs", "epochs"]
    ablate.main()
    assert list(study.trained) == ["seed=0", "temperature=0.2_seed=0", "outputs=1_seed=0", "epochs=1_seed=0"]


def test_wrong_seeds_are_refused_before_anything_is_trained_or_written(study):
    study.seeds = ["0", "0"]
    with pytest.raises(ValueError, match="--seeds takes different whole numbers"):
        ablate.main()
    assert not study.trained
    assert not study.table.parent.exists()


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in ablate.STUDY.items() for v in values])
def test_every_choice_of_the_study_is_a_flag_and_another_than_that_of_the_flagfile(call, name, value):
    chosen = []
    for more in ([], [f"--{name}={value}"]):
        base = ["--flagfile=flags/ablation_base.cfg", "--run_dir=none"]
        call(lambda: chosen.append(flags.FLAGS[name].value), *base, *more)
    assert chosen[0] != chosen[1]
