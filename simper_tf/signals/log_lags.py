"""Periods and lags in geometric steps, so that another speed of the same clip is a shift along them."""

import numpy as np

STEPS_PER_OCTAVE = 12  # Semitones, 6 % apart.
# Frames of the shortest period, and the longest as a share of a clip: two and a half repetitions.
SHORTEST, LONGEST = 4.0, 0.4
# Frames of the shortest lag, and the longest as a share of a clip: twice the longest period.
SHORTEST_LAG, LONGEST_LAG = 2.0, 0.8


def longest_period(num_frames: int) -> float:
    """Returns the longest period, in frames, that clips of L frames tell; a ValueError if none is that long."""
    longest = LONGEST * num_frames
    if longest <= SHORTEST:
        raise ValueError(
            f"Replays of {num_frames} frames are too short to repeat: they need more than {SHORTEST / LONGEST:g}. Give "
            "longer views."
        )
    return longest


def periods_of(num_frames: int) -> np.ndarray:
    """Returns the periods, in frames, that are told apart in clips of L frames."""
    return _geometric(SHORTEST, longest_period(num_frames))


def lags_of(num_frames: int) -> np.ndarray:
    """Returns the lags, in frames, at which clips of L frames are compared with themselves."""
    return _geometric(SHORTEST_LAG, LONGEST_LAG * num_frames)


def lag_indices(num_frames: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Returns, for frames after and before, where in a flattened `(L, L)` matrix the lags of each frame lie.

    Both have `(L, lags)` indices of the nearer and of the farther frame, `(lags,)` weight of the farther one, and
    `(L, lags)` whether both exist.
    """
    frames, lags = np.arange(num_frames)[:, None], lags_of(num_frames)
    whole = np.floor(lags).astype(int)
    found = []
    for sign in (1, -1):
        near, far = frames + sign * whole, frames + sign * (whole + 1)
        known = (near >= 0) & (near < num_frames) & (far >= 0) & (far < num_frames)
        near, far = [num_frames * frames + np.clip(at, 0, num_frames - 1) for at in (near, far)]
        found.append((near, far, lags - whole, known))
    return found


def _geometric(first, last):
    steps = int(np.floor(STEPS_PER_OCTAVE * np.log2(last / first) + 1e-6))
    return first * 2.0 ** (np.arange(steps + 1) / STEPS_PER_OCTAVE)
