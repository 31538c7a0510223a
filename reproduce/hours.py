"""Hours of training behind tables, of the seconds that finished runs have recorded."""

import statistics
from collections.abc import Mapping, Sequence

from reproduce.grid import Grid
from reproduce.studies.table import Study


def of_tables(studies: Mapping[Study, Sequence[int]], grid: Grid) -> dict[str, tuple[float, float]]:
    """Returns name -> hours of all runs of a table, and of those that no table before it has.

    What runs begin with counts too. A seed that is not recorded takes as long as the mean of those that are. Where
    none of a run is, the hours of its table are not a number.

    Args:
        studies: Table -> seeds of its runs.
        grid: Has the rows of the runs.
    """
    known, hours = {}, {}
    for study, seeds in studies.items():
        of_table = {}
        for run in dict.fromkeys(part for wanted in study.runs() for part in wanted.with_sources()):
            members = {grid.folder_of(run.seeded(seed)).name: grid.rows_of(run.seeded(seed)) for seed in seeds}
            recorded = [rows[0].seconds for rows in members.values() if rows]
            usual = statistics.fmean(recorded) if recorded else float("nan")
            of_table |= {name: rows[0].seconds if rows else usual for name, rows in members.items()}
        own = sum(seconds for name, seconds in of_table.items() if name not in known)
        hours[study.name] = (sum(of_table.values()) / 3600, own / 3600)
        known |= of_table
    return hours
