"""Pictures of recordings and copies of them, by what is drawn."""

import numpy as np
import pytest
from made_answers import INFO, answer, done

from simper_tf.commands import annotated, html_page
from simper_tf.reading import drawing, records
from simper_tf.reading.source_reader import Wishes
from simper_tf.recordings import source_contract, sources


def _axes(figure):
    return [axes for part in figure.subfigs for axes in part.axes]


def test_every_repetition_is_shaded_and_the_tempo_drawn():
    still, course, tempo = _axes(drawing.figure(done(answer())))
    assert [(patch.get_x(), patch.get_width()) for patch in course.patches] == [(1, 2), (3, 2), (5, 2), (7, 2)]
    assert [text.get_text() for text in course.texts] == ["1", "2", "3", "4"]
    np.testing.assert_allclose(tempo.lines[0].get_ydata(), 0.5)
    (box,) = still.patches
    assert (box.get_x(), box.get_y(), box.get_width(), box.get_height()) == (7.5, -0.5, 24, 12)


def test_tempo_is_per_minute_in_other_units():
    *_, tempo = _axes(drawing.figure(done(answer()), "bpm"))
    np.testing.assert_allclose(tempo.lines[0].get_ydata(), 30)
    assert tempo.get_ylabel() == "per minute"


def test_many_answers_of_a_series_are_their_tempo_over_time():
    many = [answer(1 + 0.1 * k, first=100 * k, count=20) for k in range(5)]
    figure = drawing.figure(done(*many, stills=()))
    (tempo,) = figure.axes
    assert figure._suptitle.get_text() == "a.mp4\n5 answers of 1 to 1.4 Hz, 100 repetitions from 0.0 to 414.3 s"
    middles = [line.get_xdata().mean() for line in tempo.lines[:: len(tempo.lines) // 5]]
    assert middles == sorted(middles)
    assert tempo.get_ylim()[1] == pytest.approx(1.3 * 1.4)


def test_of_thousands_of_repetitions_the_middle_is_drawn():
    long = answer(1.0, count=5000, times=np.arange(0.0, 5000, 1), course=np.zeros(5000))
    _, course, tempo = _axes(drawing.figure(done(long)))
    assert not course.patches
    (line,) = tempo.lines
    assert len(line.get_xdata()) <= 200
    np.testing.assert_allclose(line.get_ydata(), 1.0)


def test_a_recording_without_repetition_is_drawn_with_verdict():
    figure = drawing.figure(done())
    assert [part._suptitle.get_text() for part in figure.subfigs] == ["nothing repeats"]


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
    drawing.figure(done(answer())).savefig(picture)
    drawn = records.of(done(answer(), name="<script>.mp4"), "hz") | {"picture": picture.name}
    refused = records.without("b.mp4: found noise.", records.UNREADABLE, "b.mp4")
    page = html_page.render([drawn, refused], tmp_path)
    assert "<p>b.mp4: found noise.</p>" in page
    assert "&lt;script&gt;.mp4" in page
    assert "<script>.mp4" not in page
    assert page.count('<th scope="row">') == 4
