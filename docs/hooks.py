"""Pages made for the site: results, all flags and options, and reference for every public name and module."""

import ast
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).parents[1]
PACKAGE = ROOT / "simper_tf"


def modules():
    """Returns the dotted names of all public modules and packages, the package itself first."""
    paths = {path.relative_to(ROOT) for path in PACKAGE.rglob("*.py")}
    names = {path.parent if path.name == "__init__.py" else path.with_suffix("") for path in paths}
    return sorted(".".join(name.parts) for name in names if not any(part.startswith("_") for part in name.parts))


def api():
    """Returns the page of the public names, each with its line, and of all modules."""
    import simper_tf

    homes = [(name, *home_of(f"simper_tf.{home}", name)) for home, names in simper_tf._HOMES.items() for name in names]
    names = [f"* [`simper_tf.{name}`]({page(home)}#{home}.{name}): {line}" for name, home, line in sorted(homes)]
    others = [f"* [`{name}`]({page(name)}): {first_line(ast.parse(source_of(name)))}" for name in modules()]
    lines = ["# API", "The names that most users need:", "\n".join(names)]
    lines += ["[All flags and options](flags.md) of the commands.", "## Modules", "\n".join(others)]
    return "\n\n".join(lines) + "\n"


def home_of(module, name):
    """Returns the module that defines a name which a module has or imports, and its first line of documentation."""
    for node in ast.parse(source_of(module)).body:
        if getattr(node, "name", None) == name:
            return module, first_line(node)
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            return home_of(node.module, name)
    raise LookupError(f"{module} has no {name}.")


def source_of(module):
    path = ROOT / module.replace(".", "/")
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()


def first_line(node):
    return (ast.get_docstring(node) or "").partition("\n")[0]


def results(folder):
    """Returns the page that names every page of results in a folder of documents, tables by their numbers."""
    names = [path.stem for path in (pathlib.Path(folder) / "results").glob("*.md")]

    def order(name):
        words, number = re.fullmatch(r"(.*?)(\d*)", name).groups()
        return words, int(number or 0)

    titles = {name: (pathlib.Path(folder) / "results" / f"{name}.md").read_text().partition("\n")[0] for name in names}
    lines = [f"* [{name}](results/{name}.md): {titles[name].removeprefix('# ')}" for name in sorted(names, key=order)]
    others = "* [Recordings](recordings.md) read without training\n* [Heart rates](series.md) beside other libraries"
    return f"# Results\n\n{others}\n\nTables, made by `make results` from committed rows:\n\n" + "\n".join(lines) + "\n"


def flags():
    """Returns the page of all flags: settings of a run, and options of methods, encoders, views and protocols."""
    from absl import flags

    from trainers import help, options

    values = flags.FlagValues()
    options.define(values)
    doc = "In Python, flags of methods and encoders are keyword arguments, and flags of views fields of `Appearance`."
    text = help.text("trainers.pretrain", doc, options.groups(), values)
    return f"# Flags and options\n\n```text\n{text}```\n"


def on_files(files, config):
    """Makes the pages."""
    made = {"api.md": api(), "flags.md": flags(), "results.md": results(config.docs_dir)}
    made |= {page(name): f"# {name}\n\n::: {name}\n" for name in modules()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def page(name):
    return f"reference/{name}.md"
