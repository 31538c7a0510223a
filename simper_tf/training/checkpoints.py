"""Checkpoints of a run: no kill loses more than the time since the last one.

`keras.callbacks.BackupAndRestore` runs in `fit`, which several workers do not have, and a kill while it writes leaves
half a file in the place of the whole one. Here files are moved to their places when they are whole, so that a run
continues bit by bit.
"""

import pathlib
import re
import shutil

import tensorflow as tf

from simper_tf.utils import replicas
from simper_tf.utils.files import write_atomically

# Where a checkpoint is written before it is moved to its place, inside the folder of all.
UNFINISHED = "unfinished"


class Checkpoints:
    """Weights, optimizer, step and time spent of a run, saved so that a kill at any moment loses little.

    What lies on disk decides which checkpoints there are. TensorFlow's text file `checkpoint` is written for
    `tf.train.latest_checkpoint`, and read only to notice files that are gone.

    Of several processes that train together the chief alone has a folder: it saves while the others wait for its part
    of the next step, and what it restores is sent to them.

    Args:
        folder: Where to keep them; the last two are kept. None in a process that is not the chief.
        model: A compiled method.
        **others: What else is saved, trackable by TensorFlow, by name.
    """

    def __init__(self, folder, model, **others):
        self._model = model
        self.step = tf.Variable(0, dtype=tf.int64)
        self.seconds = tf.Variable(0.0, dtype=tf.float64)
        # Without its slots the optimizer would be restored half; they belong where the weights do.
        with model.distribute_strategy.scope():
            model.optimizer.build(model.trainable_variables)
        # How often dropout has drawn, which Keras does not count among a model's weights.
        self._seeds = [variable for variable in model.variables if variable.path.endswith("seed_generator_state")]
        self._checkpoint = tf.train.Checkpoint(
            model=model,
            optimizer=model.optimizer,
            step=self.step,
            seconds=self.seconds,
            seeds=[variable.value for variable in self._seeds],
            **others,
        )
        self._folder = folder and pathlib.Path(folder)
        self._whole = None  # The step of the checkpoint that holds what is in memory.

    def save(self):
        """Saves under the current step; what is there already is not written over."""
        step = int(self.step)
        if step == self._whole or self._folder is None:
            return
        unfinished = self._folder / UNFINISHED
        unfinished.mkdir(parents=True, exist_ok=True)
        try:
            self._checkpoint.write(str(unfinished / f"step-{step}"))
            # The index comes last in the alphabet: where it is, all of it is.
            for part in sorted(unfinished.glob(f"step-{step}.*")):
                part.replace(self._folder / part.name)
        finally:
            shutil.rmtree(unfinished)
        self._whole = step
        self._keep_last(step)

    def restore(self, warn=print):
        """Restores the newest whole checkpoint, reporting those that are not; returns its step, 0 if there is none.

        All processes that train together call it, and all have the weights of the chief then.

        Raises:
            ValueError: there are checkpoints, but none is whole and of this version.
        """
        step = self._read(warn) if self._folder else 0
        if not replicas.has_others(self._model.distribute_strategy):
            return step
        variables = [*self._model.weights, *self._model.optimizer.variables, *self._seeds]
        replicas.follow_first(self._model.distribute_strategy, variables)
        step = int(self._model.optimizer.iterations.numpy())
        self.step.assign(step)
        return step

    def _read(self, warn):
        steps, listed = checkpoint_steps(self._folder), _steps_listed(self._folder)
        unlisted = [f"step-{step}" for step in _steps_on_disk(self._folder) if step not in listed]
        if unlisted:
            warn(f"{self._folder / 'checkpoint'} does not list {', '.join(unlisted)}: read all the same.")
        others = False
        for step in reversed(steps):
            path = str(self._folder / f"step-{step}")
            try:
                _read_whole(path)
                self._checkpoint.read(path).assert_existing_objects_matched().expect_partial()
            except AssertionError as error:
                others = True
                warn(f"Checkpoint {path} is of another version and passed over: {str(error).splitlines()[0]}")
            except (tf.errors.OpError, IndexError, ValueError) as error:
                warn(f"Checkpoint {path} is damaged and passed over: {str(error).splitlines()[0]}")
            else:
                self._whole = int(self.step)
                return self._whole
        if steps:
            lacking = "of this version: go on with the one that wrote them, or train" if others else "whole. Train"
            raise ValueError(f"No checkpoint in {self._folder} is {lacking} anew with `overwrite`.")
        return 0

    def _keep_last(self, step):
        """Deletes all but the last two up to a step; later ones are damaged, and are written over in their turn."""
        *old, last = [number for number in _steps_on_disk(self._folder) if number <= step]
        kept = [*old[-1:], last]
        # As TensorFlow writes it, but for its times.
        lines = [f'model_checkpoint_path: "step-{last}"', *(f'all_model_checkpoint_paths: "step-{k}"' for k in kept)]
        write_atomically(self._folder / "checkpoint", "\n".join(lines) + "\n")
        for number in set(old) - set(kept):
            # The index first: without it the rest is no checkpoint.
            for part in sorted(self._folder.glob(f"step-{number}.*"), reverse=True):
                part.unlink()


def checkpoint_steps(folder):
    """Returns the steps of the checkpoints of a folder, whole or not, in order; none if it does not exist.

    They are those on disk, and those that its text file `checkpoint` lists: one that is listed and gone is damaged.
    """
    return sorted({*_steps_on_disk(folder), *_steps_listed(folder)})


def remove_left_overs(folder):
    """Deletes what killed processes have left half written; the caller knows that none is at work there."""
    known = checkpoint_steps(folder)
    for path in pathlib.Path(folder).glob("*"):
        name = re.fullmatch(r"step-(\d+)(_temp|\.data-\d+-of-\d+)", path.name)
        if path.name == UNFINISHED or (name and name[2] == "_temp"):
            shutil.rmtree(path)
        elif name and int(name[1]) not in known:
            path.unlink()


def _steps_on_disk(folder):
    names = [re.fullmatch(r"step-(\d+)\.index", path.name) for path in pathlib.Path(folder).glob("step-*.index")]
    return sorted(int(name[1]) for name in names if name)


def _steps_listed(folder):
    """Returns the steps that the text file lists, however damaged; names outside the folder are none of its own."""
    path = pathlib.Path(folder) / "checkpoint"
    text = path.read_text(errors="replace") if path.is_file() else ""
    return {int(step) for step in re.findall(r'^(?:all_)?model_checkpoint_paths?: "step-(\d+)"$', text, re.MULTILINE)}


def _read_whole(path):
    """Reads every tensor of a checkpoint: a truncated file opens without complaint."""
    reader = tf.train.load_checkpoint(path)
    for name in reader.get_variable_to_shape_map():
        reader.get_tensor(name)
