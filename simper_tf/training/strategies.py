"""Devices that share a batch: one, those of a machine, or those of several machines."""

import contextlib
import hashlib
import signal

import tensorflow as tf
from tensorflow.python.eager import context  # No public name sets the time that workers wait for the chief.

from simper_tf.training.cluster import Cluster, Missing, from_environment
from simper_tf.training.settings import Settings
from simper_tf.utils import replicas


class WorkerLost(ValueError):
    """Another worker has gone while this one trained with it."""


def cluster_of(settings: Settings) -> Cluster | None:
    """Returns the workers that train together, None where this process trains alone.

    A `TF_CONFIG` that is malformed, or missing where the settings ask for it, is a ValueError.
    """
    if settings.strategy not in ("auto", "multiworker"):
        return None
    cluster = from_environment()
    if settings.strategy == "multiworker" and cluster is None:
        raise ValueError(
            "`strategy=multiworker` finds its workers in the variable TF_CONFIG, which is not set. Set it for every "
            "process (see docs/scaling.md), or leave `strategy` out."
        )
    # One worker is no company, though some schedulers name it.
    return cluster if cluster and len(cluster.addresses) > 1 else None


def make(settings: Settings, cluster: Cluster | None = None) -> tf.distribute.Strategy:
    """Returns the strategy of the settings, made before TensorFlow computes anything; waits for all workers.

    A ValueError says that there are not so many GPUs, that they do not divide the batch, or that a worker is missing;
    an OSError that the address of this worker is in use.
    """
    gpus = tf.config.list_physical_devices("GPU")
    local = settings.replicas or max(len(gpus), 1)
    number = local * (len(cluster.addresses) if cluster else 1)
    if settings.strategy == "one":
        if settings.replicas > 1:
            raise ValueError(f"`strategy=one` and `replicas={settings.replicas}` exclude one another. Leave one out.")
        local = number = 1
    if settings.batch_size % number:
        raise ValueError(f"`batch_size={settings.batch_size}` clips cannot be shared evenly among {number} replicas.")
    if gpus and local > len(gpus):
        raise ValueError(f"`replicas={local}`, but there are {len(gpus)} GPUs.")
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
    """Turns what TensorFlow says, in the time of a block, of a worker that has gone into one `WorkerLost`."""
    try:
        yield
    except (tf.errors.UnavailableError, tf.errors.DeadlineExceededError, tf.errors.AbortedError) as error:
        raise WorkerLost(
            "Another worker has ended, or did not answer within `worker_seconds`: what it has printed says why. Start "
            "all workers again, without `overwrite`: the run continues at its last checkpoint."
        ) from error


def _with_others(settings, cluster, gpus, local):
    if not gpus and local > 1:
        raise ValueError(f"`replicas={local}`: on a CPU every worker is one replica. Leave it out.")
    if gpus:
        tf.config.set_visible_devices(gpus, "GPU")
    cluster.check_port()
    if cluster.is_chief:
        cluster.wait_for_others(settings.worker_seconds)
    _limit_registration(settings.worker_seconds)
    # What takes longer is a worker that hangs, or a machine that has gone without a word.
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=settings.worker_seconds)
    try:
        strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    except tf.errors.OpError as error:
        if cluster.is_chief:
            raise
        raise cluster.missing([0], settings.worker_seconds) from error
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # TensorFlow has taken it for itself, and does not end by it.
    with losing_nobody():
        _check_same(strategy, cluster, settings)
    return strategy


def _limit_registration(seconds):
    """Lets workers wait so long for the chief, and not an hour."""
    spec = tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec()
    coordination = tf.compat.v1.ConfigProto.Experimental().coordination_config
    for job in spec.jobs:
        coordination.coordinated_job_list.add(name=job, num_tasks=spec.num_tasks(job))
    context.context().configure_coordination_service(
        "standalone",
        service_leader=f"/job:{'chief' if 'chief' in spec.jobs else 'worker'}/replica:0/task:0",
        cluster_register_timeout_in_ms=int(1000 * seconds),
        coordinated_jobs=list(coordination.coordinated_job_list),
    )


def _check_same(strategy, cluster, settings):
    """Refuses workers of which one was started with other flags than the chief: `Missing` names it."""
    number = int(hashlib.sha256(f"{settings.digest()} {settings.seed}".encode()).hexdigest()[:12], 16)
    digests = replicas.of_processes(strategy, number, cluster.index, len(cluster.addresses))
    for index, digest in enumerate(digests):
        if digest != digests[0]:
            replicas.leave_together(strategy)
            raise Missing(
                f"{cluster.title(index).capitalize()} was started with other flags than the chief, or another version. "
                "Start all workers with the same ones."
            )
