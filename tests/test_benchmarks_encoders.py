"""Plain copies of encoders compute the same, and memory is what flagfiles state."""

import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from benchmarks import encoders, step_memory
from simper_tf.encoders import ENCODERS
from simper_tf.encoders.norms import BatchNorm


def small_model(norm, rate=0.5):
    clips = keras.Input((None, 8, 8, 1))
    x = layers.Dropout(rate)(norm(layers.Conv3D(3, (3, 3, 3))(clips)))
    return keras.Model(clips, keras.ops.mean(x, axis=(2, 3)))


@pytest.mark.slow
# The largest, of the same layers, are checked when they are measured.
@pytest.mark.parametrize(
    "name", sorted(set(ENCODERS) - {"cells", "frame_mean", "physnet_sinc", "repnet", "resnet3d18"})
)
def test_the_plain_copy_of_an_encoder_takes_the_same_step(name):
    encoder = ENCODERS[name]((12, 12, 3))
    if encoders.differs(encoder):
        encoders.check(name)
    copy = encoders.plain(encoder)
    assert not [layer for layer in copy._flatten_layers() if type(layer) in encoders.SWAPS]
    assert encoders.differs(encoder) == (name not in ("cnn3d_domainbed", "linear", "small1d"))
    assert copy.count_params() == encoder.count_params()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda model: setattr(model.layers[2], "momentum", 0.5), "moving_mean of the two encoders differ by"),
        (lambda model: setattr(model.layers[2], "epsilon", 0.1), "features of the two encoders differ by"),
    ],
)
def test_encoders_that_differ_are_refused_with_what_differs(spoil, message):
    encoder, clips = small_model(BatchNorm()), tf.random.uniform([2, 8, 8, 8, 1])
    copy = encoders.plain(encoder)
    encoders.check_same(encoder, copy, clips)
    encoder = small_model(BatchNorm())
    copy = encoders.plain(encoder)
    spoil(copy)
    with pytest.raises(ValueError, match=message):
        encoders.check_same(encoder, copy, clips)


@pytest.mark.slow
def test_a_smooth_copy_has_no_relu_and_the_same_weights():
    encoder = ENCODERS["cnn3d_domainbed"]((12, 12, 1))
    copy = encoders.smooth(encoder)
    assert {layer.activation.__name__ for layer in copy.layers if isinstance(layer, layers.Conv3D)} == {"softplus"}
    assert not [
        layer for layer in encoders.smooth(ENCODERS["cnn3d"]((8, 8, 1))).layers if isinstance(layer, layers.ReLU)
    ]
    for mine, other in zip(encoder.get_weights(), copy.get_weights(), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_every_learning_encoder_has_a_time_and_a_memory_row():
    learning = set(ENCODERS) - {"cells", "frame_mean"}
    assert set(encoders.SIZES) == set(step_memory.SIZES) == learning


@pytest.mark.slow
def test_micro_batches_share_the_memory_of_a_step():
    together, shared = (step_memory.step_gib("small", (28, 28, 1), 100, 48, micro_batch) for micro_batch in (0, 1))
    assert shared < together / 2


def test_what_a_flagfile_states_is_read_across_lines(tmp_path):
    path = tmp_path / "some.cfg"
    path.write_text("# A clip needs about\n# 25 GB; others about 1.5 GB.\n--epochs=1\n")
    assert step_memory.stated(path) == "25, 1.5"


def test_flagfiles_state_what_was_measured():
    text = (pathlib.Path(__file__).parents[1] / "docs" / "scaling.md").read_text()
    table = text.split("| flagfile | encoder |")[1].split("<!--")[0]
    lines = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()[2:]]
    measured = {name: value for name, _, _, _, value, _ in lines}
    assert measured == {name: step_memory.stated(f"flags/{name}.cfg") for name in step_memory.FLAGFILES}


@pytest.mark.slow
def test_outputs_of_all_layers_are_counted_as_in_the_table():
    frame_shape, num_frames = step_memory.FLAGFILES["rotating_digits"]
    assert step_memory.gb_by_count("cnn3d", frame_shape, num_frames, 20) == pytest.approx(1.5, rel=0.03)
