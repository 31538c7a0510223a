import types

import pytest
import tensorflow as tf

from simper_tf.training import strategies
from simper_tf.training.cluster import Cluster, Missing
from simper_tf.training.settings import Settings
from simper_tf.utils import replicas


@pytest.fixture
def others():
    """Returns a strategy of two processes, of which the other one has gone."""

    def run(function, arguments):
        raise tf.errors.UnavailableError(None, None, "Socket closed")

    here = types.SimpleNamespace(worker_devices=["CPU:0"])
    return types.SimpleNamespace(num_replicas_in_sync=2, extended=here, run=run, experimental_local_results=list)


def test_who_leaves_last_is_not_told_of_those_who_left(others):
    with pytest.raises(tf.errors.UnavailableError):
        replicas.anywhere(others, lambda: False)()
    assert replicas.leave_together(others) is None


def test_workers_with_other_flags_leave_together(others, monkeypatch):
    left = []
    monkeypatch.setattr(replicas, "of_processes", lambda *_: [1, 2])
    monkeypatch.setattr(replicas, "leave_together", left.append)
    cluster = Cluster(("127.0.0.1:1", "127.0.0.1:2"), 0)
    with pytest.raises(Missing, match=r"^Worker 1 was started with other flags than the chief"):
        strategies._check_same(others, cluster, Settings())
    assert left == [others]
