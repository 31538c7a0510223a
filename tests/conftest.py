"""Every test starts from the same seeds, on the CPU alone."""

import collections
import gc
import os
import pathlib
import sys

# pytest puts this folder on the path, where `tests/simper_tf` would pass for the package under a bare `pytest`.
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["TFDS_DATA_DIR"] = f"{os.devnull}/none"  # What somebody has built there is none of a test's.
# Two processes of tests share two cores: threads of one that wait for those of the other take up to 70 times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")

import numpy as np
import pytest

# Folders of the checkout that belong to whoever works there.
THEIRS = tuple(f"{pathlib.Path(__file__).parents[1] / name}{os.sep}" for name in ("raw", "standin", "data", "runs"))


def _refuse_theirs(event, arguments):
    """Fails what opens or lists a file of somebody's: a test sees none but its own."""
    # A bare name may be relative to a folder that is open, of which the event does not tell.
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], str) and os.sep in arguments[0]:
        path = arguments[0] if arguments[0][0] == os.sep else str(pathlib.Path(arguments[0]).absolute())
        if f"{path}{os.sep}".startswith(THEIRS):
            raise AssertionError(f"A test reads {path}: tests see no files of {', '.join(THEIRS)}.")


sys.addaudithook(_refuse_theirs)


# Fixtures of tests that start processes, each of which loads TensorFlow.
PROCESSES = {"command", "worker", "journey", "training"}


def pytest_collection_modifyitems(items):
    """Puts long files first: of several processes none is left alone with one in the end."""
    slow = collections.Counter()
    for item in items:
        if item.get_closest_marker("slow"):
            slow[item.path] += 10 if PROCESSES & {*item.fixturenames} else 1
    items.sort(key=lambda item: -slow[item.path])


def pytest_collection_finish():
    """Leaves what the imports made out of garbage collections, each of which would look through all of TensorFlow."""
    gc.collect()
    gc.freeze()


def _seed(module):
    """Seeds Keras, and the `RNG` of a test module where there is one."""
    import keras

    keras.utils.set_random_seed(0)
    if hasattr(module, "RNG"):
        module.RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _same_seeds(request):
    """Lets a test draw alone what it draws in the suite."""
    _seed(request.module)


def pytest_fixture_setup(fixturedef, request):
    """Lets a fixture of a module or session draw the same, whichever test asks first."""
    if fixturedef.scope != "function":
        _seed(request.module if fixturedef.scope == "module" else None)


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Returns an encoder and the one exported version of it that all files ask, of frames of `swinging_bars`."""
    import importlib.util

    import keras

    from simper_tf import export_model, small

    keras.utils.set_random_seed(1)
    encoder, folder = small((None, None, 1), widths=(4, 4), outputs=1), tmp_path_factory.mktemp("secret_folder")
    facts, warm_up = {"method": "simper", "dataset": "µ"}, bool(importlib.util.find_spec("tensorflow_serving"))
    return encoder, export_model(encoder, folder, (12, 12, 1), (1.0, 5.0), unit="bpm", facts=facts, warm_up=warm_up)


@pytest.fixture(scope="session")
def loaded(exported):
    """Returns that version as Python loads it."""
    import tensorflow as tf

    return tf.saved_model.load(exported[1])


@pytest.fixture(scope="session")
def swinging_bars():
    """Returns six `(40, 12, 12, 1)` uint8 clips of a bar that swings sideways, at 20 frames per second, and its Hz."""
    frequencies = np.array([0.6, 1.0, 1.5, 2.1, 2.8, 3.5], np.float32)
    times, columns = np.arange(40) / 20, np.arange(12)
    phases = 2 * np.pi * (frequencies[:, None] * times + np.linspace(0, 1, 6)[:, None])
    centres = 5.5 + 3.5 * np.sin(phases)
    bars = np.exp(-0.5 * np.square((columns - centres[..., None]) / 1.2))
    clips = np.repeat(bars[:, :, None, :, None], 12, axis=2)
    return np.round(255 * clips).astype(np.uint8), frequencies
