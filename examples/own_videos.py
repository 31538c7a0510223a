"""Learns from a folder of videos, without labels, and reads how often something repeats: python own_videos.py DIR"""

import sys

import keras

from simper_tf import Recordings, SimPer, SpeedSets, Views, export_model, small

STEPS = 500

recordings = Recordings(sys.argv[1])
for problem in recordings.problems:
    print("left out:", problem)
num_frames, *frame_shape = recordings.clip_shape
print(f"{len(recordings)} clips of {num_frames} frames at {recordings.rate:g} per second")

times = SpeedSets(num_views=5, speed_range=(0.5, 2.0))
model = SimPer(small(frame_shape), Views(times.longest_view(num_frames), times))
model.compile(keras.optimizers.Adam(1e-3))
steps = int(sys.argv[2]) if sys.argv[2:] else STEPS
model.fit(recordings, batch_size=4, epochs=max(4 * steps // len(recordings), 1), verbose=2)

hertz = model.frequency(recordings, recordings.rate)
for name, start, each in zip(recordings.recordings, recordings.starts, hertz, strict=True):
    print(f"{name} from {start:.1f} s: {each:.3f} Hz")
octave = model.octave(recordings)
print(octave)
folder = "runs/own_videos/saved_model"
print("served model:", export_model(model.encoder, folder, frame_shape, recordings.band, octave.harmonic))
