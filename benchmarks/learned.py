"""The learned reader beside the hand-made one, on films whose truth was written before either read them.

python -m benchmarks.learned --films=FOLDER [--weights=FILE] [--document=docs/replay.md]

Films are those of `benchmarks/unseen.csv` that lie in the folder, at owner+name/path, and those of `videos` and
`videos2` with a `truth.csv` in `--real`. None of their repositories is in the list that the reader learned from. What
the hand-made reader said of the first is in that table; the others it reads now. Right is within 6 % of a true
frequency, an octave is within 6 % of its double or half.
"""

import argparse
import csv
import pathlib
import re
import time
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks import document, real
from reproduce.reader import films
from simper_tf.evaluation import tables
from simper_tf.reading import rhythm_network, rhythm_reader
from simper_tf.utils.errors import RawDataError

COMMAND = "python -m benchmarks.learned"
UNSEEN = pathlib.Path(__file__).with_name("unseen.csv")
NEAR = 0.06
OCTAVE = "octave"
OUTCOMES = (real.RIGHT, OCTAVE, real.WRONG, real.SILENT, real.ANSWERED)
READERS = ("hand-made", "learned, all its answers", "learned where sure", "where both agree", "combined")


class Film(NamedTuple):
    """A film with its truth and what the hand-made reader says.

    Attributes:
        group: The table that it stands in.
        name: Of the file.
        path: Of the file.
        hertz: True frequencies; empty for a control.
        hand_made: Frequency in hertz; None for no answer.
    """

    group: str
    name: str
    path: pathlib.Path
    hertz: tuple[float, ...]
    hand_made: float | None


def unseen(folder: pathlib.Path) -> Iterator[Film]:
    """Yields the films of `unseen.csv` that lie in a folder."""
    with UNSEEN.open() as file:
        for row in csv.DictReader(file):
            path = folder / row["repository"].replace("/", "+") / row["path"]
            true = real.truth(row)
            if path.is_file() and (true.is_control or true.hertz):
                said = re.match(real.NUMBER + " Hz", row["answer"])
                yield Film(row["group"], row["file"], path, true.hertz, float(said[1]) if said else None)


def counted(folder: pathlib.Path) -> Iterator[Film]:
    """Yields the films of `videos` and `videos2`, read by the hand-made reader."""
    for name in ("videos", "videos2"):
        with (folder / name / "truth.csv").open() as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            path = folder / name / row["file"]
            true = real.truth({"tolerance": "-", "kind": "", **row})
            if path.suffix not in (".mkv", ".mp4", ".avi") or not (true.is_control or true.hertz):
                continue
            clear = real.read(path).reading.clear
            yield Film(name, row["file"], path, true.hertz, clear[0].hertz if clear else None)


def outcome(true: tuple[float, ...], said: float | None) -> str:
    """Returns how an answer in hertz, or none, compares with the true frequencies."""
    if not true:
        return real.REFUSED if said is None else real.ANSWERED
    if said is None:
        return real.SILENT
    ratios = [said / one for one in true]
    if any(abs(ratio - 1) <= NEAR for ratio in ratios):
        return real.RIGHT
    return OCTAVE if any(abs(ratio / factor - 1) <= NEAR for ratio in ratios for factor in (0.5, 2)) else real.WRONG


def answers(hand_made: float | None, found: rhythm_reader.Found | None) -> dict[str, float | None]:
    """Returns what each reader says.

    Combined, a sure learned answer goes before a hand-made one, and stands alone; an unsure one is not told. This rule
    was fixed before any of these films was read.
    """
    every = found.hertz if found else None
    sure = every if found and found.is_sure else None
    agree = hand_made if None not in (hand_made, every) and abs(every / hand_made - 1) <= NEAR else None
    # Where both agree the hand-made one is the more exact.
    combined = hand_made if sure is None or agree is not None else sure
    return dict(zip(READERS, (hand_made, every, sure, agree, combined), strict=True))


def rows(some: list[Film], weights) -> list[dict]:
    """Returns a row a film: its outcomes by reader, and CPU and film seconds."""
    table = []
    for film in some:
        small = read_small(film.path)
        began = time.process_time()
        found = rhythm_reader.read(*small, tell=lambda x: rhythm_network.told(x, weights)) if small else None
        taken = time.process_time() - began
        said = {name: outcome(film.hertz, one) for name, one in answers(film.hand_made, found).items()}
        seconds = small[0][-1] if small else 0.0
        table.append({"film": film, "found": found, "said": said, "cpu": taken, "seconds": seconds})
        told = f"{found.hertz:.3f} Hz at {found.confidence:.2f}, {found.share:.2f} of it" if found else "-"
        print(film.group, film.name, film.hertz, film.hand_made, told, *said.values(), sep=" | ", flush=True)
    return table


def read_small(path):
    """Returns times and small frames of a film; None where it cannot be read or is too short."""
    try:
        return films.small_frames(str(path))
    except RawDataError as refusal:
        print(refusal)
        return None


def totals(table: list[dict]) -> str:
    """Returns Markdown of the outcomes by reader."""
    lines = []
    for reader in READERS:
        number = Counter(row["said"][reader] for row in table)
        lines.append([reader, *(str(number[one]) for one in OUTCOMES)])
    repeat = sum(bool(row["film"].hertz) for row in table)
    cost = sum(row["cpu"] for row in table) / max(sum(row["seconds"] for row in table), 1e-9)
    head = f"{repeat} films that repeat, {len(table) - repeat} controls. {cost:.3f} CPU seconds for a second of film."
    return head + "\n\n" + tables.markdown_table(("reader", *OUTCOMES[:-1], "controls answered"), lines)


def main():
    """Reads all films and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--films", type=pathlib.Path, required=True, help="Folder of films of unseen.csv.")
    parser.add_argument("--real", type=pathlib.Path, help="Folder of videos and videos2.")
    parser.add_argument("--weights", type=pathlib.Path, help="Weights; those of the package if not given.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the tables are put into.")
    given = parser.parse_args()
    weights = rhythm_network.loaded(given.weights) if given.weights else None
    parts = {"films of unseen.csv": list(unseen(given.films))}
    if given.real:
        parts["`videos` and `videos2`"] = list(counted(given.real))
    told = "\n\n".join(f"On {name}: {totals(rows(some, weights))}" for name, some in parts.items() if some)
    print(told)
    document.into_document(given.document, COMMAND, told)


if __name__ == "__main__":
    main()
