"""TFDS builder of sets of exercises: acceleration of a wrist, and how many repetitions the set had."""
