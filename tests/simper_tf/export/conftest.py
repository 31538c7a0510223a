"""Exported models without what a test does not ask: graphs, or signatures beside `features`."""

import pytest
import tensorflow as tf

from simper_tf.export.served_features import FeaturesModel
from simper_tf.export.served_frequency import FrequencyModel


@pytest.fixture
def eagerly():
    """Computes operation by operation: tracing a graph takes seconds, its answer to a few clips none."""
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture
def features_alone(monkeypatch):
    """Leaves exported models the signature `features`: that of frequencies takes seconds to trace."""
    monkeypatch.setattr(FrequencyModel, "signatures", FeaturesModel.signatures)
