"""Rates that words state, in every notation, and what is believed where they disagree."""

import numpy as np
import pytest
import scipy.io
import scipy.io.wavfile

from simper_tf.recordings import search, sources
from simper_tf.tables import series_files
from simper_tf.tables.times import rates
from simper_tf.utils.errors import RawDataError

COUNT = 80
TIMES = np.arange(COUNT) / 50
WAVE = 2 + np.sin(2 * np.pi * 2.5 * TIMES)
NAMES = (
    "Sampling rate: {} Hz", "Sampling Rate (Hz):= {}", "sampling_rate,{}", "SampleRate={}", "Sample rate [Hz]\t{}",
    "# sampling frequency = {} Hz", "fs: {}", "Fs = {} Hz", "fs_ecg={}", "sfreq;{}", "Sampled at {} Hz", "{} SPS",
    "recorded with {} Hz", "{} Hz sampling rate", "{} samples/s", "{} samples per second", "Samples per second: {}",
    "Data rate: {} Hz", "acquisition frequency: {} Hz", "frame rate: {} fps", "Abtastrate: {} Hz", "Sample Rate,{},Hz",
    "fréquence d'échantillonnage : {} Hz", "frecuencia de muestreo: {} Hz", "Frequenza di campionamento: {} Hz",
    "Taxa de amostragem: {} Hz", "Freque\u0302ncia de amostragem = {} Hz", '"Sampling rate";"{}"', "Sampling: {} Hz",
    "A sampling rate of {} Hz was used", "Rate: {}", "Sampling rate: {} Hz (notch at 50 Hz)", "Sampling rate - {} Hz",
    "sampling rate {} Hz, filter 0.5-15 Hz", "ODR sampling rate: {}", "Sampling rate (notch at 50 Hz): {}",
    "Device: X1; Sampling frequency: {} Hz; Gain: 6", "Sampling rate = {} per second", "Sampling rate: ~{} Hz",
    "downsampled from 2000 Hz to {} Hz", "{} Hz", "samp. freq.: {}", "sampleRateHz={}", "Sampling rate [1/s]: {}",
    "sampled @ {} Hz", "title:rec,sampling:{},subject:s",
    "Sampling rate: 2000 Hz (decimated to {} Hz)", "ECG (lead II), {} Hz", '# {{"dev": {{"sampling rate": {}}}}}',
)  # fmt: skip
NUMBERS = {
    "1000": 1000, "1000.0": 1000, "1,000": 1000, "1 000": 1000, "1\u2009000": 1000, "1\u00a0000": 1000,
    "1\u202f000": 1000, "1'000": 1000, "1’000": 1000, "1e3": 1000, "1.0E+3": 1000, "1,000.0": 1000, "1.000,0": 1000,
    "1 000,0": 1000, "12,000": 12000, "30": 30, "29.97": 29.97, "29,97": 29.97, "3.0e1": 30, "3,0E1": 30,
    "3.0 x 10^1": 30, "3.0×10¹": 30, "2.5 · 10⁻¹": 0.25, "1_000": 1000, "0.5": 0.5, "0,5": 0.5, "2.5e-1": 0.25,
}  # fmt: skip
UNITS = {
    "Hz": 1,
    "hertz": 1,
    "kHz": 1e3,
    "mHz": 1e-3,
    "S/s": 1,
    "kS/s": 1e3,
    "samples/min": 1 / 60,
    "1/s": 1,
    "s^-1": 1,
    "s⁻¹": 1,
}
INTERVALS = (
    "Sampling interval: {} {}", "Sample interval ({1}): {0}", "dt = {} {}", "sample period = {}{}", "Interval= {} {}",
    "sampled every {} {}", "{} {}/sample", "time step: {} {}", "Time increment ({1}),{0}", "X increment: {} {}",
    "Período de muestreo: {} {}", "Sample time interval: {} {}",
    "Frame Time: {} {}", "Sample time: {} {}", "Delta_X\t{}\t{}", "Δt = {} {}",
)  # fmt: skip
STEPS = {
    "0.02 s": 50,
    "0,02 s": 50,
    "2e-2 sec": 50,
    "2,0E-2 s": 50,
    "20 ms": 50,
    "33.3 msec": 1000 / 33.3,
    "500 us": 2000,
    "500 µs": 2000,
}
NO_RATES = (
    "Notch filter: 50 Hz", "Filter: 0.5-15 Hz", "high-pass frequency: 0.5", "Low-pass: 40 Hz", "cutoff frequency 15 Hz",
    "Cut-off: 15Hz", "band: 0.5 - 40 Hz", "Bandpass 0.7–4 Hz", "mains 60 Hz", "Powerline frequency: 50 Hz", "LP 40 Hz",
    "Version 1.2.3", "firmware v2.1", "device fs 2 v1.1", "Heart rate: 72 bpm", "heart rate: 72", "HR 1.2 Hz",
    "Respiration rate: 15 /min", "Pulse rate, 75", "Bit rate: 9600", "baud rate: 115200", "Stimulus frequency: 2 Hz",
    "Refresh rate: 60 Hz", "Date: 2024-05-06", "Time: 10:21:33.2", "Duration: 10 s", "Recording time: 300 s",
    "Resolution: 16 bit", "Gain: 1000", "Samples: 300", "Nyquist frequency: 15 Hz", "Max sampling rate: 2000 Hz",
    "Original sampling rate: 2000 Hz", "Dominant frequency 1.2 Hz", "Learning rate: 0.01", "Flow rate: 5 l/min",
    "scan rate: 50 mV/s", "Clock: 16 MHz", "Channel 2 (0.5-15 Hz)", "ECG (0.5-40 Hz)", "Filter (Hz): 50",
    "frequency: 50", "Frequency: 1.2 Hz",
    "Sampling time: 600 s", "Sampling time: 10:21", "Sampling date: 2024", "Sampling points: 300",
    "Sampling depth: 10 m",
    "Frequency range: 0.5 to 15 Hz", "ts: 1544027337", "Sampling rate: unknown", "Sampling rate: see filter 50 Hz",
    "Sampling rate: 0", "Sampling rate: -1", "theta 4-8 Hz", "fs: 1e400", "Sampling rate: 1.2.3",
)  # fmt: skip


