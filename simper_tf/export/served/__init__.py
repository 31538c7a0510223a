"""What an exported model computes, all of it inside the graph: it refuses a bad request, or answers within its band."""

from simper_tf.export.served.features import FeaturesModel
from simper_tf.export.served.frequency import FrequencyModel
from simper_tf.export.served.head import HeadModel

__all__ = ["FeaturesModel", "FrequencyModel", "HeadModel"]
