import dataclasses
import pathlib

import pytest

from simper_tf.encoders import ENCODERS
from simper_tf.encoders.norms import mixes_clips
from trainers.studies import STUDIES, choosing, published, ranking
from trainers.studies.features import PAPERS
from trainers.studies.scales import SCALES, SETS
from trainers.studies.table import data_set_of

LOCATED = {name: scale.located("data", "raw") for name, scale in SCALES.items()}


def test_the_papers_numbers_are_found_by_table_line_and_column_and_their_leads_are_those_it_prints():
    assert published.value("table2", "simper", "fft mape") == 16.49
    assert published.value("table2", "simper", "fft gm") is None
    assert published.value("table2", "slf_rpm", "fft mae") is None
    # The paper's own row of gains, as far as it is the best of the others less SimPer's.
    leads = {
        "table2": [1.47, 32.60, 0.29, 9.90],
        "table5": [5.30, 6.06, 8.05, 8.40],
        "table14": [2.70, 110.44, 0.71, 53.25],
    }
    for name, expected in leads.items():
        lines = {who: line["values"] for who, line in published.tables()[name]["lines"].items()}
        ours = lines.pop("simper")
        gains = [min(values) - own for values, own in zip(zip(*lines.values(), strict=True), ours, strict=True)]
        assert gains == pytest.approx(expected)


def test_all_tables_of_the_paper_that_hold_results_are_studies():
    assert set(published.tables()) == {f"table{k}" for k in (*range(2, 11), *range(12, 23))}
    assert set(published.tables()) <= set(STUDIES)


@pytest.mark.parametrize("table", sorted(published.tables()))
def test_every_number_of_the_paper_stands_in_its_table_once(table):
    study = STUDIES[table][0](LOCATED["paper"])
    cells = [cell for each in study.blocks for line in each.lines for cell in line.cells if cell]
    found = sorted(cell.paper for cell in cells if cell.paper is not None)
    assert found == sorted(value for line in published.tables()[table]["lines"].values() for value in line["values"])


@pytest.mark.parametrize("scale", sorted(SCALES))
@pytest.mark.parametrize("name", sorted(STUDIES))
def test_every_run_of_every_table_has_flags_that_fit_one_another(name, scale):
    study = STUDIES[name][0](LOCATED[scale])
    runs = [run.seeded(0) for run in study.runs()]
    assert study.name == name
    of_two_cores = ("equal_seconds", "batches", "largest_batches", "finalists")
    assert bool(runs) != (name in of_two_cores and scale == "paper")
    for run in runs:
        assert len({each.name() for each in run.with_sources()}) == len(run.with_sources())
        assert {each.settings().artifacts for each in run.with_sources()} <= {False, name == "quickstart"}
    for each in study.blocks:
        assert all(len(line.cells) == len(each.columns) for line in each.lines)


def test_fine_tuning_begins_with_the_method_of_its_line_on_the_same_clips():
    study = STUDIES["table12_digits"][0](LOCATED["small"])
    line = {line.title: line for line in study.blocks[0].lines}["SimPer"]
    ran = [(cell.run.settings(), cell.run.source.settings()) for cell in line.cells[::2]]
    assert (
        [tuned.data_fraction for tuned, _ in ran]
        == [before.data_fraction for _, before in ran]
        == [1, 0.5, 0.2, 0.1, 0.05]
    )
    assert {(tuned.method, before.method) for tuned, before in ran} == {("supervised", "simper")}
    lines = {line.title: line for line in STUDIES["table13_digits"][0](LOCATED["small"]).blocks[0].lines}
    assert "supervised, the head alone" not in lines
    whole, alone = lines["SimPer"], lines["SimPer, the head alone"]
    assert len({cell.run.source for line in (whole, alone) for cell in line.cells}) == 1
    for line, frozen in ((whole, False), (alone, True)):
        found = [cell.run.settings() for cell in line.cells[::2]]
        assert [settings.label_fraction for settings in found] == [1, 0.5, 0.2, 0.1, 0.05]
        assert {settings.options.get("freeze", False) for settings in found} == {frozen}


