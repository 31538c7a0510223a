"""A built data set looked over without its raw files."""

import collections
import re

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

from simper_tf.data import raw_checks

STRING_BYTES = 64  # Of an id or a name; they are shorter.


def examine(builder, task, done=lambda count: None):
    """Reads every example of a built data set.

    Args:
        builder: A TFDS builder whose data are there.
        task: What its labels are, a `simper_tf.evaluation.tasks.Task`.
        done: Called with the number of examples read so far.

    Returns:
        Sentences about what is wrong, none if nothing is: values that are not finite, clips in which nothing moves,
        implausible labels, ids that come twice, fewer examples than stated, a subject in two splits, damaged files. And
        `{split: subjects}`, each a sorted list.
    """
    problems, subjects, count = [], {}, 0
    for split, info in builder.info.splits.items():
        ids, seen = collections.Counter(), set()
        try:
            for example in tfds.as_numpy(builder.as_dataset(split=split, shuffle_files=False)):
                name = example["id"].decode() if "id" in example else f"{split} example {len(ids)}"
                problems += [f"{split}, {name}: {reason}" for reason in implausible(example, task)]
                ids[name] += 1
                seen |= {example["subject"].decode()} if "subject" in example else set()
                count += 1
                done(count)
        except tf.errors.OpError as error:
            # TensorFlow puts the name of the op before and after what it says.
            said = re.sub(r"\{\{.*?\}\} | \[Op:.*", "", error.message.splitlines()[0])
            problems.append(f"{split}: a file cannot be read: {said}")
        problems += [f"{split}, {name}: {number} times" for name, number in ids.items() if number > 1]
        if ids.total() != info.num_examples:
            problems.append(f"{split}: {ids.total()} examples where {info.num_examples} are stated")
        shared = [
            f"subject {name} is in {split} and in {other}" for other in subjects for name in seen & {*subjects[other]}
        ]
        problems += sorted(shared)
        subjects[split] = sorted(seen)
    return problems, subjects


def implausible(example, task):
    """Yields a sentence for each thing in an example that cannot be.

    Args:
        example: A dict of NumPy values with `clip`, `rate` in frames per second and `label`.
        task: What the label is, a `simper_tf.evaluation.tasks.Task`.
    """
    for name, value in example.items():
        if np.issubdtype(np.asarray(value).dtype, np.floating) and not np.isfinite(value).all():
            yield f"{name} has values that are not finite"
    yield from raw_checks.unmoving(example["clip"])
    if not example["rate"] > 0:
        yield f"a rate of {example['rate']} frames per second"
        return
    low, high = task.limits(len(example["clip"]), float(example["rate"]))
    if np.any(example["label"] < low) or np.any(example["label"] > high):
        extremes = f"{np.min(example['label']):.4g} to {np.max(example['label']):.4g}"
        yield f"a label of {extremes} {task.unit}, beyond {low:.4g} to {high:.4g}"


def example_bytes(builder):
    """Returns about how many bytes an example takes on disk: what is compressed counts in full."""
    infos = tf.nest.flatten(builder.info.features.get_tensor_info())
    dtypes = [tf.as_dtype(info.dtype) for info in infos]
    sizes = [STRING_BYTES if dtype == tf.string else dtype.size for dtype in dtypes]
    return sum(int(np.prod(info.shape)) * size for info, size in zip(infos, sizes, strict=True))
