"""A miniature of the public films: discs that swing, at places of the list.

python -m reproduce.reader.public_films.standin --out=raw
"""

import argparse
import itertools

import cv2
import numpy as np

from reproduce.reader.public_films import films
from simper_tf.commands.mp4 import Writer

HEIGHT, WIDTH, RATE = 48, 64, 25
HERTZ = (0.7, 2.0)


def write(out, number: int = 4, seconds: float = 4.0, seed: int = 0) -> dict[films.Film, float]:
    """Writes films to train on.

    Args:
        out: Folder to write to; made if needed.
        number: Of films.
        seconds: Length of each.
        seed: Of tempos.

    Returns:
        The tempo of each film in Hz.
    """
    random, truth = np.random.default_rng(seed), {}
    for film in itertools.islice((film for film in films.listed() if film.path.endswith(".mp4")), number):
        truth[film] = float(random.uniform(*HERTZ))
        path = films.raw_path(out, film)
        path.parent.mkdir(parents=True, exist_ok=True)
        with Writer(path, HEIGHT, WIDTH) as video:
            for moment in np.arange(0, seconds, 1 / RATE):
                picture = np.full((HEIGHT, WIDTH, 3), 60, np.uint8)
                across = WIDTH // 2 + round(0.3 * WIDTH * np.sin(2 * np.pi * truth[film] * moment))
                cv2.circle(picture, (across, HEIGHT // 2), HEIGHT // 6, (220, 220, 220), -1)
                video.add(moment, picture)
    return truth


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", required=True, help="Folder to write to.")
    write(parser.parse_args().out)
