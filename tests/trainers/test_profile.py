"""`--profile` leaves a trace of ops that Perfetto can read, and changes nothing else."""

import gzip
import json
import re

import numpy as np
import pytest
from finished import final_weights, results
from tensorflow.tsl.profiler.protobuf import xplane_pb2

from simper_tf.training.settings import Settings
from trainers import grid, pretrain, profile


def trace_of(folder):
    (path,) = (folder / "logs" / "profile").rglob("*.trace.json.gz")
    return path, json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]


@pytest.mark.slow
def test_a_profiled_run_leaves_ops_and_the_rows_of_a_plain_one(call, tmp_path, capsys):
    arguments = ["--epochs=4", "--deterministic"]
    call(pretrain.main, f"--run_dir={tmp_path / 'profiled'}", *arguments, "--profile")
    path, events = trace_of(tmp_path / "profiled")
    assert f"Profile: {path}. Open it at ui.perfetto.dev" in capsys.readouterr().out
    assert path.with_name(path.name.replace(".trace.json.gz", ".xplane.pb")).exists()
    ops = [event for event in events if re.search(r"frame_conv2d.*:\w*Conv2DBackpropFilter", event["name"])]
    # Three convolutions of five steps.
    assert len(ops) == 15
    assert all(event["ph"] == "X" and event["ts"] >= 0 and event["dur"] > 0 for event in ops)
    threads = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert {(event["pid"], event["tid"]) for event in ops} <= threads
    call(pretrain.main, f"--run_dir={tmp_path / 'plain'}", *arguments)
    rows = [[{**row, "seconds": 0} for row in results(tmp_path / name)] for name in ("profiled", "plain")]
    assert rows[0] == rows[1]
    weights = [final_weights(tmp_path / name)[1] for name in ("profiled", "plain")]
    for name, value in weights[0].items():
        np.testing.assert_array_equal(value, weights[1][name], err_msg=name)


@pytest.mark.slow
def test_a_run_too_short_for_a_profile_says_so(call, tmp_path, capsys):
    call(pretrain.main, f"--run_dir={tmp_path / 'run'}", "--train_clips=4", "--profile")
    assert "No profile: it begins after 2 steps of a process, and training ended before." in capsys.readouterr().out
    assert not (tmp_path / "run" / "logs" / "profile").exists()


@pytest.fixture
def recorded(monkeypatch, tmp_path):
    """Returns what the profiler is told, in place of the profiler."""
    told, profiler = [], profile.tf.profiler.experimental
    monkeypatch.setattr(profiler, "start", lambda folder: told.append("start"))
    monkeypatch.setattr(profiler, "stop", lambda: told.append("stop"))
    monkeypatch.setattr(profile, "newest", lambda folder: tmp_path / "host.xplane.pb")
    monkeypatch.setattr(profile, "events", lambda path: [{"ph": "M"}])
    return told


@pytest.mark.parametrize("first", [0, 40])
def test_a_profile_takes_five_steps_after_the_first_two(recorded, tmp_path, first):
    seen = {}
    with profile.Profile(tmp_path, True) as taken:
        for step in range(first, first + 20):
            taken.before_step(step)
            seen[step - first] = len(recorded)
    assert recorded == ["start", "stop"]
    assert [step for step, count in seen.items() if count == 1] == [2, 3, 4, 5, 6]


def test_a_profile_ends_with_a_training_that_ends_early_or_fails(recorded, tmp_path):
    def train():
        with profile.Profile(tmp_path, True) as taken:
            for step in range(4):
                taken.before_step(step)
            raise FloatingPointError

    with pytest.raises(FloatingPointError):
        train()
    assert recorded == ["start", "stop"]
    assert (tmp_path / "host.trace.json.gz").exists()


def test_a_trace_has_microseconds_by_device_and_thread(tmp_path):
    space = xplane_pb2.XSpace()
    for device in ("CPU", "GPU"):
        plane = space.planes.add(name=device)
        plane.event_metadata[7].name = f"{device}:Add"
        for thread in range(2):
            line = plane.lines.add(name=f"thread {thread}", timestamp_ns=5_000_000)
            line.events.add(metadata_id=7, offset_ps=1_500_000 * thread, duration_ps=250_000)
    (tmp_path / "host.xplane.pb").write_bytes(space.SerializeToString())
    told = profile.events(tmp_path / "host.xplane.pb")
    spans = [(one["name"], one["pid"], one["tid"], one["ts"], one["dur"]) for one in told if one["ph"] == "X"]
    assert spans == [
        ("CPU:Add", 1, 1, 5000.0, 0.25), ("CPU:Add", 1, 2, 5001.5, 0.25),
        ("GPU:Add", 2, 1, 5000.0, 0.25), ("GPU:Add", 2, 2, 5001.5, 0.25),
    ]  # fmt: skip
    threads = ["thread_name", "thread 0"], ["thread_name", "thread 1"]
    named = [[one["name"], one["args"]["name"]] for one in told if one["ph"] == "M"]
    assert named == [["process_name", "CPU"], *threads, ["process_name", "GPU"], *threads]


def test_a_profile_is_no_setting_of_the_weights_nor_of_the_rows():
    assert Settings(profile=True).digest() == Settings().digest()
    assert "profile" in grid.ELSEWHERE
