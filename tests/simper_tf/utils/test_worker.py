"""A reader that crashes, bombs, spins or sleeps costs one file, and is one sentence."""

import importlib
import os
import resource
import signal
import subprocess
import sys
import textwrap

import pytest

from simper_tf.utils import worker
from simper_tf.utils.errors import BrokenInstallationError, RawDataError

TASKS = """
    import ctypes, os, time
    from simper_tf.utils import systems, worker
    from simper_tf.utils.errors import RawDataError

    def count(path, number):
        for k in range(number):
            yield {"k": k}, bytes([k]) * 300_000

    def limit(path):
        import resource
        yield resource.getrlimit(resource.RLIMIT_AS)[0], b""

    def segfault(path):
        yield {}, b""
        ctypes.string_at(0)

    def abort(path):
        os.abort()
        yield

    def bomb(path):
        bytearray(2**50)
        yield

    def defect(path):
        yield {}, [].missing

    def unloaded(path):
        yield {}, b""
        import simper_tf.tables.lost

    def refuse(path):
        raise RawDataError(path, "this", "that", "Mend it.")
        yield

    def limit_of(path, number):
        import resource
        worker.expect(number)
        yield {"limit": resource.getrlimit(resource.RLIMIT_AS)[0], "taken": systems.taken()}, b""

    def hold(path, size):
        held = bytearray(size)
        yield {}, b""

    def keep(path, size):
        kept.append(bytearray(size))
        yield {}, b""

    kept = []

    def refuse_other(path):
        raise RawDataError(os.path.join(os.path.dirname(path), "b.hea"), "this", "that", "Mend it.")
        yield

    def spin(path):
        worker.PATIENCE = 1
        worker.allow()
        while True:
            pass
        yield

    def sleep(path):
        time.sleep(1000)
        yield
"""


