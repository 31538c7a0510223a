"""Names, loading and requirements of `import simper_tf`; each in a process of its own where something is loaded."""

import ast
import importlib
import importlib.metadata
import inspect
import json
import pathlib
import pkgutil
import re
import subprocess
import sys
import tomllib

import numpy as np
import pytest

import datasets
import simper_tf

ROOT = pathlib.Path(__file__).parents[1]
# What looks at data sets that TFDS has built.
NEEDING_TENSORFLOW = {"tfds_builders", "tfds_features"}
HEAVY = ("tensorflow", "keras", "numpy", "scipy", "cv2", "sklearn", "matplotlib", "tensorflow_datasets")
WITHOUT = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Nothing())
"""
# As in an environment without the extra `train`.
HIDDEN = """
import sys

for name in ("tensorflow", "keras", "tensorflow_datasets", "sklearn", "absl", "tensorboard", "apache_beam"):
    sys.modules[name] = None
"""
# Modules of the floors that read which need it: trained encoders, and what floors that learn share.
LEARNING = {f"simper_tf.{name}" for name in (
    "reading.exported", "utils.backend", "utils.clips", "utils.replicas", "utils.standardize",
    "utils.units",
)}  # fmt: skip
CORE = """
import numpy as np
import keras
from simper_tf import SimPer, SpeedSets, Views, export_model, fft_frequency, generalized_info_nce, small
from simper_tf import label_distribution, max_cross_correlation, nearest_neighbor
clips = np.random.default_rng(0).integers(0, 256, (2, 24, 6, 6, 1), np.uint8)
model = SimPer(small(clips.shape[2:], widths=(4,), outputs=1), Views(12, SpeedSets(2)))
model.compile(keras.optimizers.Adam())
loss = model.fit(clips, verbose=0).history["loss"][0]
features = model.encode(clips)
scores = max_cross_correlation(features[None], features[None])
print(np.isfinite(loss), fft_frequency(features, 10.0, (0.5, 4.0))[0].shape, scores.shape)
"""


def run(code, **settings):
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, **settings
    )


def said(code):
    """Returns what a program prints, which must end well."""
    found = run(code)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def requirements():
    """Returns the names of required distributions by extra; those of the package itself under None."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = {None: project["dependencies"], **project["optional-dependencies"]}
    return {extra: {re.match(r"[\w-]+", word)[0] for word in words} for extra, words in listed.items()}


def test_the_package_loads_nothing_heavy():
    assert said(f"import sys, simper_tf; print([name for name in {HEAVY} if name in sys.modules])") == "[]"


def test_completion_shows_every_name_and_every_module():
    shown = dir(simper_tf)
    modules = {module.name for module in pkgutil.iter_modules(simper_tf.__path__)} - {"__main__"}
    assert {"SimPer", "Views", "__version__", "encoders", "methods", "signals"} <= set(shown)
    assert shown == sorted(set(shown))
    assert {name for name in shown if not name.startswith("__")} == modules | set(simper_tf.__all__)


@pytest.mark.parametrize("name", simper_tf.__all__)
def test_a_name_is_the_one_of_its_module(name):
    found = getattr(simper_tf, name)
    assert found.__name__ == name
    assert getattr(importlib.import_module(found.__module__), name) is found


@pytest.mark.slow
def test_modules_are_loaded_when_they_are_asked_for():
    code = (
        "import sys, simper_tf; print(simper_tf.methods.MoCo.__name__, simper_tf.encoders.ENCODERS['small'].__name__)"
    )
    assert said(code) == "MoCo small"


def test_what_is_not_there_is_refused_by_name():
    with pytest.raises(AttributeError, match="module 'simper_tf' has no attribute 'Simper'"):
        simper_tf.Simper  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Simper'"):
        from simper_tf import Simper  # noqa: F401


def test_editors_are_told_of_the_same_names():
    stub = ast.parse((ROOT / "simper_tf" / "__init__.pyi").read_text())
    told = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    modules = {module.name for module in pkgutil.iter_modules(simper_tf.__path__)} - {"__main__"}
    assert told == set(simper_tf.__all__) | modules


def hinted(name):
    """Yields what users call of a public name: the function, or the class's own methods that are not private."""
    public = getattr(simper_tf, name)
    if not inspect.isclass(public):
        yield public
        return
    for word in dir(public):
        method = getattr(public, word)
        if inspect.isfunction(method) and method.__module__.startswith("simper_tf") and word[0] != "_":
            yield method


