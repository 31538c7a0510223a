"""What of a folder is read, and what is skipped with a reason."""

import pathlib
import zipfile

import cv2
import h5py
import numpy as np
import pandas as pd
import scipy.io

from simper_tf.recordings import search


def test_a_folder_is_read_as_its_files_are_by_name(tmp_path):
    times = np.arange(50) / 10
    rows = "".join(f"{moment:.1f}\t{moment % 0.5:.1f}\n" for moment in times)
    for name in ("a.mot", "b.sto", "c.lvm", "d.asc", "e.dat", "h.log", "i.tbl", "j.hrm"):
        (tmp_path / name).write_text(f"time\tknee\n{rows}")
    np.savez(tmp_path / "f.npz", time=times, knee=times % 0.5)
    with h5py.File(tmp_path / "g.h5", "w") as file:
        file["time"], file["knee"] = times, times % 0.5
    read = sorted(tmp_path.iterdir())
    assert [source.name for source in search.find([str(tmp_path)]).sources] == list(map(str, read))
    assert [search.find([str(path)]).sources[0].info() for path in read] == [
        source.info() for source in search.find([str(tmp_path)]).sources
    ]


def test_what_of_a_folder_holds_no_series_is_skipped(tmp_path):
    np.savez(tmp_path / "weights.npz", kernel=np.zeros((3, 3)))
    (tmp_path / "samples.dat").write_bytes(bytes(range(256)))
    (tmp_path / "page.xml").write_text("<page/>")
    (tmp_path / "notes.mot").write_text("Recorded on Monday.")
    found, problems, skipped, _ = search.find([str(tmp_path)])
    assert not found
    assert len(skipped) == 4
    assert [str(problem) for problem in problems] == [str(search._without(str(tmp_path)))]


def test_pictures_beside_their_settings_are_a_recording(tmp_path):
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), np.full((8, 8), 60 * number, np.uint8))
    (tmp_path / "settings.json").write_text("{}")
    (tmp_path / "camera.log").write_text("started\n")
    found, problems, skipped, _ = search.find([str(tmp_path)], rate=10)
    assert [source.name for source in found] == [str(tmp_path)]
    assert not problems
    assert len(skipped) == 2


def pictures(folder, number=3):
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(number):
        cv2.imwrite(str(folder / f"{at}.png"), np.full((8, 8), 60 * at, np.uint8))


def test_pictures_in_folders_beside_a_series_are_recordings(tmp_path):
    for name in ("a", "b"):
        pictures(tmp_path / name)
    pictures(tmp_path / "logo", 1)
    (tmp_path / "c.csv").write_text("time,x\n0,1\n1,2\n2,1\n3,2\n")
    found, problems, skipped, _ = search.find([str(tmp_path)], rate=10)
    assert [source.name for source in found] == [str(tmp_path / name) for name in ("c.csv", "a", "b")]
    assert not problems
    assert [error.found for error in skipped] == ["a single picture"]
    _, problems, skipped, _ = search.find([str(tmp_path)])
    assert not problems
    assert [error.found for error in skipped] == 2 * ["frames without their rate"] + ["a single picture"]


def test_pictures_in_one_folder_with_a_series_are_skipped(tmp_path):
    pictures(tmp_path)
    (tmp_path / "c.csv").write_text("time,x\n0,1\n1,2\n2,1\n3,2\n")
    found, problems, (skipped,), _ = search.find([str(tmp_path)], rate=10)
    assert [source.name for source in found] == [str(tmp_path / "c.csv")]
    assert not problems
    assert str(skipped) == (
        f"{tmp_path}: its pictures are not read. Other recordings lie beside them. Name them: '{tmp_path}/*.png'."
    )
    assert [source.name for source in search.find([f"{tmp_path}/*.png"], rate=10).sources] == [f"{tmp_path}/*.png"]


def test_pictures_of_answers_are_no_recordings(tmp_path):
    pictures(tmp_path)
    (tmp_path / "in_0a1b2c.png").write_bytes((tmp_path / "0.png").read_bytes())
    (tmp_path / search.ANSWERS).write_text('{"recording": "in"}\n')
    (target,) = search.listed([str(tmp_path)])
    assert [path.name for path in target.paths] == ["0.png", "1.png", "2.png"]


