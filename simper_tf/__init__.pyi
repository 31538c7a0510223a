# What editors and type checkers see of the names that `__init__.py` loads when they are asked for.
from simper_tf import (
    augment as augment,
    backend as backend,
    checkpoints as checkpoints,
    clips as clips,
    encoders as encoders,
    evaluation as evaluation,
    export as export,
    files as files,
    losses as losses,
    methods as methods,
    metrics as metrics,
    neighbors as neighbors,
    pipeline as pipeline,
    readers as readers,
    readout as readout,
    served as served,
    similarity as similarity,
    spectrum as spectrum,
    standins as standins,
    tasks as tasks,
    training as training,
    units as units,
    views as views,
)
from simper_tf.encoders import cnn3d as cnn3d, small as small
from simper_tf.export import export_model as export_model, load_encoder as load_encoder
from simper_tf.losses import generalized_info_nce as generalized_info_nce, label_distribution as label_distribution
from simper_tf.methods import SimPer as SimPer
from simper_tf.neighbors import nearest_neighbor as nearest_neighbor
from simper_tf.readout import (
    fft_frequency as fft_frequency,
    pixel_frequency as pixel_frequency,
    resolve_octave as resolve_octave,
)
from simper_tf.similarity import max_cross_correlation as max_cross_correlation, npsd_cosine as npsd_cosine
from simper_tf.spectrum import pixel_power as pixel_power
from simper_tf.views import Views as Views, check_sampling as check_sampling, longest_view as longest_view

__version__: str
