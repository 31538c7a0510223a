"""Options of the commands, declared once for the console and for flagfiles; nothing heavy is imported here."""

import dataclasses
import math

from simper_tf.reading.answer_units import UNITS
from simper_tf.recordings import boxes
from simper_tf.utils.options import Options, option

_MODEL = option(
    "",
    "Read with a trained model too: the folder of a run, or of its saved_model. A model is a program: name only those "
    "whose maker you trust.",
    form="FOLDER",
)


_TIME = option("", "Column of the times of a table, by name or number; found by default.", form="COLUMN")
_COLUMNS = option((), "Columns that are read, by name or number; all by default.", form="A,B")


@dataclasses.dataclass(frozen=True)
class Predict(Options):
    """How recordings are read.

    Raises:
        ValueError: an option has not the form it needs, or means nothing with the others.
    """

    band: tuple[float, ...] | None = option(
        None, "Lowest and highest frequency sought, in Hz; all by default.", form="LOW,HIGH"
    )
    window: float | None = option(
        None, "Give an answer for every window of so many seconds too.", low=0, above=True, form="SECONDS"
    )
    hop: float | None = option(
        None, "From the start of one window to that of the next; a whole window by default.", low=0, above=True,
        form="SECONDS",
    )  # fmt: skip
    start: float = option(0.0, "Where reading begins.", low=0, form="SECONDS")
    end: float | None = option(
        None, "Where reading ends; the end of the file by default, and 60 for a camera.", form="SECONDS"
    )
    crop: tuple[int, ...] | None = option(None, "Look only at this part of the pictures, in pixels.", form="X,Y,W,H")
    face: bool = option(False, "Read the pulse of a face, whatever else moves.")
    unit: str = option("hz", "Unit of what is printed and written.", choices=UNITS)
    rate: float | None = option(None, "Frames or samples per second, whatever a file says of them.", low=0, above=True)
    time: str = _TIME
    columns: tuple[str, ...] = _COLUMNS
    model: str = _MODEL
    video: str = option("", "Write a copy of the one recording with its count on the frames, as .mp4.", form="FILE")
    report: bool = option(False, "Write predictions.html too, a page with all recordings.")
    pictures: str = option(
        "auto", "Which recordings get a picture; auto: all of up to 50, of more those with a clear answer.",
        choices=("auto", "all", "clear", "none"),
    )  # fmt: skip
    jobs: int | None = option(
        None, "Processes that read at the same time; by default one, and of many recordings one a core.", low=1,
        form="NUMBER",
    )  # fmt: skip
    scheduler: str = option(
        "", "Read on the Dask cluster of this scheduler, which sees the same files.", form="ADDRESS"
    )
    again: bool = option(False, "Read again what was read before into the same folder and has not changed.")
    out: str = option("runs/predict", "Where answers are written.", form="FOLDER")

    def __post_init__(self):
        super().__post_init__()
        _check_band(self.band)
        _check_crop(self.crop)
        if not (math.inf if self.end is None else self.end) > self.start:
            raise ValueError(f"--end={self.end:g} must be later than --start={self.start:g}.")
        if self.scheduler and self.jobs:
            raise ValueError("--jobs counts processes of this machine, --scheduler names a cluster. Leave one out.")
        if self.hop and not self.window:
            raise ValueError(f"--hop={self.hop:g} means nothing without --window.")


@dataclasses.dataclass(frozen=True)
class App(Options):
    """How the page in the browser is served."""

    host: str = option("127.0.0.1", "Address to listen on; 0.0.0.0 lets others in, without a password.", form="ADDRESS")
    port: int = option(8000, "Port to listen on; 0 for any that is free.", low=0, high=65535)
    model: str = _MODEL
    max_megabytes: float = option(2000.0, "Largest recording in megabytes.", low=0.001, form="NUMBER")


@dataclasses.dataclass(frozen=True)
class Clips(Options):
    """How recordings are cut into clips to learn from.

    Raises:
        ValueError: an option has not the form it needs.
    """

    band: tuple[float, ...] | None = option(
        None, "Lowest and highest frequency, in Hz; proposed by default.", form="LOW,HIGH"
    )
    window: float | None = option(None, "Length of a clip; proposed by default.", low=0, above=True, form="SECONDS")
    rate: float | None = option(None, "Frames or samples per second of clips; proposed by default.", low=0, above=True)
    time: str = _TIME
    columns: tuple[str, ...] = _COLUMNS

    def __post_init__(self):
        super().__post_init__()
        _check_band(self.band)


@dataclasses.dataclass(frozen=True)
class Train(Clips):
    """How a model is trained on recordings."""

    method: str = option(
        "auto",
        "What learns: replay, for films, or simper; auto takes replay for films and simper for series.",
        choices=("auto", "simper", "replay"),
    )
    steps: int = option(
        500,
        "Steps of training, in whole passes over the clips; twice as many where model and count differ.",
        low=1,
        form="NUMBER",
    )
    batch_size: int = option(4, "Clips per step.", low=1, form="NUMBER")
    seed: int = option(0, "Seed of first weights, order of clips and views.", low=0, high=2**32 - 1, form="NUMBER")
    hold_out: str = option(
        "",
        "Recordings that nothing is learned from, and that are judged at the end: a share, such as 0.2, or names.",
        form="SHARE|NAMES",
    )
    labels: str = option(
        "",
        "What somebody has counted in some of the recordings, as CSV that simper evaluate takes too: in place of the "
        "count, and to tell at which multiple of the frequency the model runs.",
        form="FILE",
    )
    out: str = option("runs/mine", "The model becomes the next version in saved_model/ there.", form="FOLDER")

    def __post_init__(self):
        super().__post_init__()
        if isinstance(self.held_out, float) and not 0 <= self.held_out < 1:
            raise ValueError(
                f"--hold_out takes a share from 0 to below 1, such as 0.2, or names. Found: {self.hold_out}."
            )

    @property
    def held_out(self) -> float | list[str]:
        """The share of recordings that nothing is learned from, or their names."""
        try:
            return float(self.hold_out or 0)
        except ValueError:
            return self.hold_out.split(",")


@dataclasses.dataclass(frozen=True)
class Evaluate(Options):
    """What recordings are compared with."""

    labels: str = option(
        "",
        "What somebody has counted, as CSV: the columns recording, one of count, hz and per_minute, and from and to in "
        "seconds.",
        form="FILE",
    )
    time: str = _TIME
    columns: tuple[str, ...] = _COLUMNS
    model: str = _MODEL


@dataclasses.dataclass(frozen=True)
class Export(Options):
    """What becomes of an exported model."""

    model: str = option(
        "runs/mine", "A trained model: the folder of a run, or of its saved_model, such as simper train writes.",
        form="FOLDER",
    )  # fmt: skip
    format: str = option("tflite", "Format of the file.", choices=("tflite", "onnx"))


@dataclasses.dataclass(frozen=True)
class Demo(Options):
    """Where the demonstration goes."""

    out: str = option("simper-demo", "Where the video and its answers are written.", form="FOLDER")


def _check_band(band):
    if band is not None and not (isinstance(band, tuple) and len(band) == 2 and 0 < band[0] < band[1] < math.inf):
        raise ValueError(f"--band takes two rising numbers in Hz, such as 0.4,5.5. Found: {_text(band)}")


def _check_crop(box):
    if box is not None and not boxes.are_pixels(box):
        raise ValueError(f"--crop takes x,y,width,height in pixels. Found: {_text(box)}")


def _text(numbers):
    return ",".join(map(str, numbers)) if isinstance(numbers, tuple) else str(numbers)
