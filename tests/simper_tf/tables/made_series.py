"""Tables of 48 rows at hours, days or months, written and read."""

import numpy as np
import pandas as pd

from simper_tf.tables import series_files

COUNT, HOUR, DAY, YEAR = 48, 3600.0, 86400.0, 365.2425 * 86400
WAVE = [f"{value:.3f}" for value in 3 + np.sin(np.arange(COUNT) / 2)]
HOURS = pd.date_range("2023-08-10", periods=COUNT, freq="h")
DAYS = pd.date_range("2023-08-10", periods=COUNT)
MONTHS = pd.date_range("1958-03-01", periods=COUNT, freq="MS")
MONTH_SECONDS = (MONTHS - MONTHS[0]).total_seconds().to_numpy()


def write(folder, header, *columns, mark=",", name="a.csv"):
    """Returns the path of a table of columns, below a header where there is one."""
    rows = [mark.join(str(cell) for cell in row) for row in zip(*columns, strict=True)]
    (folder / name).write_text("\n".join([header] * bool(header) + rows) + "\n")
    return folder / name


def read(*given, rate=None, **named):
    """Returns the series of a table, written as by `write`."""
    return series_files.series_of(write(*given, **named), rate)
