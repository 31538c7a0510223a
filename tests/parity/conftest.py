"""These tests run where tensorflow-addons can be installed, `make parity`, and are not collected elsewhere."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("tensorflow_addons") else ["test_*.py"]