def test_what_is_hidden_in_a_folder_is_left_out_unless_named(tmp_path):
    hidden = [".git/a.csv", "__MACOSX/._a.csv", "._a.csv", "b/.c/d.csv", "b/.e.zip"]
    for name in ("a.csv", *hidden):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("time,x\n0,1\n1,2\n2,1\n3,2\n")
    assert [target.name for target in search.listed([str(tmp_path)])] == [str(tmp_path / "a.csv")]
    for name in (".git", "._a.csv"):
        assert len(search.find([str(tmp_path / name)]).sources) == 1


def test_logs_that_hold_no_table_are_skipped_with_the_reason(tmp_path):
    (tmp_path / "a.csv").write_text("time,x\n0,1\n1,2\n2,1\n3,2\n")
    lines = [f"2024-01-01 10:00:{second:02d},123 INFO worker-{second} took 12 ms" for second in range(40)]
    (tmp_path / "b.log").write_text("\n".join(lines))
    (tmp_path / "c.log").write_bytes(bytes(range(256)))
    (tmp_path / "d.HRM").touch()
    found, problems, skipped, _ = search.find([str(tmp_path)])
    assert [source.name for source in found] == [str(tmp_path / "a.csv")]
    assert not problems
    assert sorted(map(str, skipped)) == [
        f"{tmp_path / 'b.log'} is no recording: it is text.",
        f"{tmp_path / 'c.log'}: not read. It holds no text that can be read.",
        f"{tmp_path / 'd.HRM'}: not read. It holds no text that can be read.",
    ]


def test_packed_and_foreign_files_are_skipped_with_a_remedy(tmp_path):
    (tmp_path / "a.csv").write_text("time,x\n0,1\n1,2\n2,1\n3,2\n")
    for name in ("b.zip", "c.nii.gz", "d.c3d", "E.PKL"):
        (tmp_path / name).write_bytes(b"x")
    found, problems, skipped, _ = search.find([str(tmp_path)])
    assert [source.name for source in found] == [str(tmp_path / "a.csv")]
    assert not problems
    packed = "not read. Packed files of folders are not opened. Name it, or unpack it."
    assert sorted(map(str, skipped)) == sorted([
        f"{tmp_path / 'b.zip'}: {packed}", f"{tmp_path / 'c.nii.gz'}: {packed}",
        f"{tmp_path / 'd.c3d'}: not read. Export it as CSV where it was recorded.",
        f"{tmp_path / 'E.PKL'}: not read. Load it where it was written, and save it as CSV.",
    ])  # fmt: skip


def test_what_is_damaged_in_a_folder_is_a_problem(tmp_path):
    pd.DataFrame({"x": np.arange(50.0)}).to_parquet(tmp_path / "a.parquet")
    scipy.io.savemat(tmp_path / "b.mat", {"x": np.arange(50.0)})
    np.save(tmp_path / "c.npy", np.arange(50.0))
    np.savez(tmp_path / "d.npz", x=np.arange(50.0))
    with h5py.File(tmp_path / "e.h5", "w") as file:
        file["x"] = np.arange(50.0)
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[: len(path.read_bytes()) * 2 // 3])
    (tmp_path / "f.csv").touch()
    found, problems, skipped, _ = search.find([str(tmp_path)])
    assert not found
    assert not skipped
    assert [pathlib.Path(problem.path).name for problem in problems] == [
        "a.parquet", "b.mat", "c.npy", "d.npz", "e.h5", "f.csv",
    ]  # fmt: skip


def test_numbers_without_a_rate_are_skipped_in_every_format(tmp_path):
    values = np.random.default_rng(0).normal(0, 1, 50)
    np.save(tmp_path / "a.npy", values)
    np.savetxt(tmp_path / "b.csv", values)
    np.savez(tmp_path / "c.npz", x=values)
    pd.DataFrame({"x": values}).to_parquet(tmp_path / "d.parquet")
    found, problems, skipped, _ = search.find([str(tmp_path)])
    assert not found
    assert [str(problem) for problem in problems] == [str(search._without(str(tmp_path)))]
    assert [error.found for error in skipped] == 4 * ["samples without their rate"]
    assert len(search.find([str(tmp_path)], rate=10).sources) == 4


def test_a_packed_file_that_is_named_too_is_read_once(tmp_path):
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "time,x\n0,1\n1,2\n2,1\n3,2\n")
    (tmp_path / "in" / "b.csv").write_text("time,x\n0,1\n1,2\n2,1\n3,2\n")
    for names in ([path.parent, path], [path, path.parent]):
        found = search.find([*map(str, names)])
        assert sorted(source.name for source in found.sources) == [str(path), str(path.with_name("b.csv"))]
        assert not found.skipped
