"""The measured readers read what the benchmark writes; full sizes are for the benchmark itself."""

import pathlib
import resource

import numpy as np
import pytest

from benchmarks import memory


@pytest.mark.parametrize("name", ["ubfc", "countix"])
def test_what_is_written_is_read(name, tmp_path, monkeypatch):
    # One clip of UBFC-rPPG is 180 frames; the segment of Countix has 225 frames at 25 a second.
    monkeypatch.setattr(memory, "VIDEO_BYTES", 185 * 48 * 64 * 3)
    monkeypatch.setattr(memory, "FRAME", (48, 64))
    monkeypatch.setattr(memory, "COUNTIX", memory.countix.Segment(0, "abcdefghijk", "", 0, 10, 0.5, 9.5, 8))
    write, read = memory.FORMATS[name]
    write(tmp_path)
    assert len(list(read(tmp_path))) == 1


def test_what_a_reader_holds_raises_the_peak_by_its_size(monkeypatch):
    def peak(name):
        memory.read(name, "somewhere")
        return int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

    def hold(folder):
        assert folder == pathlib.Path("somewhere")
        resident = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
        yield np.ones(2**10 * before - resident + 2**26, np.uint8)

    before = peak("nothing")
    monkeypatch.setitem(memory.FORMATS, "held", (None, hold))
    assert peak("held") - before == pytest.approx(2**16, rel=0.05)  # KiB.
