"""Tables as data: every number of the paper has its place, runs fit their flags, and lines are what they say."""

import functools
import pathlib

import pytest

from simper_tf.evaluation.protocols import FLOORS, IDEAL
from simper_tf.methods import METHODS
from trainers.grid import Run
from trainers.studies import STUDIES, chosen, published, ranking
from trainers.studies.comparison import DIGITS
from trainers.studies.features import PAPERS
from trainers.studies.scales import SCALES, SETS
from trainers.studies.table import data_set_of

LOCATED = {name: scale.located("data", "raw") for name, scale in SCALES.items()}
FEATURES = [f"table{number}" for number in (*range(2, 8), 14)]


@pytest.fixture(autouse=True, scope="module")
def _read_once():
    """Keeps the settings of runs, which many tests ask for."""
    plain = Run.settings
    Run.settings = functools.cache(plain)
    yield
    Run.settings = plain


@functools.cache
def study(name, scale="small"):
    return STUDIES[name][0](LOCATED[scale])


def lines_of(name, block=0, scale="small"):
    """Returns the lines of a block by their titles."""
    return {line.title: line for line in study(name, scale).blocks[block].lines}


def every_run(*names, scale="small"):
    """Returns the runs of tables and what they begin with, each once."""
    return list(
        dict.fromkeys(each for name in names for run in study(name, scale).runs() for each in run.with_sources())
    )


def test_the_papers_numbers_are_found_and_give_its_leads():
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


def test_all_tables_of_the_paper_with_results_are_studies():
    assert set(published.tables()) == {f"table{k}" for k in (*range(2, 11), *range(12, 23))}
    assert set(published.tables()) <= set(STUDIES)
    assert all(study(name).name == name for name in STUDIES)


@pytest.mark.parametrize("table", sorted(published.tables()))
def test_every_number_of_the_paper_stands_in_its_table_once(table):
    shown = sorted(cell.paper for cell in study(table, "paper").cells() if cell.paper is not None)
    assert shown == sorted(value for line in published.tables()[table]["lines"].values() for value in line["values"])


@pytest.mark.slow
@pytest.mark.parametrize("scale", sorted(SCALES))
def test_every_run_has_flags_that_fit_one_another(scale):
    for name in STUDIES:
        for run in study(name, scale).runs():
            sources = run.seeded(0).with_sources()
            assert len({each.name() for each in sources}) == len(sources)
            assert {each.settings().artifacts for each in sources} <= {False, name in ("digits", "quickstart", "mnist")}
        for block in study(name, scale).blocks:
            assert all(len(line.cells) == len(block.columns) for line in block.lines)


def test_fine_tuning_begins_with_its_method_on_the_same_clips():
    cells = lines_of("table12_digits")["SimPer"].cells[::2]
    pairs = [(cell.run.settings(), cell.run.source.settings()) for cell in cells]
    assert [tuned.data_fraction for tuned, _ in pairs] == [1, 0.5, 0.2, 0.1, 0.05]
    assert [before.data_fraction for _, before in pairs] == [1, 0.5, 0.2, 0.1, 0.05]
    assert {(tuned.method, before.method) for tuned, before in pairs} == {("supervised", "simper")}


def test_fewer_labels_begin_with_the_same_encoder():
    lines = lines_of("table13_digits")
    assert "supervised, the head alone" not in lines
    whole, alone = lines["SimPer"], lines["SimPer, the head alone"]
    assert len({cell.run.source for line in (whole, alone) for cell in line.cells}) == 1
    for line, is_frozen in ((whole, False), (alone, True)):
        settings = [cell.run.settings() for cell in line.cells[::2]]
        assert [each.label_fraction for each in settings] == [1, 0.5, 0.2, 0.1, 0.05]
        assert {each.options.get("freeze", False) for each in settings} == {is_frozen}


