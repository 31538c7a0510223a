"""Recordings without labels as a data set, built once: whole recordings are held out from training, or its end."""

import dataclasses
import hashlib
import json
import pathlib
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow_datasets as tfds

from simper_tf.data import building, built, own_labels, tfds_builders, tfds_features
from simper_tf.data.recording_clips import Recordings, find
from simper_tf.evaluation.features import Features
from simper_tf.evaluation.tasks import Unlabeled
from simper_tf.training.counted import Counted, spread
from simper_tf.training.settings import Settings
from simper_tf.utils.errors import printable

NAME = "own_videos"
# Share of the recordings, or of the time of a single one, that is held out.
HELD_OUT = 0.2

# Of a file more is not read to know it again: so many pieces of so many bytes, evenly spread.
_PIECES, _PIECE = 16, 2**20

File = tuple[str, int, str]


@dataclasses.dataclass(eq=False)
class OwnVideosConfig(tfds.core.BuilderConfig):
    """The recordings that are built.

    Attributes:
        recordings: All of them.
        listing: See `list_files`.
    """

    recordings: Recordings | None = None
    listing: Sequence[File] = ()


class OwnVideos(tfds_builders.Alone, tfds.core.GeneratorBasedBuilder, skip_registration=True):
    """Clips of anybody's recordings. Labels are NaN: nobody knows them."""

    name = NAME
    VERSION = tfds.core.Version("2.2.0")
    RELEASE_NOTES = {
        "1.0.0": "Initial release.",
        "2.0.0": "Series as they were recorded, not standardized.",
        "2.1.0": "Each clip's start.",
        "2.2.0": "Band, window and speeds by what repeats.",
    }
    BUILDER_CONFIGS = []
    # Told where no clip could be cut.
    WHY_NONE = (
        "Every recording has holes less than a clip apart, at --rate frames a second. Lower --rate towards that of the "
        "recordings, shorten --window, or leave both flags out: then they are proposed."
    )

    def _info(self):
        recordings = self.builder_config.recordings
        proposal, (num_frames, *size, channels) = recordings.proposal, recordings.clip_shape
        clip = tfds_features.frames(num_frames, tuple(size), "Frames of a recording.", channels)
        if recordings.are_series:
            clip = tfds_features.samples(num_frames, channels, "Samples of a series, as frames of one pixel.")
        features = {
            "clip": clip,
            "rate": tfds_features.scalar("Frame rate.", "frames per second"),
            "label": tfds_features.scalar("Not known.", "NaN"),
            "id": tfds_features.text("Name of the recording, and where in it the clip starts.", "s"),
            "subject": tfds_features.text("Name of the recording."),
            "start": tfds_features.scalar("Where in the recording the clip starts.", "s"),
        }
        held = held_out([info.seconds for info in recordings.infos])
        told = {
            "listing": [list(file) for file in self.builder_config.listing],
            "band": list(proposal.band),
            "window": proposal.seconds,
            "hop": proposal.hop / proposal.rate,
            "rate": proposal.rate,
            "speeds": list(proposal.speeds),
            "size": list(proposal.shape),
            "reasons": dict(proposal.reasons),
            "recordings": len(recordings.sources),
            "seconds": sum(info.seconds for info in recordings.infos),
            "held_out": [recordings.sources[number].name for number in held],
            "left_out": len(recordings.problems),
            "series": recordings.are_series,
            "longest_gap": max(map(proposal.longest_gap, recordings.infos)),
        }
        metadata = tfds.core.MetadataDict(**tfds_features.metadata(Unlabeled()), own_videos=told)
        return tfds.core.DatasetInfo(builder=self, features=tfds.features.FeaturesDict(features), metadata=metadata)

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples(False), "test": self._generate_examples(True)}

    def _generate_examples(self, is_held):
        recordings = self.builder_config.recordings
        length, held = recordings.proposal.seconds, held_out([info.seconds for info in recordings.infos])
        # Windows start on whole frames, up to two of which the last one may lie before the second that is told.
        cut = None if held else last_part(recordings.infos[0].seconds, length) - 2 / recordings.rate
        for number, source in enumerate(recordings.sources):
            if held and (number in held) != is_held:
                continue
            for start, clip in recordings.each(number):
                if cut is not None and not (start >= cut if is_held else start + length <= cut):
                    continue
                name = printable(source.name)
                key = f"{name} from {start:.3f} s"
                told = {"rate": recordings.rate, "label": np.nan, "id": key, "subject": name, "start": start}
                yield key, {"clip": clip, **told}


def held_out(seconds: Sequence[float]) -> list[int]:
    """Returns which recordings are held out, evenly spread over their order; none of a single one."""
    return spread(range(len(seconds)), max(round(HELD_OUT * len(seconds)), 1)) if len(seconds) > 1 else []


def last_part(seconds: float, window: float) -> float:
    """Returns the second from which on a single recording is held out: a window at least.

    Raises:
        ValueError: no window is left before it.
    """
    start = seconds - max(window, HELD_OUT * seconds)
    if start < window:
        raise ValueError(
            f"A single recording of {seconds:.3g} s holds no two windows of {window:.3g} s, one to learn from and one "
            "to hold out. Shorten the window, or give more recordings."
        )
    return start


