"""Drawn faces whose skin carries a pulse: `tfds build datasets/drawn_faces`."""
