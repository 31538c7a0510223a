import keras
import numpy as np
import pytest
from finished import results

from simper_tf.export import saved_model
from trainers import evaluate, pretrain
from trainers import export as export_trainer

pytestmark = pytest.mark.slow


@pytest.fixture
def half(call, undrawn, tmp_path):
    """Returns a run in mixed_bfloat16, after which Keras is told to forget it."""
    call(pretrain.main, f"--run_dir={tmp_path}/run", "--precision=mixed_bfloat16", "--artifacts")
    keras.mixed_precision.set_dtype_policy("float32")
    yield tmp_path / "run"
    keras.mixed_precision.set_dtype_policy("float32")


def test_evaluation_and_export_alone_are_as_precise_as_the_run(call, half):
    before = results(half)
    call(evaluate.main, f"--run_dir={half}")
    assert [row["value"] for row in results(half)] == [pytest.approx(row["value"], rel=1e-4) for row in before]
    keras.mixed_precision.set_dtype_policy("float32")
    call(export_trainer.main, f"--run_dir={half}")
    first, second = (saved_model.load_encoder(half / "saved_model" / version) for version in ("1", "2"))
    clip = np.random.default_rng(0).uniform(size=(1, 20, 28, 28, 1)).astype(np.float32)
    np.testing.assert_array_equal(first(clip), second(clip))
    policies = [{layer.dtype_policy.name for layer in encoder._flatten_layers()} for encoder in (first, second)]
    assert policies[0] == policies[1] >= {"mixed_bfloat16"}
