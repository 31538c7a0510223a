"""`simper app` for checkouts: python -m trainers.app, with the same words."""

import sys

from simper_tf.commands.main import main

if __name__ == "__main__":
    sys.exit(main(["app", *sys.argv[1:]]))
