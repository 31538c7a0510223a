"""TFDS builder of the films that the reader learns from: small gray copies, without labels."""

import pathlib

import numpy as np
import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.signals.rhythm_form import SIDE

from . import films


class Builder(tfds_builders.Alone, tfds.core.GeneratorBasedBuilder):
    """The first half minute of each film, as 32 x 32 gray pixels."""

    VERSION = tfds.core.Version("2.0.0")
    RELEASE_NOTES = {"1.0.0": "Initial release.", "2.0.0": "All films in one split; more of them."}
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "The films of films.csv beside this builder, each at owner+name/path. Films that are missing are left out, so "
        "are those that stand still or are too short. `reproduce.reader.public_films.standin` writes a stand-in."
    )

    def _info(self):
        features = {
            "film": tfds.features.Tensor(
                shape=(None, SIDE, SIDE),
                dtype=np.uint8,
                encoding="bytes",
                doc=tfds_features.doc("Gray frames of the whole picture.", "[0, 255] levels"),
            ),
            "rate": tfds_features.scalar("Frames per second.", "at most 31.5 frames per second"),
            "id": tfds_features.text("Repository, commit and path.", "OWNER/NAME@COMMIT/PATH"),
            "subject": tfds_features.text("Repository."),
            "license": tfds_features.text("License of the repository, as SPDX names it."),
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            metadata=tfds.core.MetadataDict(),
            supervised_keys=None,
            license="Of each film its own.",
        )

    def _split_generators(self, dl_manager):
        folder = dl_manager.manual_dir
        return {"train": self._generate_examples(folder, films.found(folder))}

    def _generate_examples(self, folder, some):
        for film in some:
            small = films.small(str(films.raw_path(folder, film)))
            if small is not None:
                name = f"{film.repository}@{film.commit}/{film.path}"
                facts = {"id": name, "subject": film.repository, "license": film.license}
                yield name, {"film": small[0], "rate": small[1], **facts}


def training_films(folder, data_dir) -> list[tuple[np.ndarray, float]]:
    """Returns frames, `(n, 32, 32)` uint8, and frames per second of each film to train on; built once.

    Args:
        folder: With the raw films, see `films.raw_path`.
        data_dir: Where the data set is kept.

    Raises:
        ValueError: it is not built, and none of the films is there.
    """
    builder = Builder(data_dir=data_dir)
    if not builder.data_path.exists():
        films.found(folder)
        config = tfds.download.DownloadConfig(manual_dir=pathlib.Path(folder))
        builder.download_and_prepare(download_config=config)
    examples = tfds.as_numpy(builder.as_dataset(split="train"))
    return [(example["film"], float(example["rate"])) for example in examples]
