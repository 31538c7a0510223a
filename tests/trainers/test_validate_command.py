"""Validation says what a build would do with raw files, and ends with 0 only where it would succeed."""

import os
import pathlib
import re
import shutil
import types

import h5py
import pytest
from processes import done
from smallest_builds import SMALL_FACES, build, diagnose, make

import datasets
from datasets.ubfc import standin
from simper_tf.data import manifest
from simper_tf.data.validation import Validation
from simper_tf.recordings import video as videos
from simper_tf.utils.errors import RawDataError
from trainers import cli, validate

pytestmark = pytest.mark.slow

ROOT = pathlib.Path(__file__).parents[2]
NAMES = datasets.names("standin")


def cut(pattern, share=0.6):
    def damage(root):
        path = sorted(root.rglob(pattern))[-1]
        path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])

    return damage


def remove(pattern):
    def damage(root):
        for path in sorted(root.rglob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


def flatten_the_pulse_of(stem):
    def damage(root):
        with h5py.File(next(root.rglob(f"{stem}.mat")), "r+") as file:
            file["d_ppg"][...] = 0

    return damage


def spoil_a_pixel(root):
    path = sorted(root.rglob("Image*.png"))[40]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def spoil_the_test_videos(root):
    for path in (root / "videos" / "test").rglob("*.mp4"):
        path.write_bytes(b"<html>")


def raw_files(root):
    """Returns the last file of each ending, beside that of the truth, which is none of the data set's."""
    paths = sorted(path for path in root.rglob("*") if path.is_file() and path.name not in ("truth.json", "Thumbs.db"))
    return list({path.suffix: path for path in paths}.values())


# What may stand in place of a file and is none.
IRREGULAR = {"pipe": os.mkfifo, "folder": os.mkdir, "loop": lambda path: path.symlink_to(path)}


# Damage of which a data set has to tell what stops a build from what leaves clips out.
CASES = [
    ("ubfc", cut("vid.avi")),
    ("ubfc", remove("ground_truth.txt")),
    ("ubfc", remove("subject[34]")),
    ("pure", cut("*.json")),
    ("pure", spoil_a_pixel),
    ("scamps", cut("*.mat")),
    ("scamps", flatten_the_pulse_of("P000003")),
    ("scamps", flatten_the_pulse_of("P000002")),
    ("scamps", remove("P000001.mat")),
    ("countix", cut("countix_val.csv")),
    ("countix", spoil_the_test_videos),
    ("countix", remove("test")),
    ("countix", remove("videos")),
    ("lst", cut("*.nc")),
    ("lst", remove("*s2022097[01][0-9]*.nc")),
]


@pytest.mark.parametrize("name", NAMES)
def test_each_readme_tells_how_to_call_it(name, tmp_path):
    readme = (ROOT / "datasets" / name / "README.md").read_text()
    (line,) = re.findall(r"python -m trainers\.validate (--dataset=\S+) --manual_dir=(?:DIR|\.\.\.)", readme)
    assert validate.find(line.removeprefix("--dataset="), tmp_path).name == name
    assert f"runs/validate/{name}.jsonl" in readme


def agree(name, raw, folder, capsys):
    """Asserts that validation passes what builds and nothing else, and counts the same; returns whether it passes."""
    said = diagnose(make(name, folder / "data"), raw, folder / "manifest.jsonl")
    output = capsys.readouterr().out
    result = build(name, raw, folder / "data")
    assert (said == []) == (not isinstance(result, Exception)), result
    if not said:
        for split, info in result.info.splits.items():
            assert f"{split}: {info.num_examples} examples" in output
        assert diagnose(result, raw, folder / "manifest.jsonl") == []
    elif isinstance(result, RawDataError):
        assert str(result) in said
    return not said


@pytest.mark.parametrize("name", NAMES)
def test_sound_files_build_and_pass_and_none_at_all_do_not(sound, tmp_path, capsys, name):
    assert agree(name, sound / name, tmp_path, capsys)
    (tmp_path / "raw").mkdir()
    assert not agree(name, tmp_path / "raw", tmp_path / "none", capsys)


@pytest.mark.parametrize("kind", IRREGULAR)
@pytest.mark.parametrize("name", NAMES)
def test_an_irregular_file_neither_hangs_nor_passes_unbuilt(sound, tmp_path, capsys, name, kind):
    for path in raw_files(sound / name):
        raw = shutil.copytree(sound / name, tmp_path / f"raw{path.suffix}")
        victim = raw / path.relative_to(sound / name)
        victim.unlink()
        IRREGULAR[kind](victim)
        agree(name, raw, tmp_path / path.suffix, capsys)


@pytest.mark.parametrize(("name", "damage"), CASES)
def test_validate_passes_exactly_what_builds_with_equal_counts(sound, tmp_path, capsys, name, damage):
    raw = shutil.copytree(sound / name, tmp_path / "raw")
    damage(raw)
    agree(name, raw, tmp_path, capsys)


def test_a_folder_that_may_not_be_listed_is_named(sound, tmp_path, monkeypatch):
    raw = shutil.copytree(sound / "pure", tmp_path / "raw")
    closed, listed = raw / "01-01" / "01-01", os.listdir

    def listdir(path):
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "listdir", listdir)
    path = tmp_path / "manifest.jsonl"
    assert diagnose(make("pure", tmp_path), raw, path) == [
        f"{closed}: found what cannot be listed (Permission denied); expected a folder that this user may read. "
        "Change its permissions, or remove it."
    ]
    assert [bool(entry["problem"]) for entry in manifest.entries(path).values()] == [True, False, False]


