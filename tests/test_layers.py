"""Which module imports which: no circles, and nothing imports what stands below it."""

import ast
import graphlib
import pathlib

ROOT = pathlib.Path(__file__).parents[1]
# What each part of the tree must not know.
FORBIDDEN = {
    "simper_tf": {"absl", "trainers", "datasets", "benchmarks"},
    "datasets": {"absl", "trainers", "benchmarks"},
    "trainers": {"benchmarks"},
}


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def modules(part):
    return {name_of(path): path for path in (ROOT / part).rglob("*.py") if not path.stem.endswith("_test")}


def imported(path):
    """Yields the names that a file imports, absolute, each with all that it may stand for."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join((*package[: len(package) + 1 - node.level], *filter(None, [node.module])))
            base = base if node.level else node.module
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def test_no_part_imports_what_stands_below_it():
    for part, below in FORBIDDEN.items():
        for name, path in modules(part).items():
            found = {word.partition(".")[0] for word in imported(path)} & below
            assert not found, f"{name} imports {found}"


def test_modules_import_one_another_without_a_circle():
    known = modules("simper_tf")
    graph = {}
    for name, path in known.items():
        # A name that a package offers is that of the module it comes from, which the package imports.
        packages = {word for word in known if known[word].stem == "__init__"}
        used = {word for word in imported(path) if word in known and word != name}
        graph[name] = {word for word in used if word not in packages or not any(w.startswith(f"{word}.") for w in used)}
        graph[name] -= {word for word in packages if name.startswith(f"{word}.")}
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert set(order) == set(known)
    assert order.index("simper_tf.spectrum") < order.index("simper_tf.views") < order.index("simper_tf.methods.simper")
    assert order.index("simper_tf.tasks") < order.index("simper_tf.protocols") < order.index("simper_tf.experiment")
