"""Every op of a training step has a kernel for GPUs: views, encoder, loss and gradient of every method."""

import keras
import pytest
import tensorflow as tf
from gpu_kernels import nodes_of, unfit

from simper_tf import methods
from simper_tf.encoders import small

METHODS = sorted(set(methods.__all__) - {"Method"})


@pytest.mark.parametrize("name", METHODS)
def test_views_loss_and_gradient_of_a_method_run_on_a_gpu_op_by_op(name):
    kind = getattr(methods, name)
    model = kind(small((None, None, 3), widths=(4,), outputs=2), kind.views_for(20, 3, (0.5, 2.0)))
    model.compile(keras.optimizers.SGD())
    batch = [tf.TensorSpec([4, 20 if kind.needs_labels else 40, 12, 10, 3], tf.uint8)]
    batch += [tf.TensorSpec([4])] * kind.needs_labels
    step = tf.function(lambda *batch: model.compute_gradients(model.draw(batch))).get_concrete_function(*batch)
    assert {"CropAndResize", "Conv3DBackpropFilterV2"} <= {node.op for node in nodes_of(step)}  # The walk saw the work.
    assert not unfit(step)