def told(*lines, decimal="."):
    return [one.rate for one in rates.stated(list(lines), decimal)]


def written(folder, *lines, name="a.csv", columns=(WAVE,), mark=",", form="{:.6f}"):
    rows = [mark.join(form.format(cell) for cell in row) for row in zip(*columns, strict=True)]
    (folder / name).write_text("\n".join([*lines, *rows]) + "\n")
    return folder / name


def rate(found):
    return 1 / np.median(np.diff(found.times))


@pytest.mark.parametrize("name", NAMES)
def test_a_rate_under_a_name_is_read_in_any_notation(name):
    for number, value in NUMBERS.items():
        assert told(name.format(number)) == [pytest.approx(value)], number


@pytest.mark.parametrize("name", ["Sampling rate: {}", "fs = {}", "Sampled at {}", "Data rate, {}"])
def test_units_of_a_rate_are_read(name):
    for unit, factor in UNITS.items():
        assert told(name.format(f"120 {unit}")) == [pytest.approx(120 * factor)], unit


@pytest.mark.parametrize("name", INTERVALS)
def test_an_interval_of_samples_is_a_rate(name):
    for step, value in STEPS.items():
        assert told(name.format(*step.split())) == [pytest.approx(value)], step


@pytest.mark.parametrize("line", NO_RATES)
def test_filters_versions_and_hearts_are_no_rates_anywhere(line):
    assert told(line) == told(f"# {line}") == []
    for true in ("Sampling rate: 30 Hz", "fs=30", "dt = 0.0333333 s"):
        assert told(line, true) == told(true, line) == [pytest.approx(30, rel=1e-5)], true
    for mixed in (f"{line}, sampling rate: 30 Hz", f"sampling rate: 30 Hz; {line}"):
        assert told(mixed) == [30], mixed


