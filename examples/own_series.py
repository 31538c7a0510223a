"""Learns from a folder of series, without labels, and reads how often something repeats: python own_series.py DIR"""

import sys

import keras

from simper_tf import Recordings, SimPer, SpeedSets, Views, export_model, small1d

STEPS = 500
keras.utils.set_random_seed(0)  # The same weights at the start of every call.

recordings = Recordings(sys.argv[1])  # Or arrays: Recordings([first, second], rate=[100.0, 64.0]).
for problem in recordings.problems:
    print("left out:", problem)
num_samples, *frame_shape = recordings.clip_shape
print(f"{len(recordings)} clips of {num_samples} samples at {recordings.rate:g} per second")

times = SpeedSets(num_views=5, speed_range=(0.5, 2.0))
model = SimPer(small1d(frame_shape), Views(times.longest_view(num_samples), times))
model.compile(keras.optimizers.Adam(1e-3))
steps = int(sys.argv[2]) if sys.argv[2:] else STEPS
model.fit(recordings, batch_size=4, epochs=max(4 * steps // len(recordings), 1), verbose=2)

hertz = model.frequency(recordings, recordings.rate)
for name, start, each in zip(recordings.recordings, recordings.starts, hertz, strict=True):
    print(f"{name} from {start:.1f} s: {each:.3f} Hz")
octave = model.octave(recordings)
print(octave)
folder = "runs/own_series/saved_model"
print("served model:", export_model(model.encoder, folder, frame_shape, recordings.band, octave.harmonic))
