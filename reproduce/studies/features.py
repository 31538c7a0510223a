"""Tables 2 to 7 and 14: what is read off features that nobody has trained for it."""

from collections.abc import Callable

from reproduce.studies import controls, published
from reproduce.studies.chosen import PULSE_PRIOR
from reproduce.studies.readouts import METRICS, OF_PAPER, OF_PULSE, UNITS, has_option, named, unit
from reproduce.studies.scales import Scale
from reproduce.studies.table import Block, Cell, Line, Study
from simper_tf.methods import METHODS

# The paper's methods, in its order.
PAPERS = ("simclr", "moco", "byol", "cvrl", "simper")
# Methods that were made to learn pulses; the band is in their own losses.
FOR_PULSE = ("frequency_contrast", "contrast_phys", "sinc")
_OF_FREQUENCIES = (
    "with the same encoder, steps and seeds, each with its own views. The paper says that SimPer learns frequency "
    "without labels, and the others do not. It does not say how its Fourier readout is given the band or the octave: "
    "beside that in the band of the data stands one that needs no label and no band, its octave told by the pixels."
)
_OF_SERIES = (
    "A linear map from features to the temperatures of the hours that follow, trained on frozen encoders; beside it "
    "what learns no features: the same map of the mean of each hour's temperatures, that the last day comes again, and "
    "the mean of all training clips. Features are those before the encoder's head, as outputs of SimPer need not keep "
    "their mean."
)
_OF_PULSES = (
    " A face has other periods than its pulse, and no method is told which is meant: with the frequency prior, which "
    "the paper does not have, it is given the band. The weight was chosen for SimPer on validation clips of the faces "
    "in place of SCAMPS; the other methods have the same. A pulse may have more power in its second harmonic than in "
    "its fundamental, to which a readout of its own steps down where there is a line. Three methods that were made to "
    "learn pulses, which the paper's tables of features do not have, are given the band by their own losses."
)
OF_COUNTIX = (
    " The clips of the miniature have one of seven counts each and begin alike: a training clip of the same count is "
    "like the test clip in nearly any features, and the nearest neighbor says little here."
)
_ALIKE = "The same crops, flips, blur and brightness for all, those of SimPer"


def features(number: int, name: str) -> Callable[[Scale], Study]:
    """Returns the function that makes the table of a data set.

    Args:
        number: Of the table.
        name: Of the data set.
    """
    table, is_pulse = f"table{number}", UNITS[name] == "bpm"
    protocols = {"linear_probe": "linear probe"} if name == "lst" else {**OF_PAPER, **(OF_PULSE if is_pulse else {})}
    columns = [(protocol, metric) for protocol in protocols for metric in METRICS.get(name, ("mae", "mape"))]
    titles = tuple(f"{protocols[protocol]}: {unit(name, metric)}" for protocol, metric in columns)

    def study(scale: Scale) -> Study:
        setting = scale.sets[name]
        plain = setting.pretrain.but(prior_weight=None)  # As in the paper, whatever the scale has.
        lines = [_line(plain.but(method=method), columns, table=table) for method in scale.some(PAPERS)]
        if name == "rotating_digits":
            lines += _larger_batches(scale, plain, columns)
        if is_pulse:
            lines += _told_the_band(scale, setting.pretrain, columns)
        lines.append(_untrained(plain, columns))
        if name == "rotating_digits":
            lines += controls.beside_features(name, controls.mean_of_frames(plain), columns)
            lines += controls.floor_lines(plain, columns)
        elif name == "lst":
            reader = controls.mean_of_frames(plain.but(method="simper"))
            lines.append(_line(reader, columns, "control: the mean of each map alone"))
            lines += controls.beside_features(name, reader, columns)
        else:
            lines += controls.beside_features(name, controls.untrained(plain.but(method="simper")), columns)
            lines += controls.sine_lines(plain, columns)
        about = f"Features of five methods on {scale.title(name)}, trained {_OF_FREQUENCIES}"
        about = _OF_SERIES if name == "lst" else about + _OF_PULSES * is_pulse
        about += OF_COUNTIX * bool(name == "countix" and setting.standin)
        blocks = [Block("", titles, tuple(lines))]
        if name == "rotating_digits":
            runs = [plain.but(method=method, appearance=_alike(method)) for method in scale.some(PAPERS)]
            beside = [line for line in lines if line.kind and "untrained" not in line.title]
            blocks.append(Block(_ALIKE, titles, (*(_line(run, columns) for run in runs), *beside)))
        return Study(table, published.title(table), about, tuple(blocks))

    return study


def _alike(method):
    """Returns the flag that gives a method the appearance of SimPer's views; None where it has it."""
    return None if method == "simper" else "simper"


def spurious(scale: Scale) -> Study:
    """Returns table 14: color and frequency follow the digit in training, and not in test."""
    name = "rotating_digits"
    pretrain = scale.sets[name].pretrain
    pretrain = pretrain.but(dataset=f"{pretrain.settings().dataset}_spurious")
    columns = [(protocol, metric) for protocol in OF_PAPER for metric in ("mae", "mape")]
    lines = (
        *(_line(pretrain.but(method=method), columns, table="table14") for method in ("simclr", "simper")),
        *_larger_batches(scale, pretrain, columns),
        _untrained(pretrain, columns),
        *controls.beside_features(name, controls.mean_of_frames(pretrain), columns),
        *controls.floor_lines(pretrain, columns),
    )
    titles = tuple(f"{OF_PAPER[protocol]}: {unit(name, metric)}" for protocol, metric in columns)
    about = (
        "In training each digit has a color and a tenth of the frequencies of its own; in test neither. The paper says "
        "that features of SimCLR follow the color, and those of SimPer the frequency; what each method reads where "
        "colors say nothing is in table 2."
    )
    block = Block("", titles, lines, against=((METHODS["simper"].title, METHODS["simclr"].title),))
    return Study("table14", published.title("table14"), about, (block,))


def _line(run, columns, title=None, table=None):
    """Returns the line of a run, by the title of its method, beside the paper's numbers where a table is given."""
    method = dict(run.changes)["method"]
    papers = [published.value(table, method, " ".join(column)) if table else None for column in columns]
    cells = (Cell(run, *column, paper) for column, paper in zip(columns, papers, strict=True))
    return Line(title or METHODS[method].title, tuple(cells))


def _told_the_band(scale, pretrain, columns):
    """Returns the lines of methods whose own loss has the band, and of all that can have the prior with it."""
    plain, with_prior = pretrain.but(prior_weight=None), pretrain.but(prior_weight=PULSE_PRIOR)
    lines = [_line(plain.but(method=method), columns, named(method)) for method in scale.some(FOR_PULSE)]
    return lines + [
        _line(with_prior.but(method=method), columns, f"{METHODS[method].title} + prior")
        for method in scale.some((*FOR_PULSE, *PAPERS))
        if has_option(method, "prior_weight")  # A term of SiNC is the prior.
    ]


def _untrained(run, columns):
    """Returns the line of an encoder that has learned nothing."""
    return _line(controls.untrained(run.but(method="simper")), columns, "control: encoder untrained")


def _larger_batches(scale, pretrain, columns):
    """Returns the line of SimCLR with more clips to tell from one another than batches of the small scale have."""
    run = pretrain.but(method="simclr", batch_size=16)
    return [_line(run, columns, f"{METHODS['simclr'].title}, batches of 16")] if scale.name == "small" else []
