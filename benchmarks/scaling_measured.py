"""Scaling as far as one machine can measure it: two processes, input alone, micro-batches, memory a clip.

All values are measured in one run, and each is shown as a ratio to another of the same run. `benchmarks.scaling` prints
these tables behind its own.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

from benchmarks import step_memory, steps
from simper_tf.evaluation import markdown_tables
from trainers import history

# Clips a step of all processes together, and steps of a run: the longer, the less the start counts.
CLIPS, STEPS = 8, 120
MICRO_BATCHES, MEMORY_CLIPS = (0, 4, 2, 1), 8


def report() -> str:
    """Returns all tables."""
    parts = [
        ("Clips a second in training, on cores of this machine:", processes_table(STEPS)),
        ("Batches that nobody trains on, and steps on a batch that is there:", input_table(1000)),
        ("Memory of a step by `--micro_batch`, encoder `cnn3d` of affine norm:", micro_batch_table()),
        ("Memory of the activations of a clip:", step_memory.flagfiles_table()),
    ]
    return "\n\n".join(f"{title}\n\n{table}" for title, table in parts)


def processes_table(num_steps: int) -> str:
    """Returns clips a second of one process on one core and on two, and of two processes with a core each.

    Raises:
        ValueError: there are no two cores.
    """
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise ValueError("Two processes are compared on two cores, and this process may use one alone.")
    setups = {"1 process, 1 core": [cores[:1]], "1 process, 2 cores": [cores]}
    setups["2 processes, a core each"] = [[core] for core in cores]
    rates = {}
    for title, of_processes in setups.items():
        print(f"training with {title} ...", flush=True)
        rates[title] = clips_per_second(of_processes, num_steps)
    first = next(iter(rates.values()))
    lines = [[title, f"{rate:.1f}", f"{rate / first:.2f}"] for title, rate in rates.items()]
    return markdown_tables.markdown_table(["training", "clips/s", "to one core"], lines)


def clips_per_second(cores_of_processes: list[list[int]], num_steps: int) -> float:
    """Returns what the chief logs last of a run of `CLIPS` clips a step.

    Args:
        cores_of_processes: For each process that trains with the others, the cores it may use.
        num_steps: Steps of the run.

    Raises:
        RuntimeError: a process failed, or has not logged how fast it was.
    """
    addresses, processes = free_addresses(len(cores_of_processes)), []
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "trainers.pretrain", f"--flagfile={steps.QUICKSTART}", f"--run_dir={folder}/run"]
        words += [f"--batch_size={CLIPS}", f"--steps={num_steps}", "--noartifacts", "--test_clips=1"]
        try:
            for index, cores in enumerate(cores_of_processes):
                task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
                environment = {**os.environ, "TF_CONFIG": json.dumps(task)}
                processes.append(subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True))
                os.sched_setaffinity(processes[-1].pid, cores)
            said = [process.communicate()[0] for process in processes]
        finally:
            for process in processes:
                process.kill()  # Nothing to one that has ended.
        logged = history.records_of(pathlib.Path(folder, "run", "logs", "history.jsonl"))
    codes = [process.returncode for process in processes]
    if any(codes) or not logged:
        raise RuntimeError(f"A run ended with {codes}: {said}")
    return logged[-1]["clips_per_second"]


def input_table(num_clips: int) -> str:
    """Returns clips a second of the quickstart's input alone, kept in memory and read from files, and of its step."""
    print("measuring input ...", flush=True)
    kept, stepping = steps.input_alone(num_clips)
    read, _ = steps.input_alone(num_clips, cache_bytes=0)
    rates = {"input alone, clips kept in memory": kept, "input alone, clips read from files": read}
    lines = [[title, f"{rate:.0f}", f"{rate / stepping:.0f}"] for title, rate in rates.items()]
    return markdown_tables.markdown_table(
        ["quickstart", "clips/s", "to the step"], [*lines, ["step alone", f"{stepping:.1f}", "1"]]
    )


def micro_batch_table() -> str:
    """Returns the GiB of a step on `MEMORY_CLIPS` clips by how many of them are computed at once."""
    frame_shape, num_frames, _ = step_memory.SIZES["cnn3d"]
    peaks = {}
    for size in MICRO_BATCHES:
        print(f"measuring --micro_batch={size} ...", flush=True)
        peaks[size] = step_memory.step_gib("cnn3d", frame_shape, num_frames, MEMORY_CLIPS, size)
    lines = [[str(size), f"{gib:.2f}", f"{gib / peaks[0]:.2f}"] for size, gib in peaks.items()]
    return markdown_tables.markdown_table(["--micro_batch", f"GiB, {MEMORY_CLIPS} clips", "to 0, all at once"], lines)


def free_addresses(number: int) -> list[str]:
    """Returns addresses of this machine at which nobody listens."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    addresses = [f"127.0.0.1:{server.getsockname()[1]}" for server in sockets]
    for server in sockets:
        server.close()
    return addresses
