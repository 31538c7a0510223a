"""The confidence of films: its table, its coefficients, and how it is judged."""

import csv
import json

import numpy as np
import pytest

from benchmarks import films, fit, real
from simper_tf.reading import fitted
from simper_tf.reading.films import film_reader, rhythm_network, verdict


def row(film, confidence, outcome, group="A", source="one"):
    return {"film": film, "group": group, "source": source, "outcome": outcome, "chance": confidence}


def test_the_shipped_weights_are_what_the_table_gives():
    assert fit.fitted(fit.at_hand(fit.table())) == json.loads(fit.FITTED.read_text())


def test_the_weights_belong_to_the_network_and_the_evidence():
    shipped = fitted.coefficients(verdict.COEFFICIENTS)
    assert shipped["network"] == rhythm_network.checksum(rhythm_network.weights())
    shown = verdict.Evidence(5, 0.9, 1.0, 0.5, 0.9, 3.0, np.ones(4), np.ones(4))
    assert tuple(shipped["both"]["weights"]) == tuple(verdict.features(shown)) == fit.BOTH
    assert tuple(shipped["alone"]["weights"]) == fit.FOUND


def test_right_tempos_are_shown_by_the_picture_or_the_network():
    shares = []
    for row in fit.table():
        if row["outcome"] == real.RIGHT and fitted.odds(verdict.COEFFICIENTS, "both", row) >= 0:
            shown = verdict.Evidence(3, *(row[name] for name in fit.FOUND), [], [], row["chance"], row["rival"])
            assert film_reader.is_shown(shown), row
            shares += [] if row["chance"] > row["rival"] * film_reader.AHEAD else [row["explained"]]
    assert min(shares) > 1.9 * film_reader.LEAST_SHOWN


def test_the_table_holds_films_to_fit_on_and_films_to_test():
    with fit.TABLE.open() as file:
        rows = list(csv.DictReader(file))
    assert {one["group"] for one in rows} == {*films.AT_HAND, *films.TEST}
    assert {one["outcome"] for one in rows} == {real.RIGHT, films.OCTAVE, real.WRONG, real.ANSWERED}
    at_hand, others = ({one["source"] for one in rows if one["group"] in part} for part in (films.AT_HAND, films.TEST))
    assert others - at_hand


@pytest.mark.slow
def test_a_drawn_film_gives_evidence_for_its_tempo(tmp_path):
    times = np.arange(0, 10, 0.04)
    x, y = np.meshgrid(np.arange(80), np.arange(60))
    shift = 15 * np.sin(2 * np.pi * 0.8 * times)[:, None, None]
    shown = (60 + 120 * (np.hypot(x - 40 - shift, y - 30) < 8)).astype(np.uint8)[..., None].repeat(3, -1)
    film = films.Film("A", "disc", "drawn", tmp_path / "disc.mp4", (0.8,))
    rows = fit.evidence(film, films.Frames(times, shown, np.zeros(0), 1.0))
    assert {name for one in rows for name in one} == {*fit.KEYS, *fit.BOTH}
    surest = max(rows, key=lambda one: float(one["chance"]))
    assert (surest["outcome"], float(surest["hertz"])) == (real.RIGHT, pytest.approx(0.8, rel=0.02))


def test_films_that_test_are_not_fitted_on():
    rng = np.random.default_rng(0)
    rows = [row(str(number), rng.uniform(), "right" if number % 2 else "wrong", source=str(number % 5))
            for number in range(40)]  # fmt: skip
    rows += [row("test", 0.7, outcome, films.TEST[0]) for outcome in ("right", "wrong")]
    confidence = fit.cross_validated(rows, ["chance"])
    rows[-1]["outcome"] = "right"
    np.testing.assert_allclose(fit.cross_validated(rows, ["chance"]), confidence)


def test_a_film_at_hand_is_judged_by_other_sources_alone():
    # Within each source the sign of the evidence is turned over: only what other sources say is asked.
    rows = [row(f"{source}{chance}", chance, "right" if (chance > 0.5) == (source == "b") else "wrong", source=source)
            for source in "ab" for chance in np.linspace(0.05, 0.95, 10)]  # fmt: skip
    confidence = fit.cross_validated(rows, ["chance"])
    right = np.array([one["outcome"] == "right" for one in rows])
    assert confidence[right].max() < confidence[~right].max()


def test_the_surest_tempo_speaks_for_a_film():
    rows = [row("a", 0, "wrong"), row("a", 0, "right"), row("b", 0, "wrong")]
    assert fit.surest(rows, np.array([0.2, 0.9, 0.4])) == [1, 2]


def test_calibration_tells_the_share_that_is_right():
    rows = [row(str(number), 0, "right" if number < 3 else "wrong") for number in range(4)]
    told = fit.calibration(rows, np.array([0.92, 0.94, 0.96, 0.98]), ("A",))
    assert "| 0.9 to 1 | 4 | 0.95 | 0.75 |" in told


@pytest.mark.parametrize("given", [["--films=somewhere"], ["--real=somewhere"]])
def test_one_folder_of_two_is_refused(given, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["fit", *given])
    with pytest.raises(SystemExit):
        fit.main()
    assert "--films and --real go together" in capsys.readouterr().err
