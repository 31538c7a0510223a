import hashlib
import json
import shutil

import numpy as np
import pytest

from datasets.pure import reader, standin
from simper_tf.data import checks, standin_faces, tfds_builders
from simper_tf.utils.errors import RawDataError


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pure")
    return folder, standin.write(folder, subjects=2, seconds=4, look=standin_faces.CLEAN, height=24, width=32)


@pytest.fixture
def nested(written, tmp_path):
    """A copy of a recording in the nested layout, to be spoiled."""
    return shutil.copytree(written[0] / "01-01", tmp_path / "01-01")


def spoil_json(folder, change):
    path = folder / f"{folder.name}.json"
    content = json.loads(path.read_text())
    changed = change(content)
    path.write_text(json.dumps(content if changed is None else changed))


def images(folder):
    return sorted((folder / folder.name).glob("Image*.png"))


def test_frames_with_a_ppg_are_bit_exact_in_both_layouts(written):
    folder, truth = written
    assert [path.name for path in reader.find(folder)] == ["01-01", "01-02", "02-01", "02-02"]
    for path in reader.find(folder):
        digest = hashlib.sha256()
        for frame in reader.recording_of(path).frames():
            digest.update(frame)
        assert digest.hexdigest() == truth[path.name]["sha256"]


def test_ppg_is_interpolated_at_frame_times_not_by_index(written):
    for name, truth in written[1].items():
        recording = reader.recording_of(written[0] / name)
        assert (recording.times[0], recording.times[-1]) == (truth["first"], truth["last"])
        seconds = (recording.times - standin.START_NS) * 1e-9
        expected = 50.0 + 40.0 * standin_faces.ppg(truth["heart_rate"], seconds, truth["phase"])
        # Half a step of rounding to whole numbers, and what a straight line misses in 16.7 ms.
        np.testing.assert_allclose(recording.series["ppg"], expected, atol=1.1)


def test_rates_heart_rates_and_notes_need_no_decoding(written):
    report = checks.of_recording(reader.recording_of, written[0] / "02-02", 90, 90)
    assert report.rate == pytest.approx(29.99, abs=0.05)
    assert report.labels == pytest.approx((written[1]["02-02"]["heart_rate"],), abs=0.5)
    assert "1 PNG files unknown to the JSON ignored" in report.notes
    assert any("outside the PPG's time" in note for note in report.notes)


def test_only_the_known_empty_folder_is_skipped_others_refused(written, tmp_path, caplog):
    reader.find(written[0])
    assert "Skipped 06-02" in caplog.text
    (tmp_path / "03-04").mkdir()
    with pytest.raises(RawDataError, match=r"03-04\.json: found no such file"):
        reader.recording_of(*reader.find(tmp_path))


def test_a_folder_without_recordings_is_refused(tmp_path):
    with pytest.raises(RawDataError, match="no folder named SS-TT"):
        reader.find(tmp_path)


def test_a_missing_frame_is_named(nested):
    victim = images(nested)[50]
    victim.unlink()
    with pytest.raises(RawDataError, match=rf"{victim.name} is the first missing"):
        reader.recording_of(nested)


@pytest.mark.parametrize("size", [0, 5, 300])
def test_a_truncated_frame_is_named_before_decoding(nested, size):
    victim = images(nested)[50]
    victim.write_bytes(victim.read_bytes()[:size])
    with pytest.raises(RawDataError, match=rf"{victim.name}: found a (truncated file|damaged image)"):
        reader.recording_of(nested)


def test_a_damaged_frame_is_named_when_decoded(nested):
    victim = images(nested)[50]
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 16
    victim.write_bytes(data)
    with pytest.raises(RawDataError, match=rf"{victim.name}: found a damaged image"):
        list(reader.recording_of(nested).frames())


