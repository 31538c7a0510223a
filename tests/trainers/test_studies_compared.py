"""Tables of the comparison and of features have the lines that they should: methods, batches, what learns nothing."""

import pytest

from simper_tf.methods import METHODS
from trainers.studies import STUDIES
from trainers.studies.comparison import DATA
from trainers.studies.digits import DIGITS
from trainers.studies.features import PAPERS
from trainers.studies.scales import SCALES
from trainers.studies.table import data_set_of

LOCATED = {name: scale.located("data", "raw") for name, scale in SCALES.items()}


def test_the_comparison_has_every_method_with_and_without_the_prior_and_controls():
    blocks = [each for name in ("comparison", "comparison_prior") for each in STUDIES[name][0](LOCATED["small"]).blocks]
    told = {METHODS[name].title for name in ("sinc", "contrast_phys", "frequency_contrast")}
    methods = [kind.title for kind in METHODS.values() if not kind.needs_labels]
    titles = {each.title: [line.title for line in each.lines] for each in blocks}
    without = [lines for title, lines in titles.items() if ", without the prior: " in title]
    prior = [lines for title, lines in titles.items() if ", with the prior: " in title]
    assert len(without) == len(prior) == 6
    for lines in without:
        assert {f"{title} (told the band)" if title in told else title for title in methods} <= set(lines)
        assert {f"{title}, wide band" for title in told} <= set(lines)
        assert sum(title.startswith("control") for title in lines) >= 3
        assert sum(title.startswith("supervised") for title in lines) == 5
        assert not any("prior" in title for title in lines)
    for lines in prior:
        assert {f"{title} + prior" for title in methods if title != METHODS["sinc"].title} <= set(lines)
        assert {"prior alone", "SiNC (told the band)", "control: strongest line of the pixels"} <= set(lines)
    assert all(name in METHODS for name in PAPERS)


def test_batches_of_64_stand_in_a_table_of_their_own():
    study = STUDIES["largest_batches"][0](LOCATED["small"])
    runs = [cell.run.settings() for block in study.blocks for line in block.lines for cell in line.cells]
    assert {run.batch_size for run in runs} == {64}
    assert {run.dataset for run in runs} == {f"rotating_digits/{config}" for config in DATA}


def test_a_supervised_line_has_the_papers_decay_over_as_many_epochs_as_its_clips_allow():
    lines = {line.title: line for line in STUDIES["comparison"][0](LOCATED["small"]).blocks[0].lines}
    for title in ("the published head", "phase-free head, pictures left as they are"):
        found = lines[f"supervised, {title}, decay as in the paper"].cells[-1].run.settings()
        epochs = found.steps * found.batch_size / 1000
        assert [each / epochs for each in found.decay_epochs] == [12 / 20, 16 / 20]
        assert lines[f"supervised, {title}"].cells[-1].run.settings().decay_epochs == ()


def test_the_papers_numbers_stand_beside_its_methods_on_clean_digits_without_the_prior_alone():
    blocks = {each.title: each for each in STUDIES["comparison"][0](LOCATED["small"]).blocks}
    beside = {
        title: {line.title: {cell.protocol: cell.paper for cell in line.cells if cell and cell.paper is not None}
                for line in each.lines if any(cell and cell.paper is not None for cell in line.cells)}
        for title, each in blocks.items()
    }  # fmt: skip
    found = {title: lines for title, lines in beside.items() if lines}
    assert list(found) == [f"{DIGITS['digits']}, without the prior: {words}" for words in ("MAE (Hz)", "MAPE (%)")]
    lines = found[f"{DIGITS['digits']}, without the prior: MAE (Hz)"]
    papers = "SimPer with the paper's crops, flips, blur and brightness"
    assert list(lines) == [*(METHODS[name].title for name in METHODS if name in PAPERS), papers]
    assert lines["SimCLR"] == {"fft": 2.96, "1nn": 0.98}


def test_methods_made_for_pulse_stand_in_tables_of_pulse_without_a_prior_of_their_own():
    for name in ("table3", "table4", "table5"):
        (block,) = STUDIES[name][0](LOCATED["small"]).blocks
        lines = {line.title: line.cells[0].run.settings() for line in block.lines if line.cells[0]}
        for method in ("frequency_contrast", "contrast_phys", "sinc"):
            found = lines[f"{METHODS[method].title} (told the band)"]
            assert (found.method, found.options.get("prior_weight", 0)) == (method, 0)


def test_a_line_of_simclr_has_larger_batches_where_the_scale_has_small_ones():
    for name in ("table2", "table14"):
        small, paper = (STUDIES[name][0](LOCATED[scale]).blocks[0].lines for scale in ("small", "paper"))
        sizes = {line.title: line.cells[0].run.settings().batch_size for line in small if "SimCLR" in line.title}
        assert sizes == {"SimCLR": 4, "SimCLR, batches of 16": 16}
        assert not any("batches" in line.title for line in paper)


def test_tables_of_features_have_what_reads_without_learning_where_its_clips_allow_it():
    made = {name: STUDIES[name][0](LOCATED["small"]).blocks[0] for name in ("table2", "table5", "table6", "table7")}
    controls = {
        name: {cell.protocol for line in each.lines for cell in line.cells if cell} for name, each in made.items()
    }
    skin = {"green", "chrom", "pos", "chrom_fundamental", "pos_fundamental"}
    for line in made["table5"].lines:
        for column, cell in zip(made["table5"].columns, line.cells, strict=True):
            if cell and cell.protocol in skin:
                assert ("down to the fundamental" in column) == cell.protocol.endswith("_fundamental")
                assert cell.protocol.split("_")[0] in line.title.lower()
    assert skin | {"pixels"} <= controls["table5"]
    for name in ("table2", "table6"):
        assert controls[name] & (skin | {"pixels"}) == {"pixels"}
    assert controls["table7"] == {"linear_probe", "persistence", "training_mean"}


@pytest.mark.parametrize("name", ["table8", "table9", "table12", "table13_digits", "table15", "table19", "table21"])
def test_heads_stand_beside_what_reads_the_same_clips_without_learning(name):
    for block in STUDIES[name][0](LOCATED["small"]).blocks:
        if name == "table8" and block.title != "The whole network at once":
            continue
        lines = [line.cells for line in block.lines if line.title.startswith("control")]
        for number, own in enumerate(block.lines[0].cells):
            beside = {cells[number].protocol for cells in lines if cells[number]}
            others = {"rotating_digits": {"pixels"}, "countix": {"pixels"}, "lst": {"persistence", "training_mean"}}
            faces = {"chrom", "pos", "green"}
            expected = others.get(data_set_of(own.run), faces) if own.protocol == "supervised" else set()
            assert beside == expected
            assert all(cells[number].metric == own.metric for cells in lines if cells[number])
