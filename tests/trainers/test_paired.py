"""Paired test of two methods over clips and seeds, against ratios by hand."""

import pytest

from simper_tf.evaluation.rows import Row
from trainers.studies import paired

HEADER = "id,subject,label (Hz),fft (Hz)\n"


def tables(folder, name, errors):
    """Writes clips of images a, a, b with these errors, a file a seed."""
    paths = []
    for seed, of_seed in enumerate(errors):
        lines = [f"{k},{image},1.0,{1 + error}\n" for k, (image, error) in enumerate(zip("aab", of_seed, strict=True))]
        paths.append(folder / f"{name}{seed}.csv")
        paths[-1].write_text(HEADER + "".join(lines))
    return paths


def test_the_ratio_is_of_mean_errors_of_all_clips_and_seeds(tmp_path):
    own = tables(tmp_path, "own", [[0.1, -0.1, 0.4], [0.2, 0.2, 0.2]])
    others = tables(tmp_path, "other", [[0.2, 0.2, 0.2], [0.5, 0.4, 0.3]])
    value, low, high, number = paired.ratio(own, others, "fft")
    assert value == pytest.approx(1.8 / 1.2)
    assert low < value < high
    assert number == 3


def test_errors_twice_as_large_everywhere_leave_no_doubt(tmp_path):
    own = tables(tmp_path, "own", [[0.1, 0.3, 0.9], [0.05, 0.2, 0.01]])
    others = tables(tmp_path, "other", [[0.2, -0.6, 1.8], [0.1, 0.4, 0.02]])
    assert paired.ratio(own, others, "fft")[:3] == pytest.approx((2, 2, 2))


def test_a_lead_on_one_image_alone_is_no_lead(tmp_path):
    own = tables(tmp_path, "own", [[0.1, 0.1, 0.1]] * 2)
    others = tables(tmp_path, "other", [[0.05, 0.05, 0.9]] * 2)
    value, low, high, _ = paired.ratio(own, others, "fft")
    assert value == pytest.approx(1 / 0.3)
    assert low < 1 < high


@pytest.mark.parametrize(
    ("interval", "verdict"), [((1.1, 2), "SimPer first"), ((0.9, 2), "level"), ((0.5, 0.9), "BYOL first")]
)
def test_first_is_whose_interval_leaves_out_one(interval, verdict):
    row = Row("d", "c", "a~b", "small", "fft", paired.METRIC, 1.0, "", *interval, 3, 0, "abc", 0.0)
    assert paired.sentence("low", "SimPer", "BYOL", row).startswith(f"low: {verdict}; the error of BYOL is 1 [")