@pytest.mark.slow
def test_frames_of_another_size_are_refused(nested):
    victim = images(nested)[50]
    standin.cv2.imwrite(str(victim), np.zeros((10, 10, 3), np.uint8))
    with pytest.raises(RawDataError, match=r"a frame of shape \(10, 10, 3\)"):
        list(reader.recording_of(nested).frames())


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.pop("/Image") and None,
        lambda c: c.pop("/FullPackage") and None,
        lambda c: c["/Image"][3].pop("Timestamp") and None,
        lambda c: c["/FullPackage"][3].pop("Timestamp") and None,
        lambda c: c["/FullPackage"][3]["Value"].pop("waveform") and None,
        lambda c: c["/FullPackage"][3].update(Value=None),
        lambda c: c["/FullPackage"][3]["Value"].update(waveform="high"),
        lambda c: c["/FullPackage"][3]["Value"].update(waveform=float("nan")),
        lambda c: c["/FullPackage"][3].update(Timestamp=1.39e18),
        lambda c: c["/FullPackage"][3].update(Timestamp=True),
        lambda c: c["/FullPackage"][3].update(Timestamp=10**30),
        lambda c: c["/FullPackage"].clear(),
        lambda c: c.update({"/Image": []}),
        lambda c: [c],
        lambda c: 7,
    ],
)
def test_a_json_with_missing_or_wrong_entries_is_refused_by_name(nested, change):
    spoil_json(nested, change)
    with pytest.raises(RawDataError, match=r"01-01\.json: found"):
        reader.recording_of(nested)


def test_bytes_that_are_no_json_are_refused(nested):
    (nested / "01-01.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(RawDataError, match=r"01-01\.json: found UnicodeDecodeError"):
        reader.recording_of(nested)


def test_clocks_that_do_not_overlap_are_refused(nested):
    def an_hour_later(content):
        for package in content["/FullPackage"]:
            package["Timestamp"] += 3_600_000_000_000

    spoil_json(nested, an_hour_later)
    with pytest.raises(RawDataError, match="0 frames within the PPG's time"):
        reader.recording_of(nested)


def test_a_pause_of_the_oximeter_skips_the_clips_it_touches(nested):
    def drop_a_second(content):
        del content["/FullPackage"][20:80]

    spoil_json(nested, drop_a_second)
    report = checks.of_recording(reader.recording_of, nested, 90, 90)
    assert report.labels == ()
    assert "PPG samples are not finite" in report.skipped[0]


def test_other_files_among_the_frames_change_nothing(nested, written):
    for name in ("Thumbs.db", "Image12.jpg", "ImageX.png", "image1392643993642815000.png"):
        (nested / "01-01" / name).write_bytes(b"junk")
    assert len(reader.recording_of(nested).times) == written[1]["01-01"]["frames"]


def test_the_devices_own_heart_rate_is_compared_where_given(nested, written):
    config = tfds_builders.SubjectsConfig(name="small", window=90, stride=90)

    def notes(change):
        def change_all(content):
            for package in content["/FullPackage"]:
                change(package["Value"])

        spoil_json(nested, change_all)
        (unit,) = reader.checkup(nested.parent, config).units
        return [note for note in unit.examine(False).notes if "by the device" in note]

    assert notes(lambda value: None) == []
    assert len(notes(lambda value: value.update(pulseRate=20))) == 1
    assert notes(lambda value: value.update(pulseRate="x")) == []
    assert notes(lambda value: value.pop("pulseRate")) == []


def test_a_middle_frame_missing_in_the_json_is_refused_by_name(nested):
    name = images(nested)[7].name
    spoil_json(nested, lambda content: content["/Image"].pop(7) and None)
    with pytest.raises(RawDataError, match=rf"01-01: found {name} and 0 more that the JSON does not have"):
        reader.recording_of(nested)


@pytest.mark.parametrize("value", [True, "41", None])
def test_a_ppg_value_that_is_no_number_is_refused(nested, value):
    spoil_json(nested, lambda content: content["/FullPackage"][9]["Value"].update(waveform=value))
    with pytest.raises(RawDataError, match=rf"01-01\.json: found ValueError: the PPG value {value!r}"):
        reader.recording_of(nested)
