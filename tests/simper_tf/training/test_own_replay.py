"""The network of the reader that goes on learning from somebody's films: what it reads, and how it is served."""

import json

import numpy as np
import pytest
import tensorflow as tf

import simper_tf
from simper_tf.export import saved_model
from simper_tf.reading import exported
from simper_tf.reading.films import rhythm_network
from simper_tf.recordings import windows
from simper_tf.training import own_replay
from simper_tf.training.own_simper import OwnSimPer

GIVEN = {"rate": 15, "band": (0.4, 3.5)}


def swinging(path, hertz, seconds=12.0, rate=15):
    """Writes a disc that swings from side to side before grain, `(T, 24, 32)`."""
    times, (y, x) = np.arange(round(seconds * rate)) / rate, np.mgrid[:24, :32]
    middles = 16 + 8 * np.sin(2 * np.pi * hertz * times)[:, None, None]
    disc = np.clip(4.5 - np.hypot(y - 12, x - middles), 0, 1)
    grain = np.random.default_rng(round(10 * hertz)).normal(size=disc.shape)
    np.save(path, np.uint8(np.clip(60 + 120 * disc + 2 * grain, 0, 255)))
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Returns a model of two films after two passes."""
    folder = tmp_path_factory.mktemp("films")
    for number, hertz in enumerate((0.8, 1.3)):
        swinging(folder / f"{number}.npy", hertz)
    made = simper_tf.from_recordings(folder / "*.npy", **GIVEN)
    assert made.frequency(folder / "1.npy") == pytest.approx(1.3, rel=0.05)  # By the weights that it begins with.
    assert np.isfinite(made.fit(steps=2).history["loss"]).all()
    return made


def test_numpy_computes_what_keras_does_with_the_same_weights():
    method = own_replay.replay_of_films(0)
    own_replay.set_shipped(method)
    windows = np.random.default_rng(0).uniform(0, 255, (2, 64, 32, 32)).astype(np.float32)
    chances = tf.nn.softmax(method.head(method.encoder(windows[..., None] / 255)))
    np.testing.assert_allclose(chances, rhythm_network.chances_of_windows(windows), atol=1e-4)


@pytest.mark.slow
def test_films_are_read_by_the_network_and_series_by_simper(model, tmp_path):
    assert isinstance(model, own_replay.OwnReplay)
    assert model.recordings.clip_shape[1:] == (32, 32, 1)
    times = np.arange(0, 40, 0.1)
    np.savetxt(tmp_path / "a.csv", np.stack([times, np.sin(3 * times)], 1), "%.4f", ",", header="time,x", comments="")
    assert isinstance(simper_tf.from_recordings(tmp_path / "a.csv"), OwnSimPer)
    with pytest.raises(ValueError, match="`method=replay` learns from pictures, and no recording has any"):
        simper_tf.from_recordings(tmp_path / "a.csv", method="replay")
    with pytest.raises(ValueError, match=r"`method` must be one of auto, simper, replay\. Received: 'mine'"):
        simper_tf.from_recordings(tmp_path / "a.csv", method="mine")


@pytest.mark.slow
@pytest.mark.parametrize(("hertz", "seconds"), [(1.0, 12.0), (2.0, 12.0), (1.5, 3.0)])
def test_a_film_it_has_not_seen_is_read_at_its_tempo(model, tmp_path, hertz, seconds):
    assert model.frequency(swinging(tmp_path / "new.npy", hertz, seconds)) == pytest.approx(hertz, rel=0.05)


@pytest.mark.slow
def test_the_saved_model_reads_what_the_model_reads(model, tmp_path):
    path = model.export(tmp_path / "saved_model")
    facts = json.loads((path / saved_model.METADATA).read_text())
    assert (facts["method"], facts["encoder"], facts["band_hz"]) == ("replay", "rhythm", [0.4, 3.5])
    clips, rate = model.recordings.clips, model.recordings.rate
    served = tf.saved_model.load(str(path)).signatures["serving_default"]
    said = served(frames=tf.constant(clips), rate=tf.fill([len(clips)], np.float32(rate)))
    hertz, confidence = model._read(clips, model.recordings.band, rate)
    np.testing.assert_allclose(said["frequency_hz"], hertz, rtol=1e-5)
    np.testing.assert_allclose(said["confidence"], confidence, rtol=1e-4)
    assert np.all((said["confidence"] > 0.3) & (said["confidence"] <= 1))
    opened = exported.Exported(tmp_path / "saved_model")
    assert (opened.band, opened.window(10.0), opened.window(60.0)) == ((0.4, 3.5), 10.0, own_replay.LONGEST)
    noise = np.random.default_rng(1).integers(0, 256, (150, *clips.shape[2:]), np.uint8)
    sure = [opened._answered(windows.Window(0.0, frames, rate))["is_sure"] for frames in (clips[0], noise)]
    assert sure == [True, False]
    assert len(facts["period_shares"]) == said["features"].shape[-1]
    assert facts["most_seconds"] == own_replay.longest_clip(3.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"`frames` must last 25\.86 s at most: in longer"):
        served(frames=tf.zeros([1, 420, *clips.shape[2:]], tf.uint8), rate=tf.constant([15.0]))
    features = saved_model.load_encoder(path)(clips / np.float32(255))
    np.testing.assert_allclose(features, said["features"], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("counted", "multiple"), [(0.4, 0.5), (0.8, 1.0), (1.6, 2.0)])
def test_labels_tell_whether_half_or_twice_of_it_is_meant(tmp_path, counted, multiple):
    """Whoever counts every second swing, or both ways of each, is read so."""
    for name in ("a", "b"):
        swinging(tmp_path / f"{name}.npy", 0.8)
    (tmp_path / "labels.csv").write_text(f"recording,hz\na.npy,{counted}\n")
    made = simper_tf.from_recordings(tmp_path / "[ab].npy", rate=15, band=(0.3, 3.5), labels=tmp_path / "labels.csv")
    made._conclude()
    assert made.multiple == multiple
    assert made.frequencies() == pytest.approx(dict.fromkeys(made.frequencies(), counted), rel=0.05)
    assert made.told_by_labels.startswith("By the labels ")
