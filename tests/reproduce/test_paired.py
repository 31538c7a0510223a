"""The table of noise, and its paired test of two methods over clips and seeds, against ratios by hand."""

import itertools

import pandas as pd
import pytest

from reproduce import clip_errors, paired
from reproduce.grid import Grid, Run
from reproduce.studies import chosen, noise
from reproduce.studies.controls import PATTERNS_LINE
from reproduce.studies.scales import SCALES
from reproduce.studies.table import Cell
from simper_tf.evaluation import rows
from simper_tf.evaluation.rows import Row
from simper_tf.methods import METHODS

HEADER = "id,subject,label (Hz),fft (Hz)\n"


def tables(folder, name, errors):
    """Writes clips of images a, a, b with these errors, a file a seed."""
    paths = []
    for seed, of_seed in enumerate(errors):
        lines = [f"{k},{image},1.0,{1 + error}\n" for k, (image, error) in enumerate(zip("aab", of_seed, strict=True))]
        paths.append(folder / f"{name}{seed}.csv")
        paths[-1].write_text(HEADER + "".join(lines))
    return paths


def read(folder, name, errors):
    return [clip_errors.of_file(path, "fft") for path in tables(folder, name, errors)]


def clips(**errors):
    """Returns clips of subjects with one error each."""
    table = pd.DataFrame({"subject": list(errors), "label": 0.0, "read": list(errors.values())})
    return table.set_axis([f"{name}/1" for name in errors])


def test_seeds_may_have_clips_of_other_people():
    own, others = [clips(a=1.0, b=1.0), clips(b=1.0, c=2.0)], [clips(a=3.0, b=1.0), clips(b=1.0, c=5.0)]
    value, low, high, number = paired.ratio(own, others)
    assert value == pytest.approx(10 / 5)
    assert low < value < high
    assert number == 3
    assert paired.ratio(own, own)[:3] == (1, 1, 1)


def test_clips_are_paired_by_name_and_not_by_place():
    own, others = [clips(a=1.0, b=2.0)], [clips(b=4.0, a=2.0)]
    assert paired.ratio(own, others)[:3] == pytest.approx((2, 2, 2))


def test_the_ratio_is_of_mean_errors_of_all_clips_and_seeds(tmp_path):
    own = read(tmp_path, "own", [[0.1, -0.1, 0.4], [0.2, 0.2, 0.2]])
    others = read(tmp_path, "other", [[0.2, 0.2, 0.2], [0.5, 0.4, 0.3]])
    value, low, high, number = paired.ratio(own, others)
    assert value == pytest.approx(1.8 / 1.2)
    assert low < value < high
    assert number == 3


def test_errors_twice_as_large_everywhere_leave_no_doubt(tmp_path):
    own = read(tmp_path, "own", [[0.1, 0.3, 0.9], [0.05, 0.2, 0.01]])
    others = read(tmp_path, "other", [[0.2, -0.6, 1.8], [0.1, 0.4, 0.02]])
    assert paired.ratio(own, others)[:3] == pytest.approx((2, 2, 2))


def test_a_lead_on_one_image_alone_is_no_lead(tmp_path):
    own = read(tmp_path, "own", [[0.1, 0.1, 0.1]] * 2)
    others = read(tmp_path, "other", [[0.05, 0.05, 0.9]] * 2)
    value, low, high, _ = paired.ratio(own, others)
    assert value == pytest.approx(1 / 0.3)
    assert low < 1 < high


@pytest.mark.parametrize(
    ("interval", "verdict"), [((1.1, 2), "SimPer first"), ((0.9, 2), "level"), ((0.5, 0.9), "BYOL first")]
)
def test_first_is_whose_interval_leaves_out_one(interval, verdict):
    row = Row("d", "c", "a~b", "small", "fft", paired.METRIC, 1.0, "", *interval, 3, 0, "abc", 0.0)
    assert paired.sentence("low", "SimPer", "BYOL", row).startswith(f"low: {verdict}; the error of BYOL is 1 [")


