"""Which excerpts of the tables `docs/findings.md` and `docs/evidence.md` show."""

from trainers.studies.comparison import DATA
from trainers.studies.digits import DIGITS, READOUTS
from trainers.studies.excerpts import Excerpt, crossed
from trainers.studies.scales import SCALES

_CLEAN, _SPINNING, _NOISY = (DIGITS[name] for name in DATA)
_STRONG = DIGITS["digits_noisy_high"]
_WORDS = {
    "fft_resolved": "octave by the pixels", "fft_calibrated": "from ten labels", "fft": "in the band",
    "1nn": "1-NN by correlation", "1nn_npsd": "1-NN by spectrum", "probe": "probe",
}  # fmt: skip
_READ = {words: f"{READOUTS[name]}: MAE (Hz)" for name, words in _WORDS.items()}
_MORE, _PAPERS = "SimPer, 3 views of 7 clips + other clips", ", the paper's interpolation"
_TOLD, _WIDE = "Gideon and Stent (told the band)", "Gideon and Stent, wide band"
_SINC = "SiNC, wide band"
_IN_BAND, _FUNDAMENTAL = "FFT in the band: MAE (bpm)", "FFT in the band, down to the fundamental: MAE (bpm)"
_FACES = {
    "long faces": {"table": "table3", "column": _FUNDAMENTAL},
    "still faces": {"table": "table4", "column": _IN_BAND},
    "moving faces": {"table": "table5", "column": _IN_BAND},
}
_AT_ONCE, _ALONE, _AFTER, _MULTIPLE = (
    {"table": "table8", "block": title} for title in (
        "The whole network at once", "The head alone", "The head first, then the whole network",
        "The head `frequency`, on an encoder that stays as it is but for two lines",
    )
)  # fmt: skip
_UNITS = {"rotating_digits": "Hz", "scamps": "bpm", "ubfc": "bpm", "pure": "bpm", "countix": "repetitions"}
_SETS = {name: f"{SCALES['small'].title(name)}: MAE ({unit})" for name, unit in _UNITS.items()}
_HEADS = {
    "digits, Hz": _SETS["rotating_digits"], "long faces": _SETS["scamps"], "still faces": _SETS["ubfc"],
    "moving faces, beats per minute": _SETS["pure"],
}  # fmt: skip
_LABELS = (100, 50, 20, 10, 5)


def _same(*titles):
    """Returns lines, or columns, under the titles that they have in their table."""
    return {title: title for title in titles}


def _columns(*words):
    """Returns columns of digits, by the words that documents have for them."""
    return {each: _READ[each] for each in words}


def _few(table, block, unit, lines):
    """Returns errors by the part of the labels."""
    columns = {f"{part} %": f"{part} %: MAE ({unit})" for part in _LABELS}
    return Excerpt(crossed(lines, columns, table=table, block=block))


def _read_by():
    """Returns by what SimPer's features are read, on each kind of clips."""
    kinds = {
        "swinging digits, Hz": (
            "rotating_digits",
            {"table": "table2", "column": _READ["octave by the pixels"]},
        ),
        "still faces, beats per minute": ("ubfc", _FACES["still faces"]),
        "long faces, with the prior, beats per minute": ("scamps", {**_FACES["long faces"], "line": "SimPer + prior"}),
        "moving faces, beats per minute": ("pure", _FACES["moving faces"]),
    }
    heads = {
        "head `frequency` alone": _MULTIPLE, "head alone": _ALONE, "head first, then all": _AFTER,
        "all at once": _AT_ONCE,
    }  # fmt: skip
    cells = {
        title: {
            "Fourier transform, no label": {"line": "SimPer", **fourier},
            **{words: {**place, "column": _SETS[name], "line": "SimPer"} for words, place in heads.items()},
        }
        for title, (name, fourier) in kinds.items()
    }
    return Excerpt(cells, "SimPer, error on test clips")


def _parts():
    """Returns what SimPer gains from other clips, by ten labels and by the probe."""
    lines = {"SimPer": "SimPer", "with 7 clips of 3 views + other clips": _MORE, _WIDE: f"{_WIDE}, at equal seconds"}
    cells = {
        f"{words}: {title}": {"line": line, "column": _READ[column]}
        for words, column in {"Fourier transform, ten labels": "from ten labels", "probe": "probe"}.items()
        for title, line in lines.items()
    }
    blocks = {"clean": _CLEAN, "noisy": _NOISY, "spinning": _SPINNING}
    return Excerpt(crossed(cells, {title: {"block": block} for title, block in blocks.items()}, table="losses"))


