"""Ridge regression whose penalty is chosen on validation clips: what the probes share."""

import numpy as np
from sklearn.linear_model import Ridge

# Candidates for the penalty. Inputs are scaled so that a penalty of 1 weighs as much as one clip.
PENALTIES = tuple(10.0**k for k in range(-4, 4))


def ridge(inputs, targets, unit=1.0) -> tuple[np.ndarray, float]:
    """Fits targets on training clips by each of the penalties and predicts test clips by the best of them.

    Args:
        inputs: Three arrays `(N, P)`, of training, validation and test clips, whose squares sum to about 1 in a clip.
        targets: Two arrays `(N,)` or `(N, H)`, of training and validation clips.
        unit: What an error of 1 counts for in the choice, a number or one for each validation clip.

    Returns:
        The predictions for the test clips, and the penalty with the smallest mean absolute error on validation clips.
    """
    known, chosen_by, queries = inputs
    probes = [Ridge(alpha=penalty).fit(known, targets[0]) for penalty in PENALTIES]
    errors = [np.abs(unit * (probe.predict(chosen_by) - targets[1])).mean() for probe in probes]
    best = int(np.argmin(errors))
    return probes[best].predict(queries), PENALTIES[best]
