"""The console command, as `python -m simper_tf`."""

import sys

from simper_tf.commands.main import main

if __name__ == "__main__":  # Not in the processes that it starts.
    sys.exit(main())
