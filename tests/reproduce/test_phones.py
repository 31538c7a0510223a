"""The table of real pulses: what is compared, and what learns nothing."""

from studied import LOCATED, lines_of, study

from reproduce import ranking
from reproduce.studies import chosen
from reproduce.studies.phones import COMBINED, READ, SIMPER, SUM
from simper_tf.methods import METHODS


def test_each_split_of_people_has_as_many_seeds():
    (own, *_) = lines_of("phone_ppg")[SIMPER].cells
    sets = [own.run.seeded(seed).settings().dataset for seed in LOCATED["small"].seeds_of("phone_ppg")]
    assert {name: sets.count(name) for name in sets} == {f"phone_ppg/split{k}": len(sets) // 5 for k in range(5)}


def test_each_method_is_compared_with_simper_in_all_columns():
    titles = {METHODS[name].title for name in chosen.PHONES}
    for block in study("phone_ppg").blocks:
        lines = {line.title.split(" (given")[0] for line in block.lines}
        assert titles <= lines if block.title != "In short" else {SIMPER, COMBINED, READ} == lines
        assert {pair for pair in block.paired if pair[0] == SIMPER} == {
            (SIMPER, line.title) for line in block.lines if line.title != SIMPER
        }
        assert not block.ranked


def test_controls_of_the_series_learn_nothing():
    for title, line in (lines_of("phone_ppg", 1) | lines_of("phone_ppg", 2)).items():
        for cell in filter(None, line.cells if title.startswith("control") else ()):
            assert cell.run.settings().epochs == 0
    assert {cell.protocol for title in (READ, SUM) for cell in lines_of("phone_ppg", 1)[title].cells if cell} <= (
        ranking.UNLEARNED
    )


def test_the_chosen_settings_are_of_the_methods_compared():
    lines = {line.title: line for block in study("phone_ppg").blocks[1:] for line in block.lines}
    for name, flags in chosen.PHONES.items():
        (line,) = [line for title, line in lines.items() if title.split(" (given")[0] == METHODS[name].title]
        settings = next(filter(None, line.cells)).run.settings()
        assert settings.method == name
        given = {flag: float(value) for flag, value in flags.items() if value is not None}
        assert {flag: getattr(settings, flag, settings.options.get(flag)) for flag in given} == given


def test_the_combination_is_compared_with_the_reader_alone():
    short = study("phone_ppg").blocks[0]
    assert (COMBINED, READ) in short.paired
    assert [cell.protocol for cell in lines_of("phone_ppg")[COMBINED].cells] == ["reader_fft", "reader_1nn"]
    assert {cell.run for cell in lines_of("phone_ppg")[COMBINED].cells} == {lines_of("phone_ppg")[SIMPER].cells[0].run}


def test_what_learns_from_all_labels_is_read_by_its_head():
    labeled = ["supervised", None, None, None, "reader_supervised"]
    for number, expected in enumerate(([None] * 4, labeled), start=1):
        cells = lines_of("phone_ppg", number)[METHODS["supervised"].title].cells
        assert [cell and cell.protocol for cell in cells] == expected
