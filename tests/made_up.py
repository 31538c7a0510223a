"""Result rows that no run has made."""

from simper_tf.evaluation.rows import Row


def row(protocol="fft", metric="mae", value=0.125, unit="Hz", seed=0, **others):
    """Returns a row; what is not given is always the same."""
    fields = {"method": "m", "encoder": "e", "n": 10, "seconds": 1.0, **others}
    fields |= {"dataset": "d", "config": "c", "low": 0.1, "high": 0.15, "commit": "abc"}
    return Row(protocol=protocol, metric=metric, value=value, unit=unit, seed=seed, **fields)
