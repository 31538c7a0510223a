"""Tables 15 to 18: speeds, views, similarities and soft labels of SimPer."""

from reproduce.studies import controls, published
from reproduce.studies.features import OF_COUNTIX
from reproduce.studies.readouts import OF_PAPER, OF_PULSE, unit
from reproduce.studies.scales import SETS, Scale
from reproduce.studies.table import Block, Cell, Line, Study
from reproduce.studies.ways import OWN, finetuned

# Data set -> readouts of features that learned without labels, where they are not those of pulses.
_OF_SET = {"rotating_digits": ("fft", "fft_resolved", "1nn"), "countix": ("fft", "1nn"), "lst": ("linear_probe",)}
_TITLES = {**OF_PAPER, **OF_PULSE, "linear_probe": "linear probe"}


def variants(table: str, flag: str, values: dict[str, str], about: str):
    """Returns the function that makes a table of values of one flag in pre-training, fine-tuned as in the paper.

    Args:
        table: Such as `table15`.
        flag: The flag that is varied.
        values: Value -> its title, in the order of the paper.
        about: See `Study`.
    """
    name, after, before = "scamps", ("mae", "mape"), ("fft_fundamental", "1nn")

    def study(scale: Scale) -> Study:
        pretrain = scale.sets[name].pretrain

        def line(title, value):
            run = finetuned(scale, name, "simper", {flag: value}) if value else scale.sets[name].finetune
            paper = published.value(table, "mape", value or "supervised")
            cells = [Cell(run, OWN, metric, paper if metric == "mape" else None) for metric in after]
            frozen = pretrain.but(**{flag: value})
            return Line(title, (*cells, *(Cell(frozen, protocol, "mae") if value else None for protocol in before)))

        lines = [line(values[value], value) for value in scale.some(values)] + [line("supervised", None)]
        titles = [f"fine-tuned: {unit(name, metric)}" for metric in after]
        titles += [f"frozen, {_TITLES[protocol]}: {unit(name, 'mae')}" for protocol in before]
        columns = [*((OWN, metric) for metric in after), *((protocol, "mae") for protocol in before)]
        beside = controls.beside_features(name, controls.reading(pretrain), columns)
        beside += controls.sine_lines(pretrain.but(prior_weight=None), columns)  # As in table 3.
        lines += [control for control in beside if any(control.cells)]
        return Study(table, published.title(table), about, (Block("", tuple(titles), tuple(lines)),))

    return study


speeds = variants(
    "table15",
    "speed_range",
    {value: value.replace(",", " to ") for value in ("0.5,1.5", "0.8,1.8", "0.5,2", "0.5,3")},
    "Speeds of the views. The paper says that they matter little.",
)
views = variants(
    "table16",
    "num_views",
    {value: f"{value} views" for value in ("3", "5", "10", "20")},
    "Views a set. The paper says that more are better, with little gain beyond 5.",
)
similarities = variants(
    "table17",
    "similarity",
    {"mxcorr": "largest cross-correlation", "npsd": "spectra, cosine", "npsd_l2": "spectra, L2"},
    "How features are compared. The paper says that it matters little.",
)


def generalized(scale: Scale) -> Study:
    """Returns table 18: hard labels, which make InfoNCE, against those of the generalized loss."""
    columns = [(name, protocol) for name in SETS for protocol in _OF_SET.get(name, ("fft", "fft_fundamental", "1nn"))]

    def line(title, paper, changes):
        numbers = {name: published.value("table18", paper, f"{name} mae") for name in SETS}
        return Line(f"SimPer, {title}", tuple(
            Cell(scale.sets[name].pretrain.but(**changes), protocol, "mae",
                 numbers[name] if protocol in ("fft", "linear_probe") else None)
            for name, protocol in columns
        ))  # fmt: skip

    plain = {name: scale.sets[name].pretrain.but(prior_weight=None) for name in SETS}
    lines = (
        line("InfoNCE", "infonce", {"label_temperature": 0}),
        line("generalized", "generalized", {}),
        controls.best_of_each({name: scale.sets[name].pretrain for name in SETS}, columns),
        *controls.sines_of_each(plain, columns),
    )
    titles = tuple(f"{scale.title(name)}, {_TITLES[protocol]}: {unit(name, 'mae')}" for name, protocol in columns)
    about = "Whether labels of near speeds are near helps. The paper says that it does, on every data set but LST."
    about += OF_COUNTIX * bool(scale.sets["countix"].standin)
    return Study("table18", published.title("table18"), about, (Block("", titles, lines),))
