"""TFDS builder of PURE; the README beside it says what it is and how to get it."""

import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders

from . import reader


class Builder(tfds_builders.BySubject, tfds.core.GeneratorBasedBuilder):
    """Clips of faces, labeled with the heart rate."""

    READER = reader
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "PURE, as its authors share it: SS-TT/SS-TT/Image<nanoseconds>.png and SS-TT/SS-TT.json. "
        "The README beside this builder says how to get it; `trainers.standin` writes a stand-in."
    )
    DOCS = {
        "rate": ("Measured over the clip, from its time stamps.", "about 30 frames per second"),
        "id": ("Recording and first frame.", "SS-TT/<5 digits>"),
        "subject": ("Who is seen.", "01 to 10"),
        "ppg": ("The contact PPG, interpolated at each frame's time.", "about [0, 100], arbitrary unit"),
    }
    HOMEPAGE = (
        "https://www.tu-ilmenau.de/universitaet/fakultaeten/fakultaet-informatik-und-automatisierung/profil/"
        "institute-und-fachgebiete/institut-fuer-technische-informatik-und-ingenieurinformatik/"
        "fachgebiet-neuroinformatik-und-kognitive-robotik/data-sets-code/pulse-rate-detection-dataset-pure"
    )
    LICENSE = "Given by its authors on request; ask them for the terms."
