"""Tables of real recordings: what is compared, and what learns nothing."""

import pytest
from studied import LOCATED, lines_of, study

from reproduce import ranking
from reproduce.studies import chosen, movements, phones
from reproduce.studies.recorded import COMBINED, READ, SIMPER, SUM
from simper_tf.methods import METHODS

READOUTS = {"phone_ppg": "patterns", "imu_sets": "fft"}
SPLITS = {"phone_ppg": phones.SPLITS, "imu_sets": movements.SPLITS}
pytestmark = pytest.mark.parametrize("name", SPLITS)


def test_each_split_has_as_many_seeds(name):
    (own, *_) = lines_of(name)[SIMPER].cells
    sets = [own.run.seeded(seed).settings().dataset for seed in LOCATED["small"].seeds_of(name)]
    of_each = len(sets) // len(SPLITS[name])
    assert {split: sets.count(split) for split in sets} == dict.fromkeys(SPLITS[name], of_each)


def test_each_method_is_compared_with_simper_in_all_columns(name):
    titles = {METHODS[method].title for method in chosen.PHONES}
    for block in study(name).blocks:
        lines = {line.title.split(" (given")[0] for line in block.lines}
        assert titles <= lines if block.title != "In short" else {SIMPER, COMBINED, READ} == lines
        assert {pair for pair in block.paired if pair[0] == SIMPER} == {
            (SIMPER, line.title) for line in block.lines if line.title != SIMPER
        }
        assert not block.ranked


def test_controls_of_the_series_learn_nothing(name):
    for title, line in (lines_of(name, 1) | lines_of(name, 2)).items():
        for cell in filter(None, line.cells if title.startswith("control") else ()):
            settings = cell.run.settings()
            assert (settings.steps, settings.epochs) == (0, 0)
    assert {cell.protocol for title in (READ, SUM) for cell in lines_of(name, 1)[title].cells if cell} <= (
        ranking.OF_CLIPS
    )


def test_the_chosen_settings_are_of_the_methods_compared(name):
    lines = {line.title: line for block in study(name).blocks[1:] for line in block.lines}
    for method, flags in chosen.PHONES.items():
        (line,) = [line for title, line in lines.items() if title.split(" (given")[0] == METHODS[method].title]
        settings = next(filter(None, line.cells)).run.settings()
        assert settings.method == method
        given = {flag: float(value) for flag, value in flags.items() if value is not None}
        assert {flag: getattr(settings, flag, settings.options.get(flag)) for flag in given} == given


def test_the_combination_is_compared_with_the_reader_alone(name):
    short = study(name).blocks[0]
    assert (COMBINED, READ) in short.paired
    assert [cell.protocol for cell in lines_of(name)[COMBINED].cells] == [
        f"reader_{READOUTS[name]}", "reader_1nn"
    ]  # fmt: skip
    assert {cell.run for cell in lines_of(name)[COMBINED].cells} == {lines_of(name)[SIMPER].cells[0].run}


def test_what_learns_from_all_labels_is_read_by_its_head(name):
    labeled = ["supervised", None, None, None, "reader_supervised"]
    unlabeled = [None] * len(study(name).blocks[1].columns)
    for number, expected in enumerate((unlabeled, labeled), start=1):
        cells = lines_of(name, number)[METHODS["supervised"].title].cells
        assert [cell and cell.protocol for cell in cells] == expected
