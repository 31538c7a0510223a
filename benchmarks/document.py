"""What commands of benchmarks share: their flags, and tables that are put into the document that shows them."""

import argparse
import pathlib

from simper_tf.evaluation import markdown_tables
from simper_tf.utils import files


def flags(description: str) -> argparse.ArgumentParser:
    """Returns a parser of the flags of a command, of which one is the document that its tables are put into."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--document", type=pathlib.Path, help="Document that the tables are put into.")
    return made


def changed(parser: argparse.ArgumentParser, args: argparse.Namespace) -> str:
    """Returns a sentence on the flags, but for paths, that are not the defaults of a command; nothing without any."""
    given = {name: value for name, value in vars(args).items() if value != parser.get_default(name)}
    other = [f"--{name}={value}" for name, value in given.items() if not isinstance(value, pathlib.Path)]
    return f" Run with {' '.join(f'`{flag}`' for flag in other)}." if other else ""


def into_document(path: pathlib.Path | None, command: str, text: str):
    """Puts what a command reports into its place in a document, if there is one."""
    if path:
        files.write_atomically(path, markdown_tables.put_table(path.read_text(), command, text, path))


def say(path: pathlib.Path | None, command: str, text: str):
    """Prints what a command reports, and puts it into its place in a document, if there is one."""
    print(text)
    into_document(path, command, text)
