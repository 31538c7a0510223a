import dataclasses
import math
import re

import pytest

from simper_tf.methods import BYOL
from simper_tf.training.settings import Settings, free_names, owners, setting_fields
from simper_tf.utils.options import kind_of

ALIKE = {"options": {"share_spatial": True}}


def test_settings_are_refused_where_a_pair_is_none():
    for name in ("band", "speed_range"):
        for pair in ((5.0, 1.0), (1.0,), (1.0, 2.0, 3.0), (-1.0, 5.0), (0.0, 5.0)):
            found = ",".join(f"{number:g}" for number in pair)
            with pytest.raises(ValueError, match=f"`{name}` takes two rising numbers, such as 0.5,2. Found: {found}"):
                Settings(**{name: pair})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"method": "typo"}, r"`method` takes one of byol, .*supervised\. Found: typo\."),
        ({"encoder": "typo"}, r"`encoder` takes one of cells, cnn3d, .*\. Found: typo\."),
        ({"split": "train"}, r"`split` takes one of test, validation\. Found: train\."),
        ({"seed": 2**32}, r"`seed` must be at least 0 and below 2\*\*32\. Found: 4294967296\."),
        ({"seed": -1}, "`seed` must be at least 0"),
        ({"epochs": -1}, r"`epochs` must be at least 0\. Found: -1\."),
    ],
)
def test_settings_made_in_python_are_refused_as_flags_are(fields, message):
    with pytest.raises(ValueError, match=message):
        Settings(**fields)


def test_served_clips_have_frames():
    with pytest.raises(ValueError, match=r"`max_frames=7` refuses every clip. Give 8 or more, or 0"):
        Settings(max_frames=7)
    assert Settings(max_frames=8).max_frames == 8


def test_a_band_has_a_width_and_epochs_of_decay_rise():
    with pytest.raises(ValueError, match=r"`band` takes two rising numbers, .* Found: 1,1"):
        Settings(band=(1.0, 1.0))
    assert Settings(speed_range=(1.0, 1.0)).speed_range == (1.0, 1.0)
    for epochs in ((50, 40), (40, 40), (-3,), (0,)):
        with pytest.raises(ValueError, match=r"`decay_epochs` takes rising numbers, such as 40,50. Found: "):
            Settings(decay_epochs=epochs)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"method": "byol", "options": {"micro_batch": 2}}, "`micro_batch=2` means .*byol`, .*`method=simper`"),
        ({"encoder": "cnn3d", "options": {"kernel_frames": 5}}, "`kernel_frames=5` .*something with `encoder=small`"),
        ({"appearance": "none", **ALIKE}, "`share_spatial=True` means nothing with .*but `appearance=none`"),
        ({"appearance": "none", **ALIKE}, "something with anything but `appearance=none`[.] Leave"),
        ({"method": "slf_rpm", "options": {"crop_area": (0.5, 1.0)}}, "`crop_area=0.5,1.0` .* and `method=slf_rpm`[.]"),
        ({"options": {"norm": "group"}}, "`norm=group` .*`saliency=False` .*`encoder=repnet` .*or `saliency`[.]"),
        ({"format": "onnx", "warm_up": True}, "`warm_up` .*`format=onnx`, which is not .* by `warm_up=False`"),
        ({"format": "tflite", "max_frames": 9}, "`max_frames` means nothing with `format=tflite`.* by `max_frames=0`"),
        ({"options": {"hue": 0.1}}, "`hue=0.1` means nothing .*no such setting"),
        ({"options": {"color": 1}}, "`color=1` means nothing .*no such setting. .* by an empty `color=`"),
    ],
)  # fmt: skip
def test_a_senseless_setting_is_refused_with_its_meaning(fields, message):
    with pytest.raises(ValueError, match=message):
        Settings(**fields)


def test_what_is_switched_off_may_belong_to_nobody():
    assert Settings(options={"attention": False}).options == {}
    assert Settings(encoder="ts_can", options={"attention": False}).options == {"attention": False}
    with pytest.raises(ValueError, match=r"`attention=True` means nothing .*by `attention=False`\."):
        Settings(options={"attention": True})


