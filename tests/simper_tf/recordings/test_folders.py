"""What of a folder is read, and what is skipped with a reason."""

import cv2
import h5py
import numpy as np

from simper_tf.recordings import search


def test_a_folder_is_read_as_its_files_are_by_name(tmp_path):
    times = np.arange(50) / 10
    rows = "".join(f"{moment:.1f}\t{moment % 0.5:.1f}\n" for moment in times)
    for name in ("a.mot", "b.sto", "c.lvm", "d.asc", "e.dat"):
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
    found, problems, skipped = search.find([str(tmp_path)])
    assert not found
    assert len(skipped) == 4
    assert [str(problem) for problem in problems] == [str(search._without(str(tmp_path)))]


def test_pictures_beside_their_settings_are_a_recording(tmp_path):
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), np.full((8, 8), 60 * number, np.uint8))
    (tmp_path / "settings.json").write_text("{}")
    found, problems, skipped = search.find([str(tmp_path)], rate=10)
    assert [source.name for source in found] == [str(tmp_path)]
    assert not problems
    assert len(skipped) == 1