@pytest.mark.slow
def test_each_start_learns_labels_at_its_chosen_rates():
    whole, alone, after, _ = study("table8").blocks
    methods = ("supervised", *PAPERS)
    names = [pathlib.Path(cell.run.flagfile).stem for cell in whole.lines[0].cells]
    for method, at_once, later in zip(methods, whole.lines, after.lines, strict=False):
        for name, first, both in zip(names, at_once.cells, later.cells, strict=True):
            rates = chosen.RATES[name].get(method, chosen.RATES[name]["simper"])
            assert first.run.settings().learning_rate == rates[0]
            tuned, before = both.run.settings(), both.run.source.settings()
            assert (tuned.learning_rate, tuned.keep_head) == (rates[1], True)
            assert not tuned.options.get("freeze", False)
            assert before.method == "supervised"
            assert (before.learning_rate, before.options.get("freeze", False)) == (0.003, method != "supervised")
    for method, line, later in zip(PAPERS, alone.lines, after.lines[1:], strict=True):
        for head, both in zip(line.cells, later.cells, strict=True):
            assert both.run.source == head.run
            assert head.run.source.settings().method == method


def test_a_rate_that_was_not_chosen_is_simpers_or_the_flagfiles():
    setting, paper = LOCATED["small"].sets["ubfc"], LOCATED["paper"].sets["ubfc"]
    rates = [setting.begun_with(setting.pretrain.but(method=name)).settings() for name in ("simper", "byol", "sinc")]
    assert [each.learning_rate for each in rates] == [0.001, 0.003, 0.001]
    assert paper.begun_with(paper.pretrain).settings().learning_rate == paper.finetune.settings().learning_rate


@pytest.mark.parametrize(
    ("name", "alone"), [("table13", ("SimCLR", "CVRL", "SimPer")), ("table13_digits", ("SimPer",))]
)
def test_the_head_of_one_multiple_learns_alone_on_encoders(name, alone):
    lines = {title: line for title, line in lines_of(name).items() if "`frequency`" in title}
    titles = ["supervised, the head `frequency`", *(f"{each}, the head `frequency` alone" for each in alone)]
    assert list(lines) == titles
    for title, line in lines.items():
        options = line.cells[0].run.settings().options
        assert (options["head"], options.get("freeze", False)) == ("frequency", title.endswith("alone"))


@pytest.mark.parametrize("scale", ["small", "paper"])
def test_a_head_of_one_multiple_reads_all_but_series(scale):
    *_, block = study("table8", scale).blocks
    for method, line in zip(("supervised", "simper", *PAPERS), block.lines, strict=True):
        is_whole = method == "supervised" or "all of the network" in line.title
        runs = {data_set_of(cell.run): cell.run for cell in line.cells if cell}
        assert set(runs) == set(LOCATED[scale].tuned(SETS)) - {"lst"}
        for run in runs.values():
            options = run.settings().options
            assert (options["head"], options.get("freeze", False)) == ("frequency", not is_whole)
            assert method == (run.source.settings().method if run.source else "supervised")


def test_transfer_ends_with_the_best_epoch_of_labels():
    settings = [run.settings() for run in every_run("table9", scale="paper")]
    best = {(each.method, each.best_epoch) for each in settings if each.epochs}
    assert best == {("supervised", True), ("simclr", False), ("simper", False)}


@pytest.mark.parametrize("scale", ["small", "paper"])
def test_moved_encoders_learn_nothing_on_the_data_that_they_read(scale):
    _, to_pure, to_ubfc = study("table9", scale).blocks
    for block, source, target in ((to_pure, "ubfc", "pure"), (to_ubfc, "pure", "ubfc")):
        for title, line in {line.title: line for line in block.lines if "control" not in line.title}.items():
            (run,) = {cell.run for cell in line.cells if cell}
            settings, is_moved = run.settings(), "second alone" not in title
            assert (data_set_of(run), settings.epochs == 0) == (target, is_moved)
            assert [data_set_of(begun) for begun in run.with_sources()] == [source] * is_moved + [target]
            # A head that learned there reads here too.
            assert (
                settings.keep_head
                == (is_moved and settings.method == "supervised")
                == (line.cells[-1] is not None and is_moved)
            )


