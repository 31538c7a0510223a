"""Printing, and what happens where it fails."""

import os
import signal
import subprocess
import sys

import pytest
from absl import flags

from trainers import cli, options


def test_a_second_counter_of_the_same_words_prints_as_the_first(capsys):
    for _ in range(2):
        counter = cli.Counter("examples", 20)
        for done in range(1, 21):
            counter(done)
    lines = [line.partition("  ")[0] for line in capsys.readouterr().out.splitlines()]
    once = ["examples 1/20", *(f"examples {done}/20" for done in range(2, 21, 2))]
    assert lines == 2 * once


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_asks_to_stop_and_the_second_interrupts(number, capsys):
    if signal.getsignal(number) == signal.SIG_IGN:  # As under nohup.
        signal.signal(number, signal.SIG_DFL)
    before = signal.getsignal(number)
    with cli.StopRequest() as stop:
        assert not stop()
        signal.raise_signal(number)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert signal.getsignal(number) == before
    assert "Stopping after this step" in capsys.readouterr().out


def test_a_hangup_that_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with cli.StopRequest() as stop:
            signal.raise_signal(signal.SIGHUP)
            assert not stop()
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "--run_dir is missing"),
        (["--run_dir=x", "--steps=ten"], "--steps takes a whole number. Found: ten"),
        (["--run_dir=x", "--steps=-1"], "--steps takes a non-negative integer. Found: -1"),
        (["--run_dir=x", "--num_views=1"], "--num_views must be at least 2. Found: 1"),
        (["--run_dir=x", "--learning_rate=high"], "--learning_rate takes a number. Found: high"),
        (["--run_dir=x", "--split=tset"], "--split is one of test|validation. Found: tset"),
        (["--run_dir=x", "--overwrite=maybe"], "--overwrite takes true or false. Found: maybe"),
        (["--run_dir=x", "--flagfile=none.cfg"], "--flagfile=none.cfg: no such file"),
        (["--run_dir=x", "--bnad=1,2"], "there is no flag --bnad. Did you mean --band?"),
    ],
)
def test_wrong_flags_are_one_line_that_names_them(words, line):
    values = flags.FlagValues()
    options.define(values)
    with pytest.raises(SystemExit) as end:
        cli.parsed("trainers.pretrain", ["pretrain", *words], values)
    assert end.value.code == f"pretrain: error: {line}{'.' * (line[-1] != '?')} Try python -m trainers.pretrain --help."


@pytest.mark.slow
def test_what_the_library_refuses_is_told_by_flags(tmp_path):
    words = [sys.executable, "-m", "trainers.pretrain", f"--run_dir={tmp_path}", "--norm=group"]
    said = subprocess.run(words, capture_output=True, text=True).stderr
    assert said.startswith("pretrain: error: --norm=group means nothing with --method=simper, --encoder=small, ")
    assert said.endswith("Leave it out, or take back what a flagfile has set by an empty --norm=.\n")


def run(body, **streams):
    code = f"from trainers import cli\ndef main():\n    {body}\ncli.run(main)"
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=False, **streams)


@pytest.mark.slow
def test_a_full_disk_behind_standard_output_is_one_line():
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = run("cli.say('x')", stdout=full)
    assert done.returncode == 1
    assert done.stderr == ("-c: error: standard output: No space left on device; nothing that was finished is lost.\n")


@pytest.mark.slow
def test_a_stop_is_noted_though_nobody_reads_that():
    end, write = os.pipe()
    os.close(end)
    body = (
        "import signal\n"
        "    with cli.StopRequest() as stop:\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        "        raise ValueError(f'stop {stop()}')"
    )
    done = run(body, stdout=write)
    os.close(write)
    assert done.stderr == "-c: error: stop True\n"


@pytest.mark.slow
def test_a_program_without_standard_output_counts_in_silence():
    done = run("cli.Counter('x', 2)(1)", preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, "")
