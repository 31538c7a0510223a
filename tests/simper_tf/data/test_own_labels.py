"""Labels in a file beside recordings: which clips get which, and what is refused."""

import types

import numpy as np
import pytest

from simper_tf.data import own_labels
from simper_tf.utils.errors import RawDataError

NAMES = ["clips/a.mp4", "clips/b.mp4", "more/a.mp4", "clips/übung 1.mp4"]
# Each lasts 20 s.
RECORDINGS = [types.SimpleNamespace(name=name, info=lambda: types.SimpleNamespace(seconds=20.0)) for name in NAMES]
BAND = (0.4, 5.0)


def written(tmp_path, text):
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    return path


def read(tmp_path, text):
    return own_labels.stretches_in(written(tmp_path, text), RECORDINGS, BAND)


@pytest.mark.parametrize(
    ("text", "stretch"),
    [
        ("recording,hz\nb.mp4,1.5\n", (NAMES[1], 0, np.inf, 1.5)),
        ("recording,per_minute\nclips/a.mp4,90\n", (NAMES[0], 0, np.inf, 1.5)),
        ("recording,count,from,to\nmore/a.mp4,14,2.5,12.5\n", (NAMES[2], 2.5, 12.5, 1.4)),
        ("recording,count\nb.mp4,30\n", (NAMES[1], 0, 20, 1.5)),
        ("recording,count,from,to\nb.mp4,30,5,\n", (NAMES[1], 5, 20, 2)),
        ("hz, from, to, recording, note\n2, , 4, übung 1.mp4, by hand\n", (NAMES[3], 0, 4, 2)),
        ("\ufeffrecording,hz\r\nb.mp4,1.5\r\n", (NAMES[1], 0, np.inf, 1.5)),
        ("recording;hz\r\nb.mp4;1,5\r\n", (NAMES[1], 0, np.inf, 1.5)),
        ("recording\tcount\tfrom\tto\nmore/a.mp4\t14\t2,5\t12,5\n", (NAMES[2], 2.5, 12.5, 1.4)),
    ],
)
def test_a_line_is_a_stretch_in_hertz(text, stretch, tmp_path):
    (found,) = read(tmp_path, text)
    assert (found.recording, found.start, found.end, found.hertz) == pytest.approx(stretch)


def test_a_clip_has_the_label_of_the_stretch_that_holds_it_whole(tmp_path):
    stretches = read(tmp_path, "recording,hz,from,to\nb.mp4,1,0,10\nb.mp4,2,10,18\nclips/a.mp4,3,,\n")
    starts = [0.0, 3.9, 4.1, 4.2, 9.95, 12.0, 12.2, 77.0, 0.0]
    recordings = [NAMES[1]] * 7 + [NAMES[0], NAMES[2]]
    labels = own_labels.of_clips(stretches, recordings, starts, 6.0)
    np.testing.assert_array_equal(labels, np.float32([1, 1, 1, np.nan, 2, 2, np.nan, 3, np.nan]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"found the columns \(none\); expected those of labels\. Write the columns recording, one of hz"),
        ('recording,hz\nb.mp4,"1,500"\n', r"line 2: found '1,500' as hz; expected a number"),
        ("recording,bpm\na.mp4,60\n", "found the columns recording, bpm"),
        ("recording,hz,count\nb.mp4,1,2\n", "found the columns recording, hz, count"),
        ("recording,hz,from\nb.mp4,1,2\n", "found the columns recording, hz, from"),
        ("recording,hz\nb.mp4,fast\n", "labels.csv, line 2: found 'fast' as hz; expected a number"),
        ("recording,hz\nb.mp4\n", "line 2: found '' as hz"),
        ("recording,hz\nb.mp4,nan\n", "line 2: found hz nan, nan Hz; expected what lies in the band"),
        ("recording,hz\nb.mp4,72\n", "line 2: found hz 72, 72 Hz; expected what lies in the band, 0.4 to 5 Hz"),
        ("recording,per_minute\nb.mp4,9\n", "found per_minute 9, 0.15 Hz"),
        ("recording,count\nb.mp4,200\n", "line 2: found count 200, 10 Hz; expected what lies in the band, 0.4 to 5 Hz"),
        ("recording,hz,from,to\nb.mp4,1,5,5\n", "found a stretch from 5 to 5 s"),
        ("recording,hz,from,to\nb.mp4,1,-1,5\n", "found a stretch from -1 to 5 s"),
        ("recording,count,from,to\nb.mp4,9,20,\n", "found a stretch from 20 to 20 s"),
        ("recording,hz\na.mp4,1\n", "names 2 of the recordings, clips/a.mp4 and more/a.mp4; expected the name of one"),
        ("recording,hz\nz.mp4,1\n", "'z.mp4', which names none of the recordings.* such as clips/a.mp4"),
        ("recording,hz\n,1\n", "'', which names none of the recordings"),
        ("recording,hz,from,to\nb.mp4,1,0,10\nb.mp4,1.1,9,12\n", "lines 2 and 3: found stretches of clips/b.mp4 that"),
        ('recording,hz\n"b.mp4,1\n', "found what cannot be read"),
    ],
)
def test_a_file_of_other_content_is_refused_with_its_line(text, message, tmp_path):
    with pytest.raises(RawDataError, match=message):
        read(tmp_path, text)


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path):
    with pytest.raises(RawDataError, match=r"none\.csv: found what cannot be read .*No such file"):
        own_labels.stretches_in(tmp_path / "none.csv", RECORDINGS, BAND)
    (tmp_path / "labels.csv").write_bytes(b"recording,hz\n\xff\xfe,1\n")
    with pytest.raises(RawDataError, match=r"labels\.csv: found what cannot be read"):
        own_labels.stretches_in(tmp_path / "labels.csv", RECORDINGS, BAND)
