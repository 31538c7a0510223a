"""Which of the periods of a drawn face its features repeat with."""

import numpy as np
import pytest

from benchmarks import periods
from datasets.drawn_faces import people
from datasets.drawn_faces.disturbance import LOOKS
from simper_tf.settings import Settings

RATE = 30.0


def run_of(folder, hertz, **changes):
    """Returns settings of a run in a folder whose features are cosines, one frequency a clip of the first people."""
    people_of = [f"test-{number:03}-00" for number in range(len(hertz))]
    frames = np.arange(300) / RATE
    series = np.cos(2 * np.pi * np.outer(hertz, frames))[:, :, None].astype(np.float32)
    np.savez(
        folder / "features.npz", series=series, rates=np.full(len(hertz), RATE), ids=people_of,
        labels=np.full(len(hertz), 90.0),
    )  # fmt: skip
    return Settings(**{"dataset": "drawn_faces/long", "steps": 300, **changes})


def test_each_clip_counts_for_the_period_that_its_features_repeat_with(tmp_path):
    someone = [people.person("test", number) for number in range(4)]
    settings = run_of(tmp_path, [1.5, 3.0, someone[2].motion[1], someone[3].breathing])
    split, found = periods.shares(tmp_path, settings)
    assert split == "test"
    assert {name: share for name, share in found.items() if share} == {
        "pulse": 0.25, "twice the pulse": 0.25, "head, fast": 0.25, "breath": 0.25,
    }  # fmt: skip
    assert periods.shares(tmp_path, run_of(tmp_path, [4.5, 4.7]))[1] == dict.fromkeys(periods.PERIODS, 0)


def test_periods_of_a_clip_are_those_it_was_drawn_with():
    # A clip's light rises and falls with breath: its mean has the frequency that is told, in cycles of a long clip.
    record = people.clip_record("test", 20, "long")
    heart = float(record["label"])
    found = dict(zip(periods.PERIODS, periods.periods(record["id"], heart, LOOKS["long"]), strict=True))
    light = record["clip"].mean(axis=(1, 2, 3))
    power = np.abs(np.fft.rfft((light - light.mean()) * np.hanning(len(light)), 4096))
    assert np.fft.rfftfreq(4096, 1 / RATE)[power.argmax()] == pytest.approx(found["breath"], abs=0.05)
    assert found["pulse"] == pytest.approx(record["label"] / 60)
    assert 2 * found["pulse"] == found["twice the pulse"]
    assert 2 * found["breath"] == found["twice the breath"]
    assert np.isfinite(periods.periods(record["id"], heart, LOOKS["moving"])).tolist() == [True] * 4 + [False] * 2
    assert np.isfinite(periods.periods(record["id"], heart, LOOKS["still"])).tolist() == [True] * 2 + [False] * 4


def test_a_run_is_called_by_its_method_and_what_it_was_told():
    assert periods.title(Settings(dataset="drawn_faces/still", steps=300)) == ("SimPer, 300 steps", "still")
    whole = Settings(dataset="drawn_faces/still", epochs=4)
    assert periods.title(whole) == ("SimPer, 4 epochs", "still")
    told = Settings(dataset="drawn_faces/still", steps=600, options={"prior_weight": 1.0})
    assert periods.title(told) == ("SimPer + prior, weight 1, 600 steps", "still")


def test_runs_without_faces_or_features_are_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match=r"has no features\.npz\. Name finished runs on drawn_faces"):
        periods.shares(tmp_path, Settings(dataset="drawn_faces/still"))
    with pytest.raises(ValueError, match="has --dataset=rotating_digits/digits"):
        periods.shares(tmp_path, run_of(tmp_path, [1.0], dataset="rotating_digits/digits"))


def test_a_folder_that_is_no_run_ends_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["periods", str(tmp_path)])
    with pytest.raises(SystemExit):
        periods.main()
    assert str(tmp_path) in capsys.readouterr().err.splitlines()[-1]
