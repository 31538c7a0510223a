"""Hourly land surface temperature of GOES-16 and its next hours: `tfds build datasets/lst`."""
