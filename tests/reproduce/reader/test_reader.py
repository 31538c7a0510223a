"""From films to weights, on films drawn here."""

import csv
import shutil

import numpy as np
import pytest
import tensorflow_datasets as tfds

from benchmarks.films import UNSEEN
from reproduce.reader import __main__ as command
from reproduce.reader import training
from reproduce.reader.public_films import films, public_films_dataset_builder, standin
from simper_tf.data import film_stretches
from simper_tf.reading.films import rhythm_network
from simper_tf.utils.errors import RawDataError

LICENSES = {
    "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "MPL-2.0", "ISC",
    "Unlicense",
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


def test_a_film_is_like_its_own_copy_and_unlike_another():
    (one, _), (other, _), _ = drawn()
    own, copy, another = (films.signature(frames) for frames in (one, one[::-1] // 2, other))
    assert films.alike(own, copy) > 0.99
    assert films.alike(own, another) < 0.2


def test_a_folder_without_any_film_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"holds none of the films of films\.csv, at owner"):
        public_films_dataset_builder.training_films(tmp_path, tmp_path / "data")
    assert not (tmp_path / "data").exists()


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    return folder, standin.write(folder, number=4, seconds=3.0)


@pytest.mark.slow
def test_each_film_is_in_the_data_set_once(raw, tmp_path):
    folder, truth = raw
    shutil.copytree(folder, tmp_path / "raw")
    damaged = max(path for path in (tmp_path / "raw").rglob("*.mp4"))
    damaged.write_bytes(damaged.read_bytes()[:100])
    builder = public_films_dataset_builder.Builder(data_dir=tmp_path / "data")
    config = tfds.download.DownloadConfig(manual_dir=tmp_path / "raw")
    builder.download_and_prepare(download_config=config)
    expected = {film for film in truth if films.raw_path(tmp_path / "raw", film) != damaged}
    names = {f"{film.repository}@{film.commit}/{film.path}": film for film in expected}
    for example in tfds.as_numpy(builder.as_dataset(split="train")):
        film = names.pop(example["id"].decode())
        assert example["film"].shape == (75, 32, 32)
        assert example["rate"] == pytest.approx(25, rel=1e-3)
        assert (example["subject"].decode(), example["license"].decode()) == (film.repository, film.license)
        across = (example["film"] - 60.0).clip(0).sum(1) @ np.arange(32.0)
        power = np.abs(np.fft.rfft(across - across.mean(), 2000)) ** 2
        assert power.argmax() / 2000 * 25 == pytest.approx(truth[film], abs=0.1)
    assert not names


@pytest.mark.slow
def test_the_command_trains_on_drawn_films_and_writes_weights(raw, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(training, "EPOCH", 1)
    words = [f"--films={raw[0]}", f"--work={tmp_path}", "--steps=2", "--batch_size=1", "--minutes=0"]
    monkeypatch.setattr("sys.argv", ["reader", *words])
    for said in ("Time is over; the same command goes on.", "weights.npz is written."):
        command.main()
        assert said in capsys.readouterr().out
    with np.load(tmp_path / "weights.npz") as written:
        assert {name: written[name].shape for name in written} == {
            name: value.shape for name, value in rhythm_network.weights().items()
        }


def test_a_file_that_is_no_video_is_left_out(tmp_path):
    path = tmp_path / "text.mp4"
    path.write_text("no video")
    assert films.small(str(path)) is None
    with pytest.raises(RawDataError):
        films.small_frames(str(path))


def test_clips_are_the_same_whenever_they_are_asked_for():
    later = next(iter(film_stretches.dataset(drawn(), 2, seed=5, first=3)))
    every = list(film_stretches.dataset(drawn(), 2, seed=5).take(4))
    np.testing.assert_array_equal(every[3], later)
    assert later.shape == (2, film_stretches.CLIP_FRAMES, 32, 32, 1)
    assert 0 <= later.numpy().min() <= later.numpy().max() <= 1


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
