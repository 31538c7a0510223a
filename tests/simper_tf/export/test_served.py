"""Refusals of an exported model's graph, as a client of TensorFlow's C library sees them."""

import json
import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from c_api import ask, ask_and_weigh
from random_frames import random_frames

from simper_tf.encoders import small
from simper_tf.export import saved_model
from simper_tf.export.served_frequency import FrequencyModel

FRAME, BAND = (6, 5, 1), (0.4, 5.0)
SENTENCE = re.compile(r"assertion failed: \[`(frames|rate|window_frames|hop_frames)` [A-Z a-z][^\n]*\.\]")
# The frequency at which features run, and what floats stand for.
MODELS = {
    "plain": {"max_frames": 600},
    "doubled": {"harmonic": 0.5, "unit": "bpm", "value_range": (-60.0, 70.0)},
}
# Frames per second that they need: features of the second run at up to 10 Hz.
LEAST_RATES = {"plain": 10, "doubled": 20}
LEAST_SECONDS = 5


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """Returns exported versions of the encoder, by name."""
    keras.utils.set_random_seed(2)
    encoder, folder = small((None, None, 1), widths=(4,), outputs=2), tmp_path_factory.mktemp("served")
    return {
        name: saved_model.export_model(encoder, folder / name, FRAME, BAND, facts={"seen": "µ"}, **changes)
        for name, changes in MODELS.items()
    }


def noise(*shape):
    return np.random.default_rng(5).integers(0, 256, shape, np.uint8)


def floats(change=lambda values: values):
    """Returns two clips of floats in [0, 1], changed."""
    return change(noise(2, 150, *FRAME) / np.float32(255))


def with_one(value):
    def change(values):
        values[1, 70, 3, 2, 0] = value
        return values

    return change


SHAPE = r"`frames` must have the shape \(batch >= 1, time >= 8, 6, 5, 1\)\. Received: "
RATE = r"`rate` must be finite and at least 10 frames per second, twice the frequency .* of 0\.4 to 5 Hz\. Received: "
NUMBER = r"`rate` must have one number for each clip, the shape \[2\]\. Received: "
SECONDS = r"`frames` must last 5 s, 2 periods of the lower end of the band of 0\.4 to 5 Hz\. Received: "
RANGE = r"`frames` of floats must lie in \[0, 1\]\. Received: values from "
LEVELS = r"\. Send levels from 0 to 255 as uint8, to the signature without float32 in its name\."
MANY = r"`frames` may hold at most 600 frames that are encoded at once\. Received: 5 clips of 150 frames\. Send fewer"
# Name -> signature, frames, rate, and the refusal; None where there is an answer.
CASES = {
    "two clips": ("serving_default", noise(2, 150, *FRAME), [30, 24], None),
    "floats": ("serving_default_float32", floats(), [30, 24], None),
    "sideways": ("serving_default", noise(2, 150, 5, 6, 1), [30, 30], SHAPE + r"\[2 150 5 6 1\]\."),
    "no clip": ("serving_default", noise(0, 150, *FRAME), [], SHAPE + r"\[0 150 6 5 1\]\."),
    "NaN": ("features_float32", floats(with_one(np.nan)), None, "finite. Received: 1 NaN or infinite of 9000 values"),
    "levels as floats": ("serving_default_float32", floats(lambda x: 255 * x), [30, 30], RANGE + "0 to 255" + LEVELS),
    "a little over": ("features_float32", floats(lambda x: x * np.float32(1.009)), None, None),
    "NaN rate": ("serving_default", noise(2, 150, *FRAME), [np.nan, 30], RATE + r"\[nan 30\]\."),
    "rates in a matrix": ("serving_default", noise(2, 150, *FRAME), [[30, 30]], NUMBER + r"\[1 2\]\."),
    "too short": ("serving_default", noise(1, 148, *FRAME), [30], SECONDS + "148 frames at a `rate` of 30 per second"),
    "too many": ("serving_default", noise(5, 150, *FRAME), [30] * 5, MANY),
    "as many as there may be": ("answer", noise(4, 150, *FRAME), [30] * 4, None),
}
WINDOW = r"`window_frames` must be the same for all clips, from 8 to their frames, 700\. Received: \["
NO_NUMBER = r" must have one number for each clip, the shape \[1\]\. Received: \["
# Name -> window, hop and the refusal of a recording of 700 frames at 30 a second.
WINDOWS = {
    "four windows": (150, 150, None),
    "the whole": (600, 700, None),
    "longer than the recording": (701, 1, WINDOW + "701"),
    "too short a window": (100, 50, SECONDS + "100 frames"),
    "two hops": (150, [1, 1], "`hop_frames`" + NO_NUMBER + "2"),
}


def inputs(frames, rate):
    return {"frames": frames} | ({} if rate is None else {"rate": np.asarray(rate, np.float32)})


