"""TFDS builder of PURE: faces and heart rates."""
