"""The recipes for clusters are whole files of their kind, and start the command with flags that it has."""

import json
import os
import pathlib
import re
import subprocess

import pytest
import yaml

from simper_tf.training.cluster import from_environment
from simper_tf.training.settings import Settings

FOLDER = pathlib.Path(__file__).parents[1] / "cluster"
STANDINS = {
    "scontrol": "printf 'n1\\nn2\\n'",
    "srun": 'shift; SLURM_PROCID=1 exec "$@"',
    "python": 'printf "%s\\n" "$TF_CONFIG" "$*"',
}


def run_with_standins(words, folder, **variables):
    """Returns what a script prints where the commands that it calls only say how they are called."""
    for name, line in STANDINS.items():
        path = folder / name
        path.write_text(f"#!/bin/bash\n{line}\n")
        path.chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", **variables}
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout


def assert_starts_a_worker(printed, index, addresses):
    *config, command = printed.strip().splitlines()
    assert json.loads(" ".join(config))["task"] == {"type": "worker", "index": index}
    found = from_environment({"TF_CONFIG": " ".join(config)})
    assert (found.addresses, found.index) == (addresses, index)
    assert command.startswith("-m trainers.pretrain --strategy=multiworker --flagfile=flags/scamps.cfg")
    for flag in re.findall(r"--(\w+)=", command):
        assert flag == "flagfile" or hasattr(Settings(), flag)


def test_slurm_gives_each_worker_its_index_and_all_names(tmp_path):
    script = str(FOLDER / "slurm.sbatch")
    subprocess.run(["bash", "-n", script], check=True)
    words = ["bash", script, "--flagfile=flags/scamps.cfg", "--run_dir=/shared/runs/scamps"]
    printed = run_with_standins(words, tmp_path, SLURM_JOB_ID="12345", SLURM_JOB_NODELIST="n[1-2]")
    assert_starts_a_worker(printed, 1, ("n1:22345", "n2:22345"))


@pytest.mark.parametrize("index", [0, 1])
def test_kubernetes_starts_as_many_workers_as_it_names(tmp_path, index):
    service, policy, job = yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text())
    (container,) = job["spec"]["template"]["spec"]["containers"]
    words = [*container["command"], *container["args"]]
    printed = run_with_standins(words, tmp_path, JOB_COMPLETION_INDEX=str(index))
    assert_starts_a_worker(printed, index, tuple(f"simper-{k}.simper:2222" for k in range(2)))
    assert job["spec"]["completions"] == job["spec"]["parallelism"] == 2
    assert service["metadata"]["name"] == job["spec"]["template"]["spec"]["subdomain"] == "simper"
    assert policy["spec"]["podSelector"]["matchLabels"] == service["spec"]["selector"]
    assert policy["spec"]["ingress"] == [{"from": [{"podSelector": policy["spec"]["podSelector"]}]}]
    assert service["spec"]["selector"] == job["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize("name", ["slurm.sbatch", "kubernetes.yaml"])
def test_a_recipe_says_that_it_was_not_run_and_ports_are_open(name):
    text = (FOLDER / name).read_text()
    assert "Not run on a cluster" in text
    assert "without a password" in text