def test_each_start_learns_labels_at_the_rates_that_were_chosen_for_it_and_a_head_alone_at_the_flagfiles():
    rates = choosing.label_rates()
    whole, alone, after, _ = STUDIES["table8"][0](LOCATED["small"]).blocks
    methods = ("supervised", *PAPERS)
    names = [pathlib.Path(cell.run.flagfile).stem for cell in whole.lines[0].cells]
    for method, at_once, later in zip(methods, whole.lines, after.lines, strict=False):
        for name, first, both in zip(names, at_once.cells, later.cells, strict=True):
            assert first.run.settings().learning_rate == rates[name][method]["at_once"]
            found, before = both.run.settings(), both.run.source.settings()
            assert (found.learning_rate, found.keep_head) == (rates[name][method]["after"], True)
            assert not found.options.get("freeze", False)
            assert before.method == "supervised"
            assert (before.learning_rate, before.options.get("freeze", False)) == (0.003, method != "supervised")
    for method, line, later in zip(PAPERS, alone.lines, after.lines[1:], strict=True):
        for head, both in zip(line.cells, later.cells, strict=True):
            assert both.run.source == head.run
            assert head.run.source.settings().method == method


@pytest.mark.parametrize(
    ("name", "alone"), [("table13", ("SimCLR", "CVRL", "SimPer")), ("table13_digits", ("SimPer",))]
)
def test_a_head_of_one_multiple_learns_alone_on_encoders_and_with_all_of_random_weights(name, alone):
    lines = {line.title: line for line in STUDIES[name][0](LOCATED["small"]).blocks[0].lines}
    found = {title: line.cells[0].run.settings() for title, line in lines.items() if "`frequency`" in title}
    assert list(found) == [
        "supervised, the head `frequency`",
        *(f"{each}, the head `frequency` alone" for each in alone),
    ]
    for title, settings in found.items():
        assert settings.options["head"] == "frequency"
        assert settings.options.get("freeze", False) == title.endswith("alone")


def test_what_learns_from_labels_ends_with_its_best_epoch_where_encoders_move_to_other_data():
    runs = [each for run in STUDIES["table9"][0](LOCATED["paper"]).runs() for each in run.with_sources()]
    found = {(run.settings().method, run.settings().best_epoch) for run in runs}
    assert found == {("supervised", True), ("simclr", False), ("simper", False)}


@pytest.mark.parametrize("scale", ["small", "paper"])
def test_a_head_of_one_multiple_reads_all_but_series(scale):
    *_, block = STUDIES["table8"][0](LOCATED[scale]).blocks
    for method, line in zip(("supervised", "simper", *PAPERS), block.lines, strict=True):
        is_whole = method == "supervised" or "all of the network" in line.title
        runs = {data_set_of(cell.run): cell.run for cell in line.cells if cell}
        assert set(runs) == set(SETS) - {"lst"}
        for run in runs.values():
            found = run.settings().options
            assert (found["head"], found.get("freeze", False)) == ("frequency", not is_whole)
            assert method == (run.source.settings().method if run.source else "supervised")


@pytest.mark.parametrize("name", sorted(published.tables()))
def test_what_reads_clips_without_learning_is_said_to_take_no_training(name):
    lines = [line for block in STUDIES[name][0](LOCATED["small"]).blocks for line in block.lines]
    controls = [line for line in lines if line.title.startswith("control")]
    cells = [cell for line in controls for cell in line.cells if cell]
    assert all(cell.protocol in ranking.UNLEARNED or cell.run.settings().epochs == 0 for cell in cells)
    assert controls or name != "table8"


@pytest.mark.parametrize("name", [f"table{number}" for number in (*range(2, 8), 14)])
def test_an_encoder_that_has_learned_nothing_stands_in_every_column_of_features(name):
    (block,) = STUDIES[name][0](LOCATED["small"]).blocks
    (line,) = [line for line in block.lines if line.title == "control: encoder untrained"]
    assert len(line.cells) == len(block.columns)
    assert {cell.run.settings().epochs for cell in line.cells} == {0}
    assert {cell.run.settings().encoder_from for cell in line.cells} == {""}


