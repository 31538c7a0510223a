"""Shared parts of TFDS builders: configs, and bases to be named before `tfds.core.GeneratorBasedBuilder`."""

import contextlib
import dataclasses
import json
import pathlib
import shutil

import tensorflow_datasets as tfds

from simper_tf.data import face_recordings, tfds_features
from simper_tf.evaluation import tasks
from simper_tf.signals import pulse
from simper_tf.utils import files

LOCK = ".building"
# The file that a stand-in has beside its raw files. Metadata of what is built of them hold its content by this name.
STANDIN = "standin.json"


@dataclasses.dataclass(eq=False)
class ClipsConfig(tfds.core.BuilderConfig):
    """Settings by which recordings become clips.

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
    """Settings of clips and of the split of subjects; the paper has the defaults but no validation.

    Attributes:
        train_fraction: The fraction of subjects that are not tested, rounded to the nearest number.
        validation_fraction: The fraction of subjects that validate, cut from those that are not tested.
        seed: None splits the subjects in their order; an integer shuffles them first.
    """

    train_fraction: float = 0.8
    validation_fraction: float = 0.1
    seed: int | None = None


def raw_folder(builder, dl_manager) -> pathlib.Path:
    """Returns the folder of raw files of a build; a ValueError, in one line where TFDS has many, if it is missing."""
    try:
        return pathlib.Path(dl_manager.manual_dir)
    except AssertionError as error:
        said = str(error).partition(". ")[0].removeprefix("Manual directory ")
        raise ValueError(
            f"{builder.info.full_name} is not built and its raw files are missing: {said}. "
            f"Put them in a folder as datasets/{builder.name}/README.md says, or write a stand-in by python -m "
            f"trainers.standin --dataset={builder.name} --out=standin/{builder.name}. Name the folder by `manual_dir`."
        ) from None


def standin_of(folder: str | pathlib.Path) -> dict:
    """Returns how the stand-in in a folder of raw files was made, or in the one above; empty for real files."""
    marks = [pathlib.Path(place, STANDIN) for place in (folder, pathlib.Path(folder).absolute().parent)]
    return next((json.loads(mark.read_text()) for mark in marks if mark.is_file()), {})


def remove_dead(folder: pathlib.Path):
    """Deletes what killed builds have left in the folder of a config; those at work hold a lock in theirs."""
    for place in folder.glob("incomplete.*"):
        if (place / LOCK).exists():
            with contextlib.suppress(files.InUse), files.alone(place / LOCK, wait=False):
                shutil.rmtree(place)


class Alone:
    """A builder that leaves nothing where it fails, and removes what killed builds of the same config have left.

    Where its raw files are a stand-in, its metadata say so. TFDS builds in a folder `incomplete.<random>_<version>`
    beside the place of what is whole. Those at work are locked.
    """

    def download_and_prepare(self, *, download_dir=None, **options):
        folder = pathlib.Path(self.data_dir).parent
        extracted = pathlib.Path(download_dir or self.data_dir_root / "downloads", "extracted")
        default = folder.parent / ".config"  # Where TFDS notes the default config, before it builds.
        was_noted = default.exists()
        with files.without_empty(folder, extracted):
            try:
                super().download_and_prepare(download_dir=download_dir, **options)
            except BaseException:
                if not was_noted:
                    shutil.rmtree(default, ignore_errors=True)
                raise

    def _download_and_prepare(self, dl_manager, download_config):
        place = pathlib.Path(self.data_dir)
        remove_dead(place.parent)
        if self.MANUAL_DOWNLOAD_INSTRUCTIONS:  # Others are generated.
            with contextlib.suppress(AssertionError, ValueError):  # TFDS has no folder.
                self.info.metadata.update({STANDIN: mark} if (mark := standin_of(dl_manager.manual_dir)) else {})
        with files.alone(place / LOCK):
            super()._download_and_prepare(dl_manager, download_config)


class ByRecording(Alone):
    """A builder of recordings, which are all known before they are split.

    Attributes:
        READER: A module with `find(root)`, `recording_of(path)` and `splits(recordings, config)`.
    """

    def _split_generators(self, dl_manager):
        # Headers and labels of everything come first: a truncated file stops the build now, not after hours.
        recordings = [self.READER.recording_of(path) for path in self.READER.find(raw_folder(self, dl_manager))]
        return {split: self._generate_examples(members) for split, members in self._splits(recordings).items()}

    def _splits(self, recordings):
        return self.READER.splits(recordings, self.builder_config)


class BySubject(ByRecording):
    """A builder of recordings of faces, split by subject.

    Attributes:
        READER: A module with `find(root)`, `recording_of(folder)` and the published `SUBJECTS`.
        DOCS: What `tfds_features.face_features` is to say of the data set.
        HOMEPAGE, LICENSE: Of the data set.
    """

    VERSION = tfds.core.Version("2.0.0")
    RELEASE_NOTES = {"1.0.0": "Initial release.", "2.0.0": "A validation split, of subjects that trained."}
    BUILDER_CONFIGS = [SubjectsConfig(name="paper", description="36 x 36 pixels, 180 frames, subjects 70/10/20.")]

    def _info(self):
        return self.dataset_info_from_configs(
            features=tfds_features.face_features(self.builder_config, **self.DOCS),
            metadata=tfds_features.metadata(tasks.Frequency("bpm", *pulse.RANGE_BPM)),
            supervised_keys=None,
            homepage=self.HOMEPAGE,
            license=self.LICENSE,
        )

    def _splits(self, recordings):
        return face_recordings.by_subject(recordings, self.builder_config, self.READER.SUBJECTS)

    def _generate_examples(self, recordings):
        config = self.builder_config
        for recording in recordings:
            yield from face_recordings.face_clips(recording, config.size, config.window, config.stride)


class OptionalBeam(Alone):
    """A builder that knows two ways to its examples, and takes that through Beam only if it was given Beam's options.

    Beam's runner on one machine holds all examples in memory, several times over: 3 times as measured with Countix,
    5 times with SCAMPS. Without it TFDS holds 1 GB at most, while it shuffles.

    Attributes:
        on_beam: Whether `_generate_examples` has to return a Beam transform; known once a build has begun.
    """

    def _download_and_prepare(self, dl_manager, download_config):
        self.on_beam = bool(download_config.beam_options or download_config.beam_runner)
        super()._download_and_prepare(dl_manager, download_config)
