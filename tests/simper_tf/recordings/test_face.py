import cv2
import numpy as np
import pytest

from simper_tf.data import standin_faces
from simper_tf.recordings import face


def drawn(height=120, width=160, count=3, seed=0):
    return list(
        standin_faces.frames(np.zeros(count), np.arange(count) / 30.0, height, width, standin_faces.Look(), seed)
    )


def moved(frame, x, y):
    return cv2.warpAffine(
        frame, np.float32([[1, 0, x], [0, 1, y]]), frame.shape[1::-1], borderMode=cv2.BORDER_REPLICATE
    )


def test_the_box_surrounds_the_face_and_moves_with_it():
    frames = drawn()
    still, shifted = face.find_face(frames), face.find_face([moved(f, 12, 6) for f in frames])
    assert still.found == "haar"
    assert abs(still.left + still.width / 2 - 80) < 4
    assert shifted.left - still.left == pytest.approx(12, abs=3)
    assert shifted.top - still.top == pytest.approx(6, abs=3)


@pytest.mark.parametrize(("x", "y"), [(-40, 0), (40, 0), (0, -25), (0, 25)])
def test_a_face_at_the_edge_gets_a_whole_square_inside_the_frame(x, y):
    box = face.find_face([moved(f, x, y) for f in drawn()])
    assert box.found == "haar"
    assert box.width == box.height > 80
    assert 0 <= box.left <= 160 - box.width
    assert 0 <= box.top <= 120 - box.height


def test_frames_without_a_face_get_the_central_square_and_say_so():
    assert face.find_face([np.zeros((40, 60, 3), np.uint8)]) == face.Face(10, 0, 40, 40, "centre")


def test_one_frame_with_a_stray_detection_does_not_move_the_box():
    frames = drawn(count=5)
    with_stray = face.find_face([moved(frames[0], 40, 0), *frames[1:]])
    np.testing.assert_allclose(with_stray[:4], face.find_face(frames)[:4], atol=2)


def test_crop_averages_areas():
    frame = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    expected = frame[:, 1:5].reshape(2, 2, 2, 2, 3).mean(axis=(1, 3))
    assert np.abs(face.crop(frame, face.Face(1, 0, 4, 4, "centre"), 2) - expected).max() <= 0.5


def test_crop_of_the_size_asked_for_is_bit_exact():
    frame = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    np.testing.assert_array_equal(face.crop(frame, face.Face(5, 2, 16, 16, "centre"), 16), frame[2:18, 5:21])
