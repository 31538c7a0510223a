"""Checks of what a subclass of `Method` gives, and of what it is compiled with; each raises a ValueError."""


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


def refuse_export(method):
    """Refuses to export a method whole, as Keras would."""
    raise ValueError(
        f"{type(method).__name__} is not exported whole. Export its encoder with a readout: simper_tf.export_model("
        'model.encoder, "saved_model", frame_shape, band=(0.5, 4.0)), the band in Hz.'
    )
