"""Form of the rhythm network, which TensorFlow trains and NumPy reads: what both must agree in."""

# Frames of a window, and pixels a side: periods of 4 to 25 frames are told apart.
NUM_FRAMES, SIDE = 64, 32
# Gray levels below which a clip stands still, and how much of the change of a whole clip is added to that of a pixel.
LEAST_LEVELS, SOFTENED = 1e-3, 0.25
# Similarity of two frames falls so fast with their distance, of which 1 is the mean of a window.
SHARPNESS = 4.0
EPSILON = 1e-5  # Of a window in which nothing changes, whose distances are 0.
# What one length of window alone says is worth so much of what two say.
ALONE = 0.8
