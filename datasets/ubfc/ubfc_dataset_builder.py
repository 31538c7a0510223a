"""TFDS builder of UBFC-rPPG; the README beside it says what it is and how to get it."""

import dataclasses
import pathlib

import numpy as np
import tensorflow_datasets as tfds

from simper_tf.readers import recording, ubfc


@dataclasses.dataclass(eq=False)
class UbfcConfig(tfds.core.BuilderConfig):
    """How recordings become clips, and which subjects are tested; the defaults are the paper's text.

    Attributes:
        size: Pixels a side of the clips.
        window: Frames a clip.
        stride: Frames from the start of a clip to the start of the next.
        train_fraction: The fraction of subjects in the training split, rounded to the nearest number.
        seed: None splits the subjects in their order; an integer shuffles them first.
    """

    size: int = 36
    window: int = 180
    stride: int = 180
    train_fraction: float = 0.8
    seed: int | None = None


class Builder(tfds.core.GeneratorBasedBuilder):
    """Clips of faces, labelled with the heart rate."""

    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES = {"1.0.0": "Initial release."}
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "UBFC-rPPG, DATASET_2, as its authors share it: DATASET_2/subject<N>/vid.avi and ground_truth.txt. "
        "The README beside this builder says how to get it; `python -m simper_tf.standins ubfc` writes a stand-in."
    )
    BUILDER_CONFIGS = [UbfcConfig(name="paper", description="36 x 36 pixels, 180 frames, 80/20 subjects.")]

    def _info(self):
        size, window = self.builder_config.size, self.builder_config.window
        features = {
            "clip": tfds.features.Tensor(
                shape=(window, size, size, 3),
                dtype=np.uint8,
                # Ten times faster to read than PNG frames, and without loss, which the pulse would not survive.
                encoding="bytes",
                doc=_doc("RGB frames of the face.", "[0, 255] levels"),
            ),
            "rate": _scalar(
                "Measured over the clip; each camera ran at its own rate.", "[29.26, 29.76] frames per second"
            ),
            "label": _scalar("Heart rate over the clip, from its PPG.", "[36, 198] beats per minute"),
            "id": tfds.features.Text(doc=_doc("Recording and first frame.", "subject<N>/<5 digits>")),
            "subject": tfds.features.Text(doc=_doc("Who is seen.", "subject1 to subject49, 42 of them")),
            "ppg": tfds.features.Tensor(
                shape=(window,),
                dtype=np.float32,
                doc=_doc("The contact PPG at each frame.", "about zero mean, arbitrary unit"),
            ),
            "face": tfds.features.Tensor(
                shape=(4,),
                dtype=np.int32,
                doc=_doc("Left, top, width and height of the crop.", "pixels of the raw frame"),
            ),
            "face_found": tfds.features.Text(
                doc=_doc(
                    "How the crop was found: by the Haar cascade, or the frame's centre for want of a face.",
                    "haar, centre",
                )
            ),
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            supervised_keys=None,
            homepage="https://sites.google.com/view/ybenezeth/ubfcrppg",
            license="Shared for research purposes. Faces of subjects 21 and 27 must not be published.",
        )

    def _split_generators(self, dl_manager):
        config = self.builder_config
        # Headers and labels of everything come first: a truncated file stops the build now, not after hours.
        recordings = [ubfc.read(folder) for folder in ubfc.find(pathlib.Path(dl_manager.manual_dir))]
        train, test = recording.split_by_subject(recordings, config.train_fraction, config.seed)
        for split in (train, test):
            recording.require_clips(split, config.window, config.stride)
        return {"train": self._generate_examples(train), "test": self._generate_examples(test)}

    def _generate_examples(self, recordings):
        config = self.builder_config
        for one in recordings:
            yield from recording.face_clips(one, config.size, config.window, config.stride)


def _scalar(desc, value_range):
    return tfds.features.Scalar(np.float32, doc=_doc(desc, value_range))


def _doc(desc, value_range):
    return tfds.features.Documentation(desc=desc, value_range=value_range)
