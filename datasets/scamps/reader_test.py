import hashlib
import pathlib
import shutil

import h5py
import numpy as np
import pytest
import scipy.io

from datasets.scamps import reader, standin
from simper_tf.data import checks, standin_faces
from simper_tf.utils.errors import RawDataError


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scamps")
    return folder, standin.write(folder, subjects=1, seconds=4, look=standin_faces.CLEAN, height=32, width=20)


@pytest.fixture
def mat(written, tmp_path):
    """A copy of a file, to be spoiled."""
    return pathlib.Path(shutil.copy(written[0] / "scamps_videos" / "P000001.mat", tmp_path))


def to_levels(frames):
    return [np.rint(frame * 255.0).astype(np.uint8) for frame in frames]


def test_the_stand_in_is_a_matlab_7_3_file(mat):
    with pytest.raises(NotImplementedError, match="HDF reader"):
        scipy.io.loadmat(mat)


def test_frames_are_bit_exact_with_the_axes_in_order(mat, written):
    frames = to_levels(reader.recording_of(mat).frames())
    assert frames[0].shape == (32, 20, 3)
    assert hashlib.sha256(np.stack(frames)).hexdigest() == written[1]["P000001"]["sha256"]


def test_slices_of_any_length_give_the_same_frames(mat, monkeypatch):
    whole = list(reader.read_frames(mat))
    monkeypatch.setattr(reader, "SLICE_BYTES", 7 * 32 * 20 * 3 * 8)
    for (shape, content), expected in zip(reader.frames(str(mat)), whole, strict=True):
        np.testing.assert_array_equal(np.frombuffer(content, np.float32).reshape(shape), expected)


def test_files_are_parsed_in_the_bounded_process(mat, monkeypatch):
    monkeypatch.setattr(reader, "_opened", None)
    assert len(list(reader.recording_of(mat).frames())) == 120


def test_raw_frames_are_never_read_and_short_masks_do_no_harm(mat):
    with h5py.File(mat, "r+") as file:
        assert file["skin_mask"].shape[2] == file["Xsub"].shape[3] - 1
        del file["RawFrames"]
        # A terabyte that nobody wrote: reading it would end in a memory error.
        file.create_dataset("RawFrames", (3, 320, 240, 600_000), np.float64, chunks=(1, 32, 24, 600))
    assert len(list(reader.recording_of(mat).frames())) == 120


def test_clips_carry_heart_rate_ppg_and_breathing(mat, written):
    (key, example), _ = reader.clips(str(mat), size=16, window=60, stride=60)
    assert key == "P000001/00000"
    assert example["clip"].shape == (60, 16, 16, 3)
    assert example["clip"].dtype == np.uint8
    # Two seconds hold no more than two beats and a half.
    assert example["label"] == pytest.approx(written[1]["P000001"]["heart_rate"], abs=1.5)
    expected = np.sin(2.0 * np.pi * written[1]["P000001"]["breathing_rate"] / 60.0 * np.arange(60) / 30.0)
    np.testing.assert_allclose(example["breathing"], expected, atol=1e-6)


def test_a_file_shorter_than_a_clip_is_refused(mat):
    with pytest.raises(RawDataError, match="found 120 frames; expected 600"):
        list(reader.clips(str(mat), size=16, window=600, stride=600))


@pytest.mark.parametrize("kept", [0.0, 0.01, 0.5, 0.999])
def test_a_truncated_file_is_refused_by_name(mat, kept):
    with mat.open("r+b") as file:
        file.truncate(int(kept * mat.stat().st_size))
    with pytest.raises(RawDataError, match=r"P000001\.mat: found OSError"):
        reader.recording_of(mat)


def test_an_older_matlab_file_is_refused(mat):
    scipy.io.savemat(mat, {"Xsub": np.zeros((4, 4, 3, 9))})
    with pytest.raises(RawDataError, match=r"expected a MATLAB v7\.3"):
        reader.recording_of(mat)


def moved_out(key):
    def spoil(file):
        with h5py.File(f"{file.filename}.other", "w") as other:
            file.copy(key, other)
        del file[key]
        file[key] = h5py.ExternalLink(f"{file.filename}.other", key)

    return spoil


def replaced(key, change):
    def spoil(file):
        values = change(file[key][()])
        del file[key]
        if values is not None:
            file[key] = values

    return spoil


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (moved_out("Xsub"), "ValueError: Xsub is a link to Xsub in "),
        (moved_out("d_br"), "ValueError: d_br is a link to d_br in "),
        (replaced("Xsub", lambda x: None), "KeyError"),
        (replaced("d_ppg", lambda x: None), "KeyError"),
        (replaced("Xsub", lambda x: x.transpose(3, 2, 1, 0)), r"Xsub of shape \(120, 32, 20, 3\)"),
        (replaced("Xsub", lambda x: x[0]), "Xsub of shape"),
        (replaced("Xsub", lambda x: np.uint8(255 * x)), "Xsub of type uint8"),
        (replaced("Xsub", lambda x: 255.0 * x), "Xsub between"),
        (replaced("Xsub", lambda x: np.where(x > 0.7, np.nan, x)), "Xsub between nan"),
        (replaced("d_ppg", lambda x: x[:-1]), r"d_ppg of shape \(119, 1\)"),
        (replaced("d_br", lambda x: np.full_like(x, np.inf)), "not finite"),
        (replaced("d_ppg", lambda x: b"text"), "d_ppg of shape"),
    ],
)
def test_a_file_in_another_format_is_refused_by_name(mat, spoil, found):
    with h5py.File(mat, "r+") as file:
        spoil(file)
    with pytest.raises(RawDataError, match=rf"P000001\.mat: found .*{found}"):
        list(reader.recording_of(mat).frames())


