"""Builders of data sets in their smallest configs, to be validated and built."""

import tensorflow_datasets as tfds

import datasets
from trainers import validate

# Of faces in a miniature of UBFC-rPPG.
SMALL_FACES = {"height": 24, "width": 32}


def make(name, data_dir):
    """Returns the builder of a data set in the config that suits the smallest raw files of its stand-in."""
    builder = datasets.module(name).Builder
    config = builder.builder_config_cls(name="small", **datasets.module(name, "standin").SMALLEST[1])
    return builder(data_dir=data_dir, config=config)


def diagnose(builder, *arguments):
    """Returns what is wrong with raw files or a built set, as `Validation.all` does."""
    return validate.validating(builder).all(*arguments)


def build(name, manual_dir, data_dir):
    """Returns the builder of a data set it has built, or the error that stopped it."""
    builder = make(name, data_dir)
    try:
        builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=manual_dir))
    except (ValueError, AssertionError) as error:
        return error
    return builder
