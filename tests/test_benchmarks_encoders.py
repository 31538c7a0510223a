"""What encoders are measured against computes the same, and what is counted is what a step does."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from benchmarks import arithmetic, encoders, plain, step_memory, steps
from simper_tf.encoders import ENCODERS
from simper_tf.encoders.norms import BatchNorm


def small_model(norm, rate=0.5):
    clips = keras.Input((None, 8, 8, 1))
    x = layers.Dropout(rate)(norm(layers.Conv3D(3, (3, 3, 3))(clips)))
    return keras.Model(clips, keras.ops.mean(x, axis=(2, 3)))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(ENCODERS) - {"frame_mean"}))
def test_the_plain_copy_of_an_encoder_takes_the_same_step_in_plain_layers(name):
    encoders.check(name)
    encoder = ENCODERS[name]((12, 12, 3))
    copy = plain.plain(encoder)
    assert not [layer for layer in copy._flatten_layers() if type(layer) in plain.SWAPS]
    assert plain.differs(encoder) == (name not in ("cnn3d_domainbed", "small", "small1d"))
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
    copy = plain.plain(encoder)
    plain.check_same(encoder, copy, clips)
    encoder = small_model(BatchNorm())
    copy = plain.plain(encoder)
    spoil(copy)
    with pytest.raises(ValueError, match=message):
        plain.check_same(encoder, copy, clips)


def test_a_smooth_copy_has_no_relu_and_the_same_weights():
    encoder = ENCODERS["cnn3d_domainbed"]((12, 12, 1))
    copy = plain.smooth(encoder)
    assert {layer.activation.__name__ for layer in copy.layers if isinstance(layer, layers.Conv3D)} == {"softplus"}
    assert not [layer for layer in plain.smooth(ENCODERS["cnn3d"]((8, 8, 1))).layers if isinstance(layer, layers.ReLU)]
    for mine, other in zip(encoder.get_weights(), copy.get_weights(), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_the_operations_of_a_step_are_those_of_its_shapes():
    clips = keras.Input((6, 8, 8, 2))
    x = layers.Conv3D(5, (3, 3, 3), (1, 2, 2), padding="same")(clips)
    x = layers.Conv3D(4, (1, 3, 3), use_bias=False)(x)
    model = keras.Model(clips, layers.Dense(7)(layers.Flatten()(x)))
    step = plain.gradient_step(model, tf.random.uniform([3, 6, 8, 8, 2]))
    first, second = 3 * (6 * 4 * 4 * 5) * (27 * 2), 3 * (6 * 2 * 2 * 4) * (9 * 5)
    dense = 3 * 7 * (6 * 2 * 2 * 4)
    # Forward, gradient of the weights, and gradient of the inputs, of which the clips have none.
    assert arithmetic.step_flops(step) == 2 * (2 * first + 3 * second + 3 * dense)


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        ("cnn3d_1/conv3d_1/BiasAdd:_MklNativeFusedConv3D", "convolution"),
        ("gradient_tape/cnn3d_1/conv3d_1/BiasAdd/BiasAddGrad:BiasAddGrad", "convolution"),
        ("gradient_tape/cnn3d_1/conv3d/Relu:ReluGrad", "activation"),
        ("gradient_tape/cnn3d_1/batch_norm_1/moments/Tile:Tile", "norm"),
        ("cnn3d_1/group_normalization/add:AddV2", "norm"),
        ("gradient_tape/cnn3d_1/max_pooling3d_1/MaxPool3DGrad:_MklNativeMaxPool3DGrad", "pooling"),
        ("small_1/dense_1/Tensordot/MatMul:MatMul", "dense"),
        ("ts_can_1/temporal_shift_1/concat:ConcatV2", "shift"),
        ("AddN_5:AddN", "other"),
    ],
)
def test_an_op_is_of_the_kind_of_its_layer(op, kind):
    assert arithmetic.kind_of(op) == kind


def test_each_moment_is_shared_out_among_what_runs_in_it():
    spans = [(0.0, 4.0, "convolution"), (2.0, 4.0, "norm"), (6.0, 7.0, "norm"), (7.0, 10.0, "convolution")]
    found = arithmetic.shared_out(spans)
    assert (found["convolution"], found["norm"]) == (pytest.approx(0.6), pytest.approx(0.2))
    assert found["other"] == pytest.approx(0.2)
    assert sum(found.values()) == pytest.approx(1)


def test_the_profile_of_a_step_is_of_its_layers():
    model = small_model(BatchNorm(), rate=0.0)
    found = arithmetic.shares(plain.gradient_step(model, tf.random.uniform([2, 8, 8, 8, 1])))
    assert list(found) == [*arithmetic.KINDS, "other"]
    assert sum(found.values()) == pytest.approx(1)
    assert found["convolution"] > 0
    assert found["norm"] > 0
    assert found["pooling"] == found["shift"] == 0


@pytest.mark.slow
def test_the_page_has_a_line_for_each_size_and_a_cell_for_each_column(monkeypatch):
    monkeypatch.setitem(encoders.SIZES, "cnn3d", ((8, 8, 8, 1), (1, 2)))
    text = encoders.document(1e11, list(encoders.measured("cnn3d", 1e11)))
    header, _, *lines = [line.split(" | ") for line in text.splitlines() if line.startswith("|")]
    assert [line[1] for line in lines] == ["1 x 8 x 8 x 8 x 1", "2 x 8 x 8 x 8 x 1"]
    assert {len(header)} == {len(line) for line in lines}


def test_every_learning_encoder_has_a_row_of_time_and_one_of_memory():
    learning = set(ENCODERS) - {"frame_mean"}
    assert set(encoders.SIZES) == set(step_memory.SIZES) == learning


@pytest.mark.slow
def test_memory_grows_with_the_batch_unless_micro_batches_share_it():
    few, many, shared = (step_memory.step_gib("small", (28, 28, 1), 400, *sizes) for sizes in ((1,), (8,), (8, 1)))
    assert many > 2 * few
    assert shared < many / 2


def test_what_a_flagfile_states_is_found_wherever_its_lines_break(tmp_path):
    path = tmp_path / "some.cfg"
    path.write_text("# A clip needs about\n# 25 GB; others about 1.5 GB.\n--epochs=1\n")
    assert step_memory.stated(path) == "25, 1.5"


def test_flagfiles_state_what_the_outputs_of_all_layers_take():
    for name, (frame_shape, num_frames) in step_memory.FLAGFILES.items():
        settings = steps.settings_of(f"flags/{name}.cfg")
        counted = step_memory.gb_by_count(settings.encoder, frame_shape, num_frames, 2 * settings.num_views)
        assert float(step_memory.stated(f"flags/{name}.cfg")) == pytest.approx(counted, rel=0.03), name
