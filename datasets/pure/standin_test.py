import pytest

from datasets.pure import standin


def test_pure_has_the_quirks_of_the_real_data(tmp_path):
    standin.write(tmp_path, subjects=2, seconds=1, height=16, width=24)
    assert list((tmp_path / "06-02").iterdir()) == []
    assert (tmp_path / "01-01" / "01-01" / "Thumbs.db").is_file()
    assert (tmp_path / "01-02" / "01-02.json").is_file()
    assert list((tmp_path / "01-02").glob("Image*.png"))


def test_too_many_subjects_are_refused_before_any_writing(tmp_path):
    with pytest.raises(ValueError, match="Received subjects=11"):
        standin.write(tmp_path / "out", subjects=11, seconds=1)
    assert not (tmp_path / "out").exists()
