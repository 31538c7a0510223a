"""Modules that are loaded by their first use, where few calls need them and all would wait for them."""

import importlib.util
import sys
import types


def loaded_later(name: str) -> types.ModuleType:
    """Returns a module of the top level that is loaded when something of it is first asked for.

    Raises:
        ModuleNotFoundError: there is none.
    Example:
        >>> loaded_later("colorsys").hsv_to_rgb(0.0, 0.0, 1.0)
        (1.0, 1.0, 1.0)
    """
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
