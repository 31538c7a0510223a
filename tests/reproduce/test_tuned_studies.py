"""Tables of what labels add: with what their runs begin, at which rates, and what stands beside them."""

import pytest
from studied import LOCATED, every_run, lines_of, study

from reproduce.studies import STUDIES, chosen
from reproduce.studies.features import PAPERS
from reproduce.studies.scales import SCALES, SETS
from reproduce.studies.table import data_set_of
from simper_tf.evaluation.protocols import OF_HEAD
from simper_tf.methods import METHODS

pytestmark = pytest.mark.usefixtures("settings_read_once")


def test_fine_tuning_begins_with_its_method_on_the_same_clips():
    cells = lines_of("table12_digits")["SimPer"].cells[::2]
    pairs = [(cell.run.settings(), cell.run.source.settings()) for cell in cells]
    assert [tuned.data_fraction for tuned, _ in pairs] == [1, 0.5, 0.2, 0.1, 0.05]
    assert [before.data_fraction for _, before in pairs] == [1, 0.5, 0.2, 0.1, 0.05]
    assert {(tuned.method, before.method) for tuned, before in pairs} == {("supervised", "simper")}


def test_tables_of_long_faces_have_every_second_part():
    for name, flag in (("table12", "data_fraction"), ("table13", "label_fraction")):
        cells = lines_of(name)["SimPer"].cells[::2]
        assert [getattr(cell.run.settings(), flag) for cell in cells] == [1, 0.2, 0.05]
    assert LOCATED["paper"].fractions_of("scamps") == (100, 50, 20, 10, 5)


def test_tables_show_the_head_alone_of_what_labels_have_tuned():
    for name in STUDIES:
        for cell in study(name).cells():
            if dict(cell.run.changes).get("own_head"):
                assert cell.protocol in OF_HEAD


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
    blocks = study("table8").blocks
    whole, alone, after, _ = ([line for line in block.lines if not line.kind] for block in blocks)
    assert all(block.lines[-1].kind == "control" for block in blocks)
    lines = {line.title: line for line in whole}
    for method in ("supervised", *PAPERS):
        for cell in lines[METHODS[method].title].cells:
            rates = chosen.RATES[data_set_of(cell.run)]
            assert cell.run.settings().learning_rate == rates.get(method, rates["simper"])[0]
    for method, later in zip(("supervised", "byol", "simper"), after, strict=True):
        assert {data_set_of(cell.run) for cell in later.cells} == {"rotating_digits", "scamps", "ubfc"}
        for both in later.cells:
            rates = chosen.RATES[data_set_of(both.run)].get(method)
            tuned, before = both.run.settings(), both.run.source.settings()
            assert (tuned.learning_rate, tuned.keep_head) == (rates[1], True)
            assert not tuned.options.get("freeze", False)
            assert before.method == "supervised"
            assert (before.learning_rate, before.options.get("freeze", False)) == (0.003, method != "supervised")
    for method, line, later in zip(("byol", "simper"), alone, after[1:], strict=True):
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
    learned = [line for line in block.lines if not line.kind]
    for method, line in zip(("supervised", "simper", *PAPERS), learned, strict=True):
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
        for title, line in {line.title: line for line in block.lines if not line.kind}.items():
            (run,) = {cell.run for cell in line.cells if cell}
            if run.is_unlearned:  # Clips of the second data, read as they are.
                continue
            settings, is_moved = run.settings(), "second alone" not in title
            assert (data_set_of(run), settings.epochs == 0) == (target, is_moved)
            assert [data_set_of(begun) for begun in run.with_sources()] == [source] * is_moved + [target]
            # A head that learned there reads here too.
            assert (
                settings.keep_head
                == (is_moved and settings.method == "supervised")
                == (line.cells[-1] is not None and is_moved)
            )


