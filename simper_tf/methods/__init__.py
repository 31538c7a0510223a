"""Ways of training an encoder, one file each: a `keras.Model` with its own `train_step`. One line lists each."""

import simper_tf.utils.backend
from simper_tf.methods.base import Method
from simper_tf.methods.byol import BYOL
from simper_tf.methods.contrast_phys import ContrastPhys
from simper_tf.methods.contrast_phys_plus import ContrastPhysPlus
from simper_tf.methods.cvrl import CVRL
from simper_tf.methods.frequency_contrast import FrequencyContrast
from simper_tf.methods.moco import MoCo
from simper_tf.methods.registry import METHODS, register
from simper_tf.methods.replay import Replay
from simper_tf.methods.simclr import SimCLR
from simper_tf.methods.simper import SimPer
from simper_tf.methods.sinc import SiNC
from simper_tf.methods.slf_rpm import SLFRPM
from simper_tf.methods.supervised import Supervised
from simper_tf.methods.training_facts import TrainingFacts

# Name -> appearance of views: what each method was designed with, and none at all.
APPEARANCES = {**{name: kind.appearance for name, kind in METHODS.items()}, "none": None}
