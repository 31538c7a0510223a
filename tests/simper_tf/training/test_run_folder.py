"""Settings kept in a run's folder."""

import contextlib
import dataclasses
import json

import pytest

from simper_tf.training import run_folder
from simper_tf.training.settings import Settings

MINE = Settings(run_dir="mine", speed_range=(0.5, 2.0), run_eagerly=True, options={"temperature": 2.0})


def change(path, old, new):
    """Writes flags with another text in the place of one, as a person does: without the first and the last line."""
    text = path.read_text()
    assert old in text
    path.write_text("".join(text.replace(old, new).splitlines(keepends=True)[1:-1]))


@pytest.fixture
def folder(tmp_path):
    """Returns the folder of a run of `MINE`."""
    run_folder.begin(tmp_path, MINE, print)
    return tmp_path


@pytest.mark.parametrize(
    ("written", "meant"),
    [("--speed_range=0.5,2.0", "0.5,2"), ("--run_eagerly=True", "true"), ("--temperature=2.0", "2")],
)
def test_a_flag_that_is_written_otherwise_says_the_same(folder, written, meant):
    change(folder / "flags.cfg", f"{written}\n", f"{written.partition('=')[0]}={meant}\n")
    assert run_folder.differences(folder, MINE) == ""


@pytest.mark.parametrize(("written", "other"), [("--speed_range=0.5,2.0", "0.5,2.1"), ("--temperature=2.0", "3")])
def test_a_flag_that_has_another_value_is_named_with_both(folder, written, other):
    name, _, value = written.partition("=")
    change(folder / "flags.cfg", written, f"{name}={other}")
    assert run_folder.differences(folder, MINE) == f"`{name[2:]}` was {other}, now {value}"


def test_a_run_older_than_a_flag_has_the_flags_default(folder):
    change(folder / "flags.cfg", "--steps=0\n", "")
    assert run_folder.differences(folder, MINE) == ""
    assert run_folder.differences(folder, dataclasses.replace(MINE, steps=5)) == "`steps` was not set, now 5"


def begun_with(folder, source):
    """Writes the flags of a run in a folder that begins with the encoder of another, and returns its settings."""
    settings = Settings(run_dir=str(folder), encoder_from=str(source))
    run_folder.begin(folder, settings, print)
    return settings


def beginning_with(settings, source):
    return dataclasses.replace(settings, encoder_from=str(source))


def test_a_source_may_be_named_by_any_path_to_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source").mkdir()
    (tmp_path / "link").symlink_to("source")
    settings = begun_with(tmp_path, "source")
    for same in ("source", "./source", tmp_path / "source", tmp_path / "link"):
        assert run_folder.differences(tmp_path, beginning_with(settings, same)) == ""
    for other in ("other", "elsewhere/source", ""):
        assert run_folder.differences(tmp_path, beginning_with(settings, other)) == (
            f"`encoder_from` was source, now {other}"
        )


@pytest.mark.parametrize(
    ("source", "others"),
    [
        ("runs/source", ("runs/other", "runs/source/saved_model/1", "")),
        ("runs/source/saved_model/1", ("runs/other/saved_model/1", "runs/source/saved_model/2")),
    ],
)
def test_a_run_with_own_weights_continues_when_its_source_moved(tmp_path, source, others):
    settings = begun_with(tmp_path, source)
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "step-3.index").touch()
    assert run_folder.differences(tmp_path, beginning_with(settings, f"/elsewhere/{source[5:]}")) == ""
    for other in others:
        found = run_folder.differences(tmp_path, beginning_with(settings, other))
        assert found == f"`encoder_from` was {source}, now {other}"


def test_flags_that_were_cut_short_are_refused_at_any_cut(folder):
    path = folder / "flags.cfg"
    whole = path.read_text()
    ends_of_lines = (place + 1 for place, sign in enumerate(whole[:-1]) if sign == "\n")
    for length in {*range(1, len(whole), 7), *ends_of_lines}:
        path.write_text(whole[:length])
        with pytest.raises(ValueError, match=r"flags\.cfg is damaged: it (holds no flag|ends with .* was cut short)"):
            run_folder.read_flags(folder)


def flipped(content, bit):
    return content[: bit // 8] + bytes([content[bit // 8] ^ 1 << bit % 8]) + content[bit // 8 + 1 :]


def test_any_bit_of_the_flags_that_flips_is_refused(folder):
    path = folder / "flags.cfg"
    whole = path.read_bytes()
    for bit in range(0, 8 * len(whole), 11):
        path.write_bytes(flipped(whole, bit))
        with pytest.raises(ValueError, match=r"flags\.cfg is damaged: "):
            run_folder.read_flags(folder)


def test_a_flipped_bit_of_the_readout_is_refused_or_harmless(folder):
    readout = {"fft_calibrated": {"harmonic": 1 / 3}, "fft_resolved": {"octave": {"divisor": 3, "agreement": 0.5}}}
    run_folder.write_readout(folder, readout)
    path = folder / "readout.json"
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        path.write_bytes(flipped(whole, bit))
        with contextlib.suppress(ValueError):
            assert run_folder.read_readout(folder) == readout, bit
    path.write_text(json.dumps({"checksum": "0" * 16, "protocols": readout}))
    with pytest.raises(ValueError, match="its values are not those that its checksum was made of"):
        run_folder.read_readout(folder)


def test_flags_that_people_write_are_read_unless_a_line_is_cut(tmp_path):
    path = tmp_path / "flags.cfg"
    path.write_text("# Repeats this run: python -m trainers.pretrain\n--seed=10\n--epochs=3\n")
    assert run_folder.read_flags(tmp_path) == {"seed": "10", "epochs": "3"}
    path.write_text("# Repeats this run: python -m trainers.pretrain\n--seed=10\n--epoch")
    with pytest.raises(ValueError, match="it ends with '--epoch' and was cut short"):
        run_folder.read_flags(tmp_path)


@pytest.mark.parametrize("name", ["features.npz", "features_validation.npz", "clips.csv", "clips_validation.csv"])
def test_readings_are_not_mixed_with_those_of_other_flags(folder, name):
    (folder / name).touch()
    settings = dataclasses.replace(MINE, run_dir=str(folder), seed=7)
    with pytest.raises(ValueError, match="`seed` was 0, now 7"), run_folder.opened(settings):
        pass


def test_a_folder_that_cannot_be_written_is_refused_by_its_flag(tmp_path):
    (tmp_path / "file").write_text("mine")
    settings = Settings(run_dir=str(tmp_path / "file" / "run"))
    refused = r"^`run_dir=.*run` cannot be written: Not a directory\. Name a folder"
    with pytest.raises(ValueError, match=refused), run_folder.opened(settings):
        pass
    assert (tmp_path / "file").read_text() == "mine"


def test_a_run_without_a_name_does_not_fill_the_folder_at_hand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"^`run_dir` is empty\. Is a variable"), run_folder.opened(Settings()):
        pass
    assert not any(tmp_path.iterdir())


def test_a_file_in_place_of_the_folder_is_refused_and_stays(tmp_path):
    (tmp_path / "mine").write_text("kept")
    with pytest.raises(ValueError, match=r"`run_dir=.*mine` is a file: name a folder\."):
        run_folder.opened(dataclasses.replace(MINE, run_dir=str(tmp_path / "mine"))).__enter__()
    assert (tmp_path / "mine").read_text() == "kept"
