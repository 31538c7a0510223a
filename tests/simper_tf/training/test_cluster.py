"""Who the workers are, and how they meet; here each is a thread."""

import concurrent.futures
import json
import re
import socket

import pytest

from benchmarks.scaling_measured import free_addresses
from simper_tf.training.cluster import Cluster, Missing, from_environment


def meet(workers, seconds=20.0):
    """Returns what each worker raises, None for nothing; a worker is a `Cluster` and its task."""

    def outcome(worker):
        cluster, task = worker
        try:
            cluster.meet(task, seconds)
        except (ValueError, OSError) as error:
            return error

    with concurrent.futures.ThreadPoolExecutor(len(workers)) as threads:
        return list(threads.map(outcome, workers))


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
def test_a_malformed_variable_is_told_by_what_was_found_and_what_is_expected(text, message):
    with pytest.raises(ValueError, match=rf"^TF_CONFIG: .*{message}") as error:
        from_environment({"TF_CONFIG": text})
    assert 'Expected the form {"cluster": {"worker": ["host:port"' in str(error.value)


@pytest.mark.parametrize("number", [2, 3])
def test_workers_that_all_come_meet_twice_at_the_same_addresses(number):
    addresses = tuple(free_addresses(number))
    for _ in range(2):
        assert meet([(Cluster(addresses, k), "train") for k in range(number)]) == [None] * number


def test_a_worker_that_never_comes_is_named_to_all_who_came():
    addresses = tuple(free_addresses(3))
    found = meet([(Cluster(addresses, k), "train") for k in (0, 2)], seconds=1.0)
    message = rf"After 1 s these of the 3 workers have not come: worker 1 at {re.escape(addresses[1])}\. .*--worker_sec"
    for error in found:
        assert isinstance(error, Missing)
        assert re.match(message, str(error))


def test_a_chief_that_never_comes_is_named():
    addresses = tuple(free_addresses(2))
    (error,) = meet([(Cluster(addresses, 1), "train")], seconds=0.5)
    assert re.match(rf"After 0.5 s .* have not come: the chief \(worker 0\) at {addresses[0]}", str(error))


@pytest.mark.parametrize("index", [0, 1])
def test_an_address_in_use_is_told(index):
    addresses = tuple(free_addresses(2))
    host, port = addresses[index].split(":")
    with socket.create_server((host, int(port))):
        (error,) = meet([(Cluster(addresses, index), "train")], seconds=1.0)
    assert isinstance(error, OSError)
    assert re.match(
        rf"TF_CONFIG: worker {index} is to listen at {addresses[index]}, but that port is in use", str(error)
    )


def test_workers_with_other_flags_another_cluster_or_the_place_of_another_are_refused():
    addresses = tuple(free_addresses(2))
    for error in meet([(Cluster(addresses, 0), "train"), (Cluster(addresses, 1), "sleep")]):
        assert re.match(r"Worker 1 was started with other flags than the chief", str(error))
    other = (addresses[0], "127.0.0.1:1", *free_addresses(1))
    for error in meet([(Cluster(addresses, 0), "train"), (Cluster(other, 2), "train")]):
        assert re.match(rf"TF_CONFIG of worker 2 names the workers {', '.join(other)}, that of the chief", str(error))


def test_what_else_calls_at_the_port_disturbs_nobody():
    addresses = tuple(free_addresses(2))
    host, port = addresses[0].split(":")

    def disturb(_):
        for words in (b"", b"GET / HTTP/1.1\r\n\r\n", b"[1]\n", b"7\n"):
            for _ in range(100):
                try:
                    with socket.create_connection((host, int(port)), 1.0) as caller:
                        caller.sendall(words)
                        break
                except OSError:
                    pass

    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        chief = threads.submit(Cluster(addresses, 0).meet, "train", 20.0)
        threads.submit(disturb, 0).result()
        worker = threads.submit(Cluster(addresses, 1).meet, "train", 20.0)
        assert (chief.result(), worker.result()) == (None, None)
