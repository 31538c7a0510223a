"""Two logical devices compute what one does, for every method.

A process can cut its CPU into logical devices only before TensorFlow uses it, so the comparison runs in one of its own.
"""

import pathlib
import subprocess
import sys


def test_the_step_of_two_devices_is_that_of_one_for_every_method():
    script = pathlib.Path(__file__).with_name("two_devices.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
