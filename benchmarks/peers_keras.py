"""Our side of `benchmarks.peers`: leaves weights, clips and outputs in the folder, then takes turns."""

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import keras
import numpy as np
import tensorflow as tf

from benchmarks import peers
from benchmarks.plain import gradient_step
from simper_tf.encoders import ENCODERS


def main():
    """Serves the encoder that `sys.argv` names."""
    name, folder = peers.arguments()
    keras.utils.set_random_seed(0)
    encoder = ENCODERS[name](peers.SIZES[name][2:])
    clips = tf.random.uniform(peers.SIZES[name])
    write(encoder, clips, folder)
    forward = tf.function(lambda: encoder(clips, training=True), autograph=False)
    inference = tf.function(lambda: encoder(clips, training=False), autograph=False)
    both = gradient_step(encoder, clips)
    calls = {("forward", "keras"): forward, ("forward and backward", "keras"): both, ("inference", "keras"): inference}
    peers.take_turns(calls, {"TensorFlow": tf.__version__, "Keras": keras.__version__})


def write(encoder, clips, folder):
    """Writes `weights.npz`, in the order of the encoder's, with the `clips`; and its outputs, `keras.npz`."""
    weights = {f"weight_{k:03}": value for k, value in enumerate(encoder.get_weights())}
    np.savez(folder / "weights.npz", clips=clips, **weights)
    inference = encoder(clips, training=False)  # First: training moves the averages.
    np.savez(folder / "keras.npz", training=encoder(clips, training=True), inference=inference)
    encoder.set_weights(list(weights.values()))


if __name__ == "__main__":
    main()
