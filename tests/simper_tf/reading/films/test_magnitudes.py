"""Magnitudes of the Fourier transform: blind to shifts, not to movement, at the power of the pixels."""

import cv2
import numpy as np
import pytest

from simper_tf.reading import result
from simper_tf.reading.films import camera, film_reader, magnitudes

HEIGHT, WIDTH, RATE = 44, 64, 15


def blobs(rng, number):
    """Returns `(H, W)` of soft spots, none of them at the edge."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    places = rng.uniform((14, 18), (HEIGHT - 14, WIDTH - 18), (number, 2))
    return sum(np.exp(-((rows - y) ** 2 + (columns - x) ** 2) / 8) for y, x in places)


def shifted(picture, down, right):
    """Returns a picture moved by a part of a pixel and more."""
    matrix = np.array([[1, 0, right], [0, 1, down]], float)
    return cv2.warpAffine(picture, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC)


def test_a_shift_changes_magnitudes_by_little():
    picture = 100 * blobs(np.random.default_rng(1), 6)
    frames = np.stack([picture, shifted(picture, 2, -2), blobs(np.random.default_rng(2), 6) * 100])[..., None]
    same, moved, other = magnitudes.of(np.float32(frames))
    pixels = np.sqrt(((frames[0] - frames[1]) ** 2).sum())
    assert np.sqrt(((same - moved) ** 2).sum()) < pixels / 3
    assert np.sqrt(((same - other) ** 2).sum()) > 2 * np.sqrt(((same - moved) ** 2).sum())


def test_magnitudes_have_the_power_of_noise_that_they_keep():
    noise = np.random.default_rng(0).normal(0, 10, (50, 64, 64, 1)).astype(np.float32)
    kept = magnitudes.of(noise)
    assert kept.shape == (50, 32, 16, 1)
    assert abs((kept**2).mean() / 100 - 1) < 0.05


def test_frames_smaller_than_what_is_kept_have_fewer_magnitudes():
    assert magnitudes.of(np.zeros((3, 10, 12, 1), np.float32)).shape == (3, 10, 7, 1)


def test_a_swing_of_fine_patterns_alone_does_not_count():
    # Rows are -8 to 7 and columns 0 to 7 cycles of 40 pixels: 2 of them are 0.05 cycles per pixel, 7 are 0.175.
    swing, at = 3 + np.sin(2 * np.pi * 0.1 * np.arange(100)), {"coarse": (8, 2), "fine": (8, 7)}
    shown = {name: np.zeros((100, 16, 8, 1), np.float32) for name in at}
    for name, place in at.items():
        shown[name][:, *place, 0] = swing
    for share, expected in ((0, False), (0.2, False), (0.5, True)):
        both = shown["fine"] + share * shown["coarse"]
        assert magnitudes.show_in_coarse(both, [0.1], (40, 40)) == [expected]
    # Each repetition by itself: at 0.2 cycles per frame the coarse one swings alone.
    shown["coarse"][:, *at["coarse"], 0] = 3 + np.sin(2 * np.pi * 0.2 * np.arange(100))
    assert magnitudes.show_in_coarse(shown["fine"] + shown["coarse"], [0.1, 0.2], (40, 40)) == [False, True]


def test_smaller_pictures_keep_their_light_and_their_shape():
    frames = np.random.default_rng(0).uniform(0, 255, (3, HEIGHT, WIDTH, 1)).astype(np.float32)
    less = magnitudes.smaller(frames)
    assert less.shape == (3, 31, 45, 1)
    np.testing.assert_allclose(less.mean((1, 2)), frames.mean((1, 2)), rtol=0.02)
    assert magnitudes.smaller(frames[:, :9, :9]).shape == (3, 8, 8, 1)


def drifting(times, scale=12):
    """Returns frames of a sharp drawing that drifts over black by a sixth of a pixel a frame."""
    logo = np.zeros((9 * scale, 9 * scale), np.float32)
    cv2.circle(logo, (5 * scale, 3 * scale), 3 * scale, 220, -1)
    cv2.rectangle(logo, (scale, 4 * scale), (4 * scale, 8 * scale), 120, -1)
    frames = []
    for k in range(len(times)):
        large = np.zeros((HEIGHT * scale, WIDTH * scale), np.float32)
        at = 5 * scale + round(k * scale / 6)
        large[at : at + len(logo), at : at + len(logo)] = logo
        frames.append(cv2.resize(large, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA).astype(np.uint8)[..., None])
    return list(zip(times, frames, strict=True))


def test_a_drawing_that_drifts_past_pixels_repeats_nothing():
    assert film_reader.reading_of_frames(drifting(np.arange(150) / RATE)).clear == ()


def followed(frames_of, seconds=14):
    """Returns frames of somebody in an unsteady hand that follows him past a fence, seconds beside them."""
    rng = np.random.default_rng(3)
    times = np.arange(seconds * RATE) / RATE
    hand = np.cumsum(rng.normal(0, 0.5, (len(times), 2)), axis=0)
    hand = np.clip(hand - cv2.blur(hand, (1, 31)), -4, 4)
    pictures = [np.clip(shifted(frames_of(t), *at), 0, 255).astype(np.uint8)[..., None]
                for t, at in zip(times, hand, strict=True)]  # fmt: skip
    return list(zip(times, pictures, strict=True))


def growing(seconds):
    """Returns a spot that grows and shrinks at 0.5 Hz before soft spots that wander."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    size = 5 + 2.5 * np.sin(2 * np.pi * 0.5 * seconds)
    spot = 150 * (np.hypot(rows - 22, columns - 32) < size)
    ground = 60 * blobs(np.random.default_rng(5), 5)
    return np.float32(cv2.GaussianBlur(spot + 0.5 * ground, (0, 0), 1))


def test_what_repeats_in_an_unsteady_hand_is_read():
    (answer,) = film_reader.reading_of_frames(followed(growing)).clear
    assert abs(answer.hertz - 0.5) < 0.02


def test_a_pan_too_far_is_told_and_a_shorter_one_taken_out():
    wide = 100 + 200 * np.random.default_rng(0).normal(size=(HEIGHT + 10, WIDTH + 40)).astype(np.float32)
    wide = cv2.GaussianBlur(wide, (0, 0), 1.5)
    matrices = [np.array([[1, 0, -0.25 * k], [0, 1, -5]], float) for k in range(80)]
    pan = np.stack([cv2.warpAffine(wide, matrix, (WIDTH, HEIGHT)) for matrix in matrices])[..., None]
    assert camera.pans(pan)
    assert not camera.pans(pan[:7])  # 1.5 pixels.
    assert not camera.pans(np.concatenate((pan, pan[::-1])))
    assert camera.steadied(pan)[0] is None  # 20 of 64 pixels.
    frames = np.clip(pan, 0, 255).astype(np.uint8)
    assert film_reader.reading_of_frames(zip(np.arange(80) / RATE, frames, strict=True)).verdict == result.TOO_FAR
    steady, path = camera.steadied(pan[:50])
    assert np.ptp(path[:, 1]) == pytest.approx(0.25 * 49, rel=0.05)
    assert steady.shape == pan[:50].shape
    swing = np.stack([growing(k / RATE) for k in range(80)])[..., None]
    assert camera.steadied(swing)[1] is None
