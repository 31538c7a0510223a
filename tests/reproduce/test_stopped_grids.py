"""Grids that are stopped or killed, and two of them in one folder."""

import os
import signal
import threading
import time

import pytest
from processes import Command, wait_for
from stand_in import CALLER, calls, written

from reproduce.grid import Grid
from simper_tf.utils import files


@pytest.mark.slow
def test_a_stop_while_a_run_is_begun_reaches_it(stand_in, base, tmp_path):
    stand_in("time.sleep(20)\n(folder / 'ended').touch()")
    runs = Grid(tmp_path / "runs")
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:

        def say(_):
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGINT)  # Before there is a process to pass it on to.

        with pytest.raises(KeyboardInterrupt):
            runs.train([base, base.seeded(1)], say)
    finally:
        signal.signal(signal.SIGHUP, previous)
    assert not (runs.folder_of(base) / "ended").exists()
    assert not calls(runs, base.seeded(1))


def test_a_run_that_was_stopped_stops_the_grid(stand_in, base, tmp_path):
    stand_in("sys.exit(130)")
    with pytest.raises(KeyboardInterrupt):
        Grid(tmp_path / "runs").train([base, base.seeded(1)])
    assert not calls(Grid(tmp_path / "runs"), base.seeded(1))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_stops_the_grid_is_passed_on_and_all_runs_save(stand_in, base, tmp_path, number):
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    stand_in("time.sleep(60)")
    runs, pair = Grid(tmp_path / "runs", jobs=2), [base, base.seeded(1)]

    def tell():
        while not all((runs.folder_of(run) / "ready").exists() for run in pair):
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    # Handled in the main thread, which waits for the runs meanwhile.
    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    with pytest.raises(KeyboardInterrupt):
        runs.train([*pair, base.seeded(2)])
    teller.join()
    assert [(runs.folder_of(run) / "saved").read_text() for run in pair] == [str(int(number))] * 2
    assert not calls(runs, base.seeded(2))
    assert {each: signal.getsignal(each) for each in handlers} == handlers


@pytest.mark.slow
def test_a_killed_grid_takes_its_run_with_it_which_saves_first(stand_in, base, tmp_path):
    stand_in("time.sleep(60)")
    process = Command(["-c", CALLER, tmp_path / "runs", base.flagfile])
    folder = Grid(tmp_path / "runs").folder_of(base.but(method="moco"))
    wait_for((folder / "ready").exists, process)
    process.kill()
    process.wait()
    for _ in range(100):
        if (folder / "saved").exists():
            break
        time.sleep(0.1)
    assert (folder / "saved").read_text() == str(int(signal.SIGTERM))


def test_two_grids_in_one_folder_are_refused(tmp_path):
    runs = Grid(tmp_path / "runs")
    message = rf"--runs={runs.folder} is in use by process {os.getpid()}"
    with runs.held(), pytest.raises(ValueError, match=message), Grid(tmp_path / "runs").held():
        pass
    with runs.held():
        pass


def test_a_run_that_another_process_still_saves_is_waited_for(stand_in, base, tmp_path):
    stand_in(written())
    runs = Grid(tmp_path / "runs")
    folder = runs.folder_of(base)
    folder.mkdir(parents=True)
    held = files.alone(folder / ".lock")
    held.__enter__()
    timer = threading.Timer(0.3, lambda: held.__exit__(None, None, None))
    timer.start()
    assert runs.train([base]) == {}
    assert not timer.is_alive()
