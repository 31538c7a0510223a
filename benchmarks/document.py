"""Tables of benchmarks, put into the document that shows them."""

import argparse
import pathlib

from simper_tf.evaluation import markdown_tables
from simper_tf.utils import files


def changed(parser: argparse.ArgumentParser, args: argparse.Namespace) -> str:
    """Returns a sentence on the flags, but for paths, that are not the defaults of a command; nothing without any."""
    given = {name: value for name, value in vars(args).items() if value != parser.get_default(name)}
    other = [f"--{name}={value}" for name, value in given.items() if not isinstance(value, pathlib.Path)]
    return f" Run with {' '.join(f'`{flag}`' for flag in other)}." if other else ""


def into_document(path: pathlib.Path | None, command: str, text: str):
    """Puts what a command reports into its place in a document, if there is one."""
    if path:
        files.write_atomically(path, markdown_tables.put_table(path.read_text(), command, text, path))
