"""`benchmarks.damaged`: a file of each kind, and a judge that misses nothing."""

import os
import pathlib

import numpy as np
import pytest

from benchmarks import damaged, damaged_cases, damaged_files

SOUND = damaged_cases.Case("names", pathlib.Path("/a/b.csv"), 0.7, is_sound=True)
NOISE = damaged_cases.Case("noise", pathlib.Path("/a/b.csv"))
REFUSAL = "predict: /a/b.csv: found nothing; expected"


@pytest.mark.parametrize(
    ("case", "lines", "hertz", "octaves", "outcome"),
    [
        (SOUND, [], [0.7, 0.69], [], damaged.READ),
        (SOUND, [], [0.7, 1.4], [], "a number made up"),
        (SOUND, [], [None], [], "nothing read although sound"),
        (SOUND, [], [0.7, None], [], damaged.READ),
        (SOUND, [], [0.35], [0.7], damaged.OPEN),
        (SOUND, [], [1.4], [2.8], "a number made up"),
        (SOUND, [REFUSAL], None, [], "refused although sound"),
        (NOISE, [REFUSAL], None, [], damaged.REFUSED),
        (NOISE, ["predict: /a/b.csv: c.csv: found nothing"], None, [], damaged.REFUSED),
        (NOISE, ["simper predict: error: /a/b.csv: no such file."], None, [], damaged.REFUSED),
        (NOISE, ["predict: /a/b.csv is no recording: it is text."], None, [], damaged.REFUSED),
        (NOISE, [], [None], [], damaged.NOTHING),
        (NOISE, [], [0.7], [], "a number made up"),
        (NOISE, ["predict: /a/c.csv: found nothing"], None, [], "no word of its own"),
        (NOISE, [REFUSAL], [None], [], "read and refused"),
    ],
)
def test_what_is_said_of_a_file_is_judged(case, lines, hertz, octaves, outcome):
    answers = [{"value": value, "pairs_hz": octaves[0] if octaves else None} for value in hertz or ()]
    said = damaged.outcome_of(case, lines, {"/a/b.csv": {"answers": answers}} if hertz else {})
    assert said.startswith(outcome)
    assert (outcome in damaged.FINE) == (said in damaged.FINE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "fate"),
    [
        ("import os; os.abort()", "crash, SIGABRT"),
        ("1 / 0", "traceback"),
        ("len(bytearray(b'x' * 300_000_000))", "memory, 0."),
        ("import time; time.sleep(60)", "hang"),
        ("raise SystemExit(1)", ""),
    ],
)
def test_what_befalls_a_whole_process_is_told(tmp_path, monkeypatch, code, fate):
    (tmp_path / "simper_tf").mkdir()
    (tmp_path / "simper_tf" / "__init__.py").touch()
    (tmp_path / "simper_tf" / "__main__.py").write_text(code)
    for name, value in (("ROOT", tmp_path), ("_MINUTES", 1 / 20), ("_MEMORY", 0.2)):
        monkeypatch.setattr(damaged, name, value)
    said, *_ = damaged.predicted(tmp_path, [NOISE], [])
    assert said.startswith(fate)
    assert bool(said) == bool(fate)


@pytest.mark.slow
def test_a_seed_makes_the_same_files_again_and_another_does_not(tmp_path):
    def content(name, seed):
        (tmp_path / name).mkdir()
        maker = damaged_cases.Maker(tmp_path / name, seed)
        return [maker.kinds[kind](maker, kind).path.read_bytes() for kind in ("cut off", "bits turned") * 4]

    assert content("a", 1) == content("b", 1) != content("c", 2)


def test_a_trap_of_a_pickle_closes_when_it_is_loaded(tmp_path):
    np.save(tmp_path / "a.npy", np.array([damaged_files.Trap(tmp_path / "trap"), 1], object))
    case = damaged_cases.Case("pickles", tmp_path / "a.npy", trap=tmp_path / "trap")
    assert damaged.outcome_of(case, [], {}).startswith("no word")
    np.load(case.path, allow_pickle=True)
    assert damaged.outcome_of(case, [], {}) == "a pickle was loaded"


def test_a_film_in_av1_leaves_its_process_as_it_was_scheduled(tmp_path):
    before = os.sched_getscheduler(0)
    damaged_files.video(tmp_path / "a.mp4", 1.2, damaged_files.moments()[:5], "libsvtav1")
    assert os.sched_getscheduler(0) == before


def test_a_file_is_cut_off_once_it_is_read(tmp_path):
    path = tmp_path / "a.npy"
    path.write_bytes(bytes(5000))
    waiting = damaged_cases.cut_when_read(path, 1)
    assert path.stat().st_size == 5000
    path.read_bytes()
    waiting.join(60)
    assert path.stat().st_size == 1000


@pytest.mark.slow
def test_frames_that_shrink_while_they_are_read_are_refused(tmp_path):
    found, _ = damaged.judged(tmp_path, 0, 4, ["shrinking while read"])
    assert [outcome for _, outcome in found] == [damaged.REFUSED] * 4


@pytest.mark.slow
def test_a_file_of_each_kind_is_read_right_or_refused_in_a_line(tmp_path):
    (tmp_path / "kinds").mkdir()
    kinds = list(damaged_cases.Maker(tmp_path / "kinds", 3).kinds)
    found, memory = damaged.judged(tmp_path, 3, len(kinds))
    assert [(case.kind, outcome) for case, outcome in found if outcome not in damaged.FINE] == []
    assert [case.kind for case, _ in found] == kinds
    assert 0.1 < memory < 2
    assert f"| in all | {sum(outcome == damaged.READ for _, outcome in found)} |" in damaged.report(found, memory, 3)
