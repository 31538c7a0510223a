"""Small additions in one place, as CONTRIBUTING.md describes them, taken up by all that comes after."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf
from made_up_features import perfect

import datasets
from simper_tf.encoders import ENCODERS
from simper_tf.evaluation import neighbors, protocols
from simper_tf.evaluation.protocols import PROTOCOLS, Prediction
from simper_tf.evaluation.tasks import Frequency
from simper_tf.losses import similarity
from simper_tf.methods import METHODS, Method, SimPer, register
from simper_tf.training import settings
from simper_tf.training.experiment import assemble, make_encoder
from simper_tf.training.settings import Settings
from simper_tf.utils.options import Options, option, takes
from trainers import data

BUILDER = '''
import numpy as np
import tensorflow_datasets as tfds

from simper_tf.data import tfds_features
from simper_tf.evaluation.tasks import Frequency

from . import reader


class Builder(tfds.core.GeneratorBasedBuilder):
    """Chests that rise and fall."""

    VERSION = tfds.core.Version("1.0.0")
    BUILDER_CONFIGS = [tfds.core.BuilderConfig(name="all")]

    def _info(self):
        features = {
            "clip": tfds_features.frames(64, 8, "Gray frames.", channels=1),
            "rate": tfds_features.scalar("Frame rate.", "8 frames per second"),
            "label": tfds_features.scalar("Breaths.", "[6, 30] per minute"),
            "id": tfds_features.text("Split and number."),
        }
        metadata = tfds_features.metadata(Frequency("bpm"))
        return tfds.core.DatasetInfo(builder=self, features=tfds.features.FeaturesDict(features), metadata=metadata)

    def _split_generators(self, dl_manager):
        return {split: reader.clips(split) for split in ("train", "validation", "test")}

    def _generate_examples(self):
        raise NotImplementedError
'''
READER = """
import numpy as np


def clips(split):
    for number in range(6):
        rate = 6.0 + 4 * number
        height = 4 + 3 * np.sin(2 * np.pi * rate / 60 * np.arange(64) / 8)
        clip = 255 / (1 + np.exp(np.arange(8) - height[:, None]))
        clip = np.repeat(clip[:, :, None, None], 8, axis=2).astype(np.uint8)
        key = f"{split}/{number}"
        yield key, {"clip": clip, "rate": 8.0, "label": rate, "id": key}
"""


@pytest.fixture(scope="module")
def breathing(tmp_path_factory):
    """Adds the folder of a data set, and nothing else."""
    root = tmp_path_factory.mktemp("added")
    folder = root / "datasets" / "breathing"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "breathing_dataset_builder.py").write_text(BUILDER)
    (folder / "reader.py").write_text(READER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets, "__path__", [*datasets.__path__, str(folder.parent)])
        yield data.load(Settings(dataset="breathing", data_dir=str(root / "data")))


@pytest.mark.slow
def test_a_data_set_is_one_folder(breathing):
    assert {"breathing", "ubfc"} <= set(datasets.names())
    assert breathing.task == Frequency("bpm")
    assert [breathing.split(name)[1] for name in ("train", "validation", "test")] == [6, 6, 6]
    run = assemble(Settings(band=(0.1, 1.0), speed_range=(0.5, 2.0), options={"outputs": 1}), breathing)
    run.model.train_step(np.stack([example["clip"] for example in breathing.split("train", 2)[0].as_numpy_iterator()]))


@pytest.fixture
def fresh():
    """Lets settings see what was added, and forget it again."""
    settings.owners.cache_clear()
    yield
    METHODS.pop("nearness", None)
    settings.owners.cache_clear()


def test_a_method_is_one_class(breathing, fresh):
    @dataclasses.dataclass(frozen=True)
    class NearnessOptions(Options):
        weight: float = option(1.0, "What it counts for.", low=0)

    @register("nearness", title="Nearness", reference="Nobody, 2026")
    class Nearness(Method):
        """Wants views of a clip to have the same mean."""

        Options = NearnessOptions

        def loss_and_logs(self, features, batch, training=True):
            means = tf.reduce_mean(features, axis=2)
            return self.options.weight * tf.reduce_mean(tf.math.squared_difference(means[:, 0], means[:, 1])), {}

    found = Settings(method="nearness", band=(0.1, 1.0), options={"weight": 0.5, "outputs": 1})
    run = assemble(found, breathing)
    assert (run.model.options.weight, run.model.title) == (0.5, "Nearness")
    logs = run.model.train_step(
        np.stack([example["clip"] for example in breathing.split("train")[0].as_numpy_iterator()])
    )
    assert set(logs) == {"loss", "feature_deviation"}
    with pytest.raises(ValueError, match=r"`weight=2.0` means nothing .*It means something with `method=nearness`"):
        Settings(options={"weight": 2})


def test_a_similarity_is_one_function_and_one_entry(monkeypatch):
    monkeypatch.setitem(similarity.SIMILARITIES, "sum", lambda x, y: tf.matmul(x, y, transpose_b=True))
    model = SimPer(ENCODERS["small"]((None, None, 1), widths=(4,)), similarity="sum")
    features = tf.random.normal([2, 8, 20])
    loss, _ = model.loss_and_logs(features, {"speeds": tf.tile(tf.linspace(0.5, 2.0, 4)[None], [2, 2])})
    assert np.isfinite(loss)
    train = np.float32([[0, 1, 0, 0], [0, 0, 2, 0]])
    assert neighbors.nearest_neighbor(train, [5, 7], train, distance="sum").tolist() == [5, 7]


def test_a_protocol_is_one_function_and_one_entry(monkeypatch, fresh):
    @dataclasses.dataclass(frozen=True)
    class MiddleOptions(Options):
        share: float = option(0.5, "Share of the labels below.", low=0, high=1)

    @takes(MiddleOptions)
    def middle(train, validation, test, task, options):
        middle = np.quantile(train.labels, options.share)
        return Prediction(np.full(len(test.labels), middle), found={"share": options.share})

    monkeypatch.setitem(PROTOCOLS, "middle", (middle, ("frequency",)))
    settings.owners.cache_clear()
    assert Settings(options={"share": 0.25}).options_for("protocol") == {"share": 0.25}
    train = perfect(np.random.default_rng(0), np.linspace(1, 3, 11))
    found = protocols.predict(train, train, train, Frequency("Hz", band=(0.4, 5.0)), {"share": 0.25})
    np.testing.assert_allclose(found["middle"].values, 1.5)


def test_an_encoder_with_an_option_is_one_function_and_one_entry(monkeypatch, fresh):
    @dataclasses.dataclass(frozen=True)
    class RowsOptions(Options):
        outputs: int = option(2, "Series.", low=1)

    @takes(RowsOptions)
    def rows(frame_shape, options) -> keras.Model:
        clips = keras.Input((None, *frame_shape))
        return keras.Model(clips, keras.layers.Dense(options.outputs)(keras.ops.mean(clips, axis=(3, 4))))

    monkeypatch.setitem(ENCODERS, "rows", rows)
    settings.owners.cache_clear()
    assert make_encoder(Settings(encoder="rows", options={"outputs": 3}), (8, 8, 1)).output_shape[-1] == 3
