"""TFDS builder of UBFC-rPPG: faces and heart rates."""
