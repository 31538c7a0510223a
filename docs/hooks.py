"""Pages added to the site: reference for every module, all flags and options, and the results that there are."""

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


def results(folder):
    """Returns the pages of results in a folder of documents, tables by their numbers."""
    names = [path.stem for path in (pathlib.Path(folder) / "results").glob("*.md")]

    def order(name):
        words, number = re.fullmatch(r"(.*?)(\d*)", name).groups()
        return words, int(number or 0)

    return [f"results/{name}.md" for name in sorted(names, key=order)]


def flags():
    """Returns the page of all flags: settings of a run, and options of methods, encoders, views and protocols."""
    from absl import flags

    from trainers import help, options

    values = flags.FlagValues()
    options.define(values)
    doc = "In Python, flags of methods and encoders are keyword arguments, and flags of views fields of `Appearance`."
    text = help.text("pretrain", doc, options.groups(), values)
    return f"# Flags and options\n\n```text\n{text}```\n"


def on_config(config):
    """Puts results into their group, and reference at the end, one group for each package inside the package."""
    next(group["Results"] for group in config.nav if "Results" in group).extend(results(config.docs_dir))
    groups = {}
    for name in modules():
        _, *inside = name.split(".")
        is_package = (ROOT / name.replace(".", "/")).is_dir()
        groups.setdefault(inside[0] if inside and (is_package or inside[1:]) else "", []).append({name: page(name)})
    reference = groups.pop("")
    config.nav.append({"Reference": reference + [{f"simper_tf.{group}": pages} for group, pages in groups.items()]})
    return config


def on_files(files, config):
    """Makes the pages."""
    files.append(File.generated(config, "flags.md", content=flags()))
    for name in modules():
        files.append(File.generated(config, page(name), content=f"# {name}\n\n::: {name}\n"))
    return files


def page(name):
    return f"reference/{name}.md"