def test_steps_of_a_run_that_does_not_train_are_refused():
    with pytest.raises(ValueError, match=r"`steps=5` trains and `epochs=0` does not\. Leave one of them out"):
        Settings(steps=5, epochs=0)
    assert Settings(steps=5).steps == 5


@pytest.mark.parametrize("name", ["data_fraction", "label_fraction"])
@pytest.mark.parametrize("value", [0.0, -0.5, 1.5, float("nan")])
def test_a_share_that_is_none_is_refused(name, value):
    with pytest.raises(ValueError, match=rf"`{name}` is a share above 0 and at most 1\. Found: {value:g}\."):
        Settings(**{name: value})


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["learning_rate", "save_seconds", "worker_seconds", "band"])
def test_numbers_that_are_none_are_refused_before_any_step(name, value):
    with pytest.raises(ValueError, match=rf"`{name}` .*Found: .*{value}"):
        Settings(**{name: (0.4, value) if name == "band" else value})


@pytest.mark.parametrize("name", ["label_gap", "label_range"])
def test_hidden_labels_are_two_rising_numbers_or_none(name):
    for pair in ((3, 2), (2, 2), (2,), (1, 2, 3)):
        with pytest.raises(ValueError, match=rf"`{name}` takes two rising numbers, such as 2,3, or none\. Found: "):
            Settings(**{name: pair})
    assert Settings(**{name: (-2, 3)}).digest() == Settings(**{name: [-2.0, 3.0]}).digest() != Settings().digest()


def test_options_go_to_whom_they_belong():
    settings = Settings(options={"temperature": 0.5, "kernel_frames": 5, "share_spatial": True, "labeled_clips": 3})
    assert settings.options_for("method") == {"temperature": 0.5}
    assert settings.options_for("encoder") == {"kernel_frames": 5}
    assert settings.options_for("appearance") == {"share_spatial": True}
    assert settings.options_for("protocol") == {"labeled_clips": 3}


def test_settings_are_equal_however_numbers_or_pairs_are_written():
    one = Settings(speed_range=[1, 2], learning_rate=1, options={"crop_area": [0.5, 1], "temperature": 2})
    other = Settings(speed_range=(1.0, 2.0), learning_rate=1.0, options={"crop_area": (0.5, 1.0), "temperature": 2.0})
    assert one == other
    assert one.digest() == other.digest()
    assert one.as_text() == other.as_text()
    assert one.as_text()["temperature"] == "2.0"


def test_the_digest_depends_on_what_makes_the_weights():
    digest = Settings().digest()
    assert re.fullmatch("[0-9a-f]{8}", digest)
    for fields in ({"seed": 3}, {"data_dir": "elsewhere"}, {"test_clips": 2}, {"split": "validation"}):
        assert Settings(**fields).digest() == digest
    assert Settings(options={"labeled_clips": 3}).digest() == digest
    assert Settings(epochs=10, steps=0).digest() == digest
    others = [
        {"epochs": 3},
        {"options": {"outputs": 2}},
        {"options": {"outputs": 3}},
        {"options": {"share_spatial": True}},
    ]
    assert len({digest, *(Settings(**fields).digest() for fields in others)}) == 5


@pytest.mark.parametrize(
    ("fields", "defaults"),
    [
        ({}, {"temperature": 1.0, "kernel_frames": 3, "flip_probability": 0.5, "crop_area": (0.5, 1.0)}),
        ({"method": "byol"}, {"flip_probability": 0.5, "brightness": BYOL.appearance.brightness}),
        ({"method": "byol", "appearance": "simper"}, {"brightness": (0.7, 1.3)}),
        ({"method": "slf_rpm"}, {"temperature": 0.1, "flip_probability": 0.0}),
    ],
)
def test_a_default_that_is_given_makes_the_same_weights(fields, defaults):
    left_out = Settings(**fields)
    for name, value in defaults.items():
        assert Settings(**fields, options={name: value}).digest() == left_out.digest(), name
        assert Settings(**fields, options={name: value}).resolved() == left_out.resolved(), name
    for name in defaults:
        other = Settings(**fields, options={name: (0.4, 0.5) if name in ("crop_area", "brightness") else 2})
        assert other.digest() != left_out.digest(), name
        assert other.resolved()[name] == other.options[name], name


