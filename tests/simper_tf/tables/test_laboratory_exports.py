"""Texts that programs of laboratories export: remarks behind rows, keyed headers, settings beside names."""

import numpy as np
import pytest
from made_series import COUNT, WAVE

from simper_tf.tables import series_files
from simper_tf.utils.errors import RawDataError

TIMES = [f"{0.01 * k:.2f}" for k in range(COUNT)]
HEADER = ["Interval=\t0.01 s", "ExcelDateTime=\t4.58e+04\t07/17/25 15:34:45.691019", "TimeFormat=\tStartOfBlock",
          "DateFormat=\t", "ChannelTitle=\tFlow\tEMG", "Range=\t10.000 V\t500.0 mV", "UnitName=\t*\tmV",
          "TopValue=\t*\t148.52", "BottomValue=\t*\t-163.55"]  # fmt: skip


def rows(remarks=(), mark="\t", text="#* INSPI "):
    """Returns rows of a time and two channels, some with a remark."""
    cells = zip(range(COUNT), TIMES, WAVE, WAVE[::-1], strict=True)
    return [mark.join([*row, text] if k in remarks else row) for k, *row in cells]


def read(folder, *lines):
    (folder / "a.txt").write_text("\n".join(lines) + "\n")
    return series_files.series_of(folder / "a.txt")


def check(found, names):
    np.testing.assert_allclose(found.times, 0.01 * np.arange(COUNT), atol=1e-9)
    assert found.names == names
    wave = np.array(WAVE, float)
    np.testing.assert_allclose(found.values[:, 0], (wave - wave.mean()) / wave.std(), atol=1e-3)


@pytest.mark.parametrize("mark", ["\t", ",", ";"])
@pytest.mark.parametrize("text", ["#* INSPI ", "#1 Dia1", "# a, b; c"])
def test_a_remark_behind_a_row_leaves_the_row(tmp_path, mark, text):
    found = read(tmp_path, mark.join(["t", "x", "y"]), *rows({5, 17, 30}, mark, text))
    check(found, ("x", "y"))
    assert found.notes == ()


def test_a_number_or_a_word_behind_a_row_leaves_it_out(tmp_path):
    lines = rows() * 3
    lines[7] += "\t5"
    with pytest.raises(RawDataError, match="4 cells in line 9, 3 in others"):  # Of so few, one is many.
        read(tmp_path, "t\tx\ty", *lines[:COUNT])
    lines = [f"{k / 100}\t{WAVE[k % COUNT]}" for k in range(500)]
    found = read(tmp_path, "t\tx", *lines[:7], lines[7] + "\t#ok", lines[8] + "\tbad", *lines[9:])
    assert len(found.times) == 499
    assert found.notes == ("1 row with more cells than the others is left out.",)


def test_names_of_a_labchart_are_its_channel_titles(tmp_path):
    found = read(tmp_path, *HEADER, *rows({9}))
    check(found, ("Flow", "EMG"))
    blocks = read(tmp_path, *HEADER, *rows(), *HEADER, *rows({5}))
    assert blocks.names == ("Flow", "EMG")
    assert len(blocks.times) == 2 * COUNT


def test_a_labchart_of_one_channel_has_its_name(tmp_path):
    header = [line.rpartition("\t")[0] if line.count("\t") == 2 else line for line in HEADER]
    found = read(tmp_path, *header, *[row.rpartition("\t")[0] for row in rows()])
    check(found, ("Flow",))


@pytest.mark.parametrize("tail", ["", ","])
@pytest.mark.parametrize("first", ["CH1,CH2", "CH1(V),CH2(V)"])
def test_names_beside_start_and_increment_are_of_the_channels(tmp_path, tail, first):
    lines = [f"{x},{y}{tail}" for x, y in zip(WAVE, WAVE[::-1], strict=True)]
    found = read(tmp_path, f"{first},Start,Increment{tail}", f"Volt,Volt,-6.0e-02,1.0e-02{tail}", *lines)
    check(found, tuple(first.split(",")))


@pytest.mark.parametrize("tail", ["", ","])
def test_a_sequence_beside_start_and_increment_is_no_channel(tmp_path, tail):
    lines = [f"{k},{x}{tail}" for k, x in enumerate(WAVE)]
    found = read(tmp_path, f"X,CH1,Start,Increment{tail}", f"Sequence,Volt,-6.0e-02,1.0e-02{tail}", *lines)
    check(found, ("CH1",))


def test_two_numbers_of_a_header_are_no_row(tmp_path):
    above = [
        "ATF\t1.0",
        "3\t3",
        '"Mode=Gap Free"',
        '"Signals="\t"IN 0"',
        '"Start=0.00"',
        '"Time (ms)"\t"Trace #1"\t"#2"',
    ]
    lines = [f"{10 * k}\t{x}\t{y}" for k, (x, y) in enumerate(zip(WAVE, WAVE[::-1], strict=True))]
    check(read(tmp_path, *above, *lines), ("Trace #1", "#2"))


@pytest.mark.parametrize("first", ["Devices", "Trajectories", "Model Outputs"])
def test_the_second_line_of_vicon_is_the_rate(tmp_path, first):
    above = [first, "100", ",,Ann,,", "Frame,Sub Frame,Fx,Fy,", ",,N,N,"]
    lines = [f"{k + 1},0,{x},{y}," for k, (x, y) in enumerate(zip(WAVE, WAVE[::-1], strict=True))]
    found = read(tmp_path, *above, *lines)
    np.testing.assert_allclose(found.times, 0.01 * np.arange(COUNT), atol=1e-9)
    assert found.values.shape == (COUNT, 2)


def test_frequency_alone_is_the_rate_of_qualisys_alone(tmp_path):
    lines = [f"{x}\t{y}" for x, y in zip(WAVE, WAVE[::-1], strict=True)]
    above = ["FREQUENCY\t100", "ANALOG_FREQUENCY\t0", "MARKER_NAMES\ta\tb"]
    found = read(tmp_path, "NO_OF_FRAMES\t40", *above, *lines)
    np.testing.assert_allclose(found.times, 0.01 * np.arange(COUNT), atol=1e-9)
    with pytest.raises(RawDataError, match="samples without their rate"):
        read(tmp_path, *above, *lines)
