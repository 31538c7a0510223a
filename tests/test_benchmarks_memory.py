"""The measured readers read what the benchmark writes; full sizes are for the benchmark itself."""

import pytest

from benchmarks import memory


@pytest.mark.parametrize("name", ["ubfc", "countix"])
def test_what_is_written_is_read(name, tmp_path, monkeypatch, capsys):
    # One clip of UBFC-rPPG is 180 frames; the segment of Countix has 225 frames at 25 a second.
    monkeypatch.setattr(memory, "VIDEO_BYTES", 185 * 48 * 64 * 3)
    monkeypatch.setattr(memory, "FRAME", (48, 64))
    monkeypatch.setattr(memory, "COUNTIX", memory.countix.Segment(0, "abcdefghijk", "", 0, 10, 0.5, 9.5, 8))
    write, read = memory.FORMATS[name]
    write(tmp_path)
    assert len(list(read(tmp_path))) == 1
    memory.read(name, str(tmp_path))
    assert int(capsys.readouterr().out) > 10_000
