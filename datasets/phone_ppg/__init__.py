"""TFDS builder of phone pulses: the color of a fingertip, and the heart rate of a chest strap."""
