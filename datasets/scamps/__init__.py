"""TFDS builder of SCAMPS: synthetic faces and heart rates."""
