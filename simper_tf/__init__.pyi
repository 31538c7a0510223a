# What editors and type checkers see of the names that `__init__.py` loads when they are asked for.
from simper_tf import (
    commands as commands,
    data as data,
    encoders as encoders,
    evaluation as evaluation,
    export as export,
    losses as losses,
    methods as methods,
    reading as reading,
    recordings as recordings,
    signals as signals,
    tables as tables,
    training as training,
    utils as utils,
    views as views,
)
from simper_tf.data.recording_clips import Recordings as Recordings
from simper_tf.encoders import cnn3d as cnn3d, small as small, small1d as small1d
from simper_tf.evaluation.neighbors import nearest_neighbor as nearest_neighbor
from simper_tf.evaluation.own_clips import evaluate as evaluate
from simper_tf.export.saved_model import export_model as export_model, load_encoder as load_encoder
from simper_tf.losses.info_nce import (
    generalized_info_nce as generalized_info_nce,
    label_distribution as label_distribution,
    label_entropy as label_entropy,
)
from simper_tf.losses.keras_losses import SimPerLoss as SimPerLoss, SpectralLoss as SpectralLoss
from simper_tf.losses.similarity import (
    joint_cross_correlation as joint_cross_correlation,
    max_cross_correlation as max_cross_correlation,
    npsd_cosine as npsd_cosine,
    npsd_l2 as npsd_l2,
)
from simper_tf.losses.spectral import spectral_terms as spectral_terms
from simper_tf.methods import (
    BYOL as BYOL,
    CVRL as CVRL,
    SLFRPM as SLFRPM,
    ContrastPhys as ContrastPhys,
    ContrastPhysPlus as ContrastPhysPlus,
    FrequencyContrast as FrequencyContrast,
    MoCo as MoCo,
    Replay as Replay,
    SiNC as SiNC,
    SimCLR as SimCLR,
    SimPer as SimPer,
    Supervised as Supervised,
)
from simper_tf.reading.repetitions import Repetitions as Repetitions, read as read
from simper_tf.signals.octave import pixel_frequency as pixel_frequency, resolve_octave as resolve_octave
from simper_tf.signals.readout import fft_frequency as fft_frequency
from simper_tf.signals.spectrum import pixel_power as pixel_power
from simper_tf.training.from_recordings import from_recordings as from_recordings
from simper_tf.views.times import SpeedSets as SpeedSets
from simper_tf.views.views import Views as Views

__version__: str