@pytest.mark.parametrize("name", simper_tf.__all__)
def test_every_argument_of_a_public_name_has_a_type(name):
    for function in hinted(name):
        signature = inspect.signature(function)
        free = [
            given.name for given in signature.parameters.values()
            if given.annotation is given.empty and given.name not in ("self", "args", "kwargs", "given")
        ]  # fmt: skip
        assert (function.__qualname__, free) == (function.__qualname__, [])
        assert signature.return_annotation is not signature.empty, function.__qualname__


@pytest.mark.slow
def test_predict_starts_without_what_only_some_recordings_need():
    names = {"tensorflow", "keras", "tensorflow_datasets", "pandas", "matplotlib"}
    said("\n".join([WITHOUT.format(names=names), "import simper_tf.commands.predict"]))


@pytest.mark.slow
def test_a_recording_is_read_without_figures_or_tables():
    code = 'import simper_tf; print(simper_tf.read("simper_tf/commands/sample.mp4").count)'
    assert said("\n".join([WITHOUT.format(names={"pandas", "matplotlib"}), code])) == "9"


@pytest.mark.slow
def test_a_series_is_drawn_without_what_films_and_figures_need(tmp_path):
    (tmp_path / "breath.csv").write_text("time,x\n" + "".join(f"{at / 10},{at % 13}\n" for at in range(200)))
    words = ["predict", str(tmp_path / "breath.csv"), f"--out={tmp_path / 'out'}"]
    heavy = {"av", "matplotlib", "pandas", "scipy", "simper_tf.reading.films.film_reader", "tensorflow"}
    code = f"import sys; from simper_tf.commands import main; main.main({words!r}); print({heavy!r} & {{*sys.modules}})"
    assert said(code).splitlines()[-1] == "set()"
    assert len([*(tmp_path / "out").glob("*.png")]) == 1


@pytest.mark.slow
def test_every_module_that_reads_loads_without_what_learns():
    floors = ("utils", "tables", "recordings", "reading", "commands")
    names = [
        module.name for floor in floors
        for module in pkgutil.walk_packages(getattr(simper_tf, floor).__path__, f"simper_tf.{floor}.")
    ]  # fmt: skip
    reading = [name for name in names if name not in LEARNING]
    assert len(reading) > 60
    assert set(names) >= LEARNING
    said(HIDDEN + "\n".join(f"import {name}" for name in reading))


def test_what_reading_loads_at_once_is_what_the_package_asks_for():
    known = importlib.metadata.packages_distributions()
    loaded = {}
    for floor in ("utils", "tables", "recordings", "reading", "commands"):
        for path in (ROOT / "simper_tf" / floor).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            nodes = [] if name in LEARNING else ast.parse(path.read_text()).body
            modules = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
            modules += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
            loaded |= {module.partition(".")[0]: name for module in modules}
    others = {module: name for module, name in loaded.items() if module not in sys.stdlib_module_names}
    assert {"numpy", "cv2", "av", "threadpoolctl"} <= {*others}
    listed = {name.lower() for name in requirements()[None]} | {"simper-tf", "simper_tf"}
    assert not {module: name for module, name in others.items() if not {one.lower() for one in known[module]} & listed}


@pytest.mark.slow
def test_a_film_and_a_series_are_read_without_what_learns(tmp_path):
    times = np.arange(0, 12, 0.02)
    pathlib.Path(tmp_path, "a.csv").write_text("t\n" + "\n".join(map(str, np.sin(2 * np.pi * 0.7 * times))))
    code = f"""
import simper_tf
from simper_tf.commands import main
print(simper_tf.read("simper_tf/commands/sample.mp4").count)
print(round(simper_tf.read({str(tmp_path / "a.csv")!r}, rate=50).hertz, 2))
print(main.main(["predict", {str(tmp_path / "a.csv")!r}, "--rate=50", "--out={tmp_path}/out"]))
print(main.main(["demo", "--out={tmp_path}/demo"]))
print([name for name in sys.modules if name == "scipy"])
"""
    lines = said(HIDDEN + code).splitlines()
    assert lines[:2] == ["9", "0.7"]
    assert [line for line in lines if line in ("0", "None")] == ["0", "None"]
    assert lines[-1] == "[]"  # SciPy alone would take longer to load than both take to read.
    assert (tmp_path / "demo" / "annotated.mp4").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import simper_tf; simper_tf.SimPer", "keras is"),
        ("import simper_tf; simper_tf.evaluate", "keras is"),
        ("import trainers.pretrain", "tensorflow, keras are"),
        ("from simper_tf.commands import main; main.main(['train', 'a.mp4'])", "tensorflow, keras are"),
    ],
)
def test_what_learns_says_in_a_line_what_to_install(code, names):
    found = run(HIDDEN + code)
    last = found.stderr.strip().splitlines()[-1]
    assert found.returncode != 0
    end = f"{names} not installed. Install the extra: pip install '.[train]' in the folder of the checkout."
    assert last.endswith(end)