def recording(frames, rate, window, hop):
    return {**inputs(frames, rate), "window_frames": np.int32(window), "hop_frames": np.int32(hop)}


def listed(value):
    return value if isinstance(value, list) else [value]


@pytest.fixture(scope="module")
def answers(versions):
    """Returns what each of `CASES` is answered; one process for all."""
    requests = [(versions["plain"], signature, inputs(frames, rate)) for signature, frames, rate, _ in CASES.values()]
    return dict(zip(CASES, ask(requests), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_client_in_c_sees_an_answer_or_the_sentence_of_refusal(answers, case):
    refusal, answer = CASES[case][-1], answers[case]
    if refusal is None:
        assert not isinstance(answer, str), answer
        assert all(np.isfinite(values).all() for values in answer.values())
    else:
        first = answer.splitlines()[0]
        assert SENTENCE.fullmatch(first)
        assert re.search(refusal, first)


@pytest.mark.slow
def test_a_recording_is_answered_window_by_window_or_refused(versions):
    frames = noise(1, 700, *FRAME)
    requests = [recording(frames, [30], listed(window), listed(hop)) for window, hop, _ in WINDOWS.values()]
    answers = ask([(versions["plain"], "frequency_over_time", request) for request in requests])
    for answer, (window, hop, refusal) in zip(answers, WINDOWS.values(), strict=True):
        if refusal:
            assert re.search(refusal, answer.splitlines()[0])
            continue
        starts = np.arange(0, 701 - window, hop)
        np.testing.assert_allclose(answer["middle_s"], [(starts + window / 2) / 30], rtol=1e-6)
        cuts = np.concatenate([frames[:, start : start + window] for start in starts])
        (alone,) = ask([(versions["plain"], "answer", inputs(cuts, [30] * len(cuts)))])
        for name in ("frequency_hz", "confidence"):
            np.testing.assert_allclose(answer[name][0], alone[name], rtol=1e-3, atol=1e-5)


@pytest.mark.slow
def test_the_metadata_are_answered_to_a_client_in_c(versions):
    ((answer),) = ask([(versions["doubled"], "metadata", {})])
    told = json.loads(bytes(answer["json"]))
    expected = {"band_hz": list(BAND), "harmonic": 0.5, "least_rate": 20.0, "answer": "heart_rate_bpm", "seen": "µ"}
    assert {name: told[name] for name in expected} == expected
    assert told["frame_shape"] == list(FRAME)
    assert told["signatures"]["answer"]["outputs"]["frequency_hz"].startswith("float32 ")
    assert "hertz" in told["signatures"]["answer"]["outputs"]["frequency_hz"]


@pytest.mark.slow
def test_the_library_refuses_frames_and_rates_of_another_type(versions):
    wrong = [
        (np.float64, np.float32, r"arg\[0\] to be uint8 but double"),
        (np.uint8, np.int32, r"arg\[1\] to be float"),
    ]
    frames, rate = noise(1, 150, *FRAME), np.array([30])
    requests = [{"frames": frames.astype(kind), "rate": rate.astype(other)} for kind, other, _ in wrong]
    answers = ask([(versions["plain"], "serving_default", request) for request in requests])
    assert all(re.search(message, answer) for (*_, message), answer in zip(wrong, answers, strict=True))


SIGNATURES = ("serving_default", "answer", "features", "frequency_over_time")


def random_request(rng, signature):
    """Returns a model, inputs, and whether they are to be answered; about one in three is.

    What is good is decided here anew, from how the request was made.
    """
    model, floating = rng.choice(list(MODELS)), signature.endswith("_float32")
    value_range = MODELS[model].get("value_range", (0.0, 1.0)) if floating else None
    fewest = 160 if signature.startswith("frequency_over_time") else 8  # Else nearly all windows are too long.
    frames, good = random_frames(rng, (rng.integers(1, 4), rng.integers(fewest, 250), *FRAME), value_range)
    shape = frames.shape
    given, at_once = {"frames": frames}, shape[1] if len(shape) > 1 else 0
    if signature.startswith("frequency_over_time"):
        window, hop = rng.integers(120, 170), rng.choice([1, 10, 100, 100, 100, 1000])
        if rng.random() < 0.1:
            window, hop = rng.choice([-(2**31), -1, 0, 2**31 - 1], 2)
        good = good and bool(8 <= window <= at_once and 1 <= hop <= at_once)
        if good:
            held, most = (1 + (at_once - window) // hop) * window * shape[0], MODELS[model].get("max_frames", np.inf)
            good = bool(held <= max(most, 4 * shape[0] * at_once))
        at_once = window
        number = shape[0] if shape else 1
        windows, hops = np.full(number, window, np.int32), np.full(number, hop, np.int32)
        if rng.random() < 0.1:
            hops = [hops[1:], hops[:, None], np.append(hops, 1), np.int32(hop)][rng.integers(4)]
            good = False
        given |= {"window_frames": windows, "hop_frames": np.int32(hops)}
    good = good and shape[0] * at_once <= MODELS[model].get("max_frames", np.inf)
    if signature.startswith("features"):
        return model, given, good
    rate, fits = random_rate(rng, shape[0] if shape else 1, LEAST_RATES[model])
    good = good and fits and np.all(np.float64(rate) * LEAST_SECONDS * 0.99 <= at_once)
    return model, given | {"rate": rate}, bool(good)


def random_rate(rng, number, least):
    """Returns a rate, and whether it has one good number a clip."""
    rate = np.float32(rng.uniform(9, 30, number))
    if rate.size and rng.random() < 0.3:
        rate[rng.integers(number)] = rng.choice([np.nan, np.inf, -np.inf, 0, -1, -30, 1e-30, 8.5, 1e4, 1e30, 3e38])
    if rng.random() < 0.1:
        rate = [rate[1:], np.append(rate, np.float32(30)), rate[:, None], np.float32(30)][rng.integers(4)]
    return rate, rate.shape == (number,) and bool(np.all(np.isfinite(rate) & (rate >= least)))


def is_right(given, answer):
    """Returns whether an answer is finite, of the request's batch, inside the band, and confidence in [0, 1]."""
    right = all(np.isfinite(values).all() and len(values) == len(given["frames"]) for values in answer.values())
    if "confidence" in answer:
        low, high = np.float32(BAND)
        right &= bool(np.all((answer["frequency_hz"] >= low) & (answer["frequency_hz"] <= high)))
        right &= bool(np.all((answer["confidence"] >= 0) & (answer["confidence"] <= 1)))
    return right


def count_faults(versions, signature, number, seed):
    """Returns how many of so many random requests were answered, how many refused, and a list of what went wrong."""
    rng = np.random.default_rng(seed)
    requests = [random_request(rng, signature) for _ in range(number)]
    answers, grown = ask_and_weigh([(versions[model], signature, given) for model, given, _ in requests])
    faults = [f"grown by {grown} MB"] if grown > 50 else []
    for (_, given, good), answer in zip(requests, answers, strict=True):
        is_refused = isinstance(answer, str)
        right = (
            not good and SENTENCE.fullmatch(answer.splitlines()[0]) if is_refused else good and is_right(given, answer)
        )
        if not right:
            faults.append(({name: (v.dtype, v.shape) for name, v in given.items()}, good, answer))
    refused = sum(isinstance(answer, str) for answer in answers)
    return number - refused, refused, faults


@pytest.mark.slow
@pytest.mark.parametrize("signature", [name + suffix for name in SIGNATURES for suffix in ("", "_float32")])
def test_random_requests_are_answered_or_refused_in_a_sentence(versions, signature):
    answered, refused, faults = count_faults(versions, signature, 250, seed=11)
    assert not faults
    assert min(answered, refused) > 10


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"band": (5.0, 0.4)}, r"`band` must be two finite, rising numbers above 0\. Received: \(5\.0, 0\.4\)\."),
        ({"band": None}, r"`band` must be two finite, rising numbers above 0\. Received: None\."),
        ({"band": (0.0, 5.0)}, "`band` must be two finite, rising numbers above 0"),
        ({"band": (0.4, np.nan)}, "`band` must be two finite"),
        ({"value_range": (1.0, 1.0)}, r"`value_range` must be two finite, rising numbers\. Received: \(1\.0, 1\.0\)\."),
        ({"value_range": (0.0, np.inf)}, "`value_range` must be two finite"),
        ({"max_frames": 0}, r"`max_frames` must be at least 1\. Received: 0\."),
    ],
)
def test_a_model_that_could_answer_nothing_is_not_made(changes, message):
    with pytest.raises(ValueError, match=message):
        FrequencyModel(small((None, None, 1)), FRAME, **{"band": BAND, **changes})


def test_frames_that_the_encoder_does_not_take_are_not_served():
    with pytest.raises(ValueError, match=r"= \(12, 12, 1\), for which the encoder was built\. Received: .*12, 12, 3"):
        FrequencyModel(small((12, 12, 1)), (12, 12, 3), BAND)


@pytest.mark.slow
def test_a_peak_just_above_the_band_is_answered_by_its_end(eagerly):
    encoder = keras.Sequential([keras.Input((None, *FRAME)), keras.layers.Lambda(lambda x: x[:, :, 0, 0, 0])])
    swing = 0.5 + 0.5 * np.sin(2 * np.pi * 3.03 * np.arange(100) / 20)
    frames = np.broadcast_to(swing[None, :, None, None, None], (1, 100, *FRAME)).astype(np.float32)
    model = FrequencyModel(encoder, FRAME, (1.0, 3.0))
    assert 1.0 <= model.frequency(tf.constant(frames), tf.constant([20.0]))["frequency_hz"].numpy()[0] <= 3.0