EXCERPTS = {
    "first": Excerpt(
        {
            words: {
                kind: {"table": "equal_seconds", "block": f"{block}: MAE (Hz)", "column": column}
                for kind, block in {"clean": _CLEAN, "spinning": _SPINNING, "noisy": _NOISY}.items()
            }
            for words, column in _READ.items()
        },
        "first, Hz",
    ),
    "read_by": _read_by(),
    "noisy_at_equal_seconds": Excerpt(
        crossed(
            {
                "SimPer, steady": "SimPer, steady", f"{_MORE}, steady": f"{_MORE}, steady",
                **_same(_WIDE, f"{_WIDE}, steady", _TOLD),
                **_same("Contrast-Phys, wide band", "Contrast-Phys (told the band)", "SimCLR"),
                f"SimPer{_PAPERS}": "SimPer", f"{_MORE}{_PAPERS}": _MORE, **_same(_SINC),
            },
            _columns(*(words for words in _READ if words != "in the band")),
            table="equal_seconds", block=f"{_NOISY}: MAE (Hz)",
        )
    ),
    "noisy_at_equal_steps": Excerpt(
        crossed(
            {
                "SimPer, steady": "SimPer", **_same(_WIDE, _TOLD, "Contrast-Phys, wide band"),
                "supervised, pictures left as they are": "supervised, phase-free head, pictures left as they are",
                **_same(
                    "Contrast-Phys (told the band)", "SimCLR",
                    "SimPer with the paper's crops, flips, blur and brightness",
                ),
            },
            _columns("octave by the pixels", "1-NN by correlation", "1-NN by spectrum", "probe"),
            table="comparison", block=f"{_NOISY}, without the prior: MAE (Hz)",
        )
    ),
    "without_noise_at_equal_seconds": Excerpt(
        crossed(
            {
                f"SimPer{_PAPERS}": "SimPer", **_same("SimPer, steady"), f"{_MORE}{_PAPERS}": _MORE,
                **_same(
                    f"{_MORE}, steady", _WIDE, f"{_WIDE}, steady", "Contrast-Phys, wide band", _SINC, f"{_SINC}, steady"
                ),
            },
            {
                f"{kind}, {words}": {"block": f"{block}: MAE (Hz)", "column": _READ[words]}
                for kind, block, first in (
                    ("clean", _CLEAN, "octave by the pixels"), ("spinning", _SPINNING, "from ten labels")
                )
                for words in (first, "probe")
            },
            table="equal_seconds",
        )
    ),
    "strong_noise": Excerpt(
        crossed(
            {
                title.replace("SimPer", "SimPer, steady"): title
                for name in ("SimPer", _TOLD, _WIDE) for title in (name, f"{name}, learning rate 0.001")
            } | {"SimPer, steady, batches of 16, learning rate 0.001": "SimPer, batches of 16, learning rate 0.001"},
            {
                "300 steps": {"block": _STRONG},
                "as long as 1200 of SimPer's": {"block": f"Four times as long, and at equal seconds. {_STRONG}"},
            },
            table="strengths", column=_READ["from ten labels"],
        )
    ),
    "other_clips": _parts(),
    "faces": Excerpt(
        crossed(
            {
                **_same("SimPer", "SimPer + prior", "SiNC (told the band)", _TOLD, "Gideon and Stent + prior"),
                **_same("Contrast-Phys (told the band)", "Contrast-Phys + prior"), "MoCo + prior": "MoCo v2 + prior",
                "encoder untrained": "control: encoder untrained",
                "CHROM, nothing learned": {"line": "control: CHROM, de Haan and Jeanne", "column": _IN_BAND},
                "POS, nothing learned": {"line": "control: POS, Wang et al. 2017", "column": _IN_BAND},
            },
            _FACES,
        )
    ),
    "after_the_head": Excerpt(
        crossed(
            {"supervised, as many steps": "supervised", "MoCo": "MoCo v2", **_same("BYOL", "SimPer")},
            _HEADS, **_AFTER,
        )
    ),
    "head_frequency": Excerpt(
        crossed(
            {
                "supervised, random weights": "supervised", "SimCLR": "SimCLR", "MoCo": "MoCo v2",
                **_same("BYOL", "CVRL", "SimPer", "SimPer, all of the network"),
            },
            {**_HEADS, "Countix, repetitions": _SETS["countix"]}, **_MULTIPLE,
        )
    ),
    "few_labels_digits": _few(
        "table13_digits", SCALES["small"].title("rotating_digits"), "Hz",
        {
            "supervised": "supervised", "SimPer, all at once": "SimPer",
            **_same("SimPer, the head alone", "supervised, the head `frequency`", "SimPer, the head `frequency` alone"),
        },
    ),
    "few_labels_long_faces": _few(
        "table13", SCALES["small"].title("scamps"), "bpm",
        {
            **_same("supervised", "CVRL"), "SimPer, all at once": "SimPer",
            **_same("SimPer, the head alone", "supervised, the head `frequency`", "CVRL, the head `frequency` alone"),
            **_same("SimPer, the head `frequency` alone"),
        },
    ),
    "unseen": Excerpt(
        crossed(
            {
                "supervised, the head `spectrum`": "supervised, its own head",
                "SimPer, all at once, the head `spectrum`": "SimPer, fine-tuned, its own head",
                "SimPer, Fourier transform, no label": "SimPer, FFT, octave by the pixels, no label",
                "supervised, Fourier transform, ten labels":
                    "supervised, FFT of its features, harmonic from 10 seen labels",
                **_same("supervised, the head `frequency`", "SimPer, the head `frequency` alone"),
            },
            {"in the gap": "interpolation, unseen: MAE (Hz)", "outside": "extrapolation, unseen: MAE (Hz)"},
            table="table10",
        )
    ),
}  # fmt: skip
