"""SimPer on recordings that it has not learned from, each beside its truth.

python -m benchmarks.left_out [--files=../shared/real/videos] [--folds=4] [--steps=500] [--document=docs/measured.md]
python -m benchmarks.left_out --files=FOLDER --groups=RT

The recordings of `truth.csv`, or of groups of `unseen.csv`, that repeat at a known frequency are dealt into folds.
`simper_tf.from_recordings` learns from all but a fold, by SimPer and by Replay, and reads that fold. Beside it stand:
the count of the reader; the pixels of the same clips, of which nothing is learned; the encoder of SimPer, and Replay,
before they learn; and the network of the reader over the whole recording, with which Replay begins.
"""

import collections
import math
import pathlib
from unittest import mock

import numpy as np

from benchmarks import document, real, unseen
from reproduce.reader.public_films import films
from simper_tf.evaluation import markdown_tables
from simper_tf.reading.films import rhythm_network
from simper_tf.signals import log_lags, octave, samples, spectrum
from simper_tf.training.counted import Counted
from simper_tf.training.from_recordings import from_recordings
from simper_tf.training.own_model import OwnModel
from simper_tf.utils.errors import RawDataError

COMMAND = "python -m benchmarks.left_out"
WAYS = ("count", "pixels", "untrained", "SimPer", "Replay before it learns", "Replay", "network")
# Share of the truth, where no tolerance in hertz is told: what `simper train` calls agreeing.
NEAR = 0.05


def listed(folder: pathlib.Path, groups: str = "") -> dict[str, real.Truth]:
    """Path of each recording that repeats at a known frequency -> its truth.

    Args:
        folder: Of recordings and their `truth.csv`, or, of groups of `unseen.csv`, as `benchmarks.unseen` takes it.
        groups: Letters of these; none for `truth.csv`.
    """
    if groups:
        rows = [row for row in unseen.listed() if row["group"] in groups]
        truths = {unseen.path_of(row, folder): real.truth(row) for row in rows}
    else:
        truths = {folder / row["file"]: real.truth(row) for row in real.listed_in(folder / "truth.csv")}
    return {str(path): true for path, true in truths.items() if true.hertz and path.is_file()}


def outcome(hertz: float, true: real.Truth) -> str:
    """Outcome of a frequency against the truth; NaN is silent."""
    if not math.isfinite(hertz):
        return real.SILENT
    is_told = true.near is not None and true.near < min(true.hertz)
    near = {known: true.near if is_told else NEAR * known for known in true.hertz}
    if any(abs(hertz - known) <= off for known, off in near.items()):
        return real.RIGHT
    octaves = (abs(hertz - factor * known) <= 2 * off for known, off in near.items() for factor in (0.5, 2))
    return real.OCTAVE if any(octaves) else real.WRONG


def read(model: OwnModel, path: str) -> tuple[float, str]:
    """Frequency that a model reads of a recording, NaN for none, and why there is none."""
    try:
        return model.frequency(path), ""
    except (ValueError, RawDataError) as error:
        return math.nan, str(error)


def by_pixels(clips: np.ndarray, band: tuple[float, float], rate: float) -> float:
    """Median frequency of the pixels of clips, NaN outside of the band."""
    low, high = band
    hertz = float(np.median(octave.pixel_frequency(spectrum.pixel_power(clips), rate, clips.shape[1])))
    return hertz if low <= hertz <= high else math.nan


def likeliest(path: str) -> float:
    """Frequency that the network holds likeliest over all of a recording, NaN where that is too short."""
    heard = rhythm_network.hear(*films.small_frames(path))
    if not len(heard.instants):
        return math.nan
    counts = heard.counts[-1]
    # Periods that windows of half the time tell at least.
    chances = np.where(counts > 0.5 * len(heard.instants), heard.sums[-1] / np.maximum(counts, 1), 0.0)
    top = int(chances[1:-1].argmax()) + 1
    steps = top + samples.top_offset(*chances[top - 1 : top + 2])
    return float(2 ** (-steps / log_lags.STEPS_PER_OCTAVE) / rhythm_network.SECONDS[0])


def cell(hertz: float, true: real.Truth) -> str:
    """Cell of a frequency and its outcome."""
    return f"{hertz:.3f} Hz, {outcome(hertz, true)}" if math.isfinite(hertz) else real.SILENT


def rows(truths: dict[str, real.Truth], folds: int, steps: int) -> list[dict[str, str]]:
    """Rows of the table: frequency and outcome of each recording, by each way to read it."""
    known, counts = {}, {}
    for path, true in truths.items():
        judged = real.judge(pathlib.Path(path), true)
        known[path] = tuple(answer.hertz for answer in judged.done.reading.clear) if judged.done else ()
        counts[path] = f"{known[path][0]:.3f} Hz, {judged.outcome}" if known[path] else real.SILENT
    table, paths = [], list(truths)
    for fold in range(folds):
        held = paths[fold::folds]
        model = from_recordings(paths, method="simper", hold_out=held, counted=Counted(known=known))
        model.octave = model.method.octave(model.recordings, model.recordings.band[0] / model.recordings.rate)
        untrained = {path: read(model, path)[0] for path in held}
        with mock.patch.object(model, "_hertz", by_pixels):
            pixels = {path: read(model, path)[0] for path in held}
        model.fit(steps, verbose=0)
        replay = from_recordings(paths, method="replay", hold_out=held, counted=Counted(known=known))
        begun = {path: read(replay, path)[0] for path in held}
        replay.fit(steps, verbose=0)
        for path in held:
            hertz, why = read(model, path)
            row = {"file": pathlib.Path(path).name, "truth": ", ".join(f"{true:.3g}" for true in truths[path].hertz)}
            values = pixels[path], untrained[path], hertz, begun[path], read(replay, path)[0], likeliest(path)
            row |= {"count": counts[path]}
            row |= {way: cell(value, truths[path]) for way, value in zip(WAYS[1:], values, strict=True)}
            table.append(row)
            print(f"fold {fold + 1}", *row.values(), why, sep=" | ", flush=True)
    return table


def totals(table: list[dict[str, str]]) -> str:
    """Markdown of how many recordings each way reads right, an octave off, wrong or not at all."""
    outcomes = (real.RIGHT, real.NAMED, real.OCTAVE, real.WRONG, real.SILENT)
    lines = []
    for way in WAYS:
        counts = collections.Counter(row[way].split(", ")[-1] for row in table)
        lines.append([way, *(str(counts[name]) for name in outcomes)])
    return markdown_tables.markdown_table((f"of {len(table)} recordings", *outcomes), lines)


def main():
    """Trains on each fold's others, prints the outcomes and writes the table."""
    parser = document.flags(__doc__)
    parser.add_argument("--files", type=pathlib.Path, default=pathlib.Path("../shared/real/videos"))
    parser.add_argument("--groups", default="", help="Groups of unseen.csv whose films lie there at owner+name/path.")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--steps", type=int, default=500)
    args = parser.parse_args()
    if not args.groups and not (args.files / "truth.csv").is_file():
        parser.error(f"--files={args.files}: no truth.csv in it.")
    table = rows(listed(args.files, args.groups), args.folds, args.steps)
    markdown = markdown_tables.markdown_table(list(table[0]), [list(row.values()) for row in table])
    print(totals(table))
    document.into_document(args.document, COMMAND, f"{totals(table)}\n\n{markdown}")


if __name__ == "__main__":
    main()
