"""Encoders that between them use all operations of all encoders, as small as they come."""

import keras

from simper_tf.encoders import ENCODERS, small, ts_can, with_saliency_sampler


def slim(encoder):
    """Returns an encoder of the same layers with an eighth of the filters: converters take long over many weights."""

    def fresh(layer):
        config = layer.get_config()
        filters = {"filters": max(config["filters"] // 8, 1)} if "filters" in config else {}
        return layer.__class__.from_config(config | filters)

    return keras.models.clone_model(encoder, clone_function=fresh)


# Name -> function of a frame shape.
KINDS = {
    "resnet3d18": lambda shape: slim(ENCODERS["resnet3d18"](shape)),
    "cnn3d_domainbed": lambda shape: slim(ENCODERS["cnn3d_domainbed"](shape, norm="batch")),
    "physnet": ENCODERS["physnet"],
    "efficientphys": ENCODERS["efficientphys"],
    "repnet": lambda shape: ENCODERS["repnet"](shape, width=1 / 16),
    "ts_can attention": lambda shape: ts_can(shape, attention=True),
    "saliency": lambda shape: with_saliency_sampler(small((None, None, 3), widths=(4,)), shape),
}
