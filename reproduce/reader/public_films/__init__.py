"""Public films without labels, as a TFDS data set: `tfds build reproduce/reader/public_films --manual_dir=raw`."""
