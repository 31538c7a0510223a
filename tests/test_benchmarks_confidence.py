"""The clips of the study of confidence are what they are called, and its table has a row for each definition."""

import numpy as np
import pytest

from benchmarks import confidence
from simper_tf import export, small


def turned(kind, **more):
    return confidence.make_clips(kind, "validation", 60, 1.0, 6, [3, 1], **more)


def test_still_clips_stand_still_and_shuffled_ones_hold_the_frames_of_a_swing():
    clips, frequencies = turned("still")
    assert np.all(clips[::2] == clips[::2, :1])
    assert np.all(np.isnan(frequencies))
    shuffled, swing = turned("shuffled")[0], turned("swing")[0]
    assert not np.array_equal(shuffled[0], swing[0])
    np.testing.assert_array_equal(np.sort(shuffled[0].sum((1, 2, 3))), np.sort(swing[0].sum((1, 2, 3))))


def test_swings_are_in_the_band_and_walks_and_drifts_move():
    frequencies = turned("swing")[1]
    assert np.all((frequencies >= 1.0) & (frequencies <= 5.0))
    for kind in ("walk", "drift", "noise"):
        clips = turned(kind)[0]
        assert clips.shape == (6, 60, 28, 28, 1)
        assert np.all(np.abs(np.diff(np.float32(clips), axis=1)).mean((1, 2, 3, 4)) > 0.1)


@pytest.mark.slow
def test_every_definition_has_a_row_for_every_length(tmp_path, monkeypatch, capsys):
    version = export.export_model(small((None, None, 1), widths=(4, 4), outputs=2), tmp_path, (28, 28, 1), (0.4, 5.5))
    arguments = [f"--version={version}", "--clips=10", "--lengths=60"]
    monkeypatch.setattr("sys.argv", ["confidence", *arguments])
    confidence.main()
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| 60 |")]
    assert len(lines) == 2 * 8
    served = [line.split(" | ") for line in lines if line.startswith("| 60 | served |")]
    # Of each clip by its own pixels: right answers come before stills.
    assert float(served[1][2 + confidence.KINDS.index("still")]) > 0.95