def test_the_decimal_sign_of_the_numbers_tells_thousands():
    assert told("Sampling rate: 1,000 Hz") == told("Sampling rate: 1.000 Hz", decimal=",") == [1000]
    assert told("Sampling rate: 1.000 Hz") == told("Sampling rate: 1,000 Hz", decimal=",") == [1]


def test_a_row_of_values_below_a_row_of_names_states_a_rate():
    assert told("subject,fs,device", "12,30,abc") == [30]


@pytest.mark.parametrize("name", ["dt_ms", "sampling_interval_ms", "SampleIntervalMs", "Sampling interval in ms"])
def test_the_unit_in_a_name_is_that_of_the_interval(name):
    assert told(f"{name}: 20") == [50]
    assert rates.of_value(name, 20.0) == 50


@pytest.mark.parametrize("name", ["sampling rate", "fs", "srate", "Freq"])
def test_a_value_beside_an_array_states_a_rate(name):
    assert rates.of_value(name, 250.0) == 250
    assert rates.of_value("dt", 0.004) == rates.of_value("sampling_interval", 0.004) == 250
    assert rates.of_value("cutoff", 40.0) is rates.of_value("fs", 0.0) is None


def test_a_hostile_header_takes_no_long_look():
    for part in ("fs hz ", "s /s ", "sampling_", "("):
        assert told(*[part * 1000] * 400) == []


@pytest.mark.parametrize("stem", ["ecg_50hz", "s01 ppg 50 Hz", "50hz", "PPG50Hz_RED_GREEN_NIR"])
def test_the_name_of_a_file_of_a_signal_states_a_rate(stem):
    assert [one.rate for one in rates.of_file_name(stem)] == [50]


@pytest.mark.parametrize("stem", ["sine_1.2hz", "notch_50hz", "notch50hz", "ecg_lowpass_40hz", "ecg"])
def test_the_name_of_a_filter_or_a_tone_states_none(stem):
    assert rates.of_file_name(stem) == []


@pytest.mark.parametrize("distractor", ["Notch filter: 50 Hz", "# Filter: 0.5-15 Hz", "fs 2 v1.1"])
@pytest.mark.parametrize("given", [None, 30.0])
def test_a_filter_above_the_rate_changes_nothing(tmp_path, distractor, given):
    found = series_files.series_of(written(tmp_path, distractor, "Sampling rate: 30 Hz", "v"), given)
    assert rate(found) == pytest.approx(30)
    assert (found.names, found.notes) == (("v",), ())


@pytest.mark.parametrize("sign", [".", ","])
def test_the_step_of_a_labview_file_is_its_rate(tmp_path, sign):
    head = "LabVIEW Measurement\t", "Writer_Version\t2", f"Delta_X\t2{sign}0E-2\t", "***End_of_Header***\t\t"
    path = written(tmp_path, *head, "X_Value\tVoltage", columns=(TIMES, WAVE), mark="\t", name="a.lvm")
    path.write_text(path.read_text().replace(".", sign))
    found = series_files.series_of(path)
    assert rate(found) == pytest.approx(50)
    assert (found.names, found.notes) == (("Voltage",), ())


def test_a_given_rate_holds_against_all_others_and_says_so(tmp_path):
    found = series_files.series_of(written(tmp_path, "# Sampling rate: 50 Hz", "v"), 240.0)
    assert rate(found) == pytest.approx(240)
    assert found.notes == ("240 samples a second as given hold against 50 samples a second by 'Sampling rate: 50 Hz'.",)
    found = series_files.series_of(written(tmp_path, "time,x", columns=(TIMES, WAVE)), 240.0)
    assert rate(found) == pytest.approx(240)
    assert found.notes == ("240 samples a second as given hold against 50 samples a second by the column of times.",)
    np.testing.assert_allclose(found.times, np.arange(COUNT) / 240)


def test_a_column_of_times_holds_against_a_stated_rate(tmp_path):
    found = series_files.series_of(written(tmp_path, "# fs: 30", "time,x", columns=(TIMES, WAVE)))
    assert rate(found) == pytest.approx(50)
    assert found.notes == ("50 samples a second by the column of times hold against 30 samples a second by 'fs: 30'.",)


