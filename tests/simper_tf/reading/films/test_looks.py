"""What the shifts of tiles show where pixels show nothing that returns."""

import cv2
import numpy as np
import pytest

from simper_tf.reading.films import camera, film_reader

CYCLES = 7


def carts(places, width, spokes=8):
    """A cart that fills the picture, `(T, H, W, 1)` uint8: its wheels have turned by so many radians."""
    height, fine = width // 3, 4
    radius = 0.42 * height
    for place in places:
        picture = np.full((fine * height, fine * width), 255, np.uint8)
        for middle in (0.25 * width, 0.75 * width):
            at = np.array((middle + radius * (place - np.mean(places)), height / 2))
            cv2.circle(picture, _point(at, fine), int(fine * radius), 0, fine)
            for angle in place + np.arange(spokes) * 2 * np.pi / spokes:
                cv2.line(
                    picture,
                    _point(at, fine),
                    _point(at + radius * np.array((np.cos(angle), np.sin(angle))), fine),
                    0,
                    fine,
                )
        yield cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)[..., None]


def _point(at, fine):
    return tuple(round(fine * part) for part in at)


def reading(places, width, rate):
    return film_reader.reading_of_frames(zip(np.arange(len(places)) / rate, carts(places, width), strict=True))


@pytest.mark.parametrize("width", [48, 80])
@pytest.mark.parametrize("rate", [10.0, 25.0])
@pytest.mark.parametrize("hertz", [0.3, 0.6])
def test_wheels_that_roll_to_and_fro_are_read(hertz, rate, width):
    times = np.arange(round(CYCLES / hertz * rate)) / rate
    found = reading(2.5 * np.sin(2 * np.pi * hertz * times), width, rate)
    (answer,) = found.clear
    assert answer.hertz == pytest.approx(hertz, rel=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_wheels_that_roll_anyhow_are_not_told_to_repeat(seed):
    steps = np.random.default_rng(seed).normal(size=250)
    assert not reading(0.3 * np.cumsum(steps), 80, 25.0).clear


def test_shifts_of_a_camera_are_taken_out():
    wide = cv2.GaussianBlur(np.random.default_rng(0).normal(size=(60, 120)), (0, 0), 2) * 200 + 120
    filmed = np.stack([wide[:, at : at + 80] for at in (20 + 8 * np.sin(np.arange(60) / 4)).astype(int)])
    beside = np.where(np.arange(80) < 20, filmed, filmed[:1])
    camera_moves, part_moves = (
        camera.tile_shifts(frames[..., None].astype(np.float32)).std() for frames in (filmed, beside)
    )
    assert camera_moves < part_moves / 2


def filmed(path):
    """Returns `(T, 45, 80, 1)` float32 of a still scene, filmed along a path of `(T, 2)` pixels."""
    wide = cv2.GaussianBlur(np.random.default_rng(0).normal(size=(80, 120)), (0, 0), 2) * 300 + 120
    moved = [
        cv2.warpAffine(
            wide, np.float64([[1, 0, right], [0, 1, down]]), (80, 45), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        )
        for down, right in path
    ]
    return np.clip(np.stack(moved), 0, 255).astype(np.float32)[..., None]


def test_of_a_hand_that_shakes_the_network_is_asked_without_it():
    noise = np.random.default_rng(1).normal(size=(80, 2))
    gray = filmed(15 + 0.4 * np.cumsum(noise - noise.mean(axis=0), axis=0))
    look = next(camera.looks(gray))
    assert look.is_steadied
    assert look.heard is look.steady
    assert look.heard.var(0).mean() < 0.2 * gray.var(0).mean()


def test_of_a_pan_the_network_is_asked_about_the_film_itself():
    gray = filmed(np.stack((np.full(80, 15.0), 10 + 0.15 * np.arange(80)), axis=1))
    look = next(camera.looks(gray))
    assert look.is_steadied
    assert look.heard is gray
