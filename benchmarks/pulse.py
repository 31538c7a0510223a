"""The pulse of real faces, read by us and by open-rppg, whose networks have learned from labels.

python -m benchmarks.pulse --peer=PYTHON [--files=../shared/real] [--document=docs/measured.md]

PYTHON is that of an environment of its own, with `pip install open-rppg`. Files whose truth in `truth.csv` is a pulse
are read as they are and in worse forms. A cell is beats a minute and the error.
"""

import json
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator

import av
import cv2
import numpy as np

from benchmarks import document, real
from simper_tf.commands import mp4
from simper_tf.evaluation import markdown_tables
from simper_tf.reading import source_reader
from simper_tf.recordings import sources

COMMAND = "python -m benchmarks.pulse"
COLUMNS = ("file", "form", "truth", "ours", "error", "open-rppg", "its error")
# Prints the frequency of each file that it is given, in beats a minute; null where it finds none.
PEER = """
import json, sys, rppg
rates = [(rppg.Model().process_video(path) or {}).get("hr") for path in sys.argv[1:]]
print("\\n" + json.dumps([rate and float(rate) for rate in rates]))
"""
# Form -> share of the seconds, of the size and of the light that it keeps, and the quality of H.264.
FORMS = {
    "written again": (1.0, 1.0, 1.0, 8),
    "the first 60 %": (0.6, 1.0, 1.0, 8),
    "half the size": (1.0, 0.5, 1.0, 8),
    "half the light": (1.0, 1.0, 0.5, 8),
    "H.264 of quality 18": (1.0, 1.0, 1.0, 18),
    "H.264 of quality 28": (1.0, 1.0, 1.0, 28),
}


def faces(folder: pathlib.Path) -> Iterator[tuple[str, float]]:
    """Files whose truth is a pulse, and their beats a minute."""
    for row in real.listed_in(folder / "truth.csv"):
        if "pulse" in row["truth"]:
            yield row["file"], 60 * real.truth(row).hertz[0]


def write(source: pathlib.Path, path: pathlib.Path, form: str):
    """Writes a form of a video."""
    seconds, size, light, quality = FORMS[form]
    with av.open(str(source)) as container:
        frames = [(frame.time, frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]
    height, width = (int(side * size) // 2 * 2 for side in frames[0][1].shape[:2])
    last = frames[0][0] + seconds * (frames[-1][0] - frames[0][0])
    with mp4.Writer(path, height, width, {"crf": str(quality)}) as video:
        for moment, picture in frames:
            if moment <= last:
                small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
                video.add(moment, np.rint(light * small).astype(np.uint8))


def ours(path: pathlib.Path) -> float | None:
    """Beats a minute that `simper predict` reads; None where it tells no number."""
    clear = source_reader.reading_of_source(sources.open_file(path)).reading.clear
    return 60 * clear[0].hertz if clear else None


def of_peer(python: str, paths: list[pathlib.Path]) -> list[float | None]:
    """Beats a minute that open-rppg reads of videos, None where it finds no face."""
    done = subprocess.run([python, "-c", PEER, *map(str, paths)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def row(file: str, form: str, truth: float, own: float | None, peer: float | None) -> list[str]:
    """Cells of one form."""
    pairs = [("-", "-") if rate is None else (f"{rate:.1f}", f"{rate - truth:+.1f}") for rate in (own, peer)]
    return [file, form, f"{truth:.0f}", *pairs[0], *pairs[1]]


def main():
    """Reads all forms twice, prints the table and writes it."""
    parser = document.flags(__doc__)
    parser.add_argument("--peer", required=True, help="Python of the environment that has open-rppg.")
    parser.add_argument("--files", type=pathlib.Path, default=pathlib.Path("../shared/real"))
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for file, truth in faces(args.files / "videos"):
            source = args.files / "videos" / file
            paths = {"as published": source}
            for number, form in enumerate(FORMS):
                paths[form] = pathlib.Path(folder) / f"{number}.mp4"
                write(source, paths[form], form)
            peers = of_peer(args.peer, list(paths.values()))
            rows += [
                row(file, form, truth, ours(path), peer)
                for (form, path), peer in zip(paths.items(), peers, strict=True)
            ]
    table = markdown_tables.markdown_table(COLUMNS, rows)
    document.say(args.document, COMMAND, table)


if __name__ == "__main__":
    main()
