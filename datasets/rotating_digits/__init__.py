"""Swinging handwritten digits with known frequency: `tfds build datasets/rotating_digits`."""
