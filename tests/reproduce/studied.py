"""Studies as tests ask for them: by their names, of a scale with its data in a place."""

import functools

from reproduce.studies import STUDIES
from reproduce.studies.scales import SCALES

LOCATED = {name: scale.located("data", "raw") for name, scale in SCALES.items()}


@functools.cache
def study(name, scale="small"):
    return STUDIES[name][0](LOCATED[scale])


def lines_of(name, block=0, scale="small"):
    """Returns the lines of a block by their titles."""
    return {line.title: line for line in study(name, scale).blocks[block].lines}


def every_run(*names, scale="small"):
    """Returns the runs of tables and what they begin with, each once."""
    return list(
        dict.fromkeys(each for name in names for run in study(name, scale).runs() for each in run.with_sources())
    )
