"""Tables 2 to 7 and 14: what is read off features that nobody has trained for it."""

from simper_tf.methods import METHODS
from trainers.studies import controls, published
from trainers.studies.digits import has_option, named
from trainers.studies.scales import PULSE_PRIOR, Scale
from trainers.studies.table import Block, Cell, Line, Study

# The paper's methods, in its order.
PAPERS = ("simclr", "moco", "byol", "cvrl", "simper")
# Methods that were made to learn pulses; the band is in their own losses.
FOR_PULSE = ("frequency_contrast", "contrast_phys", "sinc")
# Data set -> the metrics that the paper has of it; `mae` and `mape` of the others.
METRICS = {"countix": ("mae", "gm"), "lst": ("mae", "mape", "pearson")}
UNITS = {"rotating_digits": "Hz", "scamps": "bpm", "ubfc": "bpm", "pure": "bpm", "countix": "repetitions", "lst": "°C"}
# Protocol -> its name in print, where features are a frequency's.
READOUTS = {"fft": "FFT in the band", "fft_resolved": "FFT, octave by the pixels", "1nn": "1-NN"}
# Further ones for pulses, whose second harmonic may be the stronger.
OF_PULSE = {
    "fft_fundamental": "FFT in the band, down to the fundamental",
    "fft_calibrated": "FFT, harmonic from 10 labels",
}


def unit(name: str, metric: str) -> str:
    """Returns a metric of a data set in print, with its unit."""
    units = {"mape": "fraction" if name == "lst" else "%", "pearson": ""}
    text = {"mae": "MAE", "mape": "MAPE", "gm": "GM", "pearson": "Pearson"}[metric]
    found = units.get(metric, UNITS[name])
    return f"{text} ({found})" if found else text


def features(number: int, name: str):
    """Returns the function that makes the table of one data set of a scale."""
    table = f"table{number}"

    def study(scale: Scale) -> Study:
        pretrain = scale.sets[name].pretrain
        protocols = {"linear_probe": "linear probe"} if name == "lst" else READOUTS
        if UNITS[name] == "bpm":
            protocols = {**protocols, **OF_PULSE}
        columns = [(protocol, metric) for protocol in protocols for metric in METRICS.get(name, ("mae", "mape"))]
        plain = pretrain.but(prior_weight=None)  # As in the paper, whatever the scale has.
        lines = [
            Line(METHODS[method].title, tuple(
                Cell(plain.but(method=method), *column, published.value(table, method, " ".join(column)))
                for column in columns
            ))
            for method in scale.some(PAPERS)
        ]  # fmt: skip
        if name == "rotating_digits":
            lines += _larger_batches(scale, plain, columns)
        if UNITS[name] == "bpm":
            lines += [
                Line(named(method), tuple(Cell(plain.but(method=method), *each) for each in columns))
                for method in scale.some(FOR_PULSE)
            ]
            told = pretrain.but(prior_weight=PULSE_PRIOR)
            lines += [
                Line(
                    f"{METHODS[method].title} + prior", tuple(Cell(told.but(method=method), *each) for each in columns)
                )
                for method in scale.some((*FOR_PULSE, *PAPERS))
                if has_option(method, "prior_weight")  # A term of SiNC is the prior.
            ]
        lines += _without_training(name, plain, columns)
        titles = tuple(f"{protocols[protocol]}: {unit(name, metric)}" for protocol, metric in columns)
        about = (
            f"Features of five methods on {scale.title(name)}, trained with the same encoder, steps and seeds, each "
            "with its own views. The paper says that SimPer learns frequency without labels, and the others do not. "
            "It does not say how its Fourier readout is told the band or the octave: beside that in the band of the "
            "data stands one that needs no label and no band, its octave told by the pixels."
            if name != "lst" else
            "A linear map from features to the temperatures of the hours that follow, trained on frozen encoders; "
            "beside it what needs no features: that the last day comes again, and the mean of all training clips."
        )  # fmt: skip
        if UNITS[name] == "bpm":
            about += (
                " A face has other periods than its pulse, and no method is told which is meant: with the frequency "
                "prior, which the paper does not have, it is told the band. The weight is the best for SimPer on the "
                "faces in place of SCAMPS, see the table `prior`; the other methods have the same. A pulse may have "
                "more power in its second harmonic than in its fundamental, to which a readout of its own steps down "
                "where there is a line. Three methods that were made to learn pulses, which the paper's tables of "
                "features do not have, are told the band by their own losses."
            )
        if name == "countix" and scale.sets[name].standin:
            about += (
                " The clips of the miniature have one of seven counts each and begin alike: a training clip of the "
                "same count is like the test clip in nearly any features, and the nearest neighbor says little here."
            )
        return Study(table, published.tables()[table]["title"], about, (Block("", titles, tuple(lines)),))

    return study


def spurious(scale: Scale) -> Study:
    """Returns table 14: color and frequency follow the digit in training, and not in test."""
    pretrain = scale.sets["rotating_digits"].pretrain
    dataset = pretrain.settings().dataset
    pretrain = pretrain.but(dataset=f"{dataset}_spurious")
    columns = [(protocol, metric) for protocol in READOUTS for metric in ("mae", "mape")]
    lines = tuple(
        Line(METHODS[method].title, tuple(
            Cell(pretrain.but(method=method), *column, published.value("table14", method, " ".join(column)))
            for column in columns
        ))
        for method in ("simclr", "simper")
    )  # fmt: skip
    lines += (
        *_larger_batches(scale, pretrain, columns),
        *_without_training("rotating_digits", pretrain, columns),
    )
    titles = tuple(f"{READOUTS[protocol]}: {unit('rotating_digits', metric)}" for protocol, metric in columns)
    about = (
        "In training each digit has a color and a tenth of the frequencies of its own; in test neither. The paper says "
        "that features of SimCLR follow the color, and those of SimPer the frequency; what each method reads where "
        "colors say nothing is in table 2."
    )
    block = Block("", titles, lines, against=((METHODS["simper"].title, METHODS["simclr"].title),))
    return Study("table14", published.tables()["table14"]["title"], about, (block,))


def _without_training(name, run, columns):
    """Returns the line of an encoder that has learned nothing, and those of what reads clips alone."""
    untrained = run.but(method="simper", steps=0, epochs=0)
    line = Line("control: encoder untrained", tuple(Cell(untrained, *each) for each in columns))
    # Clips are read soonest by a run that learns nothing.
    return [line, *controls.beside_features(name, untrained, columns)]


def _larger_batches(scale, pretrain, columns):
    """Returns the line of SimCLR with more clips to tell from one another than batches of the small scale have."""
    if scale.name != "small":
        return []
    run = pretrain.but(method="simclr", batch_size=16)
    return [Line(f"{METHODS['simclr'].title}, batches of 16", tuple(Cell(run, *each) for each in columns))]