@pytest.fixture(autouse=True)
def tasks(tmp_path, monkeypatch):
    """A module of tasks; workers that know it are those of one test."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "made_up_tasks.py").write_text(textwrap.dedent(TASKS))
    worker._idle.clear()
    yield
    worker._idle.clear()
    worker._end_all()


@pytest.fixture
def started(monkeypatch):
    """Returns the workers that are asked, in order."""
    workers, ready = [], worker._Worker.ready
    monkeypatch.setattr(worker._Worker, "ready", lambda: workers.append(ready()) or workers[-1])
    return workers


def run(task, **arguments):
    return list(worker.answers(f"made_up_tasks:{task}", "a.mp4", **arguments))


def test_one_process_answers_request_after_request(started):
    for number in (3, 5):
        assert run("count", number=number) == [({"k": k}, bytes([k]) * 300_000) for k in range(number)]
    assert run("limit") == [(worker.MEMORY, b"")]
    with pytest.raises(RawDataError, match=r"^a.mp4: found this; expected that. Mend it.$"):
        run("refuse")
    assert len(started) == 4
    assert len(set(started)) == 1


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("segfault", r"damage or a size that ends its reader \(SIGSEGV\)"),
        ("abort", r"damage or a size that ends its reader \(SIGABRT\)"),
        ("bomb", "what 6 GiB are not enough for"),
    ],
)
def test_a_crash_is_one_sentence_and_the_next_file_is_read(task, said):
    with pytest.raises(RawDataError, match=rf"a.mp4: found {said}; expected a complete file that can be read"):
        run(task)
    assert len(run("count", number=2)) == 2


@pytest.mark.slow
def test_computing_without_an_answer_ends_by_its_cpu_time():
    with pytest.raises(RawDataError, match="no end of reading after 60 s of computing"):
        run("spin")


@pytest.mark.slow
def test_a_decoder_that_waits_for_itself_ends(monkeypatch):
    monkeypatch.setattr(worker, "PATIENCE", 2)
    with pytest.raises(RawDataError, match="a reader that has stood still"):
        run("sleep")


def test_a_defect_of_ours_is_a_sentence_with_its_cause():
    with pytest.raises(
        RawDataError, match=r"a.mp4: found what its reader stumbles over \(AttributeError: .*\)"
    ) as told:
        run("defect")
    assert "made_up_tasks.py" in str(told.value.__cause__)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("made_up_tasks:unloaded", "No module named 'simper_tf.tables.lost'"),
        ("made_up_tasks:lost", "module 'made_up_tasks' has no attribute 'lost'"),
        ("made_half:count", r"'\(' was never closed \(made_half.py, line 1\)"),
    ],
)
def test_a_broken_installation_is_no_fault_of_a_file(task, said, tmp_path, started):
    (tmp_path / "made_half.py").write_text("def count(")
    with pytest.raises(BrokenInstallationError, match=rf"^The installation is broken: {said}\. Install it again"):
        list(worker.answers(task, "a.mp4"))
    assert len(run("count", number=2)) == 2
    assert len(set(started)) == 1


def test_a_table_may_take_memory_beside_its_numbers(started):
    (took,), (more,) = ([facts for facts, _ in run("limit_of", memory=worker.BESIDE, number=n)] for n in (0, 10**7))
    assert more["limit"] - took["limit"] == pytest.approx(worker.A_NUMBER * 10**7, abs=2**26)
    assert took["limit"] - took["taken"] == pytest.approx(worker.BESIDE, abs=2**26)
    assert run("limit") == [(worker.MEMORY, b"")]
    with pytest.raises(RawDataError, match=r"found what 1\.5 GiB beside its numbers are not enough for; expected"):
        run("hold", memory=worker.BESIDE, size=2**31)
    assert run("hold", memory=worker.BESIDE, size=2**30) == [({}, b"")]


def test_a_process_that_has_grown_is_not_kept(started):
    assert run("keep", size=2**30) == [({}, b"")]
    assert started[-1] not in worker._idle
    assert run("keep", size=2**20) == [({}, b"")]
    assert started[-1] in worker._idle
    assert len(set(started)) == 2


def test_another_file_at_fault_is_named_as_the_first_was(tmp_path):
    with pytest.raises(RawDataError, match=r"^folder/b.hea: found this;"):
        list(worker.answers("made_up_tasks:refuse_other", "folder/a.mp4"))


def test_two_requests_at_once_have_a_process_each(started):
    first, second = (worker.answers("made_up_tasks:count", "a.mp4", number=9) for _ in range(2))
    assert [next(first)[0], next(second)[0], next(first)[0]] == [{"k": 0}, {"k": 0}, {"k": 1}]
    first.close()
    second.close()
    assert len(set(started)) == 2


def test_answers_that_nobody_wants_end_their_process(started):
    answers = worker.answers("made_up_tasks:count", "a.mp4", number=200)
    next(answers)
    answers.close()
    assert started[-1]._process.poll() == -signal.SIGKILL
    assert started[-1] not in worker._idle


def test_a_process_that_died_while_idle_is_replaced(started):
    run("count", number=1)
    started[-1]._process.kill()
    started[-1]._process.wait()
    assert len(run("count", number=2)) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_to_stop_are_left_to_the_program(number, started):
    answers = worker.answers("made_up_tasks:count", "a.mp4", number=9)
    next(answers)
    started[-1]._process.send_signal(number)
    assert len(list(answers)) == 8


def in_a_program(code):
    """Returns what a program prints that has asked a worker once, whose process id is `pid`."""
    before = """
        import atexit, os, resource, signal, sys, time
        def last():
            try:
                os.kill(pid, 0)
                print("it is there")
            except ProcessLookupError:
                print("it is gone", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 5_000)
        atexit.register(last)
        from simper_tf.utils import worker
        answers = worker.answers("made_up_tasks:count", "a.mp4", number=100)
        next(answers)
        (running,) = worker._all
        pid = running._process.pid
    """
    program = textwrap.dedent(before) + textwrap.dedent(code)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode in (0, -signal.SIGINT, 130, 1), done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("code", ["", "raise KeyboardInterrupt", "os.kill(pid, signal.SIGSTOP)"])
def test_processes_end_with_the_program_however_that_ends(code):
    assert in_a_program(code) == "it is gone True\n"


FORKED = """
    if os.fork() == 0:
        atexit.unregister(last)
        sys.exit()
    os.wait()
    print(running._process.poll())
"""
CTRL_C = """
    print(os.getpgid(pid) == pid != os.getpgid(0), len(list(answers)))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("code", "printed"), [(FORKED, "None"), (CTRL_C, "True 99")], ids=["forked", "ctrl_c"])
def test_forks_and_ctrl_c_of_the_program_leave_the_process_alone(code, printed):
    assert in_a_program(code) == f"{printed}\nit is gone True\n"


@pytest.mark.slow
def test_what_prints_at_the_start_of_python_is_no_answer(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('Welcome to this cluster')")
    assert in_a_program("") == "Welcome to this cluster\nit is gone True\n"


def test_a_lower_limit_of_memory_stays(started):
    lower, (soft, hard) = worker.MEMORY // 2, resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (lower, hard))
    try:
        worker._idle.clear()
        assert run("limit") == [(lower, b"")]
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_a_module_that_is_no_longer_on_the_path_is_found(tmp_path, monkeypatch):
    run("count", number=1)  # The process has the path as it was.
    (tmp_path / "made_late").mkdir()
    (tmp_path / "made_late" / "tasks.py").write_text("def one(path):\n    yield 1, b'one'\n")
    with monkeypatch.context() as patched:
        patched.syspath_prepend(tmp_path)
        importlib.import_module("made_late.tasks")
    assert list(worker.answers("made_late.tasks:one", "a.mp4")) == [(1, b"one")]