def test_a_method_that_no_rate_was_chosen_for_has_that_of_simper_and_the_paper_that_of_its_flagfile():
    setting = LOCATED["small"].sets["ubfc"]
    known = dataclasses.replace(setting, rates={"simper": {"at_once": 0.5}, "byol": {"at_once": 0.25}})
    runs = {name: known.begun_with(setting.pretrain.but(method=name)) for name in ("simper", "byol", "sinc")}
    assert [run.settings().learning_rate for run in runs.values()] == [0.5, 0.25, 0.5]
    paper = LOCATED["paper"].sets["ubfc"]
    assert paper.begun_with(paper.pretrain).settings().learning_rate == paper.finetune.settings().learning_rate


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_networks_made_for_a_task_are_those_of_the_paper_before_and_after_labels(scale):
    block, _ = STUDIES["table20"][0](LOCATED[scale]).blocks
    runs = [cell.run for line in block.lines for cell in line.cells if cell]
    for each in [run for run in runs for run in run.with_sources()]:
        found = each.settings()
        counts = found.dataset.startswith("countix")
        assert found.encoder == ("repnet" if counts else "efficientphys")
        assert (found.options.get("head") == "repnet") == (counts and found.method == "supervised")
        assert ("width" in found.options) == (counts and scale != "paper")
    blocks = STUDIES["table21"][0](LOCATED[scale]).blocks
    for each, (saliency, weight) in zip(blocks, 2 * [(False, None)] + 2 * [(True, None)] + [(True, 1.0)], strict=True):
        cells = [cell for line in each.lines for cell in line.cells if cell]
        found = [run.settings() for cell in cells for run in cell.run.with_sources()]
        terms = ("saliency_entropy_weight", "saliency_motion_weight")
        assert {(one.saliency, *map(one.options.get, terms)) for one in found} == {(saliency, weight, weight)}


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_what_is_read_before_any_label_are_the_features_that_the_same_line_learns_labels_from(scale):
    blocks = [*STUDIES["table20"][0](LOCATED[scale]).blocks, *STUDIES["table21"][0](LOCATED[scale]).blocks[:-1]]
    for tuned, frozen in zip(blocks[::2], blocks[1::2], strict=True):
        learned = [line for line in tuned.lines if line.title != "supervised" and "control" not in line.title]
        for after, before in zip(learned, frozen.lines, strict=True):
            assert after.title == before.title
            begun = [cell.run.source for cell in after.cells if cell.metric == "mae"]
            assert [cell.run for cell in before.cells[::2]] == [cell.run for cell in before.cells[1::2]] == begun
            assert [cell.protocol for cell in before.cells] == ["fft", "1nn"] * len(begun)


@pytest.fixture(scope="module")
def every_run():
    """Returns the runs of all studies and what they begin with, each once."""
    studies = [make(LOCATED["small"]) for make, _ in STUDIES.values()]
    return list(dict.fromkeys(each for study in studies for run in study.runs() for each in run.with_sources()))


def test_no_view_of_digits_in_any_study_is_faster_than_its_frames_can_show(every_run):
    # Of the other data sets the rate is that of their recordings.
    found = [run.settings() for run in every_run]
    of_digits = [each for each in found if "rotating_digits" in each.dataset]
    assert len(of_digits) > 100
    for each in of_digits:
        fastest = 1 if each.method == "supervised" else each.speed_range[1]
        assert each.band[1] * fastest <= 30 / 2, each


def test_micro_batches_have_encoders_that_keep_clips_apart(every_run):
    found = [run.settings() for run in every_run if "micro_batch" in dict(run.changes)]
    assert found
    for settings in found:
        encoder = ENCODERS[settings.encoder]((28, 28, 1), **settings.options_for("encoder"))
        assert not mixes_clips(encoder), settings


def test_no_band_knows_of_the_frequencies_that_are_left_out():
    study = STUDIES["table10"][0](LOCATED["small"])
    whole = LOCATED["small"].sets["rotating_digits"].pretrain.settings().band
    assert {run.settings().band for run in study.runs()} == {whole}


@pytest.mark.parametrize("scale", sorted(SCALES))
@pytest.mark.parametrize("name", ["comparison", "finetune_settings", "table8"])
def test_every_run_says_its_method_where_it_learns_from_labels(name, scale):
    runs = [each for run in STUDIES[name][0](LOCATED[scale]).runs() for each in run.with_sources()]
    for run in runs:
        if run.settings().method == "supervised":
            assert dict(run.changes)["method"] == "supervised"


def test_every_scale_has_the_six_data_sets_of_the_paper():
    assert [set(scale.sets) for scale in SCALES.values()] == [set(SETS)] * 3


def test_choices_are_made_on_validation_clips_alone():
    for name in (
        "settings",
        "finalists",
        "batches",
        "noise_settings",
        "losses",
        "choices",
        "prior",
        "finetune_settings",
        "seeds",
        "between_frames",
    ):
        assert {run.split for run in STUDIES[name][0](LOCATED["small"]).runs()} == {"validation"}
    for name in published.tables():
        assert {run.split for run in STUDIES[name][0](LOCATED["small"]).runs()} == {"test"}
