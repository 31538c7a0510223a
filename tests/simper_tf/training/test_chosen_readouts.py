"""As which protocol an exported model answers."""

import pytest

from simper_tf.evaluation.tasks import Frequency
from simper_tf.training import served

HERTZ = Frequency("Hz")
ERRORS = {"fft": {served.ERROR: 0.3}, "1nn": {served.ERROR: 0.1}, "probe": {served.ERROR: 0.2}}


def test_the_smallest_error_answers_but_for_a_head_of_its_own():
    assert served.choose("best", ERRORS, HERTZ) == "1nn"
    assert served.choose("best", {**ERRORS, "supervised": {served.ERROR: 0.9}}, HERTZ) == "supervised"
    assert served.choose("fft", ERRORS, HERTZ) == "fft"


@pytest.mark.parametrize(("error", "chosen"), [(0.1005, "fft_resolved"), (0.102, "fft_calibrated")])
def test_of_level_errors_the_readout_without_labels_answers(error, chosen):
    kept = {"fft_calibrated": {served.ERROR: 0.1}, "fft_resolved": {served.ERROR: error}}
    assert served.choose("best", kept, HERTZ) == chosen


def test_an_error_that_is_no_number_is_never_chosen():
    assert served.choose("best", {"fft_resolved": {served.ERROR: float("nan")}, **ERRORS}, HERTZ) == "1nn"


@pytest.mark.parametrize(("wanted", "readouts", "known"), [("pixels", ERRORS, "fft, 1nn, probe"), ("best", {}, "none")])
def test_what_was_not_evaluated_is_refused_with_what_was(wanted, readouts, known):
    with pytest.raises(ValueError, match=f"`readout={wanted}` .*It can serve {known}. Name"):
        served.choose(wanted, readouts, HERTZ)


def test_protocols_are_served_at_their_multiple_of_the_frequency():
    kept = (("fft", {}), ("fft_calibrated", {"harmonic": 2}), ("fft_fundamental", {}))
    assert [served.readout_of(*one) for one in kept] == [{"harmonic": value} for value in (1.0, 2.0, "fundamental")]


@pytest.mark.parametrize(("agreement", "is_overruled"), [(1.0, True), (0.99, True), (0.98, False)])
def test_pixels_overrule_where_nearly_all_clips_agreed(agreement, is_overruled):
    found = {"octave": {"divisor": 2, "agreement": agreement, "voting": 0.5}}
    assert served.readout_of("fft_resolved", found) == {"harmonic": 0.5, "is_overruled": is_overruled}