def test_inspect_reads_no_frame(mat):
    with h5py.File(mat, "r+") as file:
        file["Xsub"][0, 0, 0, 0] = 7.0
    report = checks.of_recording(reader.recording_of, mat, 120, 120)
    assert (report.problem, report.frames, report.rate) == ("", 120, pytest.approx(30.0))


def stems(paths):
    return [path.stem for path in paths]


PATHS = [pathlib.Path("data", f"P{i:06d}.mat") for i in range(1, 2801)]


def test_the_random_split_is_the_papers_repeatable_and_complete():
    parts = reader.split(PATHS, pathlib.Path("data"), "random", seed=3)
    assert {part: len(paths) for part, paths in parts.items()} == {"train": 2000, "validation": 400, "test": 400}
    assert sorted(path for paths in parts.values() for path in paths) == PATHS
    assert parts == reader.split(PATHS, pathlib.Path("data"), "random", seed=3)
    assert parts != reader.split(PATHS, pathlib.Path("data"), "random", seed=4)


def test_no_file_changes_its_part_whichever_others_are_missing():
    def part_of(paths):
        parts = reader.split(paths, pathlib.Path("data"), "random", seed=0)
        return {path: part for part, chosen in parts.items() for path in chosen}

    of_all = part_of(PATHS)
    for paths in (PATHS[1:], PATHS[::7], PATHS[1000:1100], PATHS[:-1]):
        assert part_of(paths) == {path: of_all[path] for path in paths}
    # A name that was never published trains, and moves no other.
    stranger = pathlib.Path("data", "P999999.mat")
    assert part_of([*PATHS, stranger]) == of_all | {stranger: "train"}


def test_three_files_are_divided_and_two_refused():
    assert [len(paths) for paths in reader.split(PATHS[:3], PATHS[0], "random", 0).values()] == [1, 1, 1]
    with pytest.raises(RawDataError, match="found 2 files"):
        reader.split(PATHS[:2], PATHS[0], "random", 0)


@pytest.mark.parametrize(
    "table",
    [
        "id,split\nP000001,Train\nP000002.mat,Val\n000003,Test\n",
        "\ufeffTrain,Validation,Test\nP000001,P000002,P000003\n,,\n",
        "n,x\nscamps/P000001.mat,training\nscamps/P000002.mat,validation\nscamps/P000003.mat,testing\n",
    ],
)
def test_the_official_split_is_read_from_the_csv(tmp_path, table):
    (tmp_path / reader.OFFICIAL_SPLIT).write_text(table, encoding="utf-8")
    parts = reader.split(PATHS[:4], tmp_path, "official", 0)
    assert {part: stems(paths) for part, paths in parts.items()} == {
        "train": ["P000001"],
        "validation": ["P000002"],
        "test": ["P000003"],
    }


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"a,b\n1,2\n"])
def test_an_unusable_csv_is_refused(tmp_path, content):
    if content is not None:
        (tmp_path / reader.OFFICIAL_SPLIT).write_bytes(content)
    with pytest.raises(RawDataError, match=r'split rule "random"|Download it again'):
        reader.split(PATHS, tmp_path, "official", 0)


def test_an_unknown_split_rule_is_refused():
    with pytest.raises(ValueError, match="offical"):
        reader.split(PATHS, pathlib.Path("data"), "offical", 0)


def test_folders_named_train_val_and_test_are_the_split(tmp_path):
    for name in ("Train/P000001.mat", "Val/P000003.mat", "Test/more/P000002.mat", "P000009.mat", "Test/P01.mat"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    paths = reader.find(tmp_path)
    assert stems(paths) == ["P000001", "P000002", "P000003", "P000009"]
    parts = reader.split(paths, tmp_path, "folders", 0)
    assert {part: stems(chosen) for part, chosen in parts.items()} == {
        "train": ["P000001"],
        "validation": ["P000003"],
        "test": ["P000002"],
    }
    with pytest.raises(RawDataError, match='no training file by the rule "folders"'):
        reader.split(PATHS, pathlib.Path("data"), "folders", 0)


def test_a_sixth_of_training_files_validates_where_none_does(tmp_path):
    paths = [tmp_path / "Train" / f"P{number:06d}.mat" for number in range(1, 13)] + [tmp_path / "Test/P000099.mat"]
    parts = reader.split(paths, tmp_path, "folders", 0)
    assert [len(parts[part]) for part in ("train", "validation", "test")] == [10, 2, 1]
    assert sorted(parts["train"] + parts["validation"]) == paths[:12]
    assert parts == reader.split(paths, tmp_path, "folders", 0)
    with pytest.raises(RawDataError, match="1 training file by the rule"):
        reader.split(paths[-2:], tmp_path, "folders", 0)


def test_a_name_that_occurs_twice_is_refused(tmp_path):
    for name in ("Train", "Test"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "P000001.mat").touch()
    with pytest.raises(RawDataError, match="a second file of the name"):
        reader.find(tmp_path)


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(RawDataError, match="no file named"):
        reader.find(tmp_path)
