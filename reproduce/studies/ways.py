"""Ways of learning from labels, as runs: at once, the head alone, the head first; another head."""

from reproduce.grid import Run
from reproduce.studies.scales import Scale
from reproduce.studies.table import data_set_of

OWN = "supervised"  # The protocol that asks the trained head.


def finetuned(scale: Scale, name: str, method: str, before: dict | None = None, **changes) -> Run:
    """Returns learning from the labels of a data set, begun with what a method has learned there without.

    Args:
        scale: Has the data set.
        name: Of the data set.
        method: `supervised` for random weights.
        before: Flags that differ in pre-training.
        **changes: Flags that differ in learning from labels.
    """
    setting = scale.sets[name]
    if method == "supervised":
        return setting.finetune.but(**changes)
    return setting.begun_with(setting.pretrain.but(method=method, **(before or {})), **changes)


def head_alone(run: Run) -> Run:
    """Returns learning from labels in which the encoder stays as it is begun, at the rate of the flagfile."""
    return run.but(freeze=True, learning_rate=None)


def after_the_head(scale: Scale, method: str, run: Run) -> Run:
    """Returns learning from labels of the whole network, begun with its encoder and the head that learned alone.

    The gradients of a random head are kept from learned features so, as in Kumar et al., ICLR 2022. Supervised
    training, which has no such features, goes on with all that it has learned at the rate of the flagfile.

    Args:
        scale: Has the data set.
        method: That the run is begun with, `supervised` for random weights.
        run: Learning from labels at once.
    """
    rate = scale.sets[data_set_of(run)].rate(method, after_head=True)
    before = run.but(learning_rate=None) if method == "supervised" else head_alone(run)
    return run.but(keep_head=True, learning_rate=rate).begun_with(before)


def other_head(scale: Scale) -> tuple[str, str]:
    """Returns a head that the scale does not have for labels of frequencies: the title of its line, and its name."""
    if dict(scale.sets["rotating_digits"].finetune.changes).get("head") == "spectrum":
        return "supervised, the published head", "linear"
    return "supervised, phase-free head", "spectrum"


def one_multiple(run: Run) -> Run:
    """Returns learning from labels by the head `frequency`: one multiple of what a Fourier transform reads."""
    return run.but(head="frequency")
