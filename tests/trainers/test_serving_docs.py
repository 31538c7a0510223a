"""The commands of docs/serving.md do what the page says; its first two are run by test_readme.py."""

import importlib.util
import json
import math
import pathlib
import re
import shlex
import textwrap
import warnings

import numpy as np
import photographs
import pytest
import tensorflow as tf
from absl import flags
from processes import SAVED_MODEL_CLI, done
from rest_server import serving

from simper_tf.encoders import OVERLAPS
from simper_tf.export import warm_up
from simper_tf.training.settings import Settings
from trainers import client, export, pretrain

ROOT = pathlib.Path(__file__).parents[2]
_, _, PAGE = (ROOT / "docs" / "serving.md").read_text().partition("## Signatures")


def commands():
    """Returns the commands of the page, each a list of words."""
    lines = re.findall(r"^    ((?:saved_model_cli|python) (?:.*\\\n)*.*)", PAGE, re.MULTILINE)
    return [shlex.split(command.replace("\\\n", " ")) for command in lines]


def test_the_page_has_the_commands_run_here_and_all_overlaps():
    assert [words[1:3] for words in commands()] == [
        ["run", "--dir"],
        *[
            ["-m", f"trainers.{name}"]
            for name in ("export", "export", "export", "client", "client", "export", "export")
        ],
    ]
    told = dict(re.findall(r"`(\w+)` (\d+)[,.]", PAGE[PAGE.index("simper_tf.encoders.OVERLAPS") :]))
    assert {name: int(overlap) for name, overlap in told.items()} == {
        name: overlap for name, overlap in OVERLAPS.items() if overlap is not None
    }


def test_ports_are_published_on_this_machine_alone():
    compose, image = ((ROOT / "serving" / name).read_text() for name in ("compose.yaml", "Dockerfile"))
    published = re.findall(r'"([^"]*):850[01]"', compose)
    assert published == ["127.0.0.1:8500", "127.0.0.1:8501"]
    versions = re.findall(r"tensorflow/serving:([\d.]+)", compose + image)
    assert len(versions) == 2
    assert all(f"TF Serving {version}" in PAGE for version in versions)


def test_the_version_that_the_quickstart_exports_is_served():
    config, image = ((ROOT / "serving" / name).read_text() for name in ("model.config", "Dockerfile"))
    served = re.sub("#.*", "", config)
    assert re.findall(r"versions: (\d+)", served) == re.findall(r"value: (\d+)", served) == ["1"]
    assert "ARG RUN=runs/quickstart\nCOPY ${RUN}/saved_model /models/simper\n" in image


def snippets():
    """Returns the Python of the page, by the format that it opens."""
    blocks = re.findall(r"^    import .*\n(?:    .*\n|\n(?=    ))*", PAGE, re.MULTILINE)
    return {re.search(r"model\.(\w+)", code)[1]: textwrap.dedent(code) for code in blocks}


def features_agree(run, capsys):
    """Runs the Python of the page where clips.npz lies, on the files that are there."""
    expected = tf.saved_model.load(run / "saved_model" / "1").signatures["features"](
        frames=np.load("clips.npz")["frames"]
    )
    assert set(snippets()) == {"onnx", "tflite"}
    for form, code in snippets().items():
        if not (run / form).exists():
            continue
        names = {}
        capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, names)
        features = names["features"]
        np.testing.assert_allclose(features, expected["features"], atol=1e-4 * np.ptp(features))
        facts = json.loads((run / form / "1" / "metadata.json").read_text())
        assert (facts["method"], facts["band_hz"]) == ("simper", [0.4, 5.5])
        if form == "onnx":
            low, high = facts["band_hz"]
            assert all(low <= float(hertz) <= high for hertz in re.findall(r"[\d.]+", capsys.readouterr().out))


@pytest.mark.slow
def test_the_commands_export_show_and_ask_a_run(call, tmp_path, monkeypatch, capsys):
    run = tmp_path / "runs" / "quickstart"
    _, _, bounded, warm, over_http, over_grpc, tflite, onnx = [words[3:] for words in commands()]

    def here(words):
        return [word.replace("runs/quickstart", str(run)) for word in words]

    call(pretrain.main, f"--run_dir={run}", "--readout=fft_resolved")
    call(export.main, *here(bounded))
    facts = json.loads((run / "saved_model" / "1" / "assets.extra" / "metadata.json").read_text())
    assert (facts["max_frames"], facts["method"], facts["frame_shape"]) == (3000, "simper", [28, 28, 1])
    assert (facts["dataset"], facts["config"], facts["rates_trained_on"]) == ("rotating_digits", "digits", [30.0, 30.0])
    assert facts["overlap_frames"] == 1
    assert str(tmp_path) not in json.dumps(facts)
    if importlib.util.find_spec("tensorflow_serving"):
        call(export.main, *here(warm))
        version = run / "saved_model" / "2"
        facts = json.loads((version / "assets.extra" / "metadata.json").read_text())
        shortest = math.ceil(facts["least_seconds"] * facts["least_rate"])
        # Of serving_default, answer, features and frequency_over_time.
        assert 0 < (version / warm_up.FILE).stat().st_size - 4 * shortest * 28 * 28 < 2000
    else:
        with pytest.raises(ValueError, match="or export without `warm_up`"):
            call(export.main, *here(warm))

    np.savez(tmp_path / "clips.npz", frames=np.random.default_rng(3).integers(0, 256, (2, 150, 28, 28, 1), np.uint8))
    code, _, err = done([SAVED_MODEL_CLI, *commands()[0][1:]], folder=tmp_path)
    assert code == 0, err
    assert {path.stem for path in (tmp_path / "answers").iterdir()} == {"frequency_hz", "confidence"}

    call(export.main, *here(tflite))
    if importlib.util.find_spec("tf2onnx"):
        call(export.main, *here(onnx))
    monkeypatch.chdir(tmp_path)
    features_agree(run, capsys)

    photographs.swinging(tmp_path / "me.mp4", 1.3, number=0, rate=25, seconds=8.0)
    values = flags.FlagValues()
    client.define(values)
    values(["client", *over_grpc])
    assert (values.max_megabytes, values.server) == (64.0, "grpc://localhost:8500")
    values.unparse_flags()
    with serving(run / "saved_model" / "1") as (address, _):
        values(["client", *[word.replace("http://localhost:8501", address) for word in over_http]])
        monkeypatch.setattr(flags, "FLAGS", values)
        client.main()
    assert "2 windows of 0.12 MB: half within " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "frames"),
    [
        ({"encoder": "small"}, 1),
        ({"encoder": "small", "options": {"kernel_frames": 15}}, None),
        ({"encoder": "cnn3d"}, 4),
        ({"encoder": "cnn3d", "options": {"norm": "batch"}}, 4),
        ({"encoder": "cnn3d", "options": {"norm": "group"}}, None),
        ({"encoder": "small", "saliency": True, "options": {"saliency_entropy_weight": 1.0}}, 1),
        ({"encoder": "small", "saliency": True, "options": {"norm": "group"}}, None),
        ({"encoder": "ts_can"}, None),
    ],
)
def test_pieces_are_promised_only_of_encoders_that_are_known(given, frames):
    assert export.overlap_of(Settings(**given), (24, 24, 3)) == frames
    assert export.overlap_of(Settings(**given), (1, 1, 3)) is None
