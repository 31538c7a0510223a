"""Who is drawn, what their hearts do, and that it is as hard to read as the README says."""

import collections
import hashlib

import numpy as np
import pytest

from datasets.drawn_faces import disturbance, people
from simper_tf.data import standin_faces
from simper_tf.recordings import face
from simper_tf.signals import readout, skin_colors

BAND = (0.6667, 4.1667)
COUNTS = {"train": 60, "validation": 15, "test": 25}
SECONDS = np.arange(180) / people.RATE


def everybody():
    return {(split, k): people.person(split, k) for split, count in COUNTS.items() for k in range(count)}


def test_no_two_people_are_alike_in_any_split():
    persons = list(everybody().values())
    for trait in ("lightness", "pulse", "harmonics", "heart_rate", "breathing", "motion", "seed"):
        assert len({getattr(person, trait) for person in persons}) == 100


def test_skins_are_light_to_dark_and_dark_pulses_are_fainter():
    persons = everybody().values()
    lightness, pulse = np.array([(person.lightness, person.pulse) for person in persons]).T
    assert 0.4 <= lightness.min() < 0.45 < 1.0 < lightness.max() <= 1.05
    assert pulse.max() > 5 * pulse.min()
    assert np.corrcoef(lightness, pulse)[0, 1] > 0.7


def test_second_harmonics_are_strong_and_fast_heads_in_the_band():
    persons = list(everybody().values())
    ratios = np.array([person.harmonics[1][0] / person.harmonics[0][0] for person in persons])
    assert 0.3 <= ratios.min() < 0.35 < 0.65 < ratios.max() <= 0.7
    slow, fast = np.array([person.motion for person in persons]).T
    assert slow.max() < BAND[0] < fast.min()


def test_heart_rates_vary_between_people_clips_and_within_a_clip():
    labels = collections.defaultdict(list)
    for (split, k), somebody in everybody().items():
        for window in range(people.WINDOWS):
            rng = np.random.default_rng([*somebody.seed, window, 1])
            labels[split, k].append(people.heart(somebody, SECONDS, rng)[1])
    of_all = np.concatenate(list(labels.values()))
    assert people.HEART_RATES[0] <= of_all.min() < 55 < 140 < of_all.max() <= people.HEART_RATES[1]
    spread = [np.ptp(rates) for rates in labels.values()]
    assert 10 < min(spread) < max(spread) < 32


@pytest.mark.parametrize("seed", range(4))
def test_the_label_is_the_mean_rate_at_which_the_wave_turns(seed):
    somebody = people.person("train", seed)._replace(harmonics=((1.0, 0.0),))
    wave, label = people.heart(somebody, SECONDS, np.random.default_rng(seed))
    # A pure wave rises through 0 once a beat.
    rises = np.flatnonzero((wave[:-1] < 0) & (wave[1:] >= 0))
    exact = SECONDS[rises] - wave[rises] / (wave[rises + 1] - wave[rises]) / people.RATE
    intervals = 60 / np.diff(exact)
    assert label == pytest.approx(intervals.mean(), rel=0.02)
    assert 0.0005 < intervals.std() / intervals.mean() < 0.05


@pytest.mark.parametrize("look", disturbance.LOOKS)
def test_a_clip_follows_from_split_and_number_and_is_unique(look):
    first, again, next_window, other = (
        people.clip_record(split, index, look)
        for split, index in (("train", 12), ("train", 12), ("train", 13), ("test", 12))
    )
    for name, value in first.items():
        np.testing.assert_array_equal(value, again[name])
    assert (first["id"], first["subject"]) == ("train-001-02", "train-001")
    assert next_window["subject"] == first["subject"] != other["subject"] == "test-001"
    assert len({first["label"], next_window["label"], other["label"]}) == 3
    frames = disturbance.LOOKS[look].num_frames
    assert (first["clip"].shape, first["clip"].dtype) == ((frames, 36, 36, 3), np.uint8)
    assert (first["ppg"].shape, first["ppg"].dtype) == ((frames,), np.float32)
    # The same person in other light; another person.
    means = [record["clip"].mean(axis=0) for record in (first, next_window, other)]
    assert np.abs(means[0] - means[1]).mean() < 4 < np.abs(means[0] - means[2]).mean()


