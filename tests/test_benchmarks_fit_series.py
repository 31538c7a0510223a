"""Series that are drawn with their truth, and the odds of beats that are fitted to them."""

import json

import numpy as np
import pytest

from benchmarks import fit_series, made_series, real
from simper_tf.reading import fitted
from simper_tf.reading.series import beats

SEEDS = range(40)


def drawn(seed):
    return made_series.drawn(np.random.default_rng(seed))


@pytest.fixture(scope="module")
def some():
    return [drawn(seed) for seed in SEEDS]


def attempt(times):
    times = np.asarray(times, float)
    return beats.Try(
        "wave", 1 / np.diff(times).mean(), times, np.ones(len(times)), alike=1.0, between=0.0, uneven=0.0, halves=0.0
    )


def test_one_seed_draws_one_series(some):
    again = drawn(7)
    assert again.kind == some[7].kind
    np.testing.assert_array_equal(again.values, some[7].values)


def test_drawn_series_repeat_or_not_and_have_channels_and_times(some):
    kinds = {one.kind for one in some}
    assert kinds & set(made_series.SHAPES)
    assert kinds & set(made_series.NOTHING)
    assert {one.values.shape[1] for one in some} == {1, 3, 6}
    for one in some:
        assert one.times[0] == 0
        assert (np.diff(one.times) > 0).all()
        assert one.values.shape[0] == len(one.times)
        assert np.isfinite(one.values).all()


def test_what_repeats_has_the_tempo_of_its_marks(some):
    for one in some:
        if one.kind in made_series.SHAPES:
            assert one.hertz == pytest.approx(1 / np.diff(one.marks).mean())
        else:
            assert np.isnan(one.hertz)
            assert not len(one.marks)


def test_a_drawn_sine_crosses_zero_upwards_at_its_marks():
    random = np.random.default_rng(0)
    times = np.arange(0, 20, 0.01)
    source, marks = made_series._repeating("sine", times, 1.0, random)
    inside = marks[(marks > times[0] + 0.1) & (marks < times[-1] - 0.1)]
    before, after = (np.interp(inside + shift, times, source) for shift in (-0.1, 0.1))
    assert len(inside) > 10
    assert (before < 0).all()
    assert (after > 0).all()


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (np.arange(20) + 0.3, True),  # At one moment of each cycle.
        (np.arange(20) + np.tile([0.3, 0.7], 10), False),  # At two in turn.
        (np.arange(0, 20, 0.5), False),  # Twice a cycle.
        (np.arange(5) + 0.3, False),  # Of few cycles.
        (np.delete(np.arange(20), [3, 7, 11, 15]) + 0.3, False),  # Some are left out.
    ],
)
def test_a_try_is_right_where_each_cycle_has_one_beat(times, expected):
    one = made_series.Made("sine", np.arange(0, 20, 0.1), np.zeros((200, 1)), np.arange(21.0), 1.0)
    given = attempt(times)
    if len(times) == 16:
        given = beats.Try(**{**vars(given), "frequency": 1.0})
    assert fit_series.is_beaten(given, one) == expected


def test_coefficients_belong_to_what_beats_see(some):
    span = next(span for span in fit_series.spans(some) if span.sure)
    for kind, rows in (("tried", span.tried), ("sure", span.sure)):
        assert tuple(rows[0][0]) == tuple(fitted.coefficients(beats.COEFFICIENTS)[kind]["weights"])


def test_a_regression_finds_the_weights_that_made_its_rows():
    random = np.random.default_rng(0)
    seen = random.normal(size=(20_000, 2))
    right = random.uniform(size=20_000) < 1 / (1 + np.exp(-(0.5 + 2 * seen[:, 0] - seen[:, 1])))
    found = fit_series.of([({"a": a, "b": b}, ok) for (a, b), ok in zip(seen, right, strict=True)])
    assert (found["bias"], found["weights"]) == (
        pytest.approx(0.5, abs=0.1), {"a": pytest.approx(2, abs=0.1), "b": pytest.approx(-1, abs=0.1)},
    )  # fmt: skip


def test_a_fit_writes_both_odds(tmp_path, monkeypatch):
    file = tmp_path / "beats.json"
    file.write_text("{}")
    monkeypatch.setattr(fit_series, "FITTED", file)
    fit_series.fit(25)
    written = json.loads(file.read_text())
    assert set(written) == {"tried", "sure"}
    assert written["tried"]["weights"]["uneven"] < 0
    assert fitted.coefficients(beats.COEFFICIENTS) != written  # The package keeps its own.


def test_a_fit_that_is_stopped_between_leaves_what_was_there(tmp_path, monkeypatch):
    answers = iter([{"bias": 0.0, "weights": {}}])

    def stopping(rows):
        if (answer := next(answers, None)) is None:
            raise KeyboardInterrupt
        return answer

    file = tmp_path / "beats.json"
    file.write_text('{"tried": 1, "sure": 2}')
    monkeypatch.setattr(fit_series, "FITTED", file)
    monkeypatch.setattr(fit_series, "of", stopping)
    with pytest.raises(KeyboardInterrupt):
        fit_series.fit(3)
    assert file.read_text() == '{"tried": 1, "sure": 2}'


@pytest.mark.slow
def test_fresh_series_are_told_right_and_noise_seldom():
    outcomes = [fit_series.outcome(one) for one in fit_series.series(fit_series.FRESH, 200)]
    names = [name for name, _, _ in outcomes]
    told = [right for name, _, right in outcomes if name not in (real.SILENT, real.REFUSED, real.ANSWERED)]
    controls = names.count(real.REFUSED) + names.count(real.ANSWERED)
    assert np.mean(told) > 0.9
    assert len(told) > 0.65 * (len(names) - controls)
    assert names.count(real.ANSWERED) <= 0.04 * controls


def test_a_report_counts_kinds_and_shares_of_confidence():
    text = fit_series.report(fit_series.series(fit_series.FRESH, 6))
    assert "| **all that repeat** |" in text
    assert "| confidence | series | its mean | share right |" in text
