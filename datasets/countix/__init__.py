"""Repeated actions in Kinetics videos and how often they repeat: `tfds build datasets/countix`."""
