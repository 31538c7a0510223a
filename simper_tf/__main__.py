"""The console command, as `python -m simper_tf`."""

import sys

from simper_tf.commands.main import main

sys.exit(main())
