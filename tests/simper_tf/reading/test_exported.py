"""An exported model as one more readout, made by the exporter of today."""

import shutil

import numpy as np
import pytest
import tensorflow as tf

from simper_tf import small1d
from simper_tf.encoders import ENCODERS
from simper_tf.export import saved_model
from simper_tf.reading import exported
from simper_tf.recordings import sources, windows
from simper_tf.signals import spectrum
from simper_tf.utils.errors import RawDataError

SHAPE = (16, 16, 1)


class Other(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None, None, *SHAPE], tf.uint8), tf.TensorSpec([None], tf.float32)])
    def answer(self, frames, rate):
        return {"frequency": rate, "features": tf.reduce_mean(tf.cast(frames, tf.float32), (2, 3, 4))}


def test_a_model_of_other_answers_is_refused_when_it_is_opened(tmp_path):
    module = Other()
    tf.saved_model.save(module, str(tmp_path / "1"), signatures=module.answer)
    with pytest.raises(ValueError, match=r"answers with features, frequency, without frequency_hz\. Name another"):
        exported.Exported(tmp_path)


@pytest.fixture(scope="module")
def of_few_frames(tmp_path_factory):
    """Returns the folder of an exported model that takes 50 frames at most."""
    folder = tmp_path_factory.mktemp("of_few_frames")
    saved_model.export_model(ENCODERS["small"](SHAPE), folder, SHAPE, (0.4, 5.5), max_frames=50)
    return folder


@pytest.mark.slow
def test_a_refusal_of_the_model_is_told_whole(of_few_frames, tmp_path):
    model = exported.Exported(of_few_frames)
    assert model.shape == (16, 16)
    window = windows.Window(0.0, np.zeros((60, *SHAPE), np.uint8), 30.0)
    with pytest.raises(RawDataError) as caught:
        model._answered(window)
    assert "50" in str(caught.value)
    assert "\n" not in str(caught.value)
    # By the name of the recording, once there is one.
    np.save(tmp_path / "frames.npy", np.zeros((60, *SHAPE), np.uint8))
    model.check(sources.open_file(tmp_path / "frames.npy", 30.0))
    with pytest.raises(RawDataError, match=r"frames\.npy: found a refusal of `model` .*or leave `model` out"):
        model._answered(window)


@pytest.mark.slow
@pytest.mark.parametrize(("clip_seconds", "expected"), [(7.5, 7.5), (None, 2.4 / 0.4), (1.0, 1.05 * 2 / 0.4)])
def test_a_model_is_asked_about_as_much_as_it_learned_from(tmp_path, clip_seconds, expected):
    facts = {"clip_seconds": clip_seconds} if clip_seconds else None
    saved_model.export_model(small1d((1, 1, 1)), tmp_path, (1, 1, 1), (0.4, 5.5), harmonic=1.0, facts=facts)
    assert exported.Exported(tmp_path).window() == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["saved_model.pb", "variables/variables.index", "variables/variables.data-00000-of-00001"]
)
def test_a_model_that_was_cut_off_is_refused_in_one_line(part, of_few_frames, tmp_path):
    version = shutil.copytree(of_few_frames / "1", tmp_path / "1")
    content = (version / part).read_bytes()
    for share in (0, 0.3, 0.8, 0.97):
        (version / part).write_bytes(content[: int(share * len(content))])
        with pytest.raises(ValueError, match=rf"^`model={tmp_path}` [^\n]*$"):
            exported.Exported(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "facts", "seen"), [(25.0, 44.0, 44.0), (88.0, 44.0, 44.0), (25.0, None, 25.0)])
def test_a_model_of_series_is_asked_at_its_training_rate(tmp_path, rate, facts, seen):
    facts = {"rates_trained_on": [facts, facts]} if facts else None
    saved_model.export_model(small1d((1, 1, 2)), tmp_path, (1, 1, 2), (0.4, 5.5), harmonic=1.0, facts=facts)
    model, asked = exported.Exported(tmp_path), {}
    answer = model._answer

    def noting(**inputs):
        asked.update(inputs)
        return answer(**inputs)

    model._answer = noting
    times = np.arange(round(6 * rate)) / rate
    frames = np.float32(np.sin(2 * np.pi * 1.25 * times[:, None] + [0, 1]))[:, None, None]
    hertz = model._answered(windows.Window(3.0, frames, rate))["frequency_hz"]
    assert asked["rate"].numpy() == seen
    shown = asked["frames"].numpy()[0, :, 0, 0]
    assert abs(len(shown) - 6 * seen) <= 1
    truth = np.sin(2 * np.pi * 1.25 * np.arange(len(shown))[:, None] / seen + [0, 1])
    np.testing.assert_allclose(shown[3:-3], truth[3:-3], atol=0.02)
    assert hertz == pytest.approx(1.25, abs=0.02)


def test_windows_whose_pixels_show_nothing_are_read_as_others():
    times = np.arange(80) / 20
    features = np.stack([np.sin(2 * np.pi * 2.0 * times)] * 4)
    bright = 128 + 100 * np.sin(2 * np.pi * 1.0 * times)[None, :, None, None, None] * np.ones((4, 1, 2, 2, 1))
    bright[2:] = 128
    pixels = spectrum.pixel_power(np.uint8(bright))
    model = exported.Exported.__new__(exported.Exported)
    model.band = (0.5, 3.0)
    answers = [{"features": features[k], "pixels": pixels[k], "rate": 20.0} for k in range(4)]
    np.testing.assert_allclose(model._together(answers), [1.0] * 4, atol=0.02)
    np.testing.assert_allclose(model._together(answers[2:]), [2.0] * 2, atol=0.02)
