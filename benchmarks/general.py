"""A model for everything: one small encoder, trained by SimPer on generated views, beside `pixels` on other things.

python -m benchmarks.general [--steps=200] [--out=runs/general] [--document=docs/recordings.md]

Training that is interrupted goes on where it was. Photographs are those of scikit-image, which must be installed.
"""

import argparse
import dataclasses
import pathlib

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import keras
import numpy as np

from benchmarks import general_encoder, made_recordings, scored
from benchmarks.recordings import WISHES
from simper_tf import metrics, octave, spectrum, tables
from simper_tf.readings import answers, gram, multiples, read, readouts, scores, sources, windows
from simper_tf.readings.frames import resized
from simper_tf.synthetic import MOVING, Synthetic

COMMAND = "python -m benchmarks.general"
HELD_OUT = tuple(kind for kind in MOVING if kind not in general_encoder.LEARNED)
MOST_BYTES = 1_000_000
RIGHT = 0.05  # Hz within which a window is right.
# Seeds of training and of what is measured, and the first photograph's number: none of them is used elsewhere.
_SEED, _OTHER_SEED, _FIRST = 0, 1, 1000
# Deviation in gray levels of the noise that is added to the small frames of photographs that are read.
_LEVEL = 30.0
# Seconds of a generated clip at the lowest rate; the size of what `predict` reads.
_FRAMES, _SHAPE = 150, (30, 40)
_UNSEEN = [kind for kind in made_recordings.MOVING if kind not in general_encoder.LEARNED]
_KINDS = (
    f"It was not trained on {', '.join(HELD_OUT)}, of which occlusion is a swing behind a bar; of the movements of the "
    f"photographs it was not trained on {', '.join(_UNSEEN)}, but on the others."
)
RULE = (
    f"Said before anything was measured: it is shipped if its weights take at most {MOST_BYTES / 1e6:g} MB and, on "
    "kinds of movement that it was not trained on and on photographs alike, its mean error is smaller than that of "
    "`pixels` beyond doubt (the 95 % interval of the difference, over recordings, lies below 0) and it reads no fewer "
    "windows right."
)


@dataclasses.dataclass(frozen=True)
class Measured:
    """What was read of a window.

    Attributes:
        truth: Hz.
        recording: Which one it is of.
        found: Name of a reader -> Hz, NaN for none.
    """

    truth: float
    recording: str
    found: dict[str, float]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200, help="Of training.")
    parser.add_argument("--out", type=pathlib.Path, default="runs/general", help="Folder of training and photographs.")
    parser.add_argument("--clips", type=int, default=60, help="Generated clips that are read.")
    parser.add_argument("--each", type=int, default=2, help="Recordings of photographs a kind.")
    parser.add_argument("--document", type=pathlib.Path, help="Document that the report is put into.")
    args = parser.parse_args()
    try:
        made_recordings.photograph("coins")
    except ValueError as error:  # Now, and not after the training.
        parser.error(str(error))
    encoder = general_encoder.trained(args.steps, _SEED, args.out / "training")
    reader = Reader(encoder)
    found = {"kinds not trained on": [reader(*each) for each in generated(args.clips)]}
    for name, level in (("photographs", 0.0), ("photographs, noisier", _LEVEL)):
        found[name] = [reader(*each) for each in photographed(args.out / "photographs", args.each, level)]
    text = report(found, args.steps, size_of(encoder), scored.changed(parser, args))
    print(text)
    scored.into_document(args.document, COMMAND, text)


class Reader:
    """Reads windows by all that is compared."""

    def __init__(self, encoder: keras.Model):
        self._encoder = encoder

    def __call__(self, window: windows.Window, band: tuple[float, float], truth: float, recording: str) -> Measured:
        products = gram.of_frames(window.frames)
        plain = [own(products, window.rate, band, scores.PICTURES) for own in (readouts.pixels, readouts.selfdistance)]
        general = self._general(window, products, band)
        found = {each.readout: each.frequency for each in (*plain, general)}
        found["pixels"] = multiples.arbitrated(found["pixels"], products, window.rate, band)
        for name, chosen in (("best by score", plain), ("best by score, general too", [*plain, general])):
            found[name] = answers.choose(0, 1, chosen).chosen.frequency
        return Measured(truth, recording, found)

    def _general(self, window, products, band):
        """Returns what the features of the encoder say, in the octave of the pixels."""
        small = resized(window.frames, max(general_encoder.SHAPE))
        clip = np.clip(small, 0, 255).astype(np.uint8)[None]
        features = np.asarray(self._encoder(np.float32(clip) / np.float32(255), training=False))
        found = float(octave.resolve_octave(features, spectrum.pixel_power(clip), window.rate)[0])
        found = multiples.arbitrated(found, products, window.rate, band)
        return scores.reading("general", gram.products(features[0]), found, window.rate, band)


