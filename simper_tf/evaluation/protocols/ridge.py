"""Ridge regression whose penalty is chosen on validation clips: what the probes share."""

import numpy as np

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
    known, chosen_by, queries = [np.float64(split) - np.mean(inputs[0], axis=0) for split in inputs]
    mean = np.mean(targets[0], axis=0, dtype=np.float64)
    # With fewer clips than inputs the weights are sums of clips. One decomposition then serves all penalties.
    few = len(known) < known.shape[1]
    values, vectors = np.linalg.eigh(known @ known.T if few else known.T @ known)
    solved = vectors.T @ ((targets[0] - mean) if few else known.T @ (targets[0] - mean))
    bases = [(split @ known.T if few else split) @ vectors for split in (chosen_by, queries)]

    def predict(base, penalty):
        return mean + ((base / (np.maximum(values, 0.0) + penalty)) @ solved)

    errors = [np.abs(unit * (predict(bases[0], penalty) - targets[1])).mean() for penalty in PENALTIES]
    best = PENALTIES[int(np.argmin(errors))]
    return predict(bases[1], best), best