def test_no_row_of_heads_that_repeat_stands_for_heads_that_turn():
    runs = [run for name in STUDIES for run in study(name).runs() if data_set_of(run) == "pure"]
    assert {run.settings().dataset for run in runs} == {"drawn_faces/turning"}
    assert all("_drawn_faces-turning_" in run.seeded(0).name() for run in runs[:2])


@pytest.mark.parametrize("scale", ["small", "paper"])
def test_table_2_gives_all_methods_the_appearance_of_one(scale):
    own, alike = study("table2", scale).blocks
    learned = [line.cells[0].run.settings() for line in alike.lines[: len(PAPERS)]]
    looks = {METHODS[settings.method].title: settings.appearance for settings in learned}
    assert looks == {METHODS[method].title: "own" if method == "simper" else "simper" for method in PAPERS}
    assert own.columns == alike.columns


@pytest.mark.parametrize("name", ["table8", "table20", "table21"])
def test_few_runs_on_labels_leave_pure_out_and_say_so(name):
    made = {scale: study(name, scale) for scale in ("small", "paper")}
    sets = {scale: {data_set_of(run) for run in of_scale.runs()} for scale, of_scale in made.items()}
    assert sets["paper"] - sets["small"] == {"pure"}
    assert "PURE is left out" in made["small"].about
    assert "left out" not in made["paper"].about


@pytest.mark.parametrize("name", sorted(published.tables()))
def test_controls_take_no_training(name):
    lines = [line for block in study(name).blocks for line in block.lines if line.title.startswith("control")]
    for cell in (cell for line in lines for cell in line.cells if cell):
        assert cell.protocol in ranking.UNLEARNED or cell.run.settings().epochs == 0
    assert lines or name == "table18"


@pytest.mark.parametrize("name", FEATURES)
def test_an_untrained_encoder_stands_in_every_column_of_features(name):
    line = lines_of(name)["control: encoder untrained"]
    assert len(line.cells) == len(study(name).blocks[0].columns)
    assert {(cell.run.settings().epochs, cell.run.settings().encoder_from) for cell in line.cells} == {(0, "")}


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_networks_made_for_a_task_are_those_of_the_paper(scale):
    block, _ = study("table20", scale).blocks
    for run in (each for line in block.lines for cell in line.cells if cell for each in cell.run.with_sources()):
        settings = run.settings()
        counts = settings.dataset.startswith("countix")
        assert settings.encoder == ("repnet" if counts else "efficientphys")
        assert (settings.options.get("head") == "repnet") == (counts and settings.method == "supervised")
        assert ("width" in settings.options) == (counts and scale != "paper")


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_blocks_with_a_sampler_have_it_and_the_last_its_terms(scale):
    blocks, terms = study("table21", scale).blocks, ("saliency_entropy_weight", "saliency_motion_weight")
    for block, expected in zip(blocks, 2 * [(False, None)] + 2 * [(True, None)] + [(True, 1.0)], strict=True):
        cells = [cell for line in block.lines for cell in line.cells if cell]
        settings = [run.settings() for cell in cells for run in cell.run.with_sources()]
        assert {(each.saliency, *map(each.options.get, terms)) for each in settings} == {(*expected, expected[1])}


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_what_is_read_before_labels_is_what_labels_begin_with(scale):
    blocks = [*study("table20", scale).blocks, *study("table21", scale).blocks[:-1]]
    for tuned, frozen in zip(blocks[::2], blocks[1::2], strict=True):
        learned = [line for line in tuned.lines if line.title != "supervised" and "control" not in line.title]
        for after, before in zip(learned, frozen.lines, strict=True):
            assert after.title == before.title
            begun = [cell.run.source for cell in after.cells if cell.metric == "mae"]
            assert [cell.run for cell in before.cells[::2]] == [cell.run for cell in before.cells[1::2]] == begun
            assert [cell.protocol for cell in before.cells] == ["fft", "1nn"] * len(begun)


