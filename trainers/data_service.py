"""Makes batches for trainers on other machines, which name its address by --data_service: a tf.data service.

python -m trainers.data_service --port=5050                         # a dispatcher, and a worker beside it
python -m trainers.data_service --dispatcher=grpc://first:5050      # on each further machine: another worker

It runs whatever graph it is sent, for anybody who reaches its ports: keep them inside a network that you trust.
"""

import socket
import sys
import time

import tensorflow as tf
from absl import flags

from simper_tf.training import data_service
from trainers import cli

service = tf.data.experimental.service
# TensorFlow offers no other way: neither an address to listen at nor a password.
_OPEN = "It listens on every interface, whatever --host says: whoever reaches it reads and writes files as this user."


def main():
    """Serves until it is told to stop."""
    config = flags.FLAGS
    if config.dispatcher:
        _check_joining(config)
    with _Told() as told:
        dispatcher = None if config.dispatcher else _dispatcher(config.port)
        address = config.dispatcher or dispatcher.target.replace("localhost", config.host)
        workers = [_worker(dispatcher.target if dispatcher else address, config.host) for _ in range(config.workers)]
        made = f"{len(workers)} worker(s) at {config.host} make batches for --data_service={address}."
        cli.say(f"{made} Ctrl-C ends it. {_OPEN}")
        while not told.number:
            time.sleep(0.1)
        for worker in workers:
            worker._stop()  # Public `stop` has to be followed by a wait for trainers.
        if dispatcher:
            dispatcher._stop()
    cli.say("Ended.")


def _check_joining(config):
    for name, is_idle in {"port": config["port"].present, "workers": not config.workers}.items():
        if is_idle:
            raise ValueError(
                f"--{name}={config[name].value} means nothing with --dispatcher={config.dispatcher}, which joins that "
                "dispatcher with workers and starts none. Leave one of them out."
            )
    data_service.check(config.dispatcher, "--dispatcher")


class _Told(cli.ToldToStop):
    """Keeps the number of the signal that told this process to stop."""

    number = None

    def _told(self, number, frame=None):
        self.number = number


def _dispatcher(port):
    # TensorFlow shares a port that is in use, and aborts at one that it may not have.
    try:
        with socket.create_server(("", port)):
            pass
    except (OSError, OverflowError) as error:
        raise ValueError(f"--port={port} cannot be used ({error}). Name another, or 0 for any that is free.") from error
    # A worker that was killed is known to be gone after so long.
    return service.DispatchServer(service.DispatcherConfig(port=port, worker_timeout_ms=10_000))


def _worker(dispatcher, host):
    return service.WorkerServer(
        service.WorkerConfig(
            dispatcher_address=dispatcher.removeprefix(data_service.SCHEME),
            worker_address=f"{host}:%port%",
            heartbeat_interval_ms=1_000,
        )
    )


def define():
    """Defines the flags of this command."""
    flags.DEFINE_integer("port", 5050, "Port of the dispatcher; 0 for one that is free.", lower_bound=0)
    flags.DEFINE_integer("workers", 1, "Workers in this process; one uses all cores.", lower_bound=0)
    flags.DEFINE_string("dispatcher", "", "Join the dispatcher at this grpc://host:port, and start none.")
    flags.DEFINE_string("host", "localhost", f"Name or address by which other machines reach this one. {_OPEN}")


def start(words: list[str]):
    """Does what the command does with these arguments, in a process that has no flags yet."""
    sys.argv[:] = ["data_service", *words]
    define()
    cli.run(main)


if __name__ == "__main__":
    start(sys.argv[1:])