def size_of(encoder: keras.Model) -> int:
    """Returns the bytes of the weights in single precision."""
    return 4 * encoder.count_params()


def generated(count: int):
    """Yields a window, the band, the truth and a name for each generated clip of the kinds that are held out."""
    source = Synthetic(num_frames=_FRAMES, shape=_SHAPE, kinds=HELD_OUT)
    for number, clip in enumerate(source.dataset(_OTHER_SEED).take(count).as_numpy_iterator()):
        window = windows.Window(0.0, clip["clip"], float(clip["rate"]))
        yield window, windows.BAND, float(clip["frequency"]), str(number)


def photographed(folder: pathlib.Path, each: int, level: float):
    """Yields the same for each window of recordings of photographs, with so much noise added to the frames read."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(_OTHER_SEED)
    for kind in made_recordings.MOVING:
        for number in range(_FIRST, _FIRST + each):
            made = made_recordings.make(folder, kind, "reporting", number)
            opened = read.prepare(sources.Video(made.path), WISHES)
            for window in opened.windows():
                noisy = window.frames + level * random.standard_normal(window.frames.shape, np.float32)
                frames = np.clip(np.round(noisy), 0, 255).astype(np.uint8) if level else window.frames
                truth = made.frequency(window.start, window.seconds)
                yield dataclasses.replace(window, frames=frames), opened.plan.band, truth, made.path.name


def errors(found: list[Measured], name: str) -> np.ndarray:
    """Returns `(N,)` Hz by which a reader is off; of no answer, all of the truth."""
    return scored.errors([each.truth for each in found], [each.found[name] for each in found])


@metrics.Metric
def _mean(_, values):
    return values


def interval(values: np.ndarray, found: list[Measured]) -> tuple[float, float]:
    """Returns the 95 % interval of the mean of values of windows, drawn over recordings."""
    return metrics.bootstrap_interval(_mean, values, values, [each.recording for each in found])


def is_better(found: list[Measured]) -> bool:
    """Whether the general reader is better than that of pixels by `RULE`, on one kind of recordings."""
    own, others = errors(found, "general"), errors(found, "pixels")
    return interval(own - others, found)[1] < 0 and np.mean(own < RIGHT) >= np.mean(others < RIGHT)


def report(found: dict[str, list[Measured]], steps: int, size: int, changed: str = "") -> str:
    """Returns the table of all readers, the rule, what was changed of the command, and what follows."""
    lines = []
    for recordings, measured in found.items():
        truths = [each.truth for each in measured]
        for name in measured[0].found:
            own, hertz = errors(measured, name), [each.found[name] for each in measured]
            cells = [f"{own.mean():.4f} [{', '.join(f'{end:.4f}' for end in interval(own, measured))}]"]
            for values in (own < RIGHT, scored.off_by_an_octave(truths, hertz)):
                low, high = interval(values.astype(float), measured)
                cells.append(f"{values.mean():.1%} [{low:.1%}, {high:.1%}]")
            lines.append([recordings, name, *cells, str(len(own))])
    header = ["recordings", "reader", "MAE, Hz", f"right, within {RIGHT:g} Hz", "off by an octave", "windows"]
    judged = ["kinds not trained on", "photographs"]
    better = [name for name in judged if is_better(found[name])]
    ships = len(better) == len(judged) and size <= MOST_BYTES
    where = f"better on {' and '.join(better)}" if better else "better on neither"
    return (
        f"{RULE}\n\nTrained for {steps} steps on {', '.join(general_encoder.LEARNED)}. {_KINDS} It takes "
        f"{size / 1e6:.2f} MB. The octave of `pixels` and of `general` is decided alike, by the distance of frames to "
        "themselves; *noisier* adds noise of "
        f"{_LEVEL:g} gray levels to the frames that are read.{changed}\n\n"
        f"{tables.markdown_table(header, lines)}\n\n"
        f"By the rule it is {where}: it is {'shipped' if ships else 'not shipped'}."
    )


if __name__ == "__main__":
    main()
