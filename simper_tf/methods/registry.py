"""The methods of this package by name. A new method registers itself and is imported in `methods/__init__.py`."""

import inspect

import keras

from simper_tf.utils.options import constructors

METHODS = {}


def register(name: str, *, title: str, reference: str):
    """Returns a decorator that adds a method to `METHODS` and makes it one that Keras can load.

    Args:
        name: Key, which becomes the attribute `registered_name`.
        title: Name in print, in tables and figures, which becomes the attribute `title`.
        reference: Authors, venue and address of the source, which becomes the attribute `reference`.
    """

    def add(kind):
        kind.registered_name, kind.title, kind.reference = name, title, reference
        METHODS[name] = keras.saving.register_keras_serializable("simper_tf")(kind)
        return kind

    return add


def arguments_of(kind) -> dict[str, inspect.Parameter]:
    """Returns the keyword-only arguments of a method and of its bases but for the seed, by name."""
    found = [p for each in constructors(kind) for p in inspect.signature(each.__init__).parameters.values()]
    # Keras's own have no type.
    return {p.name: p for p in found if p.kind is p.KEYWORD_ONLY and p.annotation is not p.empty and p.name != "seed"}