@pytest.mark.slow
def test_no_view_of_digits_is_faster_than_its_frames_can_show():
    # Of the other data sets the rate is that of their recordings.
    settings = [run.settings() for run in every_run(*STUDIES)]
    of_digits = [each for each in settings if "rotating_digits" in each.dataset]
    assert len(of_digits) > 100
    for each in of_digits:
        fastest = 1 if each.method == "supervised" else each.speed_range[1]
        assert each.band[1] * fastest <= 30 / 2, each


def test_no_band_knows_of_the_frequencies_that_are_left_out():
    whole = LOCATED["small"].sets["rotating_digits"].pretrain.settings().band
    assert {run.settings().band for run in study("table10").runs()} == {whole}


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_what_learns_from_labels_says_its_method(scale):
    for run in every_run("comparison", "table8", scale=scale):
        if run.settings().method == "supervised":
            assert dict(run.changes)["method"] == "supervised"


def test_every_scale_has_the_six_data_sets_of_the_paper():
    assert [set(scale.sets) for scale in SCALES.values()] == [set(SETS)] * 3


def test_choices_use_validation_clips_and_tables_test_clips():
    splits = {name: {run.split for run in study(name).runs()} for name in STUDIES}
    assert splits == {name: {"validation" if name == "choices" else "test"} for name in STUDIES}


def test_the_comparison_has_every_method_and_controls():
    told = {METHODS[name].title for name in ("sinc", "contrast_phys", "frequency_contrast")}
    methods = [kind.title for kind in METHODS.values() if not kind.needs_labels]
    blocks = study("comparison").blocks
    assert [block.title for block in blocks] == [f"{kind}: {metric}" for kind in DIGITS.values()
                                                for metric in ("MAE (Hz)", "MAPE (%)")]  # fmt: skip
    for block in blocks:
        titles = [line.title for line in block.lines]
        assert {f"{title} (told the band)" if title in told else title for title in methods} <= set(titles)
        assert {f"{title}, wide band" for title in told} <= set(titles)
        assert [sum(title.startswith(words) for title in titles) for words in ("control", "supervised")] == [3, 5]
    assert not any(run.settings().options.get("prior_weight") for run in study("comparison").runs())


@pytest.mark.parametrize("name", ["comparison", "table2", "table14", "mnist", "quickstart"])
def test_floors_are_of_what_learns_nothing(name):
    blocks = study(name).blocks
    cells = [cell for block in blocks for line in block.lines for cell in line.cells if cell]
    floors = [cell for cell in cells if cell.protocol in FLOORS]
    assert {cell.protocol.removesuffix("_2f").removesuffix("_floor") for cell in floors} >= {"fft", "1nn"}
    assert {cell.run.settings().epochs for cell in floors} == {0}


@pytest.mark.parametrize("name", ["comparison", "table2", "table14"])
def test_the_ideal_stands_in_columns_of_fourier_readouts(name):
    for block in study(name).blocks:
        (line,) = (line for line in block.lines if line.title.startswith("ideal"))
        shown = {title for title, cell in zip(block.columns, line.cells, strict=True) if cell}
        assert shown == {title for title in block.columns if title.startswith("FFT")}
        assert {cell.protocol for cell in line.cells if cell} == {IDEAL}


def test_the_comparison_has_the_chosen_settings():
    lines = lines_of("comparison")
    for method, expected in chosen.SETTINGS.items():
        (line,) = [line for title, line in lines.items() if title.split(" (")[0] == METHODS[method].title]
        settings = line.cells[0].run.settings()
        known = {name: str(getattr(settings, name, settings.options.get(name))) for name in expected}
        assert known == expected


