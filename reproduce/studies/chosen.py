"""Settings that were chosen on validation clips, by studies that stand in the history at commit 76d9880."""

# Method -> flags that differ from flags/small/rotating_digits.cfg. The best mean rank over all readouts of noisy digits
# (`digits_noisy_middle`), of three seeds; tables `settings` and `finalists` of that commit.
SETTINGS = {
    "byol": {"batch_size": "16", "learning_rate": "0.01"},
    "contrast_phys": {"batch_size": "16"},
    "cvrl": {"learning_rate": "0.001"},
    "frequency_contrast": {"batch_size": "16"},
    "moco": {"temperature": "0.5"},
    "simclr": {"batch_size": "16"},
    "simper": {"appearance": "none", "interpolation": "steady"},
    "sinc": {"appearance": "simper"},
    "slf_rpm": {"batch_size": "16", "learning_rate": "0.01"},
}
# Data set -> method -> learning rates of the whole network on labels: at once, and after the head has learned alone.
# The smallest error of one seed; table `finetune_settings` of that commit. Other methods have those of SimPer.
RATES = {
    "rotating_digits": {
        **dict.fromkeys(("simclr", "moco", "byol", "cvrl"), (0.003, 0.003)),
        **dict.fromkeys(("supervised", "simper"), (0.003, 0.001)),
    },
    "scamps": {
        **dict.fromkeys(("supervised", "byol", "cvrl"), (0.003, 0.003)),
        "simclr": (0.001, 0.001),
        "moco": (0.001, 0.003),
        "simper": (0.001, 0.0003),
    },
    "ubfc": {
        **dict.fromkeys(("supervised", "moco"), (0.003, 0.003)),
        **dict.fromkeys(("simclr", "cvrl"), (0.001, 0.003)),
        "byol": (0.003, 0.001),
        "simper": (0.001, 0.0003),
    },
    # Chosen on `drawn_faces/hard`, which stood in for PURE then.
    "pure": {
        **dict.fromkeys(("supervised", "simclr", "moco", "byol", "cvrl"), (0.003, 0.003)),
        "simper": (0.001, 0.0003),
    },
    # Of miniatures there is little to be learned, at whatever rate: nothing was chosen.
    "countix": {"simper": (0.003, 0.001)},
    "lst": {"simper": (0.003, 0.001)},
}
# Weight of the frequency prior on faces, whose pixels do not say which of their periods is the pulse. The best for
# SimPer on long faces by nearest neighbor and probe; table `prior` of that commit.
PULSE_PRIOR = 3
# Method -> CPU seconds of a step on noisy digits of MNIST on one core, and flags that differ there from
# flags/small/rotating_digits.cfg. The smallest geometric mean of the errors by `fft_resolved` and `1nn`, on 200
# validation clips of `mnist_noisy_middle`, one seed, of 3 settings of SiNC, 4 of Contrast-Phys, 5 of Gideon and Stent.
# Of SimPer 15 were tried, some at low noise, as its first choice was poor there. Tried were `--keep_place`, rates of
# 0.001 to 0.01, other batches, and of SimPer fewer views, a temperature of 0.3 and other clips.
_WIDE = {"band": "0.2,7.5"}
_OF_NOISY = {
    "simper": (0.066, {**SETTINGS["simper"], "keep_place": "true", "num_views": "2"}),
    "frequency_contrast": (0.124, {"batch_size": "16", "keep_place": "true", "learning_rate": "0.001", **_WIDE}),
    "contrast_phys": (0.058, {"batch_size": "16", "keep_place": "true", "learning_rate": "0.001", **_WIDE}),
    "sinc": (0.159, {"appearance": "none", **_WIDE}),
}
# Of training, so that all methods have as much of it.
NOISY_SECONDS = 50
NOISY = {
    method: {"steps": f"{round(NOISY_SECONDS / seconds, -1):.0f}", **flags}
    for method, (seconds, flags) in _OF_NOISY.items()
}
# The same for encoders that see every frame at equal contrast, in the band of the data.
_SEEN = {"band": None, "equal_contrast": "true"}
NOISIEST = {
    "simper": {**NOISY["simper"], **_SEEN, "split_pixels": "true"},
    "frequency_contrast": {**NOISY["frequency_contrast"], **_SEEN},
    "contrast_phys": {**NOISY["contrast_phys"], **_SEEN},
}
# The same for an encoder of one dense layer; `studies/noise.py` says what was tried. Steps take as many CPU seconds.
_LINEAR = {"encoder": "linear", "equal_contrast": "true", "batch_size": "16"}
LINEAR = {
    "simper": {**_LINEAR, **SETTINGS["simper"], "num_views": "2", "joint": "true", "steps": "600"},
    "frequency_contrast": {**_LINEAR, "steps": "1000"},
    "contrast_phys": {**_LINEAR, "learning_rate": "0.001", "steps": "2500"},
}
# Method -> flags that differ from flags/phone_ppg.cfg; the page of `phone_ppg` says how they were chosen.
_SLOWER = {"learning_rate": "0.001"}
PHONES = {
    "simper": {},
    "frequency_contrast": _SLOWER,
    "contrast_phys": _SLOWER,
    "sinc": {},
    "simclr": {},
    "moco": _SLOWER,
    "byol": {"epochs": None, "steps": "100"},
    "cvrl": _SLOWER,
    "supervised": {},
}
