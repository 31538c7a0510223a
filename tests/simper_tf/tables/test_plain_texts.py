"""Short texts of plain numbers are read without pandas, to the same numbers."""

import subprocess
import sys

import numpy as np
import pytest

from simper_tf.tables.texts import delimited
from simper_tf.tables.times import decimals

PLAIN = {
    "commas": "t,a\n" + "".join(f"{k / 50:.2f},{k % 7 - 3.25e-1}\n" for k in range(40)),
    "semicolons": "".join(f"{k};{k * k}\n" for k in range(40)),
    "white space": "".join(f"  {k}.5   +{k}E2\n" for k in range(40)),
    "large": "".join(f"{1_700_000_000_000_000_000 + 20_000_000 * k}\t.5\n" for k in range(40)),
    "blank lines": "".join(f"{k},-{k}.\r\n\r\n" for k in range(40)),
}
OTHER = {
    "a missing number": "".join(f"{k},{'nan' if k == 9 else k * k}\n" for k in range(40)),
    "an endless one": "".join(f"{k},{'inf' if k == 9 else k * k}\n" for k in range(40)),
    "an empty cell": "".join(f"{k},{'' if k == 9 else k * k}\n" for k in range(40)),
    "a short row": "".join(f"{k}\n" if k == 9 else f"{k},{k * k}\n" for k in range(40)),
    "decimal commas": "".join(f"{k};{k},5\n" for k in range(40)),
    "a comment": "".join(f"{k},{k * k} # a pause\n" if k == 9 else f"{k},{k * k}\n" for k in range(40)),
    "dates": "".join(f"2021-01-{k + 1:02},{k * k}\n" for k in range(28)),
    "quotes": "".join(f'"{k}","{k * k}"\n' for k in range(40)),
    "no letters": "".join(f"{k},{k * k}\n" for k in range(40)) + "\udcff,1\n",
}


def _columns(text, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return delimited.table_of(path).columns


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_numbers_are_those_of_pandas(kind, tmp_path, monkeypatch):
    read = _columns(PLAIN[kind], tmp_path)
    monkeypatch.setattr(decimals, "plain", lambda *given: None)
    np.testing.assert_allclose(read, _columns(PLAIN[kind], tmp_path), rtol=4e-16, atol=0)


@pytest.mark.parametrize("kind", OTHER)
def test_what_is_not_plain_is_left_to_pandas(kind, tmp_path, monkeypatch):
    read, own = [], decimals.plain
    monkeypatch.setattr(decimals, "plain", lambda *given: read.append(own(*given)))
    _columns(OTHER[kind], tmp_path)
    assert read == [None]


def test_a_short_text_is_read_before_pandas_is_loaded(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(PLAIN["commas"])
    code = (
        "import pathlib, sys; from simper_tf.tables import channels; from simper_tf.tables.texts import delimited;"
        f"print(len(delimited.table_of(pathlib.Path({str(path)!r})).columns), 'pandas.core' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2 False\n"
