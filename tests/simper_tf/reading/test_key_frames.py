"""What compression makes repeat is no repetition, and what moves is one even at the rate of the key frames."""

import fractions

import av
import numpy as np
import pytest
from sklearn.datasets import load_sample_image

from simper_tf.reading import key_frames, read
from simper_tf.reading.scores import Reading
from simper_tf.recordings import sources
from simper_tf.recordings.windows import Window

RATE = 30


def recording(path, keyint, spot, seconds=12, codec="libx264"):
    """Writes a photograph, with a spot `spot(seconds)` pixels off its place, with a key frame every `keyint` frames."""
    scene = np.ascontiguousarray(load_sample_image("china.jpg")[40:220, 60:300])
    x264 = {"x264-params": f"keyint={keyint}:min-keyint={keyint}:scenecut=0", "crf": "28"}
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=fractions.Fraction(RATE), options=x264 if codec == "libx264" else {})
        stream.height, stream.width, _ = scene.shape
        stream.pix_fmt, stream.gop_size = "yuv420p", keyint
        for number in range(seconds * RATE):
            frame = scene.copy()
            if spot:
                left = round(100 + spot(number / RATE))
                frame[60:100, left : left + 30] = 220, 40, 40
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, "rgb24")))
        container.mux(stream.encode())
    return sources.open_file(path)


def answers(source):
    opened = read.prepare(source, read.Wishes())
    found = list(read.read(opened))
    return [answer.frequency for answer in found], read.unread(opened, found)


@pytest.mark.parametrize(
    ("name", "codec"),
    [("still.mp4", "libx264"), ("still.mkv", "libx264"), ("still.avi", "libx264"), ("still.avi", "mpeg4")],
)
@pytest.mark.parametrize("keyint", [12, 30])
def test_a_still_picture_repeats_nothing_however_its_compression_does(tmp_path, name, codec, keyint):
    source = recording(tmp_path / name, keyint, None, codec=codec)
    keys = source.info().keys
    # Frames that are stored in another order than they are shown in let AVI files begin later.
    assert 0 <= keys[0] <= 2 / RATE
    assert np.subtract(keys, keys[0]) == pytest.approx(np.arange(0, 12, keyint / RATE), abs=1e-3)
    frequencies, notes = answers(source)
    assert np.isnan(frequencies).all()
    said = f"something repeats with the key frames of the file, every {keyint / RATE:g} s"
    assert notes
    assert all(said in note for note in notes)


@pytest.mark.parametrize("number", [0, 10**6])
def test_a_damaged_table_of_key_frames_loses_none(tmp_path, number):
    source = recording(tmp_path / "still.mp4", 12, None, seconds=2)
    sound = source.info()
    data = bytearray((tmp_path / "still.mp4").read_bytes())
    last = data.index(b"stss") + 12 + 4 * (len(sound.keys) - 1)
    data[last : last + 4] = number.to_bytes(4, "big")
    (tmp_path / "damaged.mp4").write_bytes(data)
    assert sources.open_file(tmp_path / "damaged.mp4").info().keys == sound.keys


def test_what_repeats_with_the_key_frames_alone_is_said(tmp_path):
    _, (note,) = answers(recording(tmp_path / "still.mp4", 12, None))
    assert note.endswith(
        "windows something repeats with the key frames of the file, every 0.4 s, and little changes between them: that "
        "is its compression. Record with less of it."
    )


@pytest.mark.parametrize("spot", [lambda t: 40 * np.sin(2 * np.pi * t), lambda t: 40 * (t % 1 < 0.5)])
def test_what_moves_once_a_second_is_read_although_key_frames_come_as_often(tmp_path, spot):
    frequencies, notes = answers(recording(tmp_path / "moving.mp4", 30, spot))
    assert frequencies == pytest.approx([1.0] * len(frequencies), abs=0.01)
    assert notes == ()


def read_of(changes_at, frequency, keys=range(12)):
    """Returns a reading of a window of 6 s from 3 s on, whose every pixel steps up and down at some times."""
    times = 3 + np.arange(6 * RATE) / RATE
    steps = sum(((times >= at).astype(float) for at in changes_at), np.zeros(len(times))) % 2
    window = Window(3.0, np.tile(100 + 0.5 * steps[:, None, None, None], (1, 4, 4, 1)), RATE)
    found = [Reading("pixels", frequency, 0.9)]
    (after,) = key_frames.without(found, window, sources.Info(RATE, 12, 4, 4, keys=list(keys)))
    return after


def test_faint_steps_with_the_key_frames_are_taken_back_at_their_rate_and_its_multiples_alone():
    for frequency, stays in ((1.0, False), (2.0, False), (1.01, False), (0.5, True), (1.3, True)):
        after = read_of(range(12), frequency)
        assert (after.score, after.is_stored) == ((0.9, False) if stays else (0, True))


def test_faint_steps_that_come_between_key_frames_are_what_is_filmed():
    assert read_of(np.arange(12) + 0.5, 1.0).score == 0.9


def test_where_every_frame_is_a_whole_picture_none_is_told_from_the_others():
    assert read_of(range(12), 1.0, keys=np.arange(12 * RATE) / RATE).score == 0.9


def test_of_fewer_than_three_whole_pictures_there_is_no_rate():
    assert np.isnan(key_frames.spacing([0.0, 8.3]))
    assert key_frames.spacing([0.0, 0.4, 0.8, 5.0]) == pytest.approx(0.4)
