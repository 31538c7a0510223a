"""Real recordings, as filmed and made worse, read with each main rule of the reader switched off.

python -m benchmarks.ablation [--files=../shared/real] [--changes=NAME,NAME] [--document=docs/recordings.md]

A row is a rule, with the outcomes without it as of `benchmarks.real`. A
rule that is worth its lines gives more that is right, or less that is wrong.
"""

import argparse
import collections
import contextlib
import pathlib
from collections.abc import Iterable, Iterator
from unittest import mock

from benchmarks import document, perturbed
from simper_tf.evaluation import tables
from simper_tf.reading import camera, compression, courses, events, movement, skin, stretches, verdict

COMMAND = "python -m benchmarks.ablation"
# Rule -> what it is switched off by: module, name, and what stands in for it.
RULES = {
    "scenes are cut": (stretches, "cuts", lambda *_: []),
    "the camera is taken out": (camera, "steadied", lambda gray: (gray, None)),
    "light is evened": (camera, "evened", lambda _: None),
    "magnitudes see through a moving camera": (camera, "moves_as_one", lambda _: True),
    "tiles are read too": (courses, "TILES_USED", 0),
    "compression and pixels are left out": (compression, "without", lambda ranked, *_: ranked),
    "halves are paired": (events, "full", lambda run: (run, 0.0, False)),
    "a half is told as its full cycle": (movement, "whole_cycle", lambda one, *_: one),
    "movement must return in a tile": (verdict, "RETURNS", 1e-9),
    "events are aligned": (events, "aligned", lambda run: run),
    "missed events are added": (events, "extended", lambda run: run),
    "standing still is no event": (events, "MOVES", -1.0),
    "the pulse of skin": (skin, "pulse", lambda *_: None),
}


@contextlib.contextmanager
def off(rule: str) -> Iterator[None]:
    """Context in which a rule is switched off; any other name switches nothing off."""
    if rule not in RULES:
        yield
        return
    with mock.patch.object(*RULES[rule]):
        yield


def counts(forms: Iterable[perturbed.Form]) -> dict[str, collections.Counter]:
    """How often each outcome comes without each rule, and with all of them."""
    table = {rule: collections.Counter() for rule in ("none", *RULES)}
    for form in forms:
        for rule, counter in table.items():
            with off(rule):
                counter[form.row()["outcome"]] += 1
        print(form.file, form.changed.name, sep=" | ", flush=True)
    return table


def report(table: dict[str, collections.Counter]) -> str:
    """Markdown of the outcomes."""
    lines = [[rule, *(str(counter[one]) for one in perturbed.OUTCOMES)] for rule, counter in table.items()]
    return tables.markdown_table(["rule switched off", *perturbed.OUTCOMES], lines)


def main():
    """Read all forms without each rule, print the table and write it where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=pathlib.Path, default=pathlib.Path("../shared/real"))
    parser.add_argument("--changes", help="Changes that are read, with commas between; all without it.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the table is put into.")
    args = parser.parse_args()
    if not (args.files / "videos" / "truth.csv").is_file():
        parser.error(f"--files={args.files}: no folder videos with a truth.csv in it.")
    wanted = args.changes and args.changes.split(",")
    forms = (one for one in perturbed.forms(args.files / "videos") if not wanted or one.changed.name in wanted)
    table = counts(forms)
    print(report(table))
    document.into_document(args.document, COMMAND, report(table))


if __name__ == "__main__":
    main()
