"""Films that the reader learned from beside those that it is tested on: which show the same pictures.

python -m benchmarks.alike --raw=FOLDER --films=FOLDER --real=FOLDER [--kept=runs/frames]

Repositories differ, but may hold copies of one film. Eight frames of either are compared.
"""

import argparse
import pathlib
from collections.abc import Iterable

import numpy as np

from benchmarks import films
from reproduce.reader.public_films import films as public_films
from simper_tf.reading.films import rhythm_network

# Correlation of frames from which on films are listed: two of one film had 0.999. Plain pages of others reach it too.
ALIKE = 0.95


def pairs(
    learned: Iterable[tuple[str, np.ndarray]], tested: Iterable[tuple[str, np.ndarray]], least: float = ALIKE
) -> list[tuple[float, str, str]]:
    """Returns films that are alike, the most alike first: correlation, name of the first, name of the second.

    Args:
        learned, tested: Names and `(n, H, W)` frames of films, of one size.
        least: Correlation from which on they are returned.
    """
    known = [(other, public_films.signature(frames)) for other, frames in tested]
    found = []
    for name, frames in learned:
        own = public_films.signature(frames)
        found += [(public_films.alike(own, others), name, other) for other, others in known]
    return sorted((each for each in found if each[0] >= least), reverse=True)


def main():
    """Prints the films that are alike."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", type=pathlib.Path, required=True, help="Folder of the films that are learned from.")
    parser.add_argument("--films", type=pathlib.Path, required=True, help="Folder of films of unseen.csv.")
    parser.add_argument("--real", type=pathlib.Path, required=True, help="Folder of videos and videos2.")
    parser.add_argument("--kept", type=pathlib.Path, default=pathlib.Path("runs/frames"), help="Small frames.")
    given = parser.parse_args()
    tested = [
        (f"{film.group} {film.name}", rhythm_network.small(public_films.few(some.frames).mean(-1)))
        for film, some in films.all_frames(given.films, given.real, given.kept)
    ]
    copies = ((film, public_films.small(str(public_films.raw_path(given.raw, film)))) for film in
              public_films.found(given.raw))  # fmt: skip
    learned = [(f"{film.repository} {film.path}", copy[0]) for film, copy in copies if copy is not None]
    some = pairs(learned, tested)
    for likeness, name, other in some:
        print(f"{likeness:.3f}  {name}  {other}")
    print(f"{len(learned)} films that are learned from, {len(tested)} that are tested on: {len(some)} pairs are alike.")


if __name__ == "__main__":
    main()
