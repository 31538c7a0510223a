"""TFDS builders, one folder each: `tfds build datasets/<name>`."""
