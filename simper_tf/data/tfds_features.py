"""Descriptions of examples for TFDS: features with their units, and the metadata that trainers read a data set by."""

import numpy as np
import tensorflow_datasets as tfds


def metadata(task, clip_range: tuple[float, float] | None = None) -> tfds.core.MetadataDict:
    """Returns the metadata that trainers read a data set by; TFDS keeps it beside the data, as `metadata.json`.

    Float clips have a `clip_range`, in their physical unit, which encoders see as 0 and 1.
    """
    clip_range = {} if clip_range is None else {"clip_range": list(clip_range)}
    return tfds.core.MetadataDict(task=task.to_metadata(), **clip_range)


def frames(num_frames, size, desc, channels=3):
    """Returns the feature of a clip of uint8 frames, stored without loss; `size` is of a side, or (height, width)."""
    return tfds.features.Tensor(
        shape=(num_frames, *((size, size) if isinstance(size, int) else size), channels),
        dtype=np.uint8,
        # Ten times faster to read than PNG frames, and without loss, which the pulse would not survive.
        encoding="bytes",
        doc=doc(desc, "[0, 255] levels"),
    )


def series(length, desc, value_range):
    """Returns the feature of a float32 series."""
    return tfds.features.Tensor(shape=(length,), dtype=np.float32, doc=doc(desc, value_range))


def scalar(desc, value_range, dtype=np.float32):
    """Returns the feature of one number."""
    return tfds.features.Scalar(dtype, doc=doc(desc, value_range))


def text(desc, value_range=""):
    """Returns the feature of a string."""
    return tfds.features.Text(doc=doc(desc, value_range))


def doc(desc, value_range=""):
    """Returns the documentation of a feature: a sentence, and its values with their unit."""
    return tfds.features.Documentation(desc=desc, value_range=value_range)


def heart_rate(desc="Heart rate over the clip, from its PPG."):
    """Returns the feature of a label made by `pulse.heart_rate`; its unit in the metadata is `bpm`."""
    return scalar(desc, "[36, 198] beats per minute")


def face_features(config, **docs):
    """Returns the features of `face_recordings.face_clips`: of four `docs` has what is said, (desc, value_range)."""
    return tfds.features.FeaturesDict(
        {
            "clip": frames(config.window, config.size, "RGB frames of the face."),
            "rate": scalar(*docs["rate"]),
            "label": heart_rate(),
            "id": text(*docs["id"]),
            "subject": text(*docs["subject"]),
            "ppg": series(config.window, *docs["ppg"]),
            "face": tfds.features.Tensor(
                shape=(4,),
                dtype=np.int32,
                doc=doc("Left, top, width and height of the crop.", "pixels of the raw frame"),
            ),
            "face_found": text(
                "How the crop was found: by the Haar cascade, or the frame's centre for want of a face.", "haar, centre"
            ),
        }
    )
