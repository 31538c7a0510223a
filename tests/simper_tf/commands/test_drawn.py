"""Pictures of recordings and copies of them, by what is drawn."""

import numpy as np
import pytest
from made_answers import INFO, answer, done

from simper_tf.commands import annotated, html_page
from simper_tf.reading import canvas, drawing, records
from simper_tf.reading.canvas import Axes, Canvas, ticks
from simper_tf.reading.source_reader import Wishes
from simper_tf.recordings import source_contract, sources


def test_every_repetition_is_shaded_and_the_tempo_drawn():
    drawn = drawing.canvas(done(answer()))
    course, tempo = drawn.axes
    assert [span[:2] for span in course.spans] == [(1, 3), (3, 5), (5, 7), (7, 9)]
    assert course.labels == [(2, "1"), (4, "2"), (6, "3"), (8, "4")]
    np.testing.assert_allclose(tempo.lines[0][1], 0.5)
    assert tempo.limits[0] == course.limits[0]


def test_a_box_is_drawn_where_an_answer_is_in_the_frame():
    pixels = np.array(drawing.canvas(done(answer())).image())
    scale = 285 / 32
    rows, columns = np.nonzero((pixels[:, :285] == (0, 114, 178)).all(2))
    assert columns.max() - columns.min() == pytest.approx(0.75 * 32 * scale, abs=12)
    assert rows.max() - rows.min() == pytest.approx(0.5 * 24 * scale, abs=12)


def test_what_is_drawn_lies_at_its_time_and_value():
    plot = Axes((10, 20, 110, 70), across=(0.0, 10.0), upward=(0.0, 5.0))
    np.testing.assert_allclose(plot.pixel([0, 5, 10], [0, 5, 2.5]), [(10, 70), (60, 20), (110, 45)])
    plot.spans.append((2.0, 4.0, (0, 0, 0), 0.5))
    plot.lines.append(([6, 8, np.nan, 9, 10], [2.5] * 5, (255, 0, 0)))
    drawn = Canvas(120, 90)
    drawn.axes.append(plot)
    pixels = np.array(drawn.image()).astype(int)
    assert (pixels[60, 32:49] == 128).all()
    assert (pixels[60, 52:100] == 255).all()
    reds = np.flatnonzero(pixels[45, 60:110, 0] - pixels[45, 60:110, 1] > 200) + 60
    assert {72, 80, 88, 102, 108} <= {*reds}
    assert not {*range(92, 99)} & {*reds}


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 1.3, ["0.0", "0.5", "1.0"]), (-3, 22, ["0", "10", "20"]), (0.0, 3e-5, ["0", "1e-05", "2e-05", "3e-05"]),
        (0, 3e7, ["0", "1e+07", "2e+07", "3e+07"]), (0.1, 0.8, ["0.25", "0.50", "0.75"]),
    ],
)  # fmt: skip
def test_ticks_are_round_and_written_alike(low, high, words):
    assert ticks(low, high, 3)[1] == words


def test_tempo_is_per_minute_in_other_units():
    _, tempo = drawing.canvas(done(answer()), "bpm").axes
    np.testing.assert_allclose(tempo.lines[0][1], 30)
    assert tempo.name == "per minute"


def test_many_answers_of_a_series_are_their_tempo_over_time():
    many = [answer(1 + 0.1 * k, first=100 * k, count=20) for k in range(5)]
    drawn = drawing.canvas(done(*many, stills=()))
    (tempo,) = drawn.axes
    texts = [text.words for text in drawn.texts]
    assert texts == ["a.mp4", "5 answers of 1 to 1.4 Hz, 100 repetitions from 0.0 to 414.3 s"]
    middles = [times.mean() for times, *_ in tempo.dots]
    assert middles == sorted(middles)
    assert tempo.limits[1][1] == pytest.approx(1.3 * 1.4)


def test_of_thousands_of_repetitions_the_middle_is_drawn():
    long = answer(1.0, count=5000, times=np.arange(0.0, 5000, 1), course=np.zeros(5000))
    course, tempo = drawing.canvas(done(long)).axes
    assert not course.spans
    ((times, values, _),) = tempo.lines
    assert len(times) <= 200
    np.testing.assert_allclose(values, 1.0)


def test_a_long_recording_is_drawn_in_minutes_and_hours():
    for seconds, name, step in ((300, "seconds", 1), (3000, "minutes", 60), (30_000, "hours", 3600)):
        times = np.arange(0.0, seconds, 1)
        long = answer(0.8, count=int(0.8 * seconds), times=times, course=np.zeros(len(times)))
        course, tempo = drawing.canvas(done(long)).axes
        assert (tempo.below, tempo.name) == (name, "Hz")
        assert course.lines[0][0].max() == pytest.approx((seconds - 1) / step)


