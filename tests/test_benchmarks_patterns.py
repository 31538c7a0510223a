import pytest
from few_digits import digits_built  # noqa: F401  (a fixture)

from benchmarks import patterns

NAME = "rotating_digits/digits"


@pytest.mark.slow
def test_patterns_are_measured_by_the_number_of_clips(data_dir, monkeypatch):
    monkeypatch.setattr(patterns, "SETS", {NAME: ("digits, Hz", (0.4, 5.5), 1.0, 0.05)})
    monkeypatch.setattr(patterns, "COUNTS", (1, 30))
    monkeypatch.setattr(patterns, "DRAWS", 2)
    column = patterns.column_of(NAME, str(data_dir))
    assert list(column) == ["nothing (harmonic sum)", "1 clip", "30 clips", "told the image"]
    errors, misread = zip(*(text.split(", ") for text in column.values()), strict=True)
    assert float(errors[3]) < float(errors[2]) < 0.01 < float(errors[1])
    assert misread[2:] == ("0.0%", "0.0%")


@pytest.mark.slow
def test_a_row_tells_how_sure_patterns_are(data_dir, monkeypatch):
    monkeypatch.setattr(patterns, "SETS", {NAME: ("digits, Hz", (0.4, 5.5), 1.0, 0.05)})
    monkeypatch.setattr(patterns, "LEARNED", 30)
    title, *shares = patterns.confidence_of(NAME, str(data_dir))
    misread, sure, both, by_chance = (float(share.rstrip("%")) for share in shares)
    assert title == "digits, Hz"
    assert misread == both == 0
    assert by_chance < 30 < 90 < sure