def test_an_option_of_two_defaults_is_never_the_same_left_out():
    shared = {"encoder": "cnn3d_domainbed", "saliency": True}
    for norm in ("batch", "group"):
        assert Settings(**shared, options={"norm": norm}).digest() != Settings(**shared).digest()
    assert Settings(encoder="cnn3d", options={"norm": "batch"}).digest() == Settings(encoder="cnn3d").digest()


def test_settings_free_to_change_are_those_that_touch_no_weights():
    assert {"run_dir", "data_dir", "split", "labeled_clips", "artifacts"} <= free_names()
    assert not {"seed", "method", "epochs", "band", "train_clips"} & free_names()


def test_as_text_has_all_that_is_given_and_no_wish_to_delete():
    text = Settings(speed_range=(0.5, 3.0), overwrite=True, options={"crop_area": (0.9, 1.0)}).as_text()
    assert text.keys() == {field.name for field in setting_fields()} - {"overwrite"} | {"crop_area"}
    assert (text["speed_range"], text["crop_area"], text["seed"], text["decay_epochs"]) == (
        "0.5,3.0",
        "0.9,1.0",
        "0",
        "",
    )


def test_settings_are_frozen_and_every_one_is_explained():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().epochs = 3
    for field in setting_fields():
        assert re.fullmatch(r"[A-Z].*[.]", field.metadata["help"]), field.name


def test_options_of_one_name_are_of_one_type_and_no_setting():
    kinds = {}
    for owner in owners().values():
        for options in owner.values():
            for name, option in options.items():
                assert re.fullmatch(r"[A-Z].*[.]", option.metadata["help"]), name
                kinds.setdefault(name, set()).add(kind_of(option))
    assert not [name for name, found in kinds.items() if len(found) > 1]
    assert not kinds.keys() & {field.name for field in setting_fields()}


@pytest.mark.parametrize("given", [{}, {"method": "supervised"}, {"encoder_from": "runs/a"}])
def test_a_head_is_kept_of_a_supervised_run_alone(given):
    with pytest.raises(ValueError, match=r"`keep_head` means nothing with `method=\w+` and `encoder_from="):
        Settings(keep_head=True, **given)
    assert Settings(keep_head=True, method="supervised", encoder_from="runs/a").keep_head


def test_the_head_alone_reads_for_methods_that_have_one():
    with pytest.raises(ValueError, match=r"`own_head` means nothing with `method=simper`, .*`own_head=False`\."):
        Settings(own_head=True)
    assert Settings(own_head=True, method="supervised").digest() == Settings(method="supervised").digest()


def test_the_best_epoch_is_sought_of_methods_that_predict_labels():
    with pytest.raises(ValueError, match=r"`best_epoch` means nothing with `method=simper`, .*`best_epoch=False`\."):
        Settings(best_epoch=True)
    assert Settings(best_epoch=True, method="supervised").best_epoch


def test_clips_that_train_choose_no_epoch_and_are_no_share():
    every = {"train_on": "train+validation", "method": "supervised"}
    with pytest.raises(
        ValueError, match=r"`train_on=train\+validation` leaves no epoch to choose by\. .*`best_epoch=False`"
    ):
        Settings(**every, best_epoch=True)
    for share in ("data_fraction", "label_fraction"):
        with pytest.raises(ValueError, match=r"`train_on=train\+validation` takes all clips and labels\. "):
            Settings(**every, **{share: 0.5})
    assert Settings(**every).train_on == "train+validation"
