"""What an evaluation prints of a run: whether it learned, its scores, and a verdict."""

from simper_tf.evaluation import markdown_tables, metrics, protocols
from simper_tf.signals.votes import Octave
from trainers import cli

# Clips on whose views it is looked whether features follow the speed.
NUM_CLIPS = 60
# Correlation with the speed below which features have learned nothing of it; without any learning it is near 0.
LEARNED = 0.5


def say_whether_it_learned(clips, model, settings):
    """Prints how features follow the known speeds of views, warns where they do not, and returns the correlation.

    It needs no label: where nothing was learned, frequencies are still read and look like any others. Methods and sets
    that do not tell it have None.
    """
    examples, count = clips.split(settings.split, min(NUM_CLIPS, settings.limit(settings.split) or NUM_CLIPS))
    # Whole batches alone: of a smaller one, some of several replicas would get nothing.
    size = model.distribute_strategy.num_replicas_in_sync
    size *= 4 if count >= 4 * size else 1
    if count < size or "speed_correlation" not in model.log_names():
        return None
    logs = model.evaluate(examples.map(lambda example: example["clip"]).batch(size, drop_remainder=True), verbose=0)
    follow = f"correlation {logs['speed_correlation']:.3f}, slope {logs['speed_slope']:.3f}"
    cli.say(f"In views of {count // size * size} {settings.split} clips features follow the speed: {follow}.")
    if logs["speed_correlation"] < LEARNED:
        cli.say("WARNING: features do not follow the speed of views. Nothing was learned: do not trust what they read.")
        if settings.interpolation == "linear":
            cli.say(
                "Noise may swell and fade by the speed, and be followed in their place: try --interpolation=steady."
            )
    return logs["speed_correlation"]


def say(results, values, predicted, task, settings):
    """Prints scores: of a frequency those of the readouts in `protocols.TITLES`, in words, and else all."""
    titles = protocols.TITLES if task.kind == "frequency" else {}
    shown = [row for row in results if not titles or row.protocol in titles]
    cli.say(f"{len(predicted.labels)} {settings.split} clips:")
    cli.say(markdown_tables.results_table(shown, titles))
    if "gm" in task.metrics:
        names = {row.protocol for row in shown}
        floored = [
            f"{titles.get(name, name)} {metrics.count_floored(predicted.labels, read)}"
            for name, read in values.items() if name in names
        ]  # fmt: skip
        cli.say(f"Errors below {metrics.FLOOR:g} {task.unit}, counted as that by gm: {'; '.join(floored)}.")


def say_verdict(results, predictions, speed_correlation):
    """Prints in a sentence what the features do and how far the frequencies are off that need no label."""
    errors = {row.protocol: row for row in results if row.metric == "mae"}
    if "fft_resolved" not in errors:
        return
    unread = errors["fft_resolved"]
    octave = Octave(**predictions["fft_resolved"].found["octave"])
    runs = f"rise {octave.rises}" if octave.is_common else "do not rise equally often in all clips"
    follow = f"follow the speed ({speed_correlation:.2f}) and " if (speed_correlation or 0) >= LEARNED else ""
    cli.say(
        f"Features {follow}{runs}. Frequencies read without labels are off by {unread.value:.2g} {unread.unit} "
        "on average."
    )
    if head := errors.get("supervised"):
        worse = ": train it longer, or export --readout=fft_resolved" if head.value > unread.value else ""
        cli.say(f"Its own head is off by {head.value:.2g} {head.unit}{worse}.")
