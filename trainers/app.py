"""A page in the browser: drop a recording, see what repeats in it, download the answers.

python -m trainers.app --port=8000

For one person on one machine: it listens on this machine alone unless --host says otherwise, reads one recording at a
time, and keeps none. Needs the extra `app`.
"""

from simper_tf.commands import page_server
from simper_tf.commands.command_options import App
from trainers import cli, declared


def main():
    """Serves the page until it is told to stop."""
    page_server.serve(declared.options(App))


if __name__ == "__main__":
    declared.define(App)
    cli.run(main)
