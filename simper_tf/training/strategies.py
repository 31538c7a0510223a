"""Devices that share a batch: one, those of a machine, or those of several machines."""

import contextlib
import signal

import tensorflow as tf

from simper_tf.training.cluster import Cluster, from_environment
from simper_tf.training.settings import Settings


class WorkerLost(ValueError):
    """Another worker has gone while this one trained with it."""


def cluster_of(settings: Settings) -> Cluster | None:
    """Returns the workers that train together, None where this process trains alone.

    Raises:
        ValueError: `TF_CONFIG` is malformed, or is missing where the settings ask for it.
    """
    if settings.strategy not in ("auto", "multiworker"):
        return None
    found = from_environment()
    if settings.strategy == "multiworker" and found is None:
        raise ValueError(
            "--strategy=multiworker finds its workers in the variable TF_CONFIG, which is not set. Set it for every "
            "process (see docs/scaling.md), or leave the flag out."
        )
    # One worker is no company, though some schedulers name it.
    return found if found and len(found.addresses) > 1 else None


def make(settings: Settings, cluster: Cluster | None = None) -> tf.distribute.Strategy:
    """Returns the strategy of the settings, made before TensorFlow computes anything; waits for all workers.

    Args:
        settings: Settings of the run.
        cluster: The workers of the run, where there are several.

    Raises:
        ValueError: there are not so many GPUs, they do not divide the batch, or a worker is missing.
        OSError: the address of this worker is in use.
    """
    gpus = tf.config.list_physical_devices("GPU")
    local = settings.replicas or max(len(gpus), 1)
    number = local * (len(cluster.addresses) if cluster else 1)
    if settings.strategy == "one":
        if settings.replicas > 1:
            raise ValueError(f"--strategy=one and --replicas={settings.replicas} exclude one another. Leave one out.")
        local = number = 1
    if settings.batch_size % number:
        raise ValueError(f"--batch_size={settings.batch_size} clips cannot be shared evenly among {number} replicas.")
    if gpus and local > len(gpus):
        raise ValueError(f"--replicas={local}, but there are {len(gpus)} GPUs.")
    if cluster:
        return _with_others(settings, cluster, gpus[:local], local)
    if number == 1 and settings.strategy != "mirrored":
        return tf.distribute.get_strategy()
    if gpus:
        return tf.distribute.MirroredStrategy([f"GPU:{k}" for k in range(number)])
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * number)
    return tf.distribute.MirroredStrategy([f"CPU:{k}" for k in range(number)])


@contextlib.contextmanager
def losing_nobody():
    """Turns what TensorFlow says, in the time of a block, of a worker that has gone into one clear error.

    Raises:
        WorkerLost: another worker has ended, or has not answered in time.
    """
    try:
        yield
    except (tf.errors.UnavailableError, tf.errors.DeadlineExceededError, tf.errors.AbortedError) as error:
        raise WorkerLost(
            "Another worker has ended, or did not answer within --worker_seconds: what it has printed says why. Start "
            "all workers again, without --overwrite: the run continues at its last checkpoint."
        ) from error


def _with_others(settings, cluster, gpus, local):
    if not gpus and local > 1:
        raise ValueError(f"--replicas={local}: on a CPU every worker is one replica. Leave it out.")
    if gpus:
        tf.config.set_visible_devices(gpus, "GPU")
    cluster.meet(f"settings {settings.digest()} and seed {settings.seed}", settings.worker_seconds)
    # What takes longer is a worker that hangs, or a machine that has gone without a word.
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=settings.worker_seconds)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # TensorFlow has taken it for itself, and does not end by it.
    return strategy
