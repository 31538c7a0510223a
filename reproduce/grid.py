"""Runs of `trainers.pretrain`, each done once however many tables want it."""

import contextlib
import dataclasses
import functools
import os
import pathlib
import time
from collections.abc import Callable, Iterable

from absl import flags

from reproduce import unlearned
from reproduce.pool import Pool
from simper_tf.evaluation import rows
from simper_tf.training import run_folder
from simper_tf.training.settings import Settings, setting_fields, text_of
from simper_tf.utils import files
from trainers import cli, options, pretrain

# Settings that may change between calls on the same run, and change its rows all the same.
_IN_ROWS = {"validation_clips", "test_clips", "minutes"}
# Settings that say where things are or how fast they come, and change no row.
ELSEWHERE = {field.name for field in setting_fields() if field.metadata["free"]} - _IN_ROWS
# The first word of what is read without training.
UNLEARNED = "unlearned"
# That of what is trained again for its weights alone: its rows are kept, but no folder.
WEIGHTS = "weights"


@dataclasses.dataclass(frozen=True)
class Run:
    """A flagfile with changes, begun perhaps with the encoder of another run.

    Attributes:
        flagfile: Path of the flagfile.
        changes: Flags by name that differ from it, as text.
        source: The run whose encoder this one begins with; None for one that begins at random.
        split: Whose clips are predicted: `validation` where something is to be chosen, else `test`.
        configs: Its data sets, by seed, where each seed has another split of people: seed k has the k-th, from the
            first again after the last. Empty for that of the flags.
        is_once: Whether one seed stands for all, or for all of a split, as where nothing is learned.
        is_unlearned: Whether its clips are read as they are, by what takes no training.
    """

    flagfile: str
    changes: tuple[tuple[str, str], ...] = ()
    source: "Run | None" = None
    split: str = "test"
    configs: tuple[str, ...] = ()
    is_once: bool = False
    is_unlearned: bool = False

    def but(self, **changes) -> "Run":
        """Returns the run with further changes, None for a flag as in the flagfile."""
        flags_by_name = dict(self.changes) | {name: _as_flag(value) for name, value in changes.items()}
        return dataclasses.replace(self, changes=tuple((k, v) for k, v in flags_by_name.items() if v is not None))

    def begun_with(self, source: "Run") -> "Run":
        """Returns the run begun with the encoder of another."""
        return dataclasses.replace(self, source=source)

    def seeded(self, seed: int) -> "Run":
        """Returns the run with a seed, which its source gets too; of what is made once the seed that stands for it."""
        seed = seed % max(len(self.configs), 1) if self.is_once else seed
        of_seed = {"dataset": self.configs[seed % len(self.configs)]} if self.configs else {}
        return dataclasses.replace(
            self.but(seed=seed, **of_seed),
            source=self.source and self.source.seeded(seed),
            configs=(),
            is_once=False,
        )

    def arguments(self, **further) -> list[str]:
        """Returns the arguments of `trainers.pretrain`, later ones of more weight."""
        given = {**dict(self.changes), "split": self.split, **further}
        return [f"--flagfile={self.flagfile}", *(f"--{name}={value}" for name, value in given.items())]

    def settings(self) -> Settings:
        """Returns its settings, with the name of its source in place of the folder.

        Raises:
            ValueError: the flagfile is missing or has a flag that is none, or the flags do not fit one another.
        """
        begun = {"encoder_from": self.source.name()} if self.source else {}
        values = flags.FlagValues()
        options.define(values)
        try:
            values(["trainers.pretrain", *self.arguments(run_dir="-", **begun)])
        except flags.Error as error:
            raise ValueError(f"{self.flagfile}: {error}") from error
        return options.settings(values)

    def name(self) -> str:
        """Returns the name of its folder: runs of one name have the same rows, however their flags were written."""
        settings = self.settings()
        digest = settings.digest_without({*ELSEWHERE, "seed"})
        method = "clips" if self.is_unlearned else settings.method
        return "_".join([method, settings.dataset.replace("/", "-"), digest, str(settings.seed)])

    def with_sources(self) -> list["Run"]:
        """Returns what it begins with, the first first, and itself."""
        return [*(self.source.with_sources() if self.source else []), self]


