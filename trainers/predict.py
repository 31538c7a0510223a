"""`simper predict` for checkouts: python -m trainers.predict, with the same words."""

import sys

from simper_tf.commands.main import main

if __name__ == "__main__":
    sys.exit(main(["predict", *sys.argv[1:]]))
