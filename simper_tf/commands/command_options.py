"""Options of the commands, declared once for the console and for flagfiles; nothing heavy is imported here."""

import dataclasses
import math

from simper_tf.utils.options import Options, option

# Units in which answers are given: a flag's value -> in print.
UNITS = {"hz": "Hz", "bpm": "bpm", "per_minute": "per minute", "count": "repetitions"}

_MODEL = (
    "An exported model that reads too: the folder of a run, or of a saved model. It runs code of its own: name only "
    "models of people you trust."
)


@dataclasses.dataclass(frozen=True)
class Predict(Options):
    """How recordings are read.

    Raises:
        ValueError: an option has not the form it needs, or means nothing with the others.
    """

    band: tuple[float, ...] | None = option(None, "Lowest and highest frequency sought, in Hz; all by default.")
    window: float | None = option(None, "Seconds of windows that are answered one by one too.")
    hop: float | None = option(None, "Seconds from the start of one window to the next; a whole window by default.")
    start: float = option(0.0, "Second at which reading begins.")
    end: float | None = option(None, "Second at which reading ends; by default that of the file, and 60 for a camera.")
    crop: tuple[int, ...] | None = option(None, "Look only at this part of the pictures: x,y,width,height in pixels.")
    face: bool = option(False, "Read the pulse of a face, whatever else moves.")
    unit: str = option("hz", "Unit of what is printed and written.", choices=UNITS)
    rate: float | None = option(
        None, "Frames or samples per second: of a file that does not say, or at which slow motion was filmed."
    )
    model: str = option("", _MODEL)
    adapt: float = option(0.0, "Seconds for which SimPer learns from each recording, to read by it too.")
    video: str = option("", "An .mp4 file for a copy of the one recording with count and phase on its frames.")
    report: bool = option(False, "Write an HTML page of all recordings too: predictions.html.")
    out: str = option("runs/predict", "Folder to write into.")

    def __post_init__(self):
        super().__post_init__()
        _check_band(self.band)
        _check_count("crop", self.crop, 4)
        if self.crop and (min(self.crop[:2]) < 0 or min(self.crop[2:]) < 1):
            raise ValueError(f"--crop takes x,y,width,height in pixels. Found: {_text(self.crop)}")
        for name in ("start", "adapt"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"--{name} must be 0 or more. Found: {getattr(self, name):g}.")
        _check_above(self, "window", "hop", "rate")
        if not (math.inf if self.end is None else self.end) > self.start:
            raise ValueError(f"--end={self.end:g} must be later than --start={self.start:g}.")
        if self.hop and not self.window:
            raise ValueError(f"--hop={self.hop:g} means nothing without --window.")


@dataclasses.dataclass(frozen=True)
class App(Options):
    """How the page in the browser is served."""

    host: str = option("127.0.0.1", "Address to listen on; 0.0.0.0 lets others in, without a password.")
    port: int = option(8000, "Port to listen on; 0 for any that is free.", low=0, high=65535)
    model: str = option("", _MODEL)
    max_megabytes: float = option(2000.0, "Largest recording in megabytes.", low=0.001)


@dataclasses.dataclass(frozen=True)
class Clips(Options):
    """How recordings are cut into clips to learn from.

    Raises:
        ValueError: an option has not the form it needs.
    """

    band: tuple[float, ...] | None = option(None, "Lowest and highest frequency, in Hz; proposed by default.")
    window: float | None = option(None, "Seconds of a clip; proposed by default.")
    rate: float | None = option(None, "Frames per second of clips; proposed by default.")

    def __post_init__(self):
        super().__post_init__()
        _check_band(self.band)
        _check_above(self, "window", "rate")


@dataclasses.dataclass(frozen=True)
class Train(Clips):
    """How SimPer is trained on recordings."""

    steps: int = option(
        500,
        "Steps of the optimizer, in whole passes over the clips; twice as many where model and count differ.",
        low=1,
    )
    batch_size: int = option(4, "Clips per step.", low=1)
    seed: int = option(0, "Seed of first weights, order of clips and views.")
    out: str = option("runs/mine", "Folder whose saved_model/ gets the next version of the model.")


@dataclasses.dataclass(frozen=True)
class Evaluate(Options):
    """What recordings are compared with."""

    labels: str = option("", "CSV of counts: columns recording, one of hz, per_minute and count, and from and to in s.")
    model: str = option("", _MODEL)


@dataclasses.dataclass(frozen=True)
class Export(Options):
    """What becomes of an exported model."""

    model: str = option("runs/mine", "The folder of a run, or of its saved_model, such as simper train writes.")
    format: str = option("tflite", "Format of the file.", choices=("tflite", "onnx"))


@dataclasses.dataclass(frozen=True)
class Demo(Options):
    """Where the demonstration goes."""

    out: str = option("simper-demo", "Folder to write into.")


def _check_band(band):
    _check_count("band", band, 2)
    if band and not 0 < band[0] < band[1]:
        raise ValueError(f"--band takes two rising numbers in Hz, such as 0.4,5.5. Found: {_text(band)}")


def _check_count(name, numbers, count):
    if numbers is not None and (not isinstance(numbers, tuple) or len(numbers) != count):
        raise ValueError(f"--{name} takes {count} numbers with commas between them. Found: {_text(numbers)}")


def _check_above(options, *names):
    for name in names:
        if getattr(options, name) is not None and not getattr(options, name) > 0:
            raise ValueError(f"--{name} must be above 0. Found: {getattr(options, name):g}.")


def _text(numbers):
    return ",".join(map(str, numbers)) if isinstance(numbers, tuple) else str(numbers)
