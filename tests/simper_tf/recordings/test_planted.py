"""Faults planted in every stage of opening and decoding: each ends in one sentence that names the file."""

import os
import pathlib
import textwrap

import numpy as np
import pytest
from PIL import Image
from ramps import ramp, write

from simper_tf.reading import source_reader
from simper_tf.recordings import sources
from simper_tf.utils import worker
from simper_tf.utils.errors import RawDataError

STAGES = [
    ("a.mp4", "simper_tf.recordings.decoding", "Decoder.timed"),
    ("a.mp4", "simper_tf.recordings.probing", "_notes"),
    ("a.mp4", "simper_tf.recordings.decoding", "_small"),
    ("a.tif", "simper_tf.recordings.pictures", "_pages"),
    ("a.tif", "simper_tf.recordings.pictures", "_small"),
    ("a.csv", "simper_tf.tables.texts.delimited", "table_of"),
    ("a.csv", "simper_tf.tables.series_files", "normal"),
    ("a.npy", "simper_tf.tables.formats.array_files", "ArrayFile.part"),
]
FAULTS = {
    "raise ZeroDivisionError('planted')": r"\(.*(planted|ZeroDivisionError).*\)",
    "import os; os.abort()": r"damage or a size that ends its reader \(SIGABRT\)",
}
# Run by every Python before anything else.
PLANT = """
    import importlib
    def planted(*_, **__):
        {fault}
    *classes, name = "{function}".split(".")
    place = importlib.import_module("{module}")
    for one in classes:
        place = getattr(place, one)
    setattr(place, name, planted)
"""


def written(folder, name):
    """Returns a sound recording."""
    path = folder / name
    if name == "a.mp4":
        return write(path, ramp(20))
    if name == "a.tif":
        pages = [Image.fromarray(np.full((8, 8), 9 * k, np.uint8)) for k in range(9)]
        pages[0].save(path, save_all=True, append_images=pages[1:])
    elif name == "a.npy":
        np.save(path, np.sin(np.arange(50)))
    else:
        path.write_text("time,x\n" + "".join(f"{k / 10},{k % 7}\n" for k in range(50)))
    return path


@pytest.fixture(autouse=True)
def _other_workers():
    worker._end_all()
    worker._idle.clear()
    yield
    worker._end_all()
    worker._idle.clear()


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("name", "module", "function"), STAGES)
def test_a_fault_in_any_stage_is_one_sentence(tmp_path, monkeypatch, name, module, function, fault):
    path = written(tmp_path, name)
    code = textwrap.dedent(PLANT).format(module=module, function=function, fault=fault)
    (tmp_path / "sitecustomize.py").write_text(code)
    root = pathlib.Path(source_reader.__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(root)]))
    with pytest.raises(RawDataError, match=FAULTS[fault]) as told:
        source_reader.reading_of_source(sources.open_file(path, 10.0))
    assert str(told.value).startswith(f"{path}: found ")
    assert "\n" not in str(told.value)
