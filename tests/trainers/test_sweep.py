import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
import types

import pytest
from absl import flags
from made_up import row

from simper_tf import rows
from trainers import options, sweep

PRETRAIN = """
import pathlib, signal, sys, time
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
with (folder / "calls").open("a") as file:
    file.write("called\\n")
def stop(number, _):
    time.sleep(0.6)  # Saving takes longer than Python would wait for a child after a Ctrl-C.
    (folder / "saved").write_text(str(number))
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)
(folder / "ready").touch()
"""


@pytest.fixture
def stand_in(monkeypatch):
    """Returns a function that puts some lines of Python, which know their `folder`, in place of `trainers.pretrain`."""
    monkeypatch.setattr(flags, "FLAGS", types.SimpleNamespace(base="base.cfg"))
    start = subprocess.Popen

    def put(lines):
        def run(command, **options):
            (run_dir,) = [word.removeprefix("--run_dir=") for word in command if word.startswith("--run_dir=")]
            put.command = command
            return start([sys.executable, "-c", PRETRAIN + lines, run_dir], **options)

        monkeypatch.setattr(subprocess, "Popen", run)

    return put


def written(value=0.5, **others):
    """Returns Python that writes a result row."""
    found = dataclasses.asdict(row(value=value, **others))
    return f"(folder / 'results.jsonl').write_text({json.dumps(found)!r})"


def tell(file, number):
    """Sends this process a signal as soon as a file is there."""
    while not file.exists():
        time.sleep(0.01)
    os.kill(os.getpid(), number)


def calls(folder):
    return (folder / "calls").read_text().count("called")


def test_a_run_is_the_flagfile_with_its_changes_in_its_folder(stand_in, tmp_path):
    stand_in(written(0.25))
    assert [row.value for row in sweep.train(tmp_path / "run", {"method": "moco", "seed": "3"}, "test")] == [0.25]
    assert stand_in.command == [
        sys.executable, "-m", "trainers.pretrain", "--flagfile=base.cfg", "--method=moco", "--seed=3",
        "--split=test", f"--run_dir={tmp_path / 'run'}",
    ]  # fmt: skip


@pytest.fixture
def finished(stand_in, tmp_path):
    """Returns the folder of a finished run, by a flagfile `base.cfg` beside it."""
    base = tmp_path / "base.cfg"
    base.write_text("--epochs=3\n--band=0.5,4\n--noartifacts\n")
    flags.FLAGS.base = str(base)
    values = flags.FlagValues()
    options.define(values)
    values(["pretrain", f"--flagfile={base}", "--run_dir=run", "--method=moco"])
    given = options.settings(values).as_text()
    lines = "\n".join(f"--{name}={value}" for name, value in given.items() if name != "run_dir")
    stand_in(f"(folder / 'flags.cfg').write_text({lines!r})\n" + written())
    sweep.train(tmp_path / "run", {"method": "moco"}, "test")
    return tmp_path / "run"


def test_a_run_that_is_done_is_read_and_not_repeated(finished):
    assert sweep.train(finished, {"method": "moco"}, "test") == rows.read_rows(finished / "results.jsonl")
    assert calls(finished) == 1


def test_a_run_that_is_done_with_other_flags_is_refused_with_what_changed(finished):
    base = finished.with_name("base.cfg")
    base.write_text(base.read_text().replace("--epochs=3", "--epochs=4"))
    with pytest.raises(ValueError, match=r"run holds a finished run of other flags: --epochs was 3, now 4\. Delete it"):
        sweep.train(finished, {"method": "moco"}, "test")
    base.write_text("--epochs=3\n--band=0.5,4\n--noartifacts\n--test_clips=7\n")
    with pytest.raises(ValueError, match="--test_clips was 0, now 7"):
        sweep.train(finished, {"method": "moco"}, "test")
    base.write_text("--epoch=3")
    with pytest.raises(ValueError, match=r"--base=.*base\.cfg: Unknown command line flag 'epoch'"):
        sweep.train(finished, {"method": "moco"}, "test")
    assert calls(finished) == 1


@pytest.mark.parametrize(
    ("end", "reason"), [("sys.exit(1)", "failed, see above"), ("signal.raise_signal(9)", "was ended by signal 9")]
)
def test_a_failed_run_is_one_error_and_the_same_call_goes_on_with_it(stand_in, tmp_path, end, reason):
    stand_in(end)
    with pytest.raises(ValueError, match=f"The run in {tmp_path} {reason}. The same command goes on with it"):
        sweep.train(tmp_path, {}, "test")
    stand_in(written())
    assert len(sweep.train(tmp_path, {}, "test")) == 1
    assert calls(tmp_path) == 2


def test_a_run_that_was_stopped_stops_the_sweep(stand_in, tmp_path):
    stand_in("sys.exit(130)")
    with pytest.raises(KeyboardInterrupt):
        sweep.train(tmp_path, {}, "test")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_stops_the_sweep_is_passed_on_and_the_run_may_save(stand_in, tmp_path, number):
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    stand_in("time.sleep(60)")
    # Handled in the main thread, which waits for the run meanwhile.
    teller = threading.Thread(target=tell, args=(tmp_path / "ready", number))
    teller.start()
    with pytest.raises(KeyboardInterrupt):
        sweep.train(tmp_path, {}, "test")
    teller.join()
    assert (tmp_path / "saved").read_text() == str(int(number))
    assert {each: signal.getsignal(each) for each in handlers} == handlers


def test_a_run_that_was_evaluated_on_other_clips_is_evaluated_on_those_asked_for(stand_in, tmp_path):
    stand_in(written())
    sweep.train(tmp_path, {}, "test")
    stand_in(written(0.75, split="validation"))
    assert [(row.value, row.split) for row in sweep.train(tmp_path, {}, "validation")] == [(0.75, "validation")]
    assert "--split=validation" in stand_in.command
    assert calls(tmp_path) == 2


def test_columns_are_the_protocols_that_rows_have_in_their_order():
    found = [row("1nn"), row("fft", "mape"), row("fft"), row("1nn", seed=1)]
    assert sweep.columns(found) == [("1nn", "mae"), ("fft", "mae")]
    assert sweep.columns(found, "mape") == [("fft", "mape")]


@pytest.mark.parametrize("seeds", [[], ["0", "0"], ["one"], ["-1"]])
def test_seeds_that_are_no_different_whole_numbers_are_refused(monkeypatch, seeds):
    monkeypatch.setattr(flags, "FLAGS", types.SimpleNamespace(seeds=seeds))
    with pytest.raises(ValueError, match=rf"--seeds takes different whole numbers, .*Found: '{','.join(seeds)}'"):
        sweep.seeds()
