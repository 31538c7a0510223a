"""Steady tempos at hard numbers of frames a period."""

import pytest

from benchmarks import sampled

HARD = [(kind, period) for kind in ("disc", "patch", "skin", "series") for period in (3.5, 4.5, 6.5, 8.5, 12.5, 14.5)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "period"),
    [
        ("disc", 3.2),
        ("disc", 35.9),
        ("patch", 3.2),
        ("patch", 3.25),
        ("series", 3.2),
        ("series that jumps", 5.8),
        *HARD,
    ],
)
def test_no_multiple_of_a_tempo_is_told_by_sampling(kind, period):
    assert sampled.outcome(kind, period) == sampled.RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("period", [3.2, 3.4, 3.8, 4.2, 4.6, 4.8, 5.3, 6.5, 12.5])
def test_no_part_of_a_tempo_is_told_of_what_jumps(period):
    assert sampled.outcome("series that jumps", period) in (sampled.RIGHT, sampled.SILENT)


@pytest.mark.slow
@pytest.mark.parametrize("period", [4.5, 8.5, 12.5, 20.0])
def test_sides_in_turn_are_told_as_one_cycle(period):
    assert sampled.outcome("sides in turn", period) == sampled.RIGHT


@pytest.mark.slow
def test_skin_below_the_band_of_hearts_is_not_told_at_its_double():
    assert sampled.outcome("skin", 39.2) != sampled.DOUBLE


@pytest.mark.slow
def test_cycles_between_frames_are_counted():
    (answer,) = sampled.reading_of("disc", 12.5).clear
    assert answer.hertz == pytest.approx(2.0, rel=0.01)
    assert answer.count in (15, 16)


def test_a_table_counts_outcomes(monkeypatch):
    monkeypatch.setattr(sampled, "outcome", lambda kind, period: sampled.HALF if period == 12.5 else sampled.RIGHT)
    # 5, 7.5 and so on to 40 frames.
    assert "| disc | 14 | 0 | 1 | 0 | 0 | 0 |" in sampled.report(2.5)
