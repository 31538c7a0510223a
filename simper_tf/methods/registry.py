"""Names of methods, by which settings, saved models and tables find them."""

import keras

from simper_tf.utils.options import explain

METHODS = {}


def register(name: str, *, title: str, reference: str):
    """Returns a decorator that adds a method to `METHODS`, makes Keras load it and tells its options in its help.

    Args:
        name: Key, which becomes the attribute `registered_name`.
        title: Name in tables and figures, which becomes the attribute `title`.
        reference: Authors, venue and address of the source, which becomes the attribute `reference`.

    Example:
        >>> @register("mine", title="Mine", reference="Unpublished")
        ... class Mine(simper_tf.SimPer):
        ...     pass
        >>> METHODS.pop("mine").title
        'Mine'
    """

    def add(kind):
        kind.registered_name, kind.title, kind.reference = name, title, reference
        METHODS[name] = keras.saving.register_keras_serializable("simper_tf")(kind)
        return explain(kind, kind.Options, kind.__init__)

    return add