# Of the clips that version 1.0.0 of the builder made, in which `hard` was called `moving`.
@pytest.mark.parametrize(
    ("look", "digest"), [("still", "23efc865b35b39be"), ("long", "f427b84a3032a365"), ("hard", "7def129420f5ca0c")]
)
def test_older_clips_stay_as_they_were_bit_by_bit(look, digest):
    record, known = people.clip_record("test", 123, look), hashlib.sha256()
    for name in ("clip", "label", "ppg"):
        known.update(record[name].tobytes())
    assert known.hexdigest()[:16] == digest


def test_clips_in_a_row_come_in_order_however_they_are_made():
    for index, record in enumerate(people.clip_records("validation", 3, "still")):
        np.testing.assert_array_equal(record["clip"], people.clip_record("validation", index, "still")["clip"])


@pytest.mark.slow
def test_the_box_is_where_a_detector_finds_the_face():
    for number in range(4):
        someone = people.person("test", number)._replace(lightness=1.0)
        # Larger, for the detector does not see small faces.
        large = standin_faces.draw(160, 160, np.random.default_rng([*someone.seed, 2]), someone.lightness)
        (frame,) = standin_faces.film(large, [standin_faces.Moment(0.0)], 0.0, None)
        found, box = face.find_face([frame]), people.cut()
        assert found.found == "haar"
        np.testing.assert_allclose(np.array(found[:4]) / 160, np.array(box[:4]) / 88, atol=0.03)


def green_over_red(record, split, index, look):
    """Pulse read where the skin is known to be: the change of its color, less that of all else."""
    drawing, moments, *_ = people.scene(split, index, look)
    excess = []
    for moment, frame in zip(moments, record["clip"].astype(float), strict=True):
        skin = face.crop(standin_faces.moved(drawing.skin, moment), people.cut(), people.SIZE)[..., None]
        inside, outside = [(frame * part).sum((0, 1)) / part.sum() for part in (skin, 1 - skin)]
        excess.append(np.log(inside[1] / outside[1]) - np.log(inside[0] / outside[0]))
    return np.array(excess)


def errors_of(numbers, look):
    """Mean errors (bpm) on validation clips: green, CHROM, POS and the true skin; and that of a guess."""
    records = [people.clip_record("validation", number, look) for number in numbers]
    labels = np.array([record["label"] for record in records])
    colors = [record["clip"].mean(axis=(1, 2)) for record in records]
    series = [[method(part, people.RATE, BAND) for part in colors]
              for method in (skin_colors.green, skin_colors.chrom, skin_colors.pos)]  # fmt: skip
    series.append([green_over_red(record, "validation", k, look) for k, record in zip(numbers, records, strict=True)])
    frequencies = [readout.fft_frequency(np.stack(part), people.RATE, BAND)[0].numpy() for part in series]
    return [np.abs(60 * part - labels).mean() for part in frequencies], np.abs(labels - np.median(labels)).mean()


@pytest.mark.slow
@pytest.mark.parametrize(("look", "known"), [("still", (8.5, 3.1, 4.6, 0.5)), ("turning", (11.5, 4.1, 4.1, 0.5))])
def test_validation_clips_are_as_hard_to_read_as_the_readme_says(look, known):
    errors, guess = errors_of(range(150), look)
    np.testing.assert_allclose(errors, known, atol=0.3)
    assert guess == pytest.approx(21.7, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("look", "of_green", "of_skin"), [("hard", 16.2, 0.5), ("long", 16.0, 0.2)])
def test_what_repeats_beside_the_pulse_misleads_green_most(look, of_green, of_skin):
    (green, chrom, pos, skin), _ = errors_of(range(0, 150, 3), look)
    assert green == pytest.approx(of_green, abs=1.0)
    assert max(chrom, pos) < green / 2
    assert skin == pytest.approx(of_skin, abs=0.1)
