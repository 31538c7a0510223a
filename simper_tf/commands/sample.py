"""Sample recording that comes with the package: nine jumping jacks, drawn by python -m docs.sample."""

import pathlib

PATH = pathlib.Path(__file__).with_name("sample.mp4")