class Grid:
    """A folder of runs.

    Args:
        folder: Where each run has a folder of its own.
        common: Flags by name that every run gets, such as `data_dir`.
        jobs: How many runs are trained at a time.
        kept: File of the rows of runs that were finished elsewhere, to which those that end here are added.

    Raises:
        ValueError: a line of `kept` is damaged.
    """

    def __init__(
        self,
        folder: str | pathlib.Path,
        common: dict[str, str] | None = None,
        jobs: int = 1,
        kept: str | pathlib.Path | None = None,
    ):
        self.folder = pathlib.Path(folder)
        self.common = common or {}
        self.jobs = jobs
        self.kept = kept
        self._kept_rows = rows.read_runs(kept) if kept else {}
        self._names: dict[Run, str] = {}
        self._unsaved: dict[str, list[rows.Row]] = {}

    def folder_of(self, run: Run) -> pathlib.Path:
        """Returns the folder of a run."""
        if run not in self._names:
            self._names[run] = run.name()
        return self.folder / self._names[run]

    def rows_of(self, run: Run) -> list[rows.Row]:
        """Returns the rows of a run that is finished, here or elsewhere, none of another.

        Raises:
            ValueError: its `results.jsonl` is damaged.
        """
        kept = self._kept_rows.get(self.folder_of(run).name, [])
        return self._rows_here(run) or [row for row in kept if row.split == run.split]

    def keep(self, runs: Iterable[Run]):
        """Adds the rows of those of some runs that are finished here to the kept ones, if any are kept."""
        finished = {}
        for run in (part for wanted in runs for part in wanted.with_sources()):
            finished.setdefault(self.folder_of(run).name, []).extend(self._rows_here(run))
        finished = {name: list(dict.fromkeys(of_run)) for name, of_run in finished.items() if of_run}
        if self.kept and finished:
            self._kept_rows = rows.add_runs(self.kept, finished)

    def kept_rows(self, name: str) -> list[rows.Row]:
        """Returns the kept rows of a name, which need not be that of a run."""
        return self._kept_rows.get(name, [])

    def keep_rows(self, name: str, of_name: list[rows.Row]):
        """Keeps rows by a name until `save_rows`: those that are made of several runs have no folder."""
        if of_name != self.kept_rows(name):
            self._kept_rows = {**self._kept_rows, name: of_name}
            self._unsaved[name] = of_name

    def save_rows(self):
        """Writes what `keep_rows` was given to the file of kept rows, if there is one."""
        if self.kept and self._unsaved:
            self._kept_rows = rows.add_runs(self.kept, self._unsaved)
        self._unsaved = {}

    @contextlib.contextmanager
    def held(self):
        """Keeps other grids out of the folder for the time of a block.

        Raises:
            ValueError: another process works there.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with files.alone(self.folder / run_folder.LOCK, wait=False):
                yield
        except files.InUse as error:
            raise ValueError(
                f"--runs={self.folder} is in use by {error}. Wait until it has ended, stop it (its runs save first), "
                "or name another folder."
            ) from error

    def train(
        self,
        runs: Iterable[Run],
        say: Callable[[str], None] = cli.say,
        finished: Callable[[Run], None] = lambda run: None,
    ) -> dict[Run, str]:
        """Trains and evaluates what is not finished of some runs, and before them what they begin with.

        Each is tried once; the others go on where one fails. What a run begins with must be here itself, and not its
        rows alone: it is trained again then, and keeps its rows without another evaluation.

        Args:
            runs: Runs with seeds.
            say: Called with a line of progress as each begins.
            finished: Called with each run that has ended well, when its rows are there.

        Returns:
            The runs that failed, with the reason.

        Raises:
            KeyboardInterrupt: it was told to stop; the runs at work have saved.
            ValueError: flags are wrong, or rows are damaged; nothing has begun.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = [run for run in runs if not self.rows_of(run)]
        wanted = {(self.folder_of(part), part.split): part for run in unfinished for part in run.with_sources()}
        waiting = [run for run in wanted.values() if not self._rows_here(run)]
        estimate, failed = _Estimate(len(waiting)), {}
        with Pool(functools.partial(_start, pretrain.start)) as pool:
            while waiting or pool.at_work:
                while run := self._next(waiting, pool, failed):
                    waiting.remove(run)
                    say(f"Run {estimate.begun()}: {self.folder_of(run).name}")
                    pool.start(run, *self._command(run))
                if not pool.at_work and not pool.told:  # What is left waits for what has failed.
                    return failed | dict.fromkeys(waiting, "what it begins with has failed")
                run, code = pool.wait()
                estimate.ended()
                if not code and not self._rows_here(run):
                    rows.write_rows(self.folder_of(run) / "results.jsonl", self.rows_of(run))
                self.keep([run])
                if code:
                    failed[run] = self._reason(run, code)
                    say(f"{self.folder_of(run)} {failed[run]}.")
                else:
                    finished(run)
        return failed

    def _rows_here(self, run):
        return [row for row in rows.read_rows(self.folder_of(run) / "results.jsonl") if row.split == run.split]

    def _next(self, waiting, pool, failed):
        """Returns the first run that can begin now, None for none."""
        if len(pool.at_work) == self.jobs or pool.told:
            return None
        undone = {self.folder_of(run) for run in [*waiting, *pool.at_work, *failed]}
        busy = {self.folder_of(run) for run in pool.at_work}  # One folder may be wanted for clips of two splits.
        return next(
            (run for run in waiting
             if self.folder_of(run) not in busy and not (run.source and self.folder_of(run.source) in undone)), None
        )  # fmt: skip

    def _command(self, run):
        """Returns the words of a command, where its output goes (None: here), and variables of its environment."""
        folder = self.folder_of(run)
        begun = {"encoder_from": self.folder_of(run.source)} if run.source else {}
        if folder.exists():
            with files.alone(folder / run_folder.LOCK):
                pass  # One that a killed grid has left behind may still be saving.
        words = run.arguments(run_dir=folder, **begun, **self.common)
        if run.is_unlearned:
            words = [UNLEARNED, *words]
        elif self.rows_of(run):
            words = [WEIGHTS, *words]
        if self.jobs == 1:
            return words, None, {}
        threads = max((os.cpu_count() or 1) // self.jobs, 1)
        return words, self._log(run), {"TF_NUM_INTRAOP_THREADS": str(threads)}

    def _log(self, run):
        return self.folder / f"{self.folder_of(run).name}.log"

    def _reason(self, run, code):
        if code < 0:
            return f"was ended by signal {-code}"
        if self.jobs == 1:
            return "failed, see above"
        said = self._log(run).read_text(errors="replace").strip().splitlines() or ["no output"]
        return f"failed: {said[-1]}"


def _start(train, words):
    """Does in a new process what a run wants: words for `train`, perhaps behind `UNLEARNED` or `WEIGHTS`."""
    first, *others = words
    if first == UNLEARNED:
        unlearned.start(others)
    elif first == WEIGHTS:
        train(others, is_read=False)
    else:
        train(words)


class _Estimate:
    """Progress of a grid, and the time that is left if all runs take the same."""

    def __init__(self, total):
        self._total, self._begun, self._ended, self._start = total, 0, 0, time.monotonic()

    def begun(self):
        """Returns a run's number and the time left, in print."""
        self._begun += 1
        text = f"{self._begun}/{self._total}"
        if not self._ended:
            return text
        seconds_a_run = (time.monotonic() - self._start) / self._ended
        return f"{text}, {cli.clock(seconds_a_run * (self._total - self._ended))} left"

    def ended(self):
        self._ended += 1


def _as_flag(value):
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else text_of(value)
