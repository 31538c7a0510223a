"""TFDS builder of drawn faces; the README beside it says what they are."""

import dataclasses

import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.evaluation import tasks

from . import people
from .disturbance import LOOKS


@dataclasses.dataclass(eq=False)
class DrawnFacesConfig(tfds.core.BuilderConfig):
    """Look of clips, and number of people in them.

    Attributes:
        look: What disturbs the pulse, one of `disturbance.LOOKS`.
        train_people: Number of people in training clips; each has `people.WINDOWS` clips.
        validation_people: Number of others, in validation clips.
        test_people: Number of others again, in test clips.
    """

    look: str = "still"
    train_people: int = 60
    validation_people: int = 15
    test_people: int = 25


class Builder(tfds_builders.Alone, tfds.core.GeneratorBasedBuilder):
    """Clips of drawn faces, labeled with the heart rate."""

    VERSION = tfds.core.Version("1.1.0")
    RELEASE_NOTES = {
        "1.0.0": "Initial release.",
        "1.1.0": "`turning`, heads that repeat nothing. `hard` was called `moving`; no clip has changed.",
    }
    BUILDER_CONFIGS = [
        DrawnFacesConfig(
            name="still", look="still", description="Heads at rest, a faint pulse, slow light: 6 s, as in UBFC-rPPG."
        ),
        DrawnFacesConfig(
            name="turning", look="turning", description="Heads that sway and turn without rhythm: 6 s, as in PURE."
        ),
        DrawnFacesConfig(
            name="long", look="long", description="Light that rises and falls with each breath: 10 s of faces."
        ),
        DrawnFacesConfig(
            name="hard", look="hard", description="Heads that repeat a movement, also as fast as hearts beat: 6 s."
        ),
    ]

    def _info(self):
        num_frames = LOOKS[self.builder_config.look].num_frames
        low, high = people.HEART_RATES
        features = {
            "clip": tfds_features.frames(num_frames, people.SIZE, "RGB frames of a drawn face."),
            "rate": tfds_features.scalar("Frame rate.", "30 frames per second"),
            "label": tfds_features.scalar(
                "Mean heart rate over the clip, as drawn.", f"[{low:g}, {high:g}] beats per minute"
            ),
            "id": tfds_features.text("Split, person and clip.", "train-000-00 to test-024-09"),
            "subject": tfds_features.text("Who is seen.", "train-000 to test-024"),
            "ppg": tfds_features.series(num_frames, "The pulse wave at each frame.", "[-1.3, 1.3], no unit"),
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            metadata=tfds_features.metadata(tasks.Frequency("bpm", low, high)),
            supervised_keys=None,
            license="Drawn by this project, under its license.",
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager):
        config = self.builder_config
        counts = {"train": config.train_people, "validation": config.validation_people, "test": config.test_people}
        return {split: self._generate_examples(split, count) for split, count in counts.items()}

    def _generate_examples(self, split, num_people):
        records = people.clip_records(split, num_people * people.WINDOWS, self.builder_config.look)
        yield from enumerate(records)