def test_a_supervised_line_decays_by_epochs_as_in_the_paper():
    lines = lines_of("comparison")
    for title in ("the published head", "phase-free head, pictures left as they are"):
        settings = lines[f"supervised, {title}, decay as in the paper"].cells[-1].run.settings()
        epochs = settings.steps * settings.batch_size / 1000
        assert [each / epochs for each in settings.decay_epochs] == [12 / 20, 16 / 20]
        assert lines[f"supervised, {title}"].cells[-1].run.settings().decay_epochs == ()


def test_the_papers_numbers_stand_beside_clean_digits_alone():
    blocks = {block.title: block for block in study("comparison").blocks}
    beside = {
        title: {line.title: {cell.protocol: cell.paper for cell in line.cells if cell and cell.paper is not None}
                for line in block.lines if any(cell and cell.paper is not None for cell in line.cells)}
        for title, block in blocks.items()
    }  # fmt: skip
    shown = {title: lines for title, lines in beside.items() if lines}
    assert list(shown) == [f"{DIGITS['digits']}: {words}" for words in ("MAE (Hz)", "MAPE (%)")]
    lines = shown[f"{DIGITS['digits']}: MAE (Hz)"]
    papers = "SimPer with the paper's crops, flips, blur and brightness"
    assert list(lines) == [*(METHODS[name].title for name in METHODS if name in PAPERS), papers]
    assert lines["SimCLR"] == {"fft": 2.96, "1nn": 0.98}


@pytest.mark.parametrize("name", ["table3", "table4", "table5"])
def test_methods_made_for_pulse_have_no_prior_of_their_own(name):
    for method in ("frequency_contrast", "contrast_phys", "sinc"):
        settings = lines_of(name)[f"{METHODS[method].title} (told the band)"].cells[0].run.settings()
        assert (settings.method, settings.options.get("prior_weight", 0)) == (method, 0)


@pytest.mark.parametrize("name", ["table2", "table14"])
def test_simclr_gets_larger_batches_where_a_scale_has_small_ones(name):
    lines = {title: line for title, line in lines_of(name).items() if "SimCLR" in title}
    sizes = {title: line.cells[0].run.settings().batch_size for title, line in lines.items()}
    assert sizes == {"SimCLR": 4, "SimCLR, batches of 16": 16}
    assert not any("batches" in title for title in lines_of(name, scale="paper"))


def test_features_stand_beside_what_reads_their_clips_unlearned():
    skin = {"green", "chrom", "pos", "chrom_fundamental", "pos_fundamental"}
    expected = {"table2": {"pixels"}, "table5": skin | {"pixels"}, "table6": {"pixels"},
                "table7": {"persistence", "training_mean"}}  # fmt: skip
    for name, protocols in expected.items():
        assert {cell.protocol for cell in study(name).cells()} & ranking.UNLEARNED - {IDEAL, *FLOORS} == protocols
    block = study("table5").blocks[0]
    for title, column, cell in (
        (line.title, *pair) for line in block.lines for pair in zip(block.columns, line.cells, strict=True)
    ):
        if cell and cell.protocol in skin:
            assert ("down to the fundamental" in column) == cell.protocol.endswith("_fundamental")
            assert cell.protocol.split("_")[0] in title.lower()


@pytest.mark.parametrize("name", ["table8", "table9", "table12", "table13_digits", "table15", "table19", "table21"])
def test_heads_stand_beside_what_reads_the_same_clips_unlearned(name):
    others = {"rotating_digits": {"pixels"}, "countix": {"pixels"}, "lst": {"persistence", "training_mean"}}
    for block in study(name).blocks[: 1 if name in ("table8", "table9") else None]:
        lines = [line.cells for line in block.lines if line.title.startswith("control")]
        for number, own in enumerate(block.lines[0].cells):
            beside = [cells[number] for cells in lines if cells[number]]
            is_head = own.protocol == "supervised"
            expected = others.get(data_set_of(own.run), {"chrom", "pos", "green"}) if is_head else set()
            assert {cell.protocol for cell in beside} == expected
            assert {cell.metric for cell in beside} <= {own.metric}
