"""Where a sample is missing, a series is refused or not, as somebody chooses."""

import numpy as np
import pytest

from simper_tf.readings import gaps
from simper_tf.readings.sources import Series
from simper_tf.recordings.errors import RawDataError


def written(path, times):
    path.write_text("time,x\n" + "".join(f"{time},{k % 7}\n" for k, time in enumerate(times)))
    return Series(path)


@pytest.mark.parametrize("lost", [[7], [7, 8, 9]])
def test_a_missing_sample_is_refused_with_the_longest_hole_if_so_chosen(tmp_path, lost):
    source = written(tmp_path / "a.csv", np.delete(np.arange(40) / 20, lost))
    gaps.check(source, "interpolate")
    found = rf"found {0.05 * (1 + len(lost)):.3g} s without a sample; expected one every 0.05 s\. Fill them"
    with pytest.raises(RawDataError, match=found):
        gaps.check(source, "refuse")


def test_uneven_times_are_no_gap(tmp_path):
    uneven = (np.arange(40) + np.random.default_rng(1).uniform(-0.3, 0.3, 40)) / 20
    gaps.check(written(tmp_path / "a.csv", uneven), "refuse")
