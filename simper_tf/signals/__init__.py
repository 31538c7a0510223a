"""A series -> spectrum, frequency and octave; pulse from PPG and from skin color."""
