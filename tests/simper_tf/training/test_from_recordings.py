"""Five lines from recordings to a model: what is proposed, read, refused and exported."""

import json
import re

import numpy as np
import pytest

import simper_tf
from simper_tf.commands import mp4
from simper_tf.signals import votes
from simper_tf.training.counted import Counted


def swinging(path, hertz, seconds=8.0, rate=15):
    """Writes a bar that swings sideways, `(T, 12, 16)`, as frames."""
    times, columns = np.arange(round(seconds * rate)) / rate, np.arange(16)
    bars = np.exp(-0.5 * ((columns - 8 - 4 * np.sin(2 * np.pi * hertz * times)[:, None]) / 1.5) ** 2)
    np.save(path, np.uint8(40 + 180 * np.repeat(bars[:, None], 12, axis=1)))
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Returns a model of two short recordings after two passes, whose reading of frequencies pixels resolve."""
    folder = tmp_path_factory.mktemp("clips")
    for number, hertz in enumerate((0.8, 1.3)):
        swinging(folder / f"{number}.npy", hertz)
    made = simper_tf.from_recordings(folder / "*.npy", method="simper", rate=15, band=(0.6, 3.0), num_views=2)
    with pytest.raises(ValueError, match="has learned nothing yet: call `fit` first"):
        made.export(folder / "saved_model")
    history = made.fit(steps=2)
    assert np.isfinite(history.history["loss"]).all()
    return made


@pytest.mark.slow
def test_what_nobody_says_is_proposed_from_the_recordings(model):
    length, *shape = model.recordings.clip_shape
    assert (length, shape) == (60, [12, 16, 1])
    times = model.method.views.times
    assert times.speed_range == (0.71, 1.41)  # The slowest view shows 1.6 repetitions of the slowest recording.
    assert model.method.views.num_frames == times.longest_view(length)
    assert model.method.views.interpolation == "steady"


@pytest.mark.slow
def test_a_new_recording_is_read_in_hertz_within_the_band(model, tmp_path):
    hertz = model.frequency(swinging(tmp_path / "new.npy", 1.0))
    assert isinstance(hertz, float)
    assert 0 < hertz < 15 / 2


def film(path, rate, number=60, every=15):
    """Writes a film of a bar that swings every so many frames."""
    bars = np.load(swinging(path.with_suffix(".npy"), 15 / every, number / 15))
    with mp4.Writer(path, 12, 16, {"crf": "1"}) as video:
        for place, picture in enumerate(bars):
            video.add(place / rate, np.repeat(picture[..., None], 3, axis=2))
    return path


@pytest.mark.slow
def test_half_as_long_a_film_is_read_as_a_slower_one(tmp_path):
    whole, half = film(tmp_path / "whole.mp4", 15), film(tmp_path / "half.mp4", 30)
    made = simper_tf.from_recordings(
        film(tmp_path / "long.mp4", 15, 180), method="simper", band=(0.6, 3.0), window=4.0, rate=15, num_views=2
    )
    made.fit(steps=2)
    assert made.frequency(half) == pytest.approx(2 * made.frequency(whole), rel=0.01)
    assert np.isfinite(made.frequency(film(tmp_path / "few.mp4", 12, 31, every=8)))  # 2.6 s, 12 frames a second.
    with pytest.raises(ValueError, match=r"found 1\.00 s; expected 2\.00 s or more"):
        made.frequency(film(tmp_path / "short.mp4", 30, 30))


@pytest.mark.slow
def test_a_recording_whose_features_show_no_line_has_no_answer(model, tmp_path, monkeypatch):
    path = swinging(tmp_path / "new.npy", 1.0)
    drift = np.sin(0.3 * 2 * np.pi * np.arange(60) / 15)[:, None] * np.ones(4)  # Below the band.
    wave = np.sin(2 * np.pi * np.arange(60) / 15)[:, None] * np.ones(4)
    for features, is_read in ((drift, False), (wave, True)):
        monkeypatch.setattr(model.method, "encode", lambda clips, one=features: np.stack([one] * len(clips)))
        assert np.isfinite(model.frequency(path)) == is_read


@pytest.mark.slow
def test_names_of_several_recordings_are_refused(model, tmp_path):
    for name in ("a", "b"):
        swinging(tmp_path / f"{name}.npy", 1.0)
    with pytest.raises(ValueError, match=r"stands for 2 recordings\. Name one"):
        model.frequency(tmp_path)


@pytest.mark.slow
def test_the_exported_model_has_the_recordings_band_and_rate(model, tmp_path):
    path = model.export(tmp_path / "saved_model")
    facts = json.loads((path / "assets.extra" / "metadata.json").read_text())
    assert facts["band_hz"] == pytest.approx([0.6, 3.0])
    assert (facts["rates_trained_on"], facts["frame_shape"]) == ([15, 15], [12, 16, 1])


@pytest.mark.slow
def test_features_at_a_multiple_end_the_band_of_the_model(model, tmp_path, monkeypatch):
    monkeypatch.setattr(model, "octave", votes.Octave(divisor=4, agreement=1.0, voting=1.0))
    path = model.export(tmp_path / "saved_model")
    facts = json.loads((path / "assets.extra" / "metadata.json").read_text())
    assert facts["band_hz"] == pytest.approx([0.6, 0.999 * 15 / 4 / 2])
    assert facts["least_rate"] <= 15


def test_a_band_without_room_for_faster_views_is_refused(tmp_path):
    path = swinging(tmp_path / "one.npy", 1.0, seconds=30.0)
    with pytest.raises(ValueError, match=r"`band=0\.6,6\.5` leaves no room .* upper end to at most 6\.25"):
        simper_tf.from_recordings(path, method="simper", rate=15, band=(0.6, 6.5))


@pytest.mark.slow
def test_progress_is_printed_unless_verbose_is_0(model, capsys):
    model.fit(steps=8)
    *_, last = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"step (\d+)/\1  0:00 left", last)
    model.fit(steps=2, verbose=0)
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["simper", "replay"])
def test_checkpoints_carry_a_training_on_to_so_many_steps(tmp_path, method):
    swinging(tmp_path / "a.npy", 0.8, seconds=16)
    given = {"method": method, "rate": 15, "band": (0.6, 3.0)}
    made = [simper_tf.from_recordings(tmp_path / "a.npy", **given) for _ in range(2)]
    whole = -(-len(made[0].recordings) // 4)
    made[0].fit(steps=whole, verbose=0, checkpoints=tmp_path / "kept")
    history = made[1].fit(steps=2 * whole, verbose=0, checkpoints=tmp_path / "kept")
    assert history.epoch == [1]
    assert made[1].fit(steps=2 * whole, verbose=0, checkpoints=tmp_path / "kept").history == {}
    assert (tmp_path / "kept" / f"step-{2 * whole}.index").exists()


@pytest.mark.slow
def test_labels_tell_the_multiple_and_stand_in_for_the_count(tmp_path):
    """Whoever counts every second swing says at which multiple features run, whatever pixels show."""
    for name, hertz in (("a", 0.8), ("b", 1.0)):
        swinging(tmp_path / f"{name}.npy", 2 * hertz, seconds=16)
    (tmp_path / "labels.csv").write_text("recording,hz\na.npy,0.8\n")
    counted = Counted()
    made = simper_tf.from_recordings(
        tmp_path / "[ab].npy", method="simper", rate=15, band=(0.5, 3.0), labels=tmp_path / "labels.csv",
        counted=counted,
    )  # fmt: skip
    assert counted.hertz[str(tmp_path / "a.npy")] == (0.8,)
    assert counted.hertz[str(tmp_path / "b.npy")] == pytest.approx((2.0,), rel=0.02)
    times, rate = np.arange(made.recordings.clip_shape[0]), made.recordings.rate
    made.method.encode = lambda clips: np.tile(np.sin(2 * np.pi * 1.6 * times / rate)[:, None], (len(clips), 1, 1))
    made._conclude()
    assert made.told_by_labels == "Features rise twice a repetition in clips that are labeled."
    assert made.frequencies() == pytest.approx(dict.fromkeys(made.frequencies(), 0.8), rel=0.02)
