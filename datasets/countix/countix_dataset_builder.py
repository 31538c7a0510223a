"""TFDS builder of Countix; the README beside it says what it is and how to get it."""

import dataclasses
import functools
import operator

import numpy as np
import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.evaluation import tasks

from . import reader


@dataclasses.dataclass(eq=False)
class CountixConfig(tfds.core.BuilderConfig):
    """Settings by which a segment becomes a clip. The defaults are the paper's.

    Attributes:
        num_frames: Frames of a clip; a segment with fewer is left out.
        size: Height and width of a clip in pixels.
        fit: `"resample"` spreads the frames over the whole segment; `"crop"` takes the first ones.
    """

    num_frames: int = 200
    size: int = 96
    fit: str = "resample"


class Builder(tfds_builders.OptionalBeam, tfds.core.GeneratorBasedBuilder):
    """One clip of each annotated segment, labeled with the number of repetitions."""

    VERSION = tfds.core.Version("2.1.0")
    RELEASE_NOTES = {
        "1.0.0": "Initial release.",
        "2.0.0": "The metadata name the task.",
        "2.1.0": "The video that each segment is of.",
    }
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "Unpack countix.tar.gz here (countix_train.csv, countix_val.csv and countix_test.csv, or a folder countix with "
        "them), and put the Kinetics videos anywhere below: <id>_<start>_<end>.mp4 with seconds of six digits, or "
        "<id>.mp4 for a whole video. The README of datasets/countix says where they come from."
    )
    BUILDER_CONFIGS = [
        CountixConfig(name="resample", description="200 frames spread over the segment: all repetitions are seen."),
        CountixConfig(name="crop", description="The first 200 frames of the segment.", fit="crop"),
        CountixConfig(name="resample_32", description="As resample, of 32 x 32 pixels, for a CPU.", size=32),
    ]

    def _info(self):
        config = self.builder_config
        features = {
            "clip": tfds_features.frames(config.num_frames, config.size, "RGB frames of one annotated segment."),
            "rate": tfds_features.scalar("Frame rate of the clip, after resampling.", "frames per second"),
            "label": tfds_features.scalar("Repetitions in the clip: in crop a share of the count.", "repetitions"),
            "id": tfds_features.text("Video, first and last second of its clip, row of the annotations."),
            "count": tfds_features.scalar(
                "Repetitions in the whole segment, as annotated.", ">= 1 repetitions", np.int32
            ),
            "subject": tfds_features.text("The video, of which several segments may be."),
            "class": tfds_features.text("The action; empty in the test split, which has none."),
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            metadata=tfds_features.metadata(tasks.Frequency("count")),
            supervised_keys=None,
            homepage="https://sites.google.com/view/repnet",
            license="Kinetics annotations: CC BY 4.0. Countix states none. Videos: of their uploaders.",
        )

    def _split_generators(self, dl_manager):
        return {
            split: self._generate_examples(located, self.data_path / f"skipped_{split}.txt")
            for split, located in reader.locate_all(tfds_builders.raw_folder(self, dl_manager)).items()
        }

    def _generate_examples(self, located, report):
        config = self.builder_config
        read = functools.partial(reader.read_or_skip, num_frames=config.num_frames, size=config.size, fit=config.fit)
        return _beam_examples(located, report, read) if self.on_beam else _examples(located, report, read)


def _examples(located, report, read):
    reasons = []
    with report.open("w") as file:
        for item in located:
            key, example, reason = read(item)
            if example is None:
                reasons.append(reason)
                file.write(f"{reason}\n")
            else:
                yield key, example
    # The report goes with the unfinished build, so the error has to say it.
    if len(reasons) == len(located):
        raise ValueError(f"A split would be empty: not one of its {len(located)} segments can be used. {reasons[0]}")


def _beam_examples(located, report, read):
    """The same as a Beam transform, of functions alone that any worker can import: from this module none can."""
    beam = tfds.core.lazy_imports.apache_beam

    def examples(pipeline):
        results = pipeline | beam.Create(located) | beam.Reshuffle() | beam.Map(read)
        reasons = results | "Skipped" >> beam.Filter(operator.itemgetter(2)) | beam.Map(operator.itemgetter(2))
        _ = reasons | beam.io.WriteToText(str(report), shard_name_template="")
        return results | "Read" >> beam.Filter(operator.itemgetter(1)) | "Pair" >> beam.Map(operator.itemgetter(0, 1))

    return beam.ptransform_fn(examples)()
