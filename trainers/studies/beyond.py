"""Tables 9 and 10: what was learned, on other data and at other frequencies."""

from simper_tf.methods import METHODS
from trainers.studies import controls, published
from trainers.studies.features import unit
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Cell, Line, Study
from trainers.studies.ways import OWN, after_the_head, finetuned, head_alone, one_multiple, other_head


def transfer(scale: Scale) -> Study:
    """Returns table 9: what was learned on one data set of pulse, trained on the labels of another."""
    ways, best = (("ubfc", "pure"), ("pure", "ubfc")), {"best_epoch": True}

    def run(method, source, target):
        setting = scale.sets[source]
        begun = setting.finetune.but(**best) if method == "supervised" else setting.pretrain.but(method=method)
        return scale.sets[target].begun_with(begun, **best)

    columns = [(source, target, metric) for source, target in ways for metric in ("mae", "mape")]
    lines = tuple(
        Line(METHODS[method].title, tuple(
            Cell(run(method, source, target), OWN, metric,
                 published.value("table9", method, f"{source}->{target} {metric}"))
            for source, target, metric in columns
        ))
        for method in ("supervised", "simclr", "simper")
    )  # fmt: skip
    target_alone = Line("supervised, on the second alone", tuple(
        Cell(scale.sets[target].finetune.but(**best), OWN, metric) for _, target, metric in columns
    ))  # fmt: skip
    titles = tuple(f"{scale.title(s)} to {scale.title(t)}: {unit(t, metric)}" for s, t, metric in columns)
    about = (
        "Encoders of one data set of pulse, supervised there or trained without labels, are trained on the labels of "
        "the other, beside what random weights learn of these alone. The paper says that SimPer's transfer best. What "
        "learns from labels ends with the weights of the epoch that is best on validation clips, as in the paper, "
        "which keeps a fifth of the clips for that; what learns without ends with the last."
    )
    block = controls.beside_heads(Block("", titles, (*lines, target_alone)))
    return Study("table9", published.tables()["table9"]["title"], about, (block,))


def unseen(scale: Scale) -> Study:
    """Returns table 10: frequencies that no training clip has."""
    parts = {"interpolation": {"label_gap": "2,3.5"}, "extrapolation": {"label_range": "1.5,4"}}
    kinds = [(part, seen) for part in scale.some(parts, 1) for seen in ("seen", "unseen")]
    setting, (title, head) = scale.sets["rotating_digits"], other_head(scale)

    def tuned(part):
        return finetuned(scale, "rotating_digits", "simper", part, **part)

    def line(title, run_of, protocol, paper):
        return Line(title, tuple(
            Cell(run_of(parts[part]), protocol, f"mae_{seen}", published.value("table10", paper, f"{part} {seen}"))
            for part, seen in kinds
        ))  # fmt: skip

    lines = (
        line("supervised, its own head", lambda part: setting.finetune.but(**part), OWN, "supervised"),
        line("SimPer, FFT, octave by the pixels, no label", lambda part: setting.pretrain.but(**part), "fft_resolved",
             "simper"),
        line("SimPer, FFT, harmonic from 10 seen labels", lambda part: setting.pretrain.but(**part), "fft_calibrated",
             ""),
        line("supervised, FFT of its features, octave by the pixels", lambda part: setting.finetune.but(**part),
             "fft_resolved", ""),
        line("supervised, FFT of its features, harmonic from 10 seen labels", lambda part: setting.finetune.but(**part),
             "fft_calibrated", ""),
        line("Gideon and Stent, FFT, harmonic from 10 seen labels",
             lambda part: setting.pretrain.but(method="frequency_contrast", **part), "fft_calibrated", ""),
        line("control: strongest line of the pixels", lambda part: setting.pretrain.but(**part), "pixels", ""),
        line("SimPer, fine-tuned, its own head", tuned, OWN, ""),
        line("SimPer, a head learned alone", lambda part: head_alone(tuned(part)), OWN, ""),
        line("SimPer, the head first, then fine-tuned", lambda part: after_the_head(scale, "simper", tuned(part)), OWN,
             ""),
        line("SimPer, 1-NN, which can only answer what it has seen", lambda part: setting.pretrain.but(**part), "1nn",
             ""),
        line("supervised, the head `frequency`", lambda part: one_multiple(setting.finetune.but(**part)), OWN, ""),
        line("SimPer, fine-tuned, the head `frequency`", lambda part: one_multiple(tuned(part)), OWN, ""),
        line("SimPer, the head `frequency` alone", lambda part: one_multiple(head_alone(tuned(part))), OWN, ""),
        line(title, lambda part: setting.finetune.but(head=head, **part), OWN, ""),
    )  # fmt: skip
    titles = tuple(f"{part}, {seen}: MAE (Hz)" for part, seen in kinds)
    about = (
        "Training clips of 2 to 3.5 Hz are left out (interpolation), or those outside 1.5 to 4 Hz (extrapolation); "
        "test clips have all frequencies. No readout is told of the gap: the band is that of the whole data. Views of "
        "several speeds show SimPer frequencies in the gap, of which it has no label either. A head that was trained "
        "and a Fourier transform are two kinds of readout, so the features of both methods are read by the second, and "
        "by the head `frequency`, which learns one multiple of what a Fourier transform reads. The "
        "paper does not say how it reads SimPer's; it says that SimPer answers frequencies it has not seen as well as "
        "others, and a supervised network does not."
    )
    # The readout of each against another's, as the paper has it, and against the same readout of supervised features.
    pairs = tuple((line.title, lines[0].title) for line in (lines[1], *lines[7:10]))
    pairs += tuple((lines[own].title, lines[other].title) for own, other in ((1, 3), (2, 4), (12, 11), (13, 11)))
    return Study("table10", published.tables()["table10"]["title"], about, (Block("", titles, lines, against=pairs),))
