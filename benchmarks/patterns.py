"""Harmonic patterns by the number of clips that they learned from, beside what learns nothing; and how sure they are.

python -m benchmarks.patterns --data_dir=data --document=docs/patterns.md
"""

import numpy as np

from benchmarks import document
from simper_tf.encoders import cells
from simper_tf.evaluation import features, markdown_tables
from simper_tf.evaluation.protocols import IDEAL
from simper_tf.reading.result import SURE
from simper_tf.signals import harmonics, patterns
from simper_tf.training.settings import Settings
from simper_tf.utils import clips as of_clips
from trainers import data

# Data set -> its title, the band in the unit of its labels, how many of these are a hertz, and what is misread.
SETS = {
    "rotating_digits/digits_spin": ("spinning digits, Hz", (0.4, 5.5), 1.0, 0.05),
    "rotating_digits/digits_noisy_high": ("digits in strong noise, Hz", (0.4, 5.5), 1.0, 0.05),
    "drawn_faces/still": ("still faces, beats a minute", (40.0, 250.0), 60.0, 5.0),
    "drawn_faces/turning": ("turning faces, beats a minute", (40.0, 250.0), 60.0, 5.0),
}
COUNTS = (1, 3, 10, 30, 100, 300)
DRAWS = 5  # Of the clips that are learned from, where these are few.
TEST_CLIPS = 500
# Data sets of which it is told how sure patterns are, besides those: hearts of people who taught none.
HEARTS = {f"phone_ppg/split{k}": (f"fingers on phones, split {k}", (40.0, 200.0), 60.0, 5.0) for k in range(5)}
LEARNED = 100  # Clips that teach the confidence.


def main():
    """Prints the table, and puts it into a document."""
    parser = document.flags(__doc__)
    parser.add_argument("--data_dir", default="data", help="Where built data sets are kept.")
    args = parser.parse_args()
    columns = [column_of(name, args.data_dir) for name in SETS]
    names = ["nothing (harmonic sum)", *map(_title, COUNTS), "told the image"]
    lines = [[name, *(column[name] for column in columns)] for name in names]
    header = ["learned from", *(title for title, *_ in SETS.values())]
    errors = markdown_tables.markdown_table(header, lines)
    sure = [confidence_of(name, args.data_dir) for name in (*SETS, *HEARTS)]
    header = ["clips", "misread", "sure", "misread of the sure", "shuffled ones sure"]
    text = f"{errors}\n\n{markdown_tables.markdown_table(header, sure)}"
    document.say(args.document, "python -m benchmarks.patterns", text)


def confidence_of(name: str, data_dir: str) -> list[str]:
    """Returns a row on a data set: how many clips are misread, are sure, both, and are sure when they are shuffled."""
    title, _, per_hertz, bound = (SETS | HEARTS)[name]
    _, train, test, band = _series_of(name, data_dir)
    rng = np.random.default_rng(0)
    drawn = train.only(rng.permutation(len(train.series))[:LEARNED])
    known = patterns.learn(drawn.series, drawn.rates, band, confident=True)
    is_misread = np.abs(patterns.read(test.series, known, test.rates) * per_hertz - test.labels) > bound
    shuffled = np.stack([rng.permutation(clip) for clip in test.series])
    are_sure, by_chance = (patterns.confidence(series, known, test.rates) >= SURE for series in (test.series, shuffled))
    row = [title, *(f"{share:.1%}" for share in (is_misread.mean(), are_sure.mean(), is_misread[are_sure].mean(),
                                                 by_chance.mean()))]  # fmt: skip
    print(row, flush=True)
    return row


def _series_of(name, data_dir):
    """Returns the loaded data set, the `Features` of its training and test clips, and the band in Hz."""
    _, (low, high), per_hertz, _ = (SETS | HEARTS)[name]
    print(f"Reading {name} ...", flush=True)
    loaded = data.load(Settings(dataset=name, data_dir=data_dir))
    encoder = cells(loaded.frame_shape)
    read = {"series": lambda shown: encoder(of_clips.unit_range(shown))}
    train, test = (
        features.extract(read, loaded.split(split, limit)[0])
        for split, limit in (("train", None), ("test", TEST_CLIPS))
    )
    return loaded, train, test, (low / per_hertz, high / per_hertz)


def column_of(name: str, data_dir: str) -> dict[str, str]:
    """Returns the errors of each line on a data set: the mean, and the share of clips that are misread."""
    per_hertz, bound = SETS[name][2:]
    loaded, train, test, band = _series_of(name, data_dir)

    def said(*read):
        errors = np.abs(np.stack(read) * per_hertz - test.labels)
        return f"{errors.mean():.2g}, {np.mean(errors > bound):.1%}"

    column = {"nothing (harmonic sum)": said(harmonics.comb_peak(harmonics.total_power(test.series), test.rates, band))}
    rng = np.random.default_rng(0)
    for count in COUNTS:
        read = []
        for _ in range(DRAWS if count <= 30 else 1):
            drawn = train.only(rng.permutation(len(train.series))[:count])
            learned = patterns.learn(drawn.series, drawn.rates, band)
            read.append(patterns.read(test.series, learned, test.rates))
        title = _title(count)
        column[title] = said(*read)
        print(f"{title}: {column[title]}", flush=True)
    column["told the image"] = ""
    if hasattr(loaded.builder, IDEAL):
        examples = loaded.split("test", TEST_CLIPS)[0].as_numpy_iterator()
        column["told the image"] = said(np.array([loaded.builder.ideal(example) for example in examples]) / per_hertz)
    return column


def _title(count):
    return f"{count} clip{'s' * (count > 1)}"


if __name__ == "__main__":
    main()
