"""The figures of the paper as data: which runs each needs, and how it is drawn from what they have left."""

import dataclasses
import io
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy import stats

from simper_tf.evaluation import side_by_side
from simper_tf.methods import METHODS
from simper_tf.training import subsets
from trainers.reports.kept import Kept
from trainers.studies import STUDIES, controls, ranking
from trainers.studies.features import PAPERS
from trainers.studies.scales import Scale

DOTS_PER_INCH = 150
# Of an interval over seeds.
CONFIDENCE = 0.95
# Runs of figure 8.
OVER_ANGLE = ("simclr", "cvrl", "simper")


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes:
        name: Of its file and place.
        title: With its number in the paper.
        table: The study whose runs it is drawn from.
        caption: What is drawn, and what the paper says of it.
        alt: What a reader who cannot see it is told.
        draw: Function of a scale and what its runs have left -> the matplotlib figure, None where no run is there.
    """

    name: str
    title: str
    table: str
    caption: str
    alt: str
    draw: Callable[[Scale, Kept], object]


@dataclasses.dataclass(frozen=True)
class Drawn:
    """A figure as far as its runs are there.

    Attributes:
        figure: Which.
        png: The picture; None where no run is there.
        lacking: A sentence for each run that is not there -> the command that makes what it lacks, empty for that of
            the figure's table.
    """

    figure: Figure
    png: bytes | None
    lacking: Mapping[str, str]


def drawn(figure: Figure, scale: Scale, grid, seeds: Mapping[str, Sequence[int]]) -> Drawn:
    """Returns a figure drawn from the runs of a grid.

    Args:
        figure: Which.
        scale: Of the runs.
        grid: Where they are.
        seeds: Table -> the seeds of its runs.

    Raises:
        ValueError: what a run has left is damaged.
    """
    kept = Kept(grid, seeds[figure.table], seeds)
    made = figure.draw(scale, kept)
    if made is None:
        return Drawn(figure, None, kept.lacking)
    file = io.BytesIO()
    made.savefig(file, dpi=DOTS_PER_INCH, format="png", metadata={"Software": None})
    return Drawn(figure, file.getvalue(), kept.lacking)


def methods(scale, kept):
    """Draws figure 1."""
    return _of_features(side_by_side.embeddings, _features(kept, _of_methods(_study("table2", scale))))


def sizes(scale, kept):
    """Draws figure 4 (a): self-supervised methods before they see any label, and the supervised one, at both ends."""
    known = {each.title for each in METHODS.values()}
    lines = [line for line in _study("table12_digits", scale).blocks[0].lines if line.title in known]
    ends = (0, -2)  # Of pairs of MAE and MAPE for each size.
    runs = {
        f"{line.title}, {percent} %": line.cells[end].run.source or line.cells[end].run
        for end, percent in zip(ends, (scale.fractions[0], scale.fractions[-1]), strict=True)
        for line in lines
    }
    return _of_features(side_by_side.embeddings, _features(kept, runs), columns=len(lines))


def unseen(scale, kept):
    """Draws figure 5."""
    runs = {}
    for line in _study("table10", scale).blocks[0].lines:
        for cell, part in zip(line.cells[::2], ("interpolation", "extrapolation"), strict=True):
            if cell.run.source is None:
                runs.setdefault(f"{_title(cell.run)}, {part}", cell.run)
    found = _features(kept, runs)
    for title, features in found.items():
        if features:
            features["seen"] = subsets.seen(features["labels"], runs[title].settings())
    return _of_features(side_by_side.embeddings, found, columns=2)


def spurious(scale, kept):
    """Draws figure 6."""
    found = _features(kept, _of_methods(_study("table14", scale)))
    for features in found.values():
        if features:
            # Clip k of `datasets.rotating_digits` shows the digit k % 10.
            features["groups"] = np.array([int(name[-1]) for name in features["ids"]])
    return _of_features(side_by_side.grouped_embeddings, found, name="digit")


def over_angle(scale, kept):
    """Draws figure 8."""
    runs = _of_methods(_study("table2", scale))
    chosen = {METHODS[name].title for name in OVER_ANGLE}
    found = _features(kept, {title: run for title, run in runs.items() if title in chosen})
    return _of_features(side_by_side.series_over_reference, found)


def errors(tables: Sequence[str], flag: str, words: str):
    """Returns the function that draws errors over the part of the clips or labels, as tables have them.

    Args:
        tables: Such as `table12`, a panel each.
        flag: The setting that says which part.
        words: Of what it is a part, in print.
    """

    def draw(scale, kept):
        panels = {}
        for table in tables:
            runs = kept.of(table, f"python -m trainers.reproduce --table={table} --scale={scale.name}")
            for block in _study(table, scale).blocks:
                curves = {line.title: _errors(line, flag, runs) for line in block.lines}
                panels[block.title] = {title: curve for title, curve in curves.items() if curve}
        panels = {title: curves for title, curves in panels.items() if curves}
        return side_by_side.errors_over_size(panels, f"{words} (%)", "MAPE (%)") if panels else None

    return draw


def interval(rows) -> tuple[float, float, float]:
    """Returns the mean of some rows and the ends of its 95 % interval.

    Over seeds it is Student's, of the mean; of one seed that of its row, over clips.

    Args:
        rows: One for each seed.
    """
    values = [row.value for row in rows]
    if len(rows) == 1:
        return values[0], rows[0].low, rows[0].high
    half = stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * stats.sem(values)
    return np.mean(values), np.mean(values) - half, np.mean(values) + half


def _errors(line, flag, kept):
    """Returns the curve of a line of a table, None where nothing of it is finished."""
    points = []
    for cell in line.cells:
        if cell.metric != "mape" or cell.protocol in controls.FURTHER:
            continue  # Of controls the best one alone is shown: others would have the colors of methods.
        rows = kept.rows(cell.run, cell.protocol, cell.metric)
        if cell.protocol in ranking.UNLEARNED:
            rows = rows[:1]  # No seed changes it: its interval is over clips.
        if rows:
            points.append((100 * getattr(cell.run.settings(), flag), *interval(rows)))
    return side_by_side.Errors(*np.array(sorted(points)).T) if points else None


def _of_features(draw, found, **options):
    return draw(found, **options) if any(found.values()) else None


def _features(kept, runs):
    return {title: kept.features(run) for title, run in runs.items()}


def _of_methods(study):
    """Returns title -> run of each line of a study that is a method as the paper has it, and no variant or control."""
    known = {METHODS[name].title for name in PAPERS}
    return {line.title: line.cells[0].run for line in study.blocks[0].lines if line.title in known}


def _study(name, scale):
    return STUDIES[name][0](scale)


def _title(run):
    return METHODS[run.settings().method].title


_EMBEDDED = "Each point is a test clip (500 at most), embedded by t-SNE of the spectra of its features. "
_COLORED = "A scatter of points in each panel, colored from dark (slow) to bright (fast)"
_SEEDS = (
    "Points are means, bars their 95 % intervals: Student's over seeds, or over clips where there is one seed. Where "
    "errors span a factor of 10 their axis is logarithmic, and bars that reach below it are cut."
)
FIGURES = (
    Figure(
        "figure1", "Figure 1: learned representations", "table2",
        f"{_EMBEDDED}The color is the true frequency, which no training has seen. The paper says that SimPer alone "
        "orders clips by frequency.",
        f"{_COLORED}; a panel for each method.", methods,
    ),
    Figure(
        "figure4a", "Figure 4 (a): representations with fewer clips", "table12_digits",
        f"{_EMBEDDED}The percentage is that of the clips that train; methods without labels as they are before "
        "fine-tuning. The paper says that SimPer keeps its order.",
        f"{_COLORED}; a column for each method, all clips above and the fewest below.", sizes,
    ),
    Figure(
        "figure4b", "Figure 4 (b): error over the number of clips", "table12",
        f"Fine-tuned with a part of the clips. {_SEEDS} The paper says that SimPer's lead grows as clips get fewer.",
        "Curves of MAPE over the part of the clips in percent, one for each method; the numbers are in"
        " table 12 and that on digits.",
        errors(("table12_digits", "table12"), "data_fraction", "part of the clips"),
    ),
    Figure(
        "errors_over_labels", "Error over the number of labels", "table13",
        f"Trained without labels on all clips, fine-tuned with the labels of a part. {_SEEDS} The paper has these "
        "numbers in its table 13, and no figure.",
        "Curves of MAPE over the part of the labels in percent, one for each method; the numbers are in"
        " table 13 and that on digits.",
        errors(("table13_digits", "table13"), "label_fraction", "part of the labels"),
    ),
    Figure(
        "figure5", "Figure 5: frequencies that training has not seen", "table10",
        f"{_EMBEDDED}Triangles have frequencies that no training clip has: a gap (interpolation) or both ends "
        "(extrapolation). The paper says that SimPer puts them in their place in the order, and a supervised network "
        "among those it has seen.",
        f"{_COLORED}, triangles for unseen frequencies; a row for each method.", unseen,
    ),
    Figure(
        "figure6", "Figure 6: spurious correlation", "table14",
        f"{_EMBEDDED}In training color and frequency follow the digit, and not in test. Above the color is the true "
        "frequency, below numbers are the digit: what has learned the digit has groups of numbers. The paper says that "
        "SimCLR has.",
        f"{_COLORED} above, and the same points as numbers of their digit below; a column for each method.", spurious,
    ),
    Figure(
        "figure8", "Figure 8: learned features over time", "table2",
        "The first feature of four test clips from slow to fast, over the true angle of the digit; both standardized. "
        "A swing looks the same on its way back, so features may run at twice the frequency.",
        "Curves of features in front of gray curves of the true angle; a row for each clip, a column for each method.",
        over_angle,
    ),
)  # fmt: skip