def test_times_that_agree_with_a_given_rate_keep_their_gaps(tmp_path):
    times = np.where(np.arange(COUNT) < 40, TIMES, TIMES + 1)
    found = series_files.series_of(written(tmp_path, "time,x", columns=(times, WAVE)), 49.0)
    np.testing.assert_allclose(found.times, times)
    assert found.notes == ()


@pytest.mark.parametrize("factor", [1e3, 1e6, 1e9])
def test_a_stated_rate_tells_the_unit_of_times_without_one(tmp_path, factor):
    found = series_files.series_of(written(tmp_path, "# fs: 50", "time,x", columns=(factor * TIMES, WAVE)))
    np.testing.assert_allclose(found.times, TIMES)
    assert found.notes == ()


def test_a_rate_for_files_that_do_not_say_holds_against_none(tmp_path):
    path = written(tmp_path, "time,x", columns=(TIMES, WAVE))
    np.testing.assert_allclose(series_files.series_of(path, 240.0, is_fallback=True).times, TIMES)
    assert rate(series_files.series_of(written(tmp_path, "fs: 50", "x"), 240.0, is_fallback=True)) == pytest.approx(50)
    assert rate(series_files.series_of(written(tmp_path, "x"), 240.0, is_fallback=True)) == pytest.approx(240)


def test_times_that_run_backwards_yield_to_a_given_rate(tmp_path):
    times = np.where(np.arange(COUNT) == 40, 0.0, TIMES)
    path = written(tmp_path, "time,x", columns=(times, WAVE))
    with pytest.raises(RawDataError, match=r"sample 41 at 0 s after one at 0\.78 s"):
        series_files.series_of(path)
    found = series_files.series_of(path, 50.0)
    np.testing.assert_allclose(found.times, TIMES)
    assert found.notes == ("The column of times is not used: found sample 41 at 0 s after one at 0.78 s.",)


def test_a_note_quotes_the_line_of_a_rate_as_it_stands(tmp_path):
    path = written(tmp_path, "# Fréquence d'échantillonnage (nominale): 30 Hz", "time,x", columns=(TIMES, WAVE))
    (note,) = series_files.series_of(path).notes
    assert note.endswith('30 samples a second by "Fréquence d\'échantillonnage (nominale): 30 Hz".')


def test_two_stated_rates_that_differ_are_refused_by_name(tmp_path):
    path = written(tmp_path, "ECG sampling rate: 50 Hz", "ACC sampling rate: 25 Hz", "v")
    with pytest.raises(RawDataError, match=r"50 samples a second by 'ECG s.*25 samples a second.*`rate=50`"):
        series_files.series_of(path)
    assert rate(series_files.series_of(path, 50.0)) == pytest.approx(50)


def test_a_given_rate_holds_against_that_of_a_sampled_file(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"x": WAVE, "dt": 0.02})
    assert rate(series_files.series_of(tmp_path / "a.mat")) == pytest.approx(50)
    assert rate(series_files.series_of(tmp_path / "a.mat", 240.0)) == pytest.approx(240)
    scipy.io.wavfile.write(tmp_path / "a.wav", 8000, np.float32(np.random.default_rng(0).normal(size=8000)))
    loudness = series_files.series_of(tmp_path / "a.wav", 16_000.0)
    assert rate(loudness) == pytest.approx(200)  # Of 80 samples each.


@pytest.mark.parametrize("columns", [["y"], ["3"]])
def test_named_columns_alone_are_channels(tmp_path, columns):
    path = written(tmp_path, "time,x,y", columns=(TIMES, WAVE, -WAVE))
    found = series_files.series_of(path, columns=columns)
    assert found.names == ("y",)
    np.testing.assert_allclose(np.corrcoef(found.values[:, 0], WAVE)[0, 1], -1)


@pytest.mark.parametrize("time", ["moment", "2"])
def test_a_named_column_holds_the_times(tmp_path, time):
    path = written(tmp_path, "time,moment,x", columns=(TIMES, 3 * TIMES + 0.001 * WAVE, WAVE))
    found = series_files.series_of(path, time=time)
    np.testing.assert_allclose(found.times, 3 * TIMES + 0.001 * WAVE - 0.002, atol=1e-6)
    assert found.names == ("x",)


