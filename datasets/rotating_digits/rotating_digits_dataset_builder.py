"""TFDS builder of rotating digits; the README beside it says what they are."""

import dataclasses
import functools

import tensorflow_datasets as tfds

from simper_tf.data import tfds_builders, tfds_features
from simper_tf.evaluation import tasks

from . import digits, handwriting, ideal
from .disturbance import STRENGTHS

_MNIST_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

# Whose digits there are: start of the name of a config -> their owner.
_DIGITS = {"digits": "scikit-learn's", "mnist": "MNIST's"}


@dataclasses.dataclass(eq=False)
class RotatingDigitsConfig(tfds.core.BuilderConfig):
    """Whose digits move, how, and how many of them.

    Attributes:
        mnist: Whether the digits are MNIST's; else they are those embedded in scikit-learn.
        spurious: Whether frequency and color are tied to the digit in training and validation.
        spin: Whether digits turn on instead of swinging.
        disturbance: Strength of light, clutter and noise, one of `disturbance.STRENGTHS`; None for clean clips.
        train_clips: Number of training clips, a multiple of 10.
        validation_clips: Number of validation clips, a multiple of 10, of images that do not train.
        test_clips: Number of test clips, a multiple of 10.
    """

    mnist: bool = False
    spurious: bool = False
    spin: bool = False
    disturbance: str | None = None
    train_clips: int = 1000
    validation_clips: int = 500
    test_clips: int = 2000

    @property
    def shows_image(self):
        """Returns whether examples have the image of their clip, where nothing else tells it without the raw files."""
        return self.mnist and self.disturbance is not None


class Builder(tfds_builders.Alone, tfds.core.GeneratorBasedBuilder):
    """Clips of swinging or spinning handwritten digits, labeled with the frequency."""

    VERSION = tfds.core.Version("2.1.0")
    RELEASE_NOTES = {
        "1.0.0": "Initial release.",
        "2.0.0": "A validation split, of images that trained.",
        "2.1.0": "Every clip names the image it shows, as its subject. The clips are the same.",
    }
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "Only the MNIST configs read this folder, and they download what it lacks. Without network, put "
        "train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte here, "
        "plain or with the ending .gz."
    )
    BUILDER_CONFIGS = [
        RotatingDigitsConfig(name="digits", description="scikit-learn's digits: no download."),
        RotatingDigitsConfig(name="mnist", description="MNIST's digits, as in the paper.", mnist=True),
        RotatingDigitsConfig(
            name="digits_spurious",
            description="scikit-learn's digits; frequency and color follow the digit, but not in test.",
            spurious=True,
        ),
        RotatingDigitsConfig(
            name="mnist_spurious",
            description="MNIST's digits; frequency and color follow the digit, but not in test.",
            mnist=True,
            spurious=True,
        ),
        *(
            RotatingDigitsConfig(
                name=f"{name}_spin",
                description=f"{whose} digits that turn on at constant speed: twice the frequency is wrong.",
                mnist=name == "mnist",
                spin=True,
            )
            for name, whose in _DIGITS.items()
        ),
        *(
            RotatingDigitsConfig(
                name=f"{name}_noisy_{strength}",
                description=f"{whose} digits in changing light, behind moving spots and noise.",
                mnist=name == "mnist",
                disturbance=strength,
            )
            for name, whose in _DIGITS.items()
            for strength in STRENGTHS
        ),
    ]

    def _info(self):
        config = self.builder_config
        channels = 3 if config.spurious else 1
        frames, size = digits.NUM_FRAMES, handwriting.SIZE
        features = {
            "clip": tfds_features.frames(
                frames, size, "Frames of a swinging digit: gray, or RGB in the spurious configs.", channels
            ),
            "rate": tfds_features.scalar("Frame rate.", "30 frames per second"),
            "label": tfds_features.scalar("Swings, or turns, per second.", "[0.5, 5] Hz"),
            "id": tfds_features.text("Split and index of the clip.", "train-00000 to test-01999"),
            "subject": tfds_features.text(
                "The image shown, which several clips share.", "train-0-0000: split, digit, number of the image"
            ),
            "digit": tfds.features.ClassLabel(num_classes=10, doc=tfds_features.doc("The digit shown.", "[0, 9]")),
            "phase": tfds_features.scalar("Phase of the movement in the first frame.", "[-1.57, 1.57] radians"),
            "angle": tfds_features.series(
                frames,
                "Angle of the digit in each frame, counterclockwise.",
                "[-pi/2, pi/2] radians; [-pi, pi] where digits spin",
            ),
        }
        if config.shows_image:
            features["image"] = tfds_features.frames(1, size, "The digit upright and undisturbed.", channels)
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            metadata=tfds_features.metadata(tasks.Frequency("Hz")),
            supervised_keys=None,
            homepage="https://arxiv.org/abs/2210.03115",
            license="MNIST: CC BY-SA 3.0. Optical Recognition of Handwritten Digits (scikit-learn): CC BY 4.0.",
            disable_shuffling=True,
        )

    def ideal(self, example):
        """Returns the frequency of an example, in Hz, as whoever knows its image reads it; see `ideal.frequency`."""
        config = self.builder_config
        if config.disturbance is None:
            image = ideal.turned_back(example["clip"], example["angle"])
        elif config.shows_image:
            image = example["image"][0]
        else:
            split, digit, number = example["subject"].decode().split("-")
            image = _embedded(split)[int(digit)][int(number)][..., None]
        return ideal.frequency(example["clip"], image, config.spin)

    def _split_generators(self, dl_manager):
        read = _mnist_reader(dl_manager) if self.builder_config.mnist else handwriting.embedded_digits
        config = self.builder_config
        counts = {"train": config.train_clips, "validation": config.validation_clips, "test": config.test_clips}
        return {split: self._generate_examples(split, read, count) for split, count in counts.items()}

    def _generate_examples(self, split, read, num_clips):
        images = handwriting.by_digit(*read(split), split)
        config = self.builder_config
        look = {"spurious": config.spurious, "spin": config.spin, "disturbance": config.disturbance}
        for index, record in enumerate(digits.clip_records(images, split, num_clips, **look)):
            if config.shows_image:
                record["image"] = digits.image_of(images, index)[None, ..., None]
            yield index, record


@functools.cache
def _embedded(split):
    return handwriting.by_digit(*handwriting.embedded_digits(split), split)


def _mnist_reader(dl_manager):
    """Returns a function from split to images and labels, of manually downloaded files where there are any."""
    try:
        folder = dl_manager.manual_dir
        names = {path.name.removesuffix(".gz") for path in folder.iterdir()}
    except AssertionError:  # How TFDS says that the folder is missing or empty.
        names = set()
    # One file of MNIST is a sign that all four should be there: a missing one is then an error, not a download.
    if any(name in names for pair in handwriting.MNIST_FILES.values() for name in pair):
        return lambda split: handwriting.read_mnist(folder, split)
    urls = {split: [f"{_MNIST_URL}{name}.gz" for name in pair] for split, pair in handwriting.MNIST_FILES.items()}
    paths = dl_manager.download(urls)
    return lambda split: handwriting.read_labeled_images(*paths[handwriting.SOURCE[split]])
