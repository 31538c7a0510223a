"""Tables as data: every number of the paper has its place, runs fit their flags, and lines are what they say."""

import dataclasses

import pytest
from studied import LOCATED, every_run, lines_of, study

from reproduce import ranking
from reproduce.studies import STUDIES, chosen, published
from reproduce.studies.comparison import DIGITS, NOT_COMPARED
from reproduce.studies.features import PAPERS
from reproduce.studies.scales import REAL, SCALES, SETS
from reproduce.studies.table import data_set_of
from simper_tf.evaluation.protocols import FLOORS, IDEAL
from simper_tf.methods import METHODS

FEATURES = [f"table{number}" for number in (*range(2, 8), 14)]


pytestmark = pytest.mark.usefixtures("settings_read_once")


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
    whole = {"digits", "quickstart", "mnist", "mnist_spin"}  # Flagfiles as users run them.
    for name in STUDIES:
        for run in study(name, scale).runs():
            sources = run.seeded(0).with_sources()
            assert len({each.name() for each in sources}) == len(sources)
            assert {each.settings().artifacts for each in sources} <= {False, name in whole}
        for block in study(name, scale).blocks:
            assert all(len(line.cells) == len(block.columns) for line in block.lines)


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


@pytest.mark.parametrize("name", sorted(published.tables()))
def test_controls_take_no_training(name):
    lines = [line for block in study(name).blocks for line in block.lines if line.title.startswith("control")]
    for cell in (cell for line in lines for cell in line.cells if cell):
        assert cell.protocol in ranking.OF_CLIPS or cell.run.settings().epochs == 0
    assert lines or name == "table18"


@pytest.mark.parametrize("name", FEATURES)
def test_an_untrained_encoder_stands_in_every_column_of_features(name):
    line = lines_of(name)["control: encoder untrained"]
    assert len(line.cells) == len(study(name).blocks[0].columns)
    assert {(cell.run.settings().epochs, cell.run.settings().encoder_from) for cell in line.cells} == {(0, "")}


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


def test_every_scale_has_the_papers_data_sets_and_real_ones():
    assert [set(scale.sets) for scale in SCALES.values()] == [{*SETS, *REAL}] * 3


def test_choices_use_validation_clips_and_tables_test_clips():
    splits = {name: {run.split for run in study(name).runs()} for name in STUDIES}
    assert splits == {name: {"validation" if name == "choices" else "test"} for name in STUDIES}


def test_the_comparison_has_every_method_and_controls():
    told = {METHODS[name].title for name in ("sinc", "contrast_phys", "frequency_contrast")}
    methods = [kind.title for name, kind in METHODS.items() if not kind.needs_labels and name not in NOT_COMPARED]
    blocks = study("comparison").blocks
    assert [block.title for block in blocks] == ["In short", *DIGITS.values()]
    for block in blocks[1:]:
        titles = [line.title for line in block.lines]
        assert {f"{title} (given the band)" if title in told else title for title in methods} <= set(titles)
        assert {f"{title}, wide band" for title in told} <= set(titles)
        assert [sum(title.startswith(words) for title in titles) for words in ("control", "supervised")] == [6, 5]
    assert not any(run.settings().options.get("prior_weight") for run in study("comparison").runs())


def test_the_comparison_begins_with_what_sees_no_label():
    short, *whole = study("comparison").blocks
    clean = {line.title: line.cells for line in whole[0].lines}
    assert [len(line.cells) for line in short.lines] == [6] * len(short.lines)
    assert not [line.title for line in short.lines if line.title.startswith("supervised") or "labels" in line.title]
    for line in short.lines:
        expected = [cell and dataclasses.replace(cell, paper=None) for cell in clean[line.title]]
        assert list(line.cells[:2]) == [expected[0], expected[3]]
        assert line.cells[4] == next(of.cells[0] for of in whole[2].lines if of.title == line.title)


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
        assert shown == {title for title in block.columns if "FFT" in title}
        assert {cell.protocol for cell in line.cells if cell} == {IDEAL}


def test_the_comparison_has_the_chosen_settings():
    lines = lines_of("comparison", block=1)
    for method, expected in chosen.SETTINGS.items():
        (line,) = [line for title, line in lines.items() if title.split(" (")[0] == METHODS[method].title]
        settings = line.cells[0].run.settings()
        known = {name: str(getattr(settings, name, settings.options.get(name))) for name in expected}
        assert known == expected


def test_the_papers_numbers_stand_beside_clean_digits_alone():
    blocks = {block.title: block for block in study("comparison").blocks}
    beside = {
        title: {line.title: {cell.protocol: cell.paper for cell in line.cells if cell and cell.paper is not None}
                for line in block.lines if any(cell and cell.paper is not None for cell in line.cells)}
        for title, block in blocks.items()
    }  # fmt: skip
    shown = {title: lines for title, lines in beside.items() if lines}
    assert list(shown) == [DIGITS["digits"]]
    lines = shown[DIGITS["digits"]]
    papers = "SimPer with the paper's crops, flips, blur and brightness"
    assert list(lines) == [*(METHODS[name].title for name in METHODS if name in PAPERS), papers]
    assert lines["SimCLR"] == {"fft": 2.96, "1nn": 0.98}


@pytest.mark.parametrize("name", ["table3", "table4", "table5"])
def test_methods_made_for_pulse_have_no_prior_of_their_own(name):
    for method in ("frequency_contrast", "contrast_phys", "sinc"):
        settings = lines_of(name)[f"{METHODS[method].title} (given the band)"].cells[0].run.settings()
        assert (settings.method, settings.options.get("prior_weight", 0)) == (method, 0)


@pytest.mark.parametrize("name", ["table2", "table14"])
def test_simclr_gets_larger_batches_where_a_scale_has_small_ones(name):
    lines = {title: line for title, line in lines_of(name).items() if "SimCLR" in title}
    sizes = {title: line.cells[0].run.settings().batch_size for title, line in lines.items()}
    assert sizes == {"SimCLR": 4, "SimCLR, batches of 16": 16}
    assert not any("batches" in title for title in lines_of(name, scale="paper"))


def test_features_stand_beside_what_reads_their_clips_unlearned():
    skin = {"green", "chrom", "pos", "chrom_fundamental", "pos_fundamental"}
    sums = {"chrom_harmonics", "pos_harmonics", "harmonic_sum"}
    pixels = {"pixels", "harmonic_sum", "contrast_sum", "pixel_patterns", "spectra_1nn"}
    expected = {"table2": pixels, "table5": skin | sums | {"pixels", "pixel_patterns", "spectra_1nn"},
                "table6": pixels | {"surest_harmonic_sum"}, "table7": {"persistence", "training_mean"},
                "table14": pixels, "noise": pixels, "mnist": {"pixels", "pixel_patterns", "harmonic_sum"}}  # fmt: skip
    for name, protocols in expected.items():
        assert {cell.protocol for cell in study(name).cells()} & ranking.OF_CLIPS - {IDEAL, *FLOORS} == protocols
    block = study("table5").blocks[0]
    for title, column, cell in (
        (line.title, *pair) for line in block.lines for pair in zip(block.columns, line.cells, strict=True)
    ):
        if cell and cell.protocol in skin:
            assert ("down to the fundamental" in column) == cell.protocol.endswith("_fundamental")
            assert cell.protocol.split("_")[0] in title.lower()
