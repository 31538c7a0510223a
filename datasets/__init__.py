"""Data sets, one folder each: a TFDS builder (`tfds build datasets/<name>`) and all that goes with it.

A folder `<name>` holds `<name>_dataset_builder.py` and, where they make sense, `reader.py` with a function `checkup`
for `trainers.validate` and `standin.py` with a function `write` for `trainers.standin`. Nothing lists the names.
"""

import importlib
import pathlib
import types


def names(part: str = "builder") -> list[str]:
    """Returns the sorted names of data sets that have a part: `builder`, or a module such as `reader` or `standin`."""
    folders = [path.parent for root in __path__ for path in pathlib.Path(root).glob("*/*_dataset_builder.py")]
    return sorted(folder.name for folder in folders if (folder / f"{_file(folder.name, part)}.py").exists())


def module(name: str, part: str = "builder") -> types.ModuleType:
    """Returns a module of a data set, imported; a ValueError where there is no such data set, or no such part."""
    if name not in names():
        raise ValueError(f"there is no data set {name!r}. There are: {', '.join(names())}.")
    if name not in names(part):
        raise ValueError(f"{name} has no {part}. Those that have one: {', '.join(names(part))}.")
    return importlib.import_module(f"datasets.{name}.{_file(name, part)}")


def _file(name, part):
    return f"{name}_dataset_builder" if part == "builder" else part