def test_a_pair_is_kept_and_told_where_its_runs_are_not(tmp_path):
    cells = [Cell(Run("flags/small/rotating_digits.cfg").but(method=name), "fft", "mae") for name in ("simper", "byol")]
    grid = Grid(tmp_path / "runs", kept=tmp_path / "rows.jsonl")
    assert paired.row(grid, *cells, [0]) is None
    for cell, errors in zip(cells, ([0.1, 0.1, 0.1], [0.3, 0.3, 0.3]), strict=True):
        folder = grid.folder_of(cell.run.seeded(0))
        folder.mkdir(parents=True)
        (made,) = tables(folder, "clips", [errors])
        made.rename(folder / "clips.csv")
        own = dict(cell.run.changes)["method"]
        rows.write_rows(
            folder / "results.jsonl", [Row("d", "c", own, "small", "fft", "mae", 1, "Hz", 1, 1, 3, 0, "abc", 1)]
        )
    row = paired.row(grid, *cells, [0])
    assert (row.method, row.value, row.low, row.high) == ("simper~byol", *[pytest.approx(3)] * 3)
    grid.save_rows()
    elsewhere = Grid(tmp_path / "none", kept=tmp_path / "rows.jsonl")
    assert paired.row(elsewhere, *cells, [0]) == row


def test_the_noise_table_has_each_method_at_four_strengths():
    titles = [METHODS[name].title for name in chosen.NOISY]
    for block in noise.noise(SCALES["small"].located("data", "raw")).blocks[:2]:
        assert [line.title for line in block.lines][: len(titles)] == titles
        unlearned = [line.title for line in block.lines if line.title.startswith("control: ")]
        stronger = [title for title in unlearned if title != "control: strongest line of the pixels"]
        assert stronger
        without_network = [PATTERNS_LINE] * (PATTERNS_LINE in [line.title for line in block.lines])
        of_simper = [("SimPer", title) for title in titles + stronger + without_network if title != "SimPer"]
        of_patterns = [(PATTERNS_LINE, title) for title in stronger if without_network]
        assert set(block.paired) == {*of_simper, *of_patterns}
        for line in block.lines:
            sets = [cell.run.settings().dataset for cell in line.cells]
            assert sets == [f"rotating_digits/mnist_noisy_{name}" for name in ("faint", "low", "middle", "high")]


def test_at_equal_contrast_all_lines_are_read_in_one_band():
    block = noise.noise(SCALES["small"].located("data", "raw")).blocks[2]
    learned = [METHODS[name].title for name in chosen.NOISIEST]
    assert [line.title for line in block.lines[:4]] == [*learned, "control: encoder untrained"]
    settings = [cell.run.settings() for line in block.lines for cell in line.cells if cell]
    assert {each.band for each in settings} == {(0.4, 5.5)}
    assert {each.dataset for each in settings} == {f"rotating_digits/mnist_noisy_{name}" for name in noise.STRONG}
    assert all(line.cells[0].run.settings().options["equal_contrast"] for line in block.lines[:4])
    assert ("SimPer", "control: neighbors of the pixels' spectra") in block.paired


def test_lines_of_one_dense_layer_differ_by_the_method_alone():
    block = noise.noise(SCALES["small"].located("data", "raw")).blocks[3]
    learned = {line.title: line for line in block.lines if not line.kind and line.title != PATTERNS_LINE}
    assert set(learned) == {*(METHODS[name].title for name in chosen.LINEAR), "SimPer, each sum by itself"}
    for line in [*learned.values(), *(line for line in block.lines if line.title == "control: encoder untrained")]:
        for cell, (way, name) in zip(line.cells, itertools.product(("patterns", "1nn"), noise.STRONG), strict=True):
            settings = cell.run.settings()
            assert (cell.protocol, settings.dataset) == (way, f"rotating_digits/mnist_noisy_{name}")
            assert (settings.encoder, settings.band) == ("linear", (0.4, 5.5))
            assert settings.options["equal_contrast"]
            assert settings.options.get("joint", False) == (line.title == "SimPer")
    assert {("SimPer", title) for title in learned if title != "SimPer"} < set(block.paired)
    assert ("SimPer", "control: harmonic sum of the pixels at equal contrast") in block.paired
