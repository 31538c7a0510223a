"""Floors of the package, where each imports only from those above it; and how tests are named."""

import ast
import functools
import graphlib
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
FLOORS = (
    "utils", "signals", "tables", "recordings", "encoders", "views", "losses", "evaluation", "methods", "data",
    "export", "reading", "training", "commands",
)  # fmt: skip
# What each part of the tree must not know.
FORBIDDEN = {
    "simper_tf": {"absl", "trainers", "reproduce", "datasets", "benchmarks"},
    "datasets": {"absl", "trainers", "reproduce", "benchmarks"},
    "trainers": {"reproduce", "benchmarks"},
    "reproduce": {"benchmarks"},
}


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def modules(part):
    return {name_of(path): path for path in (ROOT / part).rglob("*.py") if not path.stem.endswith("_test")}


@functools.cache
def imported(path):
    """Returns the names that a file imports, absolute, each with all that it may stand for."""
    package, names = path.relative_to(ROOT).parent.parts, []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join((*package[: len(package) + 1 - node.level], *filter(None, [node.module])))
            base = base if node.level else node.module
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return names


def floor_of(name):
    parts = name.split(".")
    return FLOORS.index(parts[1]) if parts[0] == "simper_tf" and len(parts) > 1 and parts[1] in FLOORS else None


@pytest.mark.parametrize("part", FORBIDDEN)
def test_no_part_imports_what_stands_below_it(part):
    for name, path in modules(part).items():
        wrong = {word.partition(".")[0] for word in imported(path)} & FORBIDDEN[part]
        assert not wrong, f"{name} imports {wrong}"


def test_the_package_has_its_floors_and_no_loose_module():
    package = ROOT / "simper_tf"
    assert {path.parent.name for path in package.glob("*/__init__.py")} <= set(FLOORS)
    assert [path.name for path in package.glob("*.py")] in (["__init__.py"], ["__init__.py", "__main__.py"])


def test_each_floor_imports_only_from_those_above_it():
    upwards = [
        (name, word) for name, path in modules("simper_tf").items() for word in imported(path)
        if None not in (floor_of(name), floor_of(word)) and floor_of(word) > floor_of(name)
    ]  # fmt: skip
    assert not upwards


def sentences(tree):
    """Yields the strings of a file that are no documentation, with x for what is filled in."""
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


def test_what_python_says_names_settings_and_no_flags():
    flag, shell = re.compile(r"[\s(]--[a-z]|^--[a-z]\w*(=\S*)? ."), re.compile(r"python -m |simper \w|tfds build")
    speak_of_flags = [
        (name, said) for name, path in modules("simper_tf").items() if not name.startswith("simper_tf.commands")
        for said in sentences(ast.parse(path.read_text())) if flag.search(shell.split(said)[0])
    ]  # fmt: skip
    assert not speak_of_flags


def test_modules_import_one_another_without_a_circle():
    known = modules("simper_tf")
    graph = {}
    for name, path in known.items():
        # A name that a package offers is that of the module it comes from, which the package imports.
        packages = {word for word in known if known[word].stem == "__init__"}
        used = {word for word in imported(path) if word in known and word != name}
        graph[name] = {word for word in used if word not in packages or not any(w.startswith(f"{word}.") for w in used)}
        graph[name] -= {word for word in packages if name.startswith(f"{word}.")}
    assert set(graphlib.TopologicalSorter(graph).static_order()) == set(known)


def test_films_and_series_are_read_without_one_another():
    shared, wrong = {"answer_units", "continued", "fitted", "intervals", "result"}, []
    for room in ("films", "series"):
        known = {f"simper_tf.reading.{name}" for name in (room, *shared)}
        for path in (ROOT / "simper_tf" / "reading" / room).glob("*.py"):
            used = {".".join(word.split(".")[:3]) for word in imported(path) if word.startswith("simper_tf.reading.")}
            wrong += [(path.name, name) for name in used - known]
    assert not wrong


def test_no_name_of_a_test_is_longer_than_60_letters():
    paths = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "datasets").rglob("*.py")]
    names = [name for path in paths for name in re.findall(r"^ *def (test_\w+)", path.read_text(), re.MULTILINE)]
    assert names
    assert not [name for name in names if len(name) > 60]
