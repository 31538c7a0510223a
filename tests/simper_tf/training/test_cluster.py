"""Who the workers are by `TF_CONFIG`, and that they wait for one another."""

import concurrent.futures
import contextlib
import json
import re
import socket

import pytest

from benchmarks.scaling_measured import free_addresses
from simper_tf.training.cluster import Cluster, Missing, from_environment


def config(cluster, task):
    return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}


def test_the_chief_comes_first_and_workers_follow_in_their_order():
    jobs = {"worker": ["b:2", "c:3"], "chief": ["a:1"]}
    found = from_environment(config(jobs, {"type": "worker", "index": 1}))
    assert found == Cluster(("a:1", "b:2", "c:3"), 2)
    assert from_environment(config(jobs, {"type": "chief", "index": 0})).is_chief
    assert from_environment(config({"worker": ["[::1]:2", "c:3"]}, {"type": "worker", "index": 0})).is_chief
    assert from_environment({}) is None
    assert from_environment({"TF_CONFIG": " "}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{worker", r"Expecting property name.*Found: \{worker\. Expected the form"),
        ("[]", "A part is missing, or has another form"),
        ("7", "A part is missing"),
        ('{"cluster": {"worker": ["a:1"]}}', r'A part is missing.*Found: \{"cluster"'),
        ('{"cluster": {"worker": 3}, "task": {"type": "worker", "index": 0}}', "A part is missing"),
        (
            '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": "x"}}',
            "index 'x' is no whole number",
        ),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}}', r"There is no worker 1\."),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": -1}}', r"There is no worker -1\."),
        ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "chief", "index": 0}}', "task is a 'chief', but the cl"),
        ('{"cluster": {"worker": ["a:1"], "ps": ["b:1"]}, "task": {"type": "ps", "index": 0}}', "tasks of the kind ps"),
        ('{"cluster": {"worker": ["a"]}, "task": {"type": "worker", "index": 0}}', r"'a' is no host:port\."),
        ('{"cluster": {"worker": ["a:99999"]}, "task": {"type": "worker", "index": 0}}', "'a:99999' is no host:port"),
        ('{"cluster": {"worker": ["a:1", "a:1"]}, "task": {"type": "worker", "index": 0}}', "a:1 is there twice"),
    ],
)
def test_a_malformed_variable_is_told_with_what_is_expected(text, message):
    with pytest.raises(ValueError, match=rf"^TF_CONFIG: .*{message}") as error:
        from_environment({"TF_CONFIG": text})
    assert 'Expected the form {"cluster": {"worker": ["host:port"' in str(error.value)


def listening(address):
    host, port = address.split(":")
    return socket.create_server((host, int(port)))


def test_a_chief_waits_until_all_others_listen():
    addresses = tuple(free_addresses(3))
    with concurrent.futures.ThreadPoolExecutor(1) as threads, contextlib.ExitStack() as opened:
        chief = threads.submit(Cluster(addresses, 0).wait_for_others, 20.0)
        opened.enter_context(listening(addresses[1]))
        with pytest.raises(concurrent.futures.TimeoutError):
            chief.result(0.5)
        opened.enter_context(listening(addresses[2]))
        assert chief.result(20.0) is None


def test_a_worker_that_never_comes_is_named():
    addresses = tuple(free_addresses(3))
    message = (
        rf"After 0.3 s these of the 3 workers have not come: worker 2 at {re.escape(addresses[2])}\. .*`worker_sec"
    )
    with listening(addresses[1]), pytest.raises(Missing, match=message):
        Cluster(addresses, 0).wait_for_others(0.3)


def test_a_chief_that_never_comes_is_named():
    message = r"After 9 s these of the 2 workers have not come: the chief \(worker 0\) at a:1\. Start"
    assert re.match(message, str(Cluster(("a:1", "b:2"), 1).missing([0], 9)))


@pytest.mark.parametrize("index", [0, 1])
def test_an_address_in_use_is_told(index):
    addresses = tuple(free_addresses(2))
    cluster = Cluster(addresses, index)
    cluster.check_port()
    message = rf"TF_CONFIG: worker {index} is to listen at {addresses[index]}, but that port is in use"
    with listening(addresses[index]), pytest.raises(OSError, match=message):
        cluster.check_port()


def test_the_port_is_tried_at_the_address_that_is_named():
    (address,) = free_addresses(1)
    port = address.split(":")[1]
    with listening(f"127.0.0.2:{port}"):  # Another interface.
        Cluster((f"127.0.0.1:{port}", "b:2"), 0).check_port()
    Cluster((f"192.0.2.1:{port}", "b:2"), 0).check_port()  # None of this machine: TensorFlow listens all the same.
