"""Long texts read block by block: as whole ones are read, or not at all."""

import codecs

import numpy as np
import pytest

from simper_tf.tables import channels, even_series
from simper_tf.tables.texts import long_texts

TIMES = np.arange(40_000) / 250
ROWS = np.stack([TIMES, np.sin(2 * np.pi * 1.1 * TIMES), np.cos(2 * np.pi * 0.3 * TIMES)], axis=1)


def written(path, rows=ROWS, header="time,ecg,breath", form="%.4f"):
    np.savetxt(path, rows, form, ",", header=header, comments="")
    return path


def parts_of(path, monkeypatch, most=1, rate=None, columns=(), start=0.0, end=np.inf):
    """Returns what is told of a series, its times and values, as of a text of so many bytes or more."""
    monkeypatch.setattr(channels, "_LONG", most)
    monkeypatch.setattr(even_series, "ROWS", 3000)
    told, *rest = channels.parts(str(path), rate, False, "", columns, start=start, end=end)
    halves = [np.split(np.frombuffer(content, np.uint8), [8 * count]) for count, content in rest]
    times = np.concatenate([one.view(np.float64) for one, _ in halves])
    values = np.concatenate([other.view(np.float32) for _, other in halves]).reshape(len(times), -1)
    return {**told[0], "names": [*told[0]["names"]], "notes": [*told[0]["notes"]]}, times, values


@pytest.fixture
def spooled(monkeypatch):
    """Returns a list of what was read block by block, each True."""
    found, kept = [], long_texts.stored
    monkeypatch.setattr(long_texts, "stored", lambda *given: found.append(kept(*given) or 0) or found[-1] or None)
    return found


@pytest.mark.parametrize(
    ("header", "rows", "more"),
    [
        ("time,ecg,breath", ROWS, {}),
        ("time_ms,ecg,breath", ROWS * (1000, 1, 1), {}),
        ("ecg,breath", ROWS[:, 1:], {"rate": 250.0}),
        ("time,ecg,breath", ROWS, {"columns": ("breath",)}),
        ("time,ecg,breath", np.add(ROWS, (1.7e9, 0, 0)), {"start": 20.0}),
    ],
)
def test_a_long_text_is_read_as_a_short_one(tmp_path, monkeypatch, spooled, header, rows, more):
    path = written(tmp_path / "a.csv", rows, header)
    (told, times, values), whole = (parts_of(path, monkeypatch, most, **more) for most in (1, 2**40))
    assert len(spooled) == 1
    assert spooled[0]
    assert (told["names"], told["notes"]) == (whole[0]["names"], whole[0]["notes"])
    assert told["seconds"] == pytest.approx(whole[0]["seconds"])
    np.testing.assert_allclose(times, whole[1], atol=1e-4)
    if "start" not in more:  # A part is scaled by itself where it alone is read.
        np.testing.assert_allclose(values, whole[2], atol=1e-4)


def test_a_mark_of_utf8_before_a_long_text_is_no_number(tmp_path, monkeypatch, spooled):
    path = tmp_path / "a.csv"
    np.savetxt(path, ROWS, "%.4f", ",")
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
    _, times, values = parts_of(path, monkeypatch)
    assert len(spooled) == 1
    assert spooled[0]
    np.testing.assert_allclose(times, TIMES, atol=1e-9)
    assert values.shape == (len(TIMES), 2)


def late(rows):
    rows[30_000:, 0] += 60
    return rows


def drifting(rows):
    rows[:, 0] *= 1 + 1e-4 * rows[:, 0]
    return rows


def filled(rows):
    rows[30_000, 1] = -999
    return rows


def jittery(rows):
    rows[:, 0] = np.cumsum(np.random.default_rng(0).uniform(0.002, 0.006, len(rows)))
    return rows


@pytest.mark.parametrize("more", [{}, {"start": 20.0}])
@pytest.mark.parametrize("change", [late, drifting, jittery])
def test_uneven_times_that_rise_stay_in_the_file(tmp_path, monkeypatch, spooled, change, more):
    path = written(tmp_path / "a.csv", change(ROWS.copy()), form="%.6f")
    (told, times, values), whole = (parts_of(path, monkeypatch, most, **more) for most in (1, 2**40))
    assert any(spooled)
    assert told["seconds"] == pytest.approx(whole[0]["seconds"])
    np.testing.assert_allclose(times, whole[1], atol=1e-6)
    if "start" not in more:
        np.testing.assert_allclose(values, whole[2], atol=1e-4)


def stuck(rows):
    rows[30_000, 0] = rows[29_999, 0]
    return rows


@pytest.mark.parametrize("change", [stuck, filled, lambda rows: rows[::-1]])
def test_what_does_not_rise_or_lacks_numbers_is_read_at_once(tmp_path, monkeypatch, spooled, change):
    path = written(tmp_path / "a.csv", change(ROWS.copy()), form="%.6f")
    found, whole = (parts_of(path, monkeypatch, most) for most in (1, 2**40))
    assert not any(spooled)
    assert found[0] == whole[0]
    np.testing.assert_array_equal(found[1], whole[1])


def test_a_cell_of_words_far_behind_the_head_is_read_at_once(tmp_path, monkeypatch, spooled):
    lines = written(tmp_path / "a.csv").read_text().splitlines()
    lines[30_000] = lines[30_000].rpartition(",")[0] + ",off"
    (tmp_path / "a.csv").write_text("\n".join(lines))
    told, times, _ = parts_of(tmp_path / "a.csv", monkeypatch)
    assert not any(spooled)
    assert len(times) == len(ROWS) - 1
    assert told["names"] == ["ecg", "breath"]


def test_columns_that_are_alike_so_far_leave_it_open():
    column = np.arange(9.0)
    assert long_texts.told_by([column, column], column[:, None], 250.0, False) is None
    assert long_texts.told_by([column], column[:, None], 250.0, False) == (None, 1 / 250, [0])
