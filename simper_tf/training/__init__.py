"""Settings -> a trained run in a folder: loop, checkpoints, many devices."""
