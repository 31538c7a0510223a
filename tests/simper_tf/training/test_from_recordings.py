"""Five lines from recordings to a model: what is proposed, read, refused and exported."""

import json

import numpy as np
import pytest

import simper_tf
from simper_tf.signals import votes


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
    made = simper_tf.from_recordings(folder / "*.npy", rate=15, band=(0.6, 3.0), num_views=2)
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
    with pytest.raises(ValueError, match=r"--band=0\.6,6\.5 leaves no room .* upper end to at most 6\.25"):
        simper_tf.from_recordings(path, rate=15, band=(0.6, 6.5))
