"""Check that Keras computes with TensorFlow: imported before anything that needs Keras."""

try:
    import keras
except ModuleNotFoundError as error:  # Keras loads its backend at once, and that may not be installed.
    if error.name == "keras":
        raise
    raise ImportError(
        f"Keras could not load its backend ({error}). simper_tf needs KERAS_BACKEND=tensorflow."
    ) from error

if keras.backend.backend() != "tensorflow":
    raise ImportError(
        f"simper_tf computes with TensorFlow, but Keras is set to the backend {keras.backend.backend()!r}. Set the "
        "environment variable KERAS_BACKEND=tensorflow, or change ~/.keras/keras.json, and start Python again."
    )
