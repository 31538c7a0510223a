"""From films to weights, on films drawn here."""

import csv

import numpy as np
import pytest
import tensorflow as tf

from benchmarks.films import UNSEEN
from reproduce.reader import clips, films, training
from simper_tf.reading import rhythm_network
from simper_tf.utils.errors import RawDataError

LICENSES = {
    "MIT", "Apache-2.0", "BSD-3-Clause", "CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "MPL-2.0", "ISC", "Unlicense",
}  # fmt: skip


def drawn(number=3, frames=80):
    """Returns films of noise, 20 frames a second."""
    return [(np.random.default_rng(k).integers(0, 256, (frames, 32, 32)).astype(np.uint8), 20.0) for k in range(number)]


def test_every_listed_film_has_a_commit_and_a_free_license():
    listed = films.listed()
    assert len({film[:3] for film in listed}) == len(listed) >= 250
    assert {film.license for film in listed} <= LICENSES
    assert all(len(film.commit) == 40 for film in listed)


def test_no_repository_is_trained_on_and_tested_on():
    with UNSEEN.open() as file:
        tested = {row["repository"].lower() for row in csv.DictReader(file)}
    assert not tested & {film.repository.lower() for film in films.listed()}


def test_some_repositories_are_left_out_whole():
    names = {film.repository for film in films.listed()}
    left_out = [name for name in names if films.is_left_out(name)]
    assert 0.05 < len(left_out) / len(names) < 0.4


def test_a_film_is_like_its_own_copy_and_unlike_another():
    (one, _), (other, _), _ = drawn()
    assert films.alike(one, one[::-1] // 2) > 0.99
    assert films.alike(one, other) < 0.2


def test_a_folder_without_any_film_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds none of the films"):
        films.collected(tmp_path, tmp_path / "small")


def test_a_file_that_is_no_video_is_left_out(tmp_path):
    path = tmp_path / "text.mp4"
    path.write_text("no video")
    assert films.small(str(path)) is None
    with pytest.raises(RawDataError):
        films.small_frames(str(path))


def test_clips_are_the_same_whenever_they_are_asked_for():
    later = next(iter(clips.dataset(drawn(), 2, seed=5, first=3)))
    every = list(clips.dataset(drawn(), 2, seed=5).take(4))
    np.testing.assert_array_equal(every[3], later)
    assert later.shape == (2, clips.CLIP_FRAMES, 32, 32, 1)
    assert 0 <= later.numpy().min() <= later.numpy().max() <= 1


@pytest.mark.slow
def test_numpy_computes_what_keras_does():
    model = training.untrained(0, 10)
    layers = [layer for part in (model.encoder, model.head) for layer in part.layers if layer.weights]
    shipped = rhythm_network.weights()
    for layer, name in zip(layers, rhythm_network.LAYERS, strict=True):
        layer.set_weights([shipped[f"{name}.kernel"], shipped[f"{name}.bias"]])
    windows = np.stack([frames[:64] for frames, _ in drawn()])
    expected = tf.nn.softmax(model.head(model.encode(windows[..., None]))).numpy()
    assert expected.max() > 0.5
    np.testing.assert_allclose(rhythm_network.told(windows), expected, atol=1e-4)


@pytest.mark.slow
def test_a_stopped_training_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "EPOCH", 2)

    def trained(folder, minutes):
        model, said = training.untrained(1, 4), []
        model.run_eagerly = True  # A graph takes longer than four steps.
        done = training.train(model, drawn(), folder, steps=4, minutes=minutes, batch_size=1, say=said.append)
        return done, training.weights_of(model), said

    whole, expected, _ = trained(tmp_path / "whole", 60)
    stopped, _, first = trained(tmp_path / "parts", 0)
    finished, found, second = trained(tmp_path / "parts", 60)
    assert (whole, stopped, finished) == (True, False, True)
    assert first[0].startswith("step 2")
    assert second[0].startswith("step 4")
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, atol=2e-3)
