"""The table of exit codes in the guide, each row provoked by real commands."""

import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from predicted import breath
from processes import ROOT, lines_until

GUIDE = (ROOT / "docs" / "your_own_data.md").read_text()
HIDING = "import sys; sys.modules['tensorflow'] = None; from simper_tf.commands import main; sys.exit(main.main())"
SIMPER, WITHOUT_TENSORFLOW = [sys.executable, "-m", "simper_tf"], [sys.executable, "-c", HIDING]
SIGNALS = {"130": signal.SIGINT, "143": signal.SIGTERM}
# Of each code, every way to it that its row names.
COMMANDS = {
    "0": [[*SIMPER, "predict", "breath.csv"], [*SIMPER, "predict", "noise.csv"], [*SIMPER, "--help"]],
    "1": [
        [*SIMPER, "predict", "damaged.mp4"],
        [*SIMPER, "predict", "breath.csv", "damaged.mp4", "--again", "--pictures=none"],
        [*SIMPER, "predict", "none.csv"],
        [*SIMPER, "predict", "breath.csv", "--out=/proc/out"],  # Where not even root can make a folder.
    ],
    "2": [
        [*SIMPER, "predikt"], [*SIMPER, "predict"], [*SIMPER, "predict", "breath.csv", "--unit=miles"],
        [*SIMPER, "predict", "breath.csv", "--model=none"], [*SIMPER, "evaluate", "breath.csv", "--labels=breath.csv"],
        [*WITHOUT_TENSORFLOW, "train", "breath.csv"],
    ],
    **{code: [[*SIMPER, "predict", "many", "--again", "--pictures=none", "--jobs=1"]] for code in SIGNALS},
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Returns a folder with what commands read."""
    place = tmp_path_factory.mktemp("read")
    (place / "breath.csv").write_text(breath())
    noise = np.random.default_rng(0).normal(size=500)
    (place / "noise.csv").write_text("\n".join(["time,x", *(f"{at / 50},{x:.3f}" for at, x in enumerate(noise))]))
    (place / "damaged.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + bytes(range(256)))
    (place / "many").mkdir()
    for number in range(60):
        (place / "many" / f"{number:02}.csv").write_text(breath())
    return place


def test_every_code_of_the_guide_is_provoked_here():
    table = GUIDE[GUIDE.index("| exit code |") :].partition("\n\n")[0]
    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == [*COMMANDS]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "words"),
    [
        pytest.param(code, words, id=f"{code} {' '.join(words[-2:])}")
        for code, ways in COMMANDS.items()
        for words in ways
    ],
)
def test_a_command_ends_with_the_code_of_the_guide(code, words, place):
    with subprocess.Popen(
        words, cwd=place, env={"PYTHONPATH": str(ROOT), "PATH": ""}, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as command:  # fmt: skip
        if code in SIGNALS:
            lines_until(command, r"\[2/60\]")
            command.send_signal(SIGNALS[code])
        _, err = command.communicate()
    assert command.returncode == int(code), err
    assert "Traceback" not in err
    assert bool(err) == (code != "0")
