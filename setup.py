"""Packaging of simper_tf. Exact versions used by CI are in constraints.txt."""

import pathlib

import setuptools

setuptools.setup(
    name="simper-tf",
    version="0.1.0",
    description="Simple self-supervised learning of periodic targets (SimPer) in TensorFlow and Keras",
    long_description=pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    # `datasets`, `trainers` and `flags` are used from a checkout: a top-level `datasets` in a wheel would shadow the
    # well-known package of that name for everybody else.
    packages=setuptools.find_packages(include=["simper_tf", "simper_tf.*"]),
    python_requires=">=3.11,<3.14",
    # Lower bounds only: the extra `addons` must resolve to the last stack that has tensorflow-addons, while
    # constraints.txt pins the current one. `import simper_tf` says so itself where Keras is older than 3.
    install_requires=[
        "absl-py",
        # The command line of TFDS 4.9.10 imports these three at start without declaring them.
        "apache-beam",
        "importlib_resources",
        "mlcroissant>=1.0.9",
        "h5py",
        "keras",
        "numpy",
        "opencv-python-headless>=4.10,<5",  # 5.x has neither the Haar cascade class nor its file.
        "scikit-learn",
        "scipy",
        "tensorboard",  # TensorFlow writes its logs through it, but no longer installs it.
        "tensorflow>=2.15.1",
        "tensorflow-datasets>=4.9.10",
        "threadpoolctl",
    ],
    extras_require={
        "addons": ["tensorflow==2.15.1", "tensorflow-addons==0.23.0", "pytest"],
        "gpu": ["tensorflow[and-cuda]"],
        "plots": ["matplotlib"],
        "serving": ["requests"],
        "test": ["av", "dill", "h5netcdf", "matplotlib", "pytest", "ruff"],
    },
)