def test_nothing_that_is_written_leaves_the_picture():
    long = answer(1.0, count=5000, times=np.arange(0.0, 5000, 1), course=np.zeros(5000))
    for narrow in (False, True):
        drawn = drawing.canvas(done(long, name=f"{'ab' * 100}_left.mp4"), narrow=narrow)
        width = drawn.pixels.shape[1]
        texts = drawn.texts + [text for axes in drawn.axes for text in axes.written() if not text.upright]
        for text in texts:
            left = text.place[0] - {"l": 0, "m": 0.5, "r": 1}[text.anchor[0]] * canvas._width(text)
            assert -1 <= left <= left + canvas._width(text) <= width
        assert drawn.texts[0].words.startswith("abab")
        assert drawn.texts[0].words.endswith("_left.mp4")


@pytest.mark.parametrize("count", [4, 23, 65, 400, 40_000])
def test_numbers_of_repetitions_do_not_touch(count):
    times = np.arange(0.0, count, 1)
    long = answer(1.0, count=count, times=times, course=np.zeros(len(times)))
    for narrow in (False, True):
        course = drawing.canvas(done(long), narrow=narrow).axes[0]
        inside = [text for text in course.written() if text.size == 8]
        edges = [(text.place[0] + side * canvas._width(text) / 2) for text in inside for side in (-1, 1)]
        assert edges == sorted(edges)


def test_a_recording_without_repetition_is_drawn_with_verdict():
    drawn = drawing.canvas(done())
    assert [text.words for text in drawn.texts] == ["a.mp4", "nothing repeats"]


@pytest.mark.parametrize(("moment", "count", "phase"), [(0.5, 0, 0.0), (2.0, 0, 0.5), (5.0, 2, 0.0), (10.0, 4, 0.0)])
def test_count_and_phase_by_hand(moment, count, phase):
    assert annotated.counted(answer(), moment) == (count, pytest.approx(phase))


def test_the_copy_has_every_frame_at_its_time(tmp_path):
    class Uneven(source_contract.Source):
        def info(self):
            return INFO

        def frames(self, start, end, shape, box):
            for moment in (0.0, 0.1, 0.5, 0.6):
                yield moment, np.full((*shape, 3), 100, np.uint8)

    import av

    annotated.write(tmp_path / "copy.mp4", Uneven("a"), Wishes(), done(answer()))
    with av.open(str(tmp_path / "copy.mp4")) as container:
        times = [frame.time for frame in container.decode(video=0)]
    np.testing.assert_allclose(times, [0.0, 0.1, 0.5, 0.6], atol=5e-4)
    assert [path.name for path in tmp_path.iterdir()] == ["copy.mp4"]
    with av.open(str(tmp_path / "copy.mp4")) as container:
        assert (container.streams.video[0].width, container.streams.video[0].height) == (320, 240)


def drawn(moment, *some):
    picture = np.full((240, 320, 3), 250, np.uint8)
    annotated._draw(picture, done(*some), moment, None, 10.0)
    return picture


def test_a_count_is_white_on_black_on_a_bright_frame():
    plate = drawn(4.0, answer())[10:30, 36:50]
    assert plate.min() == 0
    assert plate.max() > 200
    assert np.median(plate) == 0


@pytest.mark.parametrize("moment", [0.5, 9.5])
def test_an_answer_is_drawn_from_its_start_to_its_end(moment):
    assert (drawn(moment, answer()) == 250).all()
    assert not (drawn(5.0, answer()) == 250).all()


def test_a_copy_that_fails_leaves_what_was_there(tmp_path):
    class Broken(source_contract.Source):
        def info(self):
            return INFO

        def frames(self, start, end, shape, box):
            yield 0.0, np.zeros((*shape, 3), np.uint8)
            raise OSError(28, "No space left on device")

    (tmp_path / "copy.mp4").write_bytes(b"before")
    with pytest.raises(OSError, match=r"copy\.mp4 could not be written: No space left"):
        annotated.write(tmp_path / "copy.mp4", Broken("a"), Wishes(), done())
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("copy.mp4", b"before")]


@pytest.mark.parametrize("name", ["own.mp4", "link.mp4", "read.avi", "none/read.mp4"])
def test_a_copy_never_takes_the_place_of_the_recording(tmp_path, name):
    own = tmp_path / "own.mp4"
    own.write_bytes(b"film")
    (tmp_path / "link.mp4").symlink_to(own)
    with pytest.raises(ValueError, match=r"is the recording itself|must be an \.mp4 file in a folder that is there"):
        annotated.refuse_unwritable(tmp_path / name, sources.Video(own))


def test_the_page_shows_names_as_text(tmp_path):
    picture = tmp_path / "a.png"
    picture.write_bytes(drawing.canvas(done(answer())).png())
    drawn = records.of(done(answer(), name="<script>.mp4"), "hz") | {"picture": picture.name}
    refused = records.without("b.mp4: found noise.", records.UNREADABLE, "b.mp4")
    page = html_page.render([drawn, refused], tmp_path)
    assert "<p>b.mp4: found noise.</p>" in page
    assert "&lt;script&gt;.mp4" in page
    assert "<script>.mp4" not in page
    assert page.count('<th scope="row">') == 4
