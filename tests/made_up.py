"""Result rows that no run has made."""

from simper_tf.evaluation.rows import Row


def row(protocol="fft", metric="mae", value=0.125, unit="Hz", seed=0, method="m", encoder="e", n=10, seconds=1.0):
    """Returns a row; what is not given is always the same."""
    return Row("d", "c", method, encoder, protocol, metric, value, unit, 0.1, 0.15, n, seed, "abc", seconds)
