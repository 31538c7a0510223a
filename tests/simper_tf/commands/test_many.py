"""Folders read by a Dask cluster: a scheduler and two workers on this machine."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading

import pytest
from predicted import breath, rows, run
from processes import ROOT, lines_until

from simper_tf.commands import main, predict

FILES = 24
CLUSTER = "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


def write(folder, number=FILES):
    folder.mkdir()
    for at in range(number):
        (folder / f"{at:03}.csv").write_text(breath())
    return folder


@contextlib.contextmanager
def dask(module, folder, *words, until):
    """Yields a process of Dask, and what its first line that fits a pattern holds."""
    words = [sys.executable, "-m", module, *words, "--host=127.0.0.1", "--no-dashboard"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_TEMPORARY_DIRECTORY": str(folder)}
    with subprocess.Popen(words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = next(line for line in process.stderr if re.search(until, line))
            # Its log is read on, so that it never waits for a reader.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield process, re.search(until, line)[1]
        finally:
            process.kill()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Returns the address of a scheduler, and two workers."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    with contextlib.ExitStack() as stack:
        _, address = stack.enter_context(
            dask(CLUSTER[0], folder, "--port=0", until=r"Scheduler at:\s+(tcp://127\.0\.0\.1:\d+)")
        )
        words = [address, "--nthreads=1", "--no-nanny"]
        workers = [
            stack.enter_context(dask(CLUSTER[1], folder, *words, until=r"Registered to:\s+(\S+)"))[0] for _ in range(2)
        ]
        yield address, workers


@pytest.mark.slow
def test_a_cluster_answers_as_one_process_does(cluster, tmp_path, monkeypatch):
    folder = write(tmp_path / "in", 3)
    monkeypatch.chdir(tmp_path)  # Where the workers are not.
    for words in (["--jobs=1", f"--out={tmp_path / 'one'}"], [f"--scheduler={cluster[0]}", "--out=several"]):
        run("in" if "--out=several" in words else folder, *words)
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {path.name for path in (tmp_path / "several").iterdir()}
    assert sum(name.endswith(".png") for name in names) == 3
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "several" / name).read_bytes(), name


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_no_file_and_none_twice(cluster, tmp_path):
    address, workers = cluster
    folder, out = write(tmp_path / "in"), tmp_path / "out"
    words = [sys.executable, "-m", "simper_tf", "predict", folder, f"--scheduler={address}", f"--out={out}"]
    with subprocess.Popen([*words, "--pictures=none"], cwd=ROOT, **PIPES) as command:
        lines_until(command, rf"\[4/{FILES}\]")
        workers[0].send_signal(signal.SIGKILL)
        printed, err = command.communicate()
    assert command.returncode == 0, err
    assert f"[{FILES}/{FILES}]" in printed
    assert [row["recording"] for row in rows(out)] == [str(path) for path in sorted(folder.iterdir())]
    assert {row["status"] for row in rows(out)} == {"ok"}
    assert len((out / predict.LINES).read_text().splitlines()) == FILES


def test_a_scheduler_that_is_not_there_is_one_sentence(tmp_path, capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("simper_tf.commands.many._PATIENCE", 0.2)
    (tmp_path / "a.csv").write_text("time,x\n")
    for address in ("tcp://127.0.0.1:1", "none"):
        with pytest.raises(SystemExit) as ended:
            main.main(["predict", str(tmp_path / "a.csv"), f"--scheduler={address}", f"--out={tmp_path / 'out'}"])
        assert ended.value.code == 1
        said = capsys.readouterr().err.strip()
        assert said.startswith(f"simper predict: error: --scheduler={address}: no Dask scheduler answers there (")
        assert "\n" not in said


def test_a_cluster_counts_its_own_processes(capsys):
    with pytest.raises(SystemExit):
        main.main(["predict", "a.csv", "--scheduler=tcp://127.0.0.1:1", "--jobs=2"])
    assert "--scheduler names a cluster. Leave one out." in capsys.readouterr().err