def list_files(names: Sequence[str], rate: float | None = None) -> list[File]:
    """Returns name, bytes and a digest of the files that names stand for, in their order.

    Times of files do not count, as a copy may have others. Of what is larger than 16 MB the digest is that of pieces.
    """
    files = [pathlib.Path(source.name) for source in find(names, rate)[0] if not source.is_live]
    return [(str(path), path.stat().st_size, _digest_of(path)) for path in files]


def changes(before: Sequence[File], now: Sequence[File]) -> str:
    """Returns in print which files differ; empty if none does."""
    old, new = ({name: rest for name, *rest in files} for files in (before, now))
    unlike = {
        "new": sorted(set(new) - set(old)),
        "gone": sorted(set(old) - set(new)),
        "changed": sorted(name for name in set(old) & set(new) if old[name] != new[name]),
    }
    said = [
        f"{len(names)} {what} ({printable(names[0])}{', ...' if names[1:] else ''})"
        for what, names in unlike.items()
        if names
    ]
    return ", ".join(said)


def name_of(settings: Settings) -> str:
    """Returns the data set of `--videos` as name/config: what files there are, and what is asked of their clips.

    Settings of a run that has begun have its name as their `dataset`.
    """
    if settings.dataset.startswith(f"{NAME}/"):
        return settings.dataset
    listing = list_files([settings.videos], settings.rate or None)
    return f"{NAME}/{_digest(listing)}_{_digest(sorted(_asked(settings).items()))}"


def load(settings: Settings, say: Callable[[str], None] = print) -> built.ClipData:
    """Returns the clips of `--videos`, decoded once and kept below `--data_dir`.

    TFDS holds 1 GB at most of them while it shuffles; read in training, they are held up to `pipeline.CACHE_BYTES`.

    Args:
        settings: Settings of the run.
        say: Called with a line for what is left out, and when a build begins.

    Raises:
        ValueError: no recording can be used, they do not fit what is asked for, what was built is gone and the files
            have changed since, or it is damaged.
    """
    config = name_of(settings).partition("/")[2]
    folder = pathlib.Path(settings.data_dir).expanduser() / NAME / config / str(OwnVideos.VERSION)
    if not folder.exists():
        listing = list_files([settings.videos], settings.rate or None)
        if listing and _digest(listing) != config.partition("_")[0]:
            raise ValueError(_changed(settings, "they are other files"))
        say("Looking at every recording (once) ...")
        recordings = Recordings(settings.videos, counted=Counted(), **_asked(settings))
        if len(recordings.sources) == 1:
            last_part(recordings.infos[0].seconds, recordings.proposal.seconds)  # Refused now, if at all.
        for problem in recordings.problems:
            say(f"Left out: {problem}")
        told = len(recordings.problems)
        made = OwnVideosConfig(name=config, recordings=recordings, listing=listing)
        building.build(OwnVideos(config=made, data_dir=settings.data_dir), say=say)
        for problem in recordings.problems[told:]:
            say(f"Left out from there on: {problem}")
    return building.load_built(folder)


def labeled(features_of: dict[str, Features], clips: built.ClipData, settings: Settings) -> dict[str, Features]:
    """Returns the features of splits, by name, with the labels that `--labels` has for their clips, NaN for others.

    Args:
        features_of: Split -> features of its first clips.
        clips: As `load` returns them.
        settings: Settings of the run.

    Raises:
        RawDataError: see `own_labels.read`.
    """
    counted, seconds = stretches(clips, settings), clips.builder.info.metadata["own_videos"]["window"]

    def with_labels(split, features):
        starts = clips.column("start", split, len(features.labels))
        recordings = [str(pathlib.Path(name)) for name in features.subjects]
        labels = own_labels.of_clips(counted, recordings, starts, seconds)
        return dataclasses.replace(features, labels=labels, known=np.isfinite(labels))

    return {split: with_labels(split, features) for split, features in features_of.items()}


def stretches(clips: built.ClipData, settings: Settings) -> list[own_labels.Stretch]:
    """Returns what `--labels` says of the recordings, read again; arguments and errors as in `labeled`."""
    names = [name for name, *_ in clips.builder.info.metadata["own_videos"]["listing"]]
    return own_labels.read(settings.labels, names, settings.band)


def check_unchanged(settings: Settings, clips: built.ClipData):
    """Refuses recordings that are not those that a data set was built of.

    Raises:
        ValueError: they are not; says which.
    """
    now = list_files([settings.videos], settings.rate or None)
    unlike = changes(clips.builder.info.metadata["own_videos"]["listing"], now)
    if unlike:
        raise ValueError(_changed(settings, unlike))


def _asked(settings):
    """Returns the arguments of `Recordings` that settings give."""
    default = {field.name: field.default for field in dataclasses.fields(Settings)}
    names = ("band", "window", "hop", "rate", "size", "gaps")
    return {name: getattr(settings, name) for name in names if getattr(settings, name) != default[name]}


def _digest_of(path):
    size, digest = path.stat().st_size, hashlib.sha256()
    last = max(size - _PIECE, 0)
    starts = range(0, size, _PIECE) if size <= _PIECES * _PIECE else np.linspace(0, last, _PIECES, dtype=np.int64)
    with path.open("rb") as file:
        for start in starts:
            file.seek(int(start))
            digest.update(file.read(_PIECE))
    return digest.hexdigest()[:16]


def _digest(value):
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:8]


def _changed(settings, what):
    return (
        f"--videos={settings.videos}: the recordings are not those that the run in {settings.run_dir} began with: "
        f"{what}. Put them back as they were, name another --run_dir, or start anew with --overwrite."
    )