@pytest.mark.parametrize(
    ("name", "left_out"), [("table8", {"pure"}), ("table20", {"pure", "scamps"}), ("table21", {"pure", "scamps"})]
)
def test_few_runs_on_labels_leave_sets_out_and_say_so(name, left_out):
    made = {scale: study(name, scale) for scale in ("small", "paper")}
    sets = {scale: {data_set_of(run) for run in of_scale.runs()} for scale, of_scale in made.items()}
    assert sets["paper"] - sets["small"] == left_out
    for each in left_out:
        assert f"{SETS[each]} is left out" in made["small"].about
    assert "left out" not in made["paper"].about


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_networks_made_for_a_task_are_those_of_the_paper(scale):
    block, _ = study("table20", scale).blocks
    runs = [cell.run for line in block.lines for cell in line.cells if cell and not cell.run.is_unlearned]
    for run in (part for each in runs for part in each.with_sources()):
        settings = run.settings()
        counts = settings.dataset.startswith("countix")
        assert settings.encoder == ("repnet" if counts else "efficientphys")
        assert (settings.options.get("head") == "repnet") == (counts and settings.method == "supervised")
        assert ("width" in settings.options) == (counts and scale != "paper")


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_blocks_with_a_sampler_have_it_and_the_last_its_terms(scale):
    blocks, terms = study("table21", scale).blocks, ("saliency_entropy_weight", "saliency_motion_weight")
    for block, expected in zip(blocks, 2 * [(False, None)] + 2 * [(True, None)] + [(True, 1.0)], strict=True):
        cells = [cell for line in block.lines for cell in line.cells if cell and not cell.run.is_unlearned]
        settings = [run.settings() for cell in cells for run in cell.run.with_sources()]
        assert {(each.saliency, *map(each.options.get, terms)) for each in settings} == {(*expected, expected[1])}


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_what_is_read_before_labels_is_what_labels_begin_with(scale):
    blocks = [*study("table20", scale).blocks, *study("table21", scale).blocks[:-1]]
    for tuned, frozen in zip(blocks[::2], blocks[1::2], strict=True):
        learned = [line for line in tuned.lines if line.title != "supervised" and "control" not in line.title]
        *lines, control = frozen.lines
        assert {cell.protocol for cell in control.cells} <= {"harmonic_sum", "chrom", "chrom_harmonics", "spectra_1nn"}
        for after, before in zip(learned, lines, strict=True):
            assert after.title == before.title
            begun = [cell.run.source for cell in after.cells if cell.metric == "mae"]
            assert [cell.run for cell in before.cells[::2]] == [cell.run for cell in before.cells[1::2]] == begun
            assert [cell.protocol for cell in before.cells] == ["fft", "1nn"] * len(begun)


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_what_learns_from_labels_says_its_method(scale):
    for run in every_run("comparison", "table8", scale=scale):
        if run.settings().method == "supervised":
            assert dict(run.changes)["method"] == "supervised"


def test_a_supervised_line_decays_by_epochs_as_in_the_paper():
    lines = lines_of("comparison", block=1)
    for title in ("the published head", "phase-free head, pictures left as they are"):
        settings = lines[f"supervised, {title}, decay as in the paper"].cells[-1].run.settings()
        epochs = settings.steps * settings.batch_size / 1000
        assert [each / epochs for each in settings.decay_epochs] == [12 / 20, 16 / 20]
        assert lines[f"supervised, {title}"].cells[-1].run.settings().decay_epochs == ()


@pytest.mark.parametrize("name", ["table8", "table9", "table12", "table13_digits", "table15", "table19", "table21"])
def test_heads_stand_beside_what_reads_the_same_clips_unlearned(name):
    pixels = {"pixels", "harmonic_sum"}
    skin = {"harmonic_sum", "chrom_harmonics", "pos_harmonics", "chrom", "pos", "green"}
    others = {"rotating_digits": pixels, "countix": pixels, "lst": {"persistence", "training_mean"}}
    for block in study(name).blocks[: 1 if name == "table9" else None]:
        lines = [line.cells for line in block.lines if line.title.startswith("control")]
        for number, own in enumerate(block.lines[0].cells):
            beside = [cells[number] for cells in lines if cells[number]]
            is_head = own.protocol == "supervised"
            expected = others.get(data_set_of(own.run), skin)
            assert {cell.protocol for cell in beside} == expected or not is_head
            assert {cell.metric for cell in beside} <= {own.metric}
