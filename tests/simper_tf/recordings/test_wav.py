"""Samples of wav files are those that SciPy reads, or were written; headers that contradict themselves are told."""

import struct

import numpy as np
import pytest
import scipy.io.wavfile

from benchmarks import damaged_bases
from simper_tf.recordings import wav
from simper_tf.recordings.errors import RawDataError

RANDOM = np.random.default_rng(0)


def header(rate=100, channels=1, bits=16, kind=1, speed=None, align=None, length=16):
    align = channels * bits // 8 if align is None else align
    speed = rate * align if speed is None else speed
    return b"fmt " + struct.pack("<IHHIIHH", length, kind, channels, rate, speed, align, bits)


def file_of(*chunks):
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def chunk(name, content):
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("channels", [1, 3])
def test_samples_are_those_that_scipy_reads(tmp_path, kind, channels):
    values = (RANDOM.integers(0, 255, (50, channels)) * (1 if kind == np.uint8 else 3)).astype(kind)
    scipy.io.wavfile.write(tmp_path / "a.wav", 250, values)
    found = wav.read(tmp_path / "a.wav")
    assert (found.rate, len(found)) == (250, 50)
    np.testing.assert_array_equal(found.values(), values.astype(float) - 128 * (kind == np.uint8))
    np.testing.assert_array_equal(found.values(10, 20), found.values()[10:20])


def test_24_bits_by_hand_in_both_orders(tmp_path):
    values = [0, 1, -1, 8388607, -8388608, 258]
    little = b"".join(value.to_bytes(3, "little", signed=True) for value in values)
    (tmp_path / "a.wav").write_bytes(file_of(header(bits=24), chunk(b"data", little)))
    assert wav.read(tmp_path / "a.wav").values()[:, 0].tolist() == values
    big = b"".join(value.to_bytes(3, "big", signed=True) for value in values)
    form = struct.pack(">IHHIIHH", 16, 1, 1, 100, 300, 3, 24)
    content = b"RIFX" + struct.pack(">I", 54) + b"WAVEfmt " + form + b"data" + struct.pack(">I", 18) + big
    (tmp_path / "b.wav").write_bytes(content)
    assert wav.read(tmp_path / "b.wav").values()[:, 0].tolist() == values


def test_chunks_of_recorders_are_passed_over_and_extended_headers_read(tmp_path):
    data = np.arange(10, dtype="<i2").tobytes()
    content = file_of(chunk(b"bext", b"odd"), header(), chunk(b"cue ", b"1234"), chunk(b"data", data), b"id3 ....")
    (tmp_path / "a.wav").write_bytes(content)
    assert wav.read(tmp_path / "a.wav").values()[:, 0].tolist() == list(range(10))
    values = np.linspace(-0.9, 0.9, 20)
    (tmp_path / "b.wav").write_bytes(damaged_bases.wav(100, values, 24, extended=True))
    np.testing.assert_allclose(wav.read(tmp_path / "b.wav").values()[:, 0] / 2**23, values, atol=1e-6)


@pytest.mark.parametrize("speed", [0, 7])
def test_bytes_a_second_that_name_no_rate_do_not_matter(tmp_path, speed):
    (tmp_path / "a.wav").write_bytes(file_of(header(speed=speed), chunk(b"data", np.arange(10, dtype="<i2").tobytes())))
    found = wav.read(tmp_path / "a.wav")
    assert (found.rate, found.values()[:, 0].tolist()) == (100, list(range(10)))


SAMPLES = chunk(b"data", bytes(20))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"RIFF", r"a damaged wav file \(no wav file\)"),
        (file_of(SAMPLES), r"a damaged wav file \(no header\)"),
        (file_of(header()), r"a damaged wav file \(no samples\)"),
        (file_of(header(), b"data\0\0\0\0"), "0 bytes of samples where its header states 0"),
        (file_of(header(), SAMPLES)[:-1], "19 bytes of samples where its header states 20"),
        (file_of(header(bits=24), SAMPLES), "20 bytes of samples where its header states 20"),
        (file_of(header(align=4), SAMPLES), "itself: 1 channels of 16 bits, 4 bytes at once, 100 times and 400 bytes"),
        # Which rate is right?
        (file_of(header(speed=400), SAMPLES), "of 16 bits, 2 bytes at once, 100 times and 400 bytes a second"),
        (file_of(header(rate=0), SAMPLES), "its header contradicts itself"),
        (file_of(header(channels=0), SAMPLES), "its header contradicts itself"),
        (
            file_of(header(kind=7, bits=8), SAMPLES),
            "samples of the format 0x7 with 8 bits; expected whole numbers",
        ),
        (file_of(header(bits=0), SAMPLES), "samples of the format 0x1 with 0 bits"),
        (file_of(b"fmt \x04\0\0\0abcd", SAMPLES), "a header of 4 bytes"),
    ],
)
def test_what_is_damaged_or_compressed_is_refused_with_what_was_found(tmp_path, content, found):
    (tmp_path / "a.wav").write_bytes(content)
    with pytest.raises(RawDataError, match=rf"a.wav: found .*{found}"):
        wav.read(tmp_path / "a.wav")
