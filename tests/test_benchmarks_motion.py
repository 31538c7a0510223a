import numpy as np
import pytest

from benchmarks import motion

POLAR = "Name,Sport\nx,JUMP_ROPE\nSample rate,Time,HR (bpm),Cadence\n1,00:00:00,61,\n,00:01:01,64,\n,00:01:02,,\n"
WATCH = "timestamp_local,elapsed_seconds,hr_bpm\n2026-05-13 23:23:04.6,0.5,54\n2026-05-13 23:23:06.1,2.0,55\n"


@pytest.mark.parametrize(
    ("text", "seconds", "bpm"), [(POLAR, [0, 61], [61, 64]), (WATCH, [0.5, 2.0], [54, 55])], ids=["polar", "watch"]
)
def test_both_formats_of_belts_are_read(tmp_path, text, seconds, bpm):
    path = tmp_path / "a_ref.csv"
    path.write_text(text, encoding="utf-8-sig")
    read = motion.belt_of(path)
    np.testing.assert_allclose(read[0], seconds)
    np.testing.assert_allclose(read[1], bpm)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder of a recording of 60 s: a heart of 72 a minute, and steps of 150 that hide it from 30 s on."""
    made, random = tmp_path_factory.mktemp("band"), np.random.default_rng(0)
    times = np.arange(0, 60, 0.01)
    steps = (times > 30) * np.sin(2 * np.pi * 2.5 * times)
    pulse = np.sin(2 * np.pi * 1.2 * times) + 20 * steps + 0.05 * random.normal(size=len(times))
    acceleration = np.stack([steps, 0.2 * steps, 1 + steps], axis=1) + 0.01 * random.normal(size=(len(times), 3))
    rows = ["Time(s),temperature,AccX(g),AccY(g),AccZ(g),PPG_Green"]
    rows += [
        f"{time:.2f},30,{x:.5f},{y:.5f},{z:.5f},{green:.5f}"
        for time, (x, y, z), green in zip(times, acceleration, pulse, strict=True)
    ]
    rows[100] = "0.99,30,,,,"
    (made / "a.csv").write_text("\n".join(rows), encoding="utf-8-sig")
    belt = "\n".join(f"x,{second},72" for second in range(70))
    (made / "a_HR_ref.csv").write_text(f"timestamp_local,elapsed_seconds,hr_bpm\n{belt}\n")
    return made


def test_a_recording_has_windows_with_the_rate_of_the_belt(folder):
    ((name, recording),) = motion.recordings(folder).items()
    assert (name, recording.names) == ("a", ("AccX(g)", "AccY(g)", "AccZ(g)", "PPG_Green"))
    np.testing.assert_allclose(recording.bpm, 72)
    assert list(recording.moves[recording.starts < 20]) == [False] * 4
    assert list(recording.moves[recording.starts >= 30]) == [True] * 4
    assert recording.clips(with_motion=False).shape == (10, 250, 1, 1, 1)
    assert recording.clips(with_motion=True).shape == (10, 250, 1, 1, 4)


def test_beside_an_accelerometer_steps_are_no_pulse(folder):
    recording = motion.recordings(folder)["a"]
    alone, beside = (motion.read(recording, with_motion) for with_motion in (False, True))
    np.testing.assert_allclose(alone[recording.moves][-3:], 150, atol=3)
    errors = np.abs(beside - 72)
    assert (errors[~recording.moves] < 3).all()
    assert not (errors > 3).any()
    np.testing.assert_allclose(motion.summed(recording)[:4], 72, atol=3)


def test_shares_leave_silence_out_of_right_and_wrong(folder):
    found = motion.recordings(folder)
    read = np.full(10, np.nan)
    read[:2], read[2] = 74, 150
    (line,) = motion.table(found, {"a way": read}).splitlines()[2:]
    assert line.endswith("| 20%, 10% |")


@pytest.fixture(scope="module")
def fingers(tmp_path_factory):
    """Returns a folder of the fingers of four people, 60 to 96 beats a minute."""
    made, times = tmp_path_factory.mktemp("fingers"), np.arange(0, 45, 1 / 30)
    for number, bpm in enumerate((60, 72, 84, 96)):
        pulse = np.sin(2 * np.pi * bpm / 60 * times)
        rows = [
            f"{1e3 * time:.1f},{150 + level:.4f},{90 + 0.3 * level:.4f},40"
            for time, level in zip(times, pulse, strict=True)
        ]
        (made / f"s0{number}.csv").write_text("\n".join(["time,R,G,B", *rows]))
        (made / f"s0{number}.RR").write_text("\n".join([f"{60_000 / bpm:.3f}"] * 80))
    return made


def test_clips_of_fingers_have_one_channel_and_the_rate_of_beats(fingers):
    clips, bpm = motion.of_fingers(fingers)
    assert clips.shape == (4 * 7, 250, 1, 1, 1)
    np.testing.assert_allclose(bpm, np.repeat([60, 72, 84, 96], 7), atol=0.1)
    np.testing.assert_allclose(clips.std(axis=1), 1, atol=1e-3)


def test_a_model_of_fingers_reads_a_wrist(fingers, folder):
    transferred = motion.learned(*motion.of_fingers(fingers), steps=20)
    clips = motion.recordings(folder)["a"].clips(with_motion=False)
    np.testing.assert_allclose(transferred.read(motion.mean_channel(clips))[:4], 72, atol=3)