def test_a_missing_column_is_refused_with_those_that_are_there(tmp_path):
    path = written(tmp_path, "time,x,y", columns=(TIMES, WAVE, -WAVE))
    for wish in ({"time": "t"}, {"columns": ["t"]}, {"columns": ["4"]}, {"time": "0"}):
        with pytest.raises(RawDataError, match=r"found no column .*There are: time, x, y"):
            series_files.series_of(path, **wish)


def test_wishes_for_columns_reach_the_reader(tmp_path):
    path = written(tmp_path, "moment,x,y", columns=(TIMES, 0 * WAVE, WAVE))
    (source,) = search.find([str(path)], None, time="moment", columns=["y"]).sources
    assert source.info().rate == pytest.approx(50)
    assert source.names == ("y",)
    assert sources.open_file(path, 240.0, columns=["y"]).info().rate == pytest.approx(240)


def test_a_rate_is_proposed_only_where_a_heart_is_plausible(tmp_path):
    beats = np.exp(3 * np.cos(2 * np.pi * 1.25 * np.arange(500) / 100))
    with pytest.raises(RawDataError, match=r"such as `rate=100`, at which it would repeat 75 times a minute"):
        series_files.series_of(written(tmp_path, columns=(beats,)))
    rng = np.random.default_rng(0)
    walk, season = np.cumsum(rng.normal(size=500)), np.sin(2 * np.pi * np.arange(240) / 12)
    for values in (walk, rng.normal(size=500), season):
        with pytest.raises(RawDataError, match=r"Name the samples per second: `rate=NUMBER`\.$"):
            series_files.series_of(written(tmp_path, columns=(values,)))


@pytest.mark.parametrize(("unit", "word"), [(1, "seconds"), (1000, "milliseconds")])
@pytest.mark.parametrize("breath", [4, 8, 40])
def test_intervals_between_beats_are_named_and_get_no_rate(tmp_path, unit, word, breath):
    noise = 0.01 * np.random.default_rng(0).normal(size=300)
    intervals = unit * (0.8 + 0.04 * np.sin(2 * np.pi * np.arange(300) / breath) + noise)
    sentence = rf"such as {word} from beat to beat; expected .* Write beside each the sum .*time in seconds"
    with pytest.raises(RawDataError, match=sentence) as refusal:
        series_files.series_of(written(tmp_path, columns=(intervals,)))
    assert "minute" not in str(refusal.value)
    assert len(series_files.series_of(written(tmp_path, columns=(intervals,)), rate=1.0).times) == 300


def test_a_column_that_may_be_a_clock_is_named_before_beats(tmp_path):
    noise = np.random.default_rng(0).normal(size=300)
    acceleration = 1000 + 80 * np.sin(np.arange(300) / 3) + 60 * noise  # Milli-g.
    sentence = (
        r"found samples without their rate; .*Column 1 rises by 10 and may be a clock: name it, `time=1`\. Or name"
    )
    with pytest.raises(RawDataError, match=sentence):
        series_files.series_of(written(tmp_path, columns=(10 * np.arange(300), acceleration)))
    for alone in ((np.arange(300), acceleration), (acceleration,)):  # Numbers of rows are no clock.
        with pytest.raises(RawDataError, match="milliseconds from beat to beat"):
            series_files.series_of(written(tmp_path, columns=alone))


def test_what_goes_below_zero_is_not_from_beat_to_beat(tmp_path):
    values = 800 + 300 * np.random.default_rng(0).normal(size=300).clip(-1, 1)
    values[7] = -500
    with pytest.raises(RawDataError, match="found samples without their rate"):
        series_files.series_of(written(tmp_path, columns=(values,)))


def test_a_setting_above_the_names_is_no_name(tmp_path):
    lines = "Notch filter (Hz),60", "Sampling rate (Hz),50", "v,w"
    found = series_files.series_of(written(tmp_path, *lines, columns=(WAVE, -WAVE)))
    assert rate(found) == pytest.approx(50)
    assert found.names == ("v", "w")