def test_what_a_terminal_would_obey_reaches_no_terminal(sound, tmp_path, capsys):
    raw = shutil.copytree(sound / "countix", tmp_path / "r\x1b[2Jaw")
    with (raw / "countix_train.csv").open("a") as file:
        file.write("\x1b]0;owned\x07,,,,,,\n")
    (problem,) = problems = diagnose(make("countix", tmp_path), raw, tmp_path / "manifest.jsonl")
    Validation(make("countix", tmp_path), None, cli.say).show("PROBLEM", [*problems, "\x9b31m"])
    assert r"r\x1b[2Jaw" in problem
    assert capsys.readouterr().out == f"PROBLEM {problem}\nPROBLEM \\x9b31m\n"


def test_the_last_line_of_a_failing_command_is_spelled_out(monkeypatch):
    def fail():
        raise ValueError("no\x1b[2Jname\nmore")

    monkeypatch.setattr(cli.app, "run", lambda main, **_: main(["validate"]))
    with pytest.raises(SystemExit, match=r": error: no\\x1b\[2Jname$"):
        cli.run(fail)


def test_every_damaged_file_is_named_not_only_the_first(sound, tmp_path):
    raw = shutil.copytree(sound / "ubfc", tmp_path / "raw")
    for video in raw.rglob("vid.avi"):
        video.write_bytes(video.read_bytes()[:-50_000])
    said = diagnose(make("ubfc", tmp_path), raw, tmp_path / "manifest.jsonl")
    assert [str(path) for path in sorted(raw.rglob("vid.avi"))] == [sentence.split(": ")[0] for sentence in said]
    assert all("whole pixels, by its header" in sentence for sentence in said)


def test_what_is_found_missing_and_split_is_said(sound, tmp_path, capsys):
    diagnose(make("ubfc", tmp_path), sound / "ubfc", tmp_path / "manifest.jsonl")
    output = capsys.readouterr().out
    assert "3 found, 39 of the published set missing (subject5, subject8," in output
    assert "train: 2 examples, subjects: 1 (subject1)" in output
    assert "no face was found, it shows the centre of the frame" in output
    assert re.search(r"frames per second: 29\.\d+ to 29\.\d+\n", output)
    assert re.search(r"labels \(bpm\): \d+", output)


def test_a_quick_look_reads_no_frame_and_writes_nothing(sound, tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("decoded")

    monkeypatch.setattr(videos, "decoded", refuse)
    assert diagnose(make("ubfc", tmp_path), sound / "ubfc", None) == []
    assert list(tmp_path.iterdir()) == []


def test_too_small_a_disk_is_a_problem(sound, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: types.SimpleNamespace(free=10_000))
    (problem,) = diagnose(make("ubfc", tmp_path), sound / "ubfc", None)
    assert re.search(r"has 9\.31e-06 GiB free, the build takes .*: make room", problem)


def test_a_missing_folder_is_told_from_one_of_other_files(sound, tmp_path):
    assert diagnose(make("lst", tmp_path), tmp_path / "a", None) == [f"{tmp_path / 'a'}: there is no such folder."]
    (problem,) = diagnose(make("lst", tmp_path), sound / "ubfc", None)
    assert problem.startswith(f"{sound / 'ubfc'}: found no ABI-L2-LSTC file")


def test_the_command_ends_with_0_only_if_a_build_would_succeed(sound, tmp_path):
    def run(*arguments):
        return done(["trainers.validate", f"--data_dir={tmp_path}", *arguments])

    # The standard clips are longer than these recordings.
    code, out, err = run("--dataset=ubfc", f"--manual_dir={sound / 'ubfc'}", "--quick")
    assert (code, err) == (1, "validate: 1 problem, see above.\n")
    assert "PROBLEM The train split would be empty" in out
    standin.write(tmp_path / "raw", subjects=3, seconds=7, **SMALL_FACES)
    manifest = tmp_path / "ubfc.jsonl"
    both = f"--manifest={manifest}", f"--compare={manifest}"
    code, out, err = run("--dataset=ubfc", f"--manual_dir={tmp_path / 'raw'}", *both)
    assert (code, err) == (0, "")
    assert out.endswith("no units differ.\nA build of ubfc/paper/2.0.0 would succeed.\n")
    assert "examined 3/3  0:00 left" in out
    other = tmp_path / "other.jsonl"
    other.write_text(manifest.read_text().splitlines(keepends=True)[0])
    code, out, _ = run("--dataset=ubfc", f"--manifest={manifest}", f"--compare={other}")
    assert (code, "PROBLEM subject3: only here" in out) == (1, True)
