"""What TFDS builders share beyond their `schema`, to be named before `tfds.core.GeneratorBasedBuilder` as a base."""

import pathlib

from simper_tf.readers import recording


class BySubject:
    """A builder of recordings of faces, split by subject.

    Attributes:
        READER: A module with `find(root)`, `read(folder)` and the published `SUBJECTS`, such as
            `simper_tf.readers.ubfc`.
    """

    def _split_generators(self, dl_manager):
        # Headers and labels of everything come first: a truncated file stops the build now, not after hours.
        recordings = [self.READER.read(folder) for folder in self.READER.find(pathlib.Path(dl_manager.manual_dir))]
        splits = recording.by_subject(recordings, self.builder_config, self.READER.SUBJECTS)
        return {split: self._generate_examples(members) for split, members in splits.items()}

    def _generate_examples(self, recordings):
        config = self.builder_config
        for one in recordings:
            yield from recording.face_clips(one, config.size, config.window, config.stride)


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
