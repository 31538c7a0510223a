# What editors and type checkers see of the names that `__init__.py` loads when they are asked for.
from simper_tf import (
    forked as forked,
    readings as readings,
    appearance as appearance,
    augment as augment,
    backend as backend,
    building as building,
    checkpoints as checkpoints,
    clips as clips,
    cluster as cluster,
    clip_table as clip_table,
    columns as columns,
    data as data,
    data_service as data_service,
    diagnostics as diagnostics,
    edge as edge,
    encoder_weights as encoder_weights,
    encoders as encoders,
    experiment as experiment,
    export as export,
    features as features,
    files as files,
    frozen as frozen,
    label_free as label_free,
    losses as losses,
    methods as methods,
    metrics as metrics,
    neighbors as neighbors,
    octave as octave,
    options as options,
    own_labels as own_labels,
    own_videos as own_videos,
    pipeline as pipeline,
    plots as plots,
    protocols as protocols,
    readout as readout,
    records as records,
    recurrence as recurrence,
    refusals as refusals,
    replicas as replicas,
    recordings as recordings,
    rows as rows,
    run_folder as run_folder,
    selection as selection,
    served as served,
    series_appearance as series_appearance,
    settings as settings,
    side_by_side as side_by_side,
    similarity as similarity,
    skin_colors as skin_colors,
    spectrum as spectrum,
    standardize as standardize,
    strategies as strategies,
    subsets as subsets,
    synthetic as synthetic,
    tables as tables,
    tasks as tasks,
    textures as textures,
    times as times,
    training as training,
    units as units,
    views as views,
    votes as votes,
    warm_up as warm_up,
)
from simper_tf.encoders import cnn3d as cnn3d, small as small, small1d as small1d
from simper_tf.export import export_model as export_model, load_encoder as load_encoder
from simper_tf.losses import generalized_info_nce as generalized_info_nce, label_distribution as label_distribution
from simper_tf.methods import SimPer as SimPer
from simper_tf.neighbors import nearest_neighbor as nearest_neighbor
from simper_tf.octave import pixel_frequency as pixel_frequency, resolve_octave as resolve_octave
from simper_tf.readings.clips import Recordings as Recordings
from simper_tf.readout import fft_frequency as fft_frequency
from simper_tf.similarity import max_cross_correlation as max_cross_correlation, npsd_cosine as npsd_cosine
from simper_tf.spectrum import pixel_power as pixel_power
from simper_tf.times import SpeedSets as SpeedSets
from simper_tf.views import Views as Views

__version__: str
