"""What TFDS builders share: configs, and bases to be named before `tfds.core.GeneratorBasedBuilder`."""

import dataclasses
import pathlib

import tensorflow_datasets as tfds

from simper_tf.data import face_recordings


@dataclasses.dataclass(eq=False)
class ClipsConfig(tfds.core.BuilderConfig):
    """How recordings become clips.

    Attributes:
        size: Pixels a side of the clips.
        window: Frames a clip.
        stride: Frames from the start of a clip to the start of the next.
    """

    size: int = 36
    window: int = 180
    stride: int = 180


@dataclasses.dataclass(eq=False)
class SubjectsConfig(ClipsConfig):
    """How recordings become clips, and which subjects validate and test; the paper has the defaults but no validation.

    Attributes:
        train_fraction: The fraction of subjects that are not tested, rounded to the nearest number.
        validation_fraction: The fraction of subjects that validate, cut from those that are not tested.
        seed: None splits the subjects in their order; an integer shuffles them first.
    """

    train_fraction: float = 0.8
    validation_fraction: float = 0.1
    seed: int | None = None


def raw_folder(builder, dl_manager) -> pathlib.Path:
    """Returns the folder of raw files that a build was given.

    Raises:
        ValueError: it is missing or empty; in one line, where TFDS asserts it in many.
    """
    try:
        return pathlib.Path(dl_manager.manual_dir)
    except AssertionError as error:
        raise ValueError(
            f"{builder.info.full_name} is not built and its raw files are missing: {str(error).partition('. ')[0]}. "
            f"Put them in a folder as datasets/{builder.name}/README.md says and name it by --manual_dir."
        ) from None


class BySubject:
    """A builder of recordings of faces, split by subject.

    Attributes:
        READER: A module with `find(root)`, `read(folder)` and the published `SUBJECTS`.
    """

    def _split_generators(self, dl_manager):
        # Headers and labels of everything come first: a truncated file stops the build now, not after hours.
        recordings = [self.READER.read(folder) for folder in self.READER.find(raw_folder(self, dl_manager))]
        splits = face_recordings.by_subject(recordings, self.builder_config, self.READER.SUBJECTS)
        return {split: self._generate_examples(members) for split, members in splits.items()}

    def _generate_examples(self, recordings):
        config = self.builder_config
        for one in recordings:
            yield from face_recordings.face_clips(one, config.size, config.window, config.stride)


class OptionalBeam:
    """A builder that knows two ways to its examples, and takes that through Beam only if it was given Beam's options.

    Beam's runner on one machine holds all examples in memory, several times over: 3 times as measured with Countix,
    5 times with SCAMPS. Without it TFDS holds 1 GB at most, while it shuffles.

    Attributes:
        on_beam: Whether `_generate_examples` has to return a Beam transform; known once a build has begun.
    """

    def _download_and_prepare(self, dl_manager, download_config):
        self.on_beam = bool(download_config.beam_options or download_config.beam_runner)
        super()._download_and_prepare(dl_manager, download_config)
