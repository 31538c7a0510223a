"""Template matching of rotating digits: near the truth, in noise too, and blind to labels."""

import numpy as np
import pytest

from datasets.rotating_digits import digits, handwriting, ideal, rotating_digits_dataset_builder


@pytest.fixture(scope="module")
def images():
    return handwriting.by_digit(*handwriting.embedded_digits("test"), "test")


@pytest.mark.parametrize(
    ("config", "look", "error"),
    [
        ("digits", {}, 2e-4),
        ("digits_spin", {"spin": True}, 2e-4),
        ("digits_spurious", {"spurious": True}, 2e-4),
        ("digits_noisy_middle", {"disturbance": "middle"}, 2e-3),
    ],
)
def test_whoever_knows_the_image_reads_nearly_the_truth(images, tmp_path, config, look, error):
    builder = rotating_digits_dataset_builder.Builder(data_dir=tmp_path, config=config)
    for index in (3, 14):
        record = digits.clip_record(images, "test", index, **look)
        example = {**record, "subject": record["subject"].encode(), "label": np.nan}
        assert builder.ideal(example) == pytest.approx(record["label"], abs=error)


def test_a_clean_clip_shows_its_image(images):
    record = digits.clip_record(images, "test", 3)
    shown = ideal.turned_back(record["clip"], record["angle"])
    likeness = [np.corrcoef(picture.ravel(), images[3][0].ravel())[0, 1] for picture in (shown, record["clip"][0])]
    assert likeness[0] > 0.97 > likeness[1]


def test_a_spin_is_no_swing_to_the_template(images):
    record = digits.clip_record(images, "test", 14, spin=True)
    image = images[4][1][..., None]
    assert ideal.frequency(record["clip"], image, spin=True) == pytest.approx(record["label"], abs=2e-4)
    assert ideal.frequency(record["clip"], image) != pytest.approx(record["label"], abs=0.01)
