"""Checks of what a `Method` is made of, is compiled with and gets, and of what a subclass gives: ValueErrors."""

import numbers

from simper_tf.views.views import Views


def check_parts(kind, encoder, views, seed):
    """Refuses what is no encoder, no views or no seed, or does not go together, for a method of some kind."""
    name = kind.__name__
    if not callable(encoder):
        raise ValueError(
            f"`encoder` must be a keras.Model of clips, such as simper_tf.small(frame_shape). Received: {encoder!r}."
        )
    if not isinstance(seed, numbers.Integral):
        raise ValueError(f"`seed` must be a whole number. Received: {seed!r}.")
    if views is None:
        return
    if not isinstance(views, Views):
        raise ValueError(f"`views` must be simper_tf.Views, or a subclass. Received: {views!r}.")
    if not isinstance(views.times, kind.takes_times):
        wrong = f"{name} learns from views at the times of `{name}.times_for`. Received: {views.times}."
        raise ValueError(f"{wrong} Make them by Views(num_frames, {name}.times_for(2, (0.5, 2.0))).")
    shape = getattr(encoder, "input_shape", None)
    if shape and len(shape) == 5 and shape[1] not in (None, views.num_frames):
        raise ValueError(
            f"The encoder takes clips of {shape[1]} frames, and the views have {views.num_frames}. Build it for any "
            "number: `None` frames in the shape of its input."
        )


def check_loss(method, loss):
    """Refuses a loss of more than one number: its gradient would be that of the sum."""
    if loss.shape.rank:
        raise ValueError(
            f"`{type(method).__name__}.loss_and_logs` must give one number, such as tf.reduce_mean of the losses of "
            f"clips. Received: a loss of shape {loss.shape}."
        )


def check_logs(method, logs: dict):
    """Refuses logs of other names than the method has said: what it forgot would be 0."""
    if logs.keys() != method.trackers.keys():
        raise ValueError(
            f"`{type(method).__name__}.log_names` must name what `loss_and_logs` gives beside the loss. Received: "
            f"{sorted(method.trackers)} named, {sorted(logs)} given."
        )


def check_compiled(method):
    """Refuses a method that was compiled with a loss or metrics, which it would pass over."""
    config = method.get_compile_config() if method.compiled else {}
    if given := [name for name in ("loss", "metrics", "weighted_metrics") if config.get(name)]:
        raise ValueError(
            f"{type(method).__name__} has a loss and logs of its own. Received: compile({given[0]}=...). Leave it out, "
            "add to `loss_and_logs` in a subclass, and measure by simper_tf.evaluate."
        )


def check_weights(method, given: dict):
    """Refuses weights of clips or classes, which Keras drops without a word where there are no labels."""
    if names := [name for name in ("sample_weight", "class_weight") if given.get(name) is not None]:
        raise ValueError(
            f"{type(method).__name__} learns from all clips alike. Received: `{names[0]}`. Leave it out, and repeat "
            "the clips that are to count more."
        )


def refuse_export(method):
    """Refuses to export a method whole, as Keras would."""
    raise ValueError(
        f"{type(method).__name__} is not exported whole. Export its encoder with a readout: simper_tf.export_model("
        'model.encoder, "saved_model", frame_shape, band=(0.5, 4.0)), the band in Hz.'
    )