@pytest.mark.slow
def test_scores_of_a_run_are_told_without_what_learns(tmp_path):
    row = {
        "dataset": "digits", "config": "", "method": "simper", "encoder": "small", "protocol": "fft", "metric": "mae",
        "value": 0.25, "unit": "Hz", "low": 0.2, "high": 0.3, "n": 9, "split": "test", "seed": 0, "commit": "",
        "seconds": 1.0,
    }  # fmt: skip
    (tmp_path / "flags.cfg").write_text("")
    (tmp_path / "results.jsonl").write_text(json.dumps(row) + "\n")
    code = f"from simper_tf.commands import main; main.main(['evaluate', {str(tmp_path)!r}])"
    assert "0.25 [0.2, 0.3]" in said(HIDDEN + code)


@pytest.mark.slow
def test_raw_files_are_read_without_tensorflow():
    shared = {module.name for module in pkgutil.iter_modules(simper_tf.recordings.__path__)} - NEEDING_TENSORFLOW
    lines = [f"import simper_tf.recordings.{name}" for name in sorted(shared)]
    lines += [f"import datasets.{name}.reader" for name in datasets.names("reader")]
    assert len(lines) > 10
    said("\n".join([WITHOUT.format(names={"tensorflow", "keras", "tensorflow_datasets"}), *lines]))


@pytest.mark.slow
def test_views_loss_and_method_work_with_the_core_alone():
    others = {
        "absl.flags",
        "apache_beam",
        "cv2",
        "h5netcdf",
        "matplotlib",
        "sklearn",
        "tensorboard",
        "tensorflow_datasets",
    }
    assert said(WITHOUT.format(names=others) + CORE) == "True (2,) (1, 2, 2)"


@pytest.mark.slow
def test_a_saved_encoder_loads_once_any_name_was_asked_for(tmp_path):
    encoder = simper_tf.encoders.ts_can((10, 10, 3))
    encoder.save(tmp_path / "encoder.keras")
    shape = said(
        "import keras, simper_tf; simper_tf.Views; "
        f"print(keras.models.load_model({str(tmp_path / 'encoder.keras')!r}).output_shape)"
    )
    assert shape == "(None, None)"


def test_the_version_is_written_once_and_named_alike_elsewhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "simper_tf.__version__"}
    assert f"\nversion: {simper_tf.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## [{simper_tf.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_what_reads_asks_for_nothing_that_learns():
    listed = requirements()
    learning = {"tensorflow", "keras", "tensorflow-datasets", "absl-py", "scikit-learn"}
    assert learning <= listed["train"]
    assert not (listed[None] | listed["app"]) & learning
    assert {"numpy", "scipy", "av", "matplotlib"} <= listed[None]


def test_every_required_distribution_has_an_exact_version():
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}
    asked = set().union(*(names for extra, names in requirements().items() if extra != "addons"))
    assert asked - {"simper-tf"} <= pinned


def test_no_two_modules_of_the_package_have_one_name():
    names = [path.stem for path in (ROOT / "simper_tf").rglob("*.py") if not path.stem.startswith("__")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


@pytest.mark.parametrize("part", ["simper_tf", "trainers", "reproduce", "datasets", "benchmarks", "tests"])
def test_no_file_is_longer_than_350_lines(part):
    sizes = {path.name: len(path.read_text().splitlines()) for path in (ROOT / part).rglob("*.py")}
    assert {name: size for name, size in sizes.items() if size > 350} == {}
