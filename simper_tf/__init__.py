"""Self-supervised learning of periodic targets: SimPer in TensorFlow and Keras."""

import keras

if keras.backend.backend() != "tensorflow":
    raise ImportError(
        f"simper_tf computes with TensorFlow, but Keras is set to the backend {keras.backend.backend()!r}. Set the "
        "environment variable KERAS_BACKEND=tensorflow, or change ~/.keras/keras.json, and start Python again."
    )
