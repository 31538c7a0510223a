"""Features -> series of future values, by a linear probe, and what such predictions have to beat."""

import numpy as np

# Candidates for the penalty of the probe. The columns are scaled so that a penalty of 1 weighs as much as one clip.
PENALTIES = tuple(10.0**k for k in range(-4, 4))
# Blocks of the cross-validation that chooses among them.
NUM_BLOCKS = 3


def linear_probe(train, test):
    """Predicts label series by a linear map from whole feature series, fitted by ridge regression in closed form.

    The paper probes with "a linear regressor on top of the fixed features" and says no more. Here every feature of
    every frame is an input, z-scored over the training clips, and the penalty is chosen by cross-validation over
    `NUM_BLOCKS` blocks of training clips. Clips whose ids are neighbours share a block, so that overlapping windows of
    one recording are not on both sides.

    Args:
        train, test: `Features` with series `(N, T)` or `(N, T, D)` and labels `(N, H)`.

    Returns:
        `(K, H)` predictions for the test clips, in the unit of the labels, and the penalty chosen.

    Raises:
        ValueError: there are fewer than two training clips.
    """
    if len(train.labels) < 2:
        raise ValueError(f"A linear probe needs two training clips or more. Received: {len(train.labels)}.")
    inputs, queries = _scaled(_flat(train.series), _flat(test.series))
    blocks = np.array_split(np.argsort(train.ids), min(NUM_BLOCKS, len(train.labels)))
    errors = [_left_out_error(inputs, train.labels, blocks, penalty) for penalty in PENALTIES]
    penalty = PENALTIES[int(np.argmin(errors))]
    return ridge(inputs, train.labels, queries, penalty), penalty


def ridge(inputs, targets, queries, penalty):
    """Returns the predictions of ridge regression with an intercept, solved in the space of the examples.

    The weights W minimise `|targets - mean - (inputs - mean) W|^2 + penalty |W|^2`.

    Args:
        inputs: `(N, P)`, P may exceed N.
        targets: `(N, H)`.
        queries: `(K, P)`.
        penalty: Positive.

    Returns:
        `(K, H)` float64.
    """
    centre, level = inputs.mean(axis=0), targets.mean(axis=0, dtype=np.float64)
    inputs, queries = inputs - centre, queries - centre
    kernel = inputs @ inputs.T + penalty * np.eye(len(inputs))
    return level + queries @ inputs.T @ np.linalg.solve(kernel, targets - level)


def persistence(levels, rate, horizon):
    """Predicts that the last day is repeated, hour by hour; the last value where a clip is shorter than a day.

    Args:
        levels: `(N, T)` the past of what is predicted, in its unit.
        rate: Frames per second.
        horizon: H, number of frames to predict.

    Returns:
        `(N, H)`.
    """
    day = round(24 * 3600 * float(rate))
    period = day if 1 <= day <= levels.shape[1] else 1
    return levels[:, -period + np.arange(horizon) % period]


def training_mean(train, num_clips):
    """Predicts the mean of all training series: what can be said without looking at a clip.

    Args:
        train: `Features` with labels `(N, H)`.
        num_clips: K.

    Returns:
        `(K, H)`.
    """
    return np.repeat(train.labels.mean(axis=0, dtype=np.float64)[None], num_clips, axis=0)


def _left_out_error(inputs, targets, blocks, penalty):
    """The mean absolute error on each block of a probe fitted on the others."""
    errors = []
    for block in blocks:
        rest = np.setdiff1d(np.arange(len(inputs)), block)
        errors.append(np.abs(ridge(inputs[rest], targets[rest], inputs[block], penalty) - targets[block]).mean())
    return np.mean(errors)


def _scaled(inputs, queries):
    """Both z-scored by the first, and divided so that the squares of a row sum to about 1."""
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0)
    # A column that is constant in training says nothing; rounding must not blow it up in the queries.
    scale = np.where(deviation > 1e-6 * np.abs(mean), deviation, np.inf) * np.sqrt(inputs.shape[1])
    return (inputs - mean) / scale, (queries - mean) / scale


def _flat(series):
    return np.asarray(series, np.float64).reshape(len(series), -1)
