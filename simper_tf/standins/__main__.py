"""Writes a miniature data set: `python -m simper_tf.standins ubfc --out=DIR --subjects=3 --seconds=20`."""

import argparse
import importlib
import pathlib
import sys
import tempfile

# Name -> module with `write(out, subjects, seconds, seed)`, imported only when asked for.
MODULES = {
    "countix": "simper_tf.standins.countix",
    "lst": "simper_tf.standins.lst",
    "pure": "simper_tf.standins.pure",
    "scamps": "simper_tf.standins.scamps",
    "ubfc": "simper_tf.standins.ubfc",
}


def main(arguments=None):
    """Parses the command line and writes the files, all or none."""
    parser = argparse.ArgumentParser(prog="python -m simper_tf.standins", description=__doc__)
    parser.add_argument("name", choices=sorted(MODULES))
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to make; must not exist, or be empty")
    parser.add_argument("--subjects", type=_positive, default=3, help="how many people, videos or files")
    parser.add_argument("--seconds", type=_positive, default=20, help="length of each recording")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.out.exists() and (not options.out.is_dir() or any(options.out.iterdir())):
        parser.error(f"{options.out} exists and is not an empty folder; name another, or remove it")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    # Written beside the target and renamed: an interrupted run leaves nothing that looks like a data set.
    with tempfile.TemporaryDirectory(dir=options.out.parent, prefix=".standin-") as scratch:
        finished = pathlib.Path(scratch) / options.name
        write = importlib.import_module(MODULES[options.name]).write
        try:
            write(finished, options.subjects, options.seconds, options.seed)
        except ValueError as error:
            parser.error(str(error))
        finished.rename(options.out)
    print(f"Wrote {options.name} to {options.out}; build it with --manual_dir={options.out}")


def _positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not a positive whole number")
    return value


if __name__ == "__main__":
    sys.exit(main())
