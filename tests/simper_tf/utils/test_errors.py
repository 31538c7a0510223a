"""How names of others are shown, in every place, and what becomes of errors that a file causes."""

import pickle

import pytest
from made_answers import answer, done

from simper_tf.commands import console, html_page, page_form
from simper_tf.reading import drawing, records
from simper_tf.utils.errors import (
    BrokenInstallationError,
    NoRecordingError,
    RawDataError,
    UnreadableError,
    guarding,
    is_broken,
    printable,
)

# A title, a terminal's command, a new line, a bidirectional override and its isolate, a byte that is no text.
HOSTILE = "a\x1b]0;b\x07\x9b2J\nc\u202ed\u2066e\udcff"
SPELLED = r"a\x1b]0;b\x07\x9b2J\nc\u202ed\u2066e\udcff"


@pytest.mark.parametrize(
    "name",
    [
        "Müller", "straße", "Кошка", "胸の動き", "심장", "ضربان قلب", "מוזיקה", "हृदय\u0902", "می\u200cروم", "क्\u200dष",
        "a b\u00a0c\u3000d",
    ],
)  # fmt: skip
def test_letters_and_spaces_of_any_script_stay(name):
    assert printable(name) == name


def test_controls_overrides_and_broken_bytes_are_spelled_out():
    assert printable(HOSTILE) == SPELLED
    for number in (
        *range(32),
        *range(0x7F, 0xA0),
        0x200E,
        0x200F,
        *range(0x2028, 0x202F),
        *range(0x2066, 0x206A),
        0xFEFF,
    ):
        assert printable(chr(number)).startswith("\\"), hex(number)


def test_a_terminal_gets_no_command_from_a_name_or_a_note(capsys):
    console.say(f"NOTE the data set {HOSTILE}")
    assert capsys.readouterr().out == f"NOTE the data set {SPELLED}\n".replace(r"\n", "\n", 1)
    console.Counter(f"reading {HOSTILE}", 3)(1)
    assert "\x1b]" not in capsys.readouterr().out


def test_a_page_shows_names_spelled_out(tmp_path):
    (picture := tmp_path / "a.png").write_bytes(b"")
    read = done(answer(channel=0), name=HOSTILE, notes=[HOSTILE], channels=("", HOSTILE))
    section = html_page.recording(records.of(read, "hz"), picture)
    for page in (
        section,
        page_form.refusal(HOSTILE),
        page_form.answer(done(answer(), name=HOSTILE), "", {"answers": ""}),
    ):
        assert "\\x1b]0;b" in page
        assert not {*page} & {*HOSTILE} - {*"abcde0;J2]\n"}


@pytest.mark.parametrize(
    ("name", "title"),
    [("Müller.mp4", "Müller.mp4"), ("Кошка $x$", "Кошка $x$"), ("\x1b[2J", r"\x1b[2J"), ("\ue000", r"\ue000")],
)
def test_titles_of_pictures_keep_letters_that_a_font_has(name, title):
    drawn = drawing.canvas(done(answer(channel=0), name=name, channels=(name, "")))
    assert drawn.texts[0].words == title
    assert title in [text.words for text in drawn.axes[0].written()]


@pytest.mark.parametrize(
    "error", [ValueError("odd\nlong"), KeyError("a"), MemoryError(), AssertionError(), OSError(5, "x")]
)
def test_whatever_a_file_causes_becomes_one_line_with_its_name(error):
    with pytest.raises(RawDataError) as raised, guarding("a.npy"):
        raise error
    assert raised.value.__cause__ is error
    assert str(raised.value).startswith("a.npy: found ")
    assert "\n" not in str(raised.value)


def test_refusals_and_errors_of_others_pass_a_guard():
    refusal = RawDataError("a.npy", "x", "y", "z")
    with pytest.raises(RawDataError) as raised, guarding("b.npy"):
        raise refusal
    assert raised.value is refusal
    with pytest.raises(console.OutputClosed), guarding("b.npy", console.OutputClosed):
        raise console.OutputClosed


@pytest.mark.parametrize(
    "error",
    [RawDataError("a", "x", "y", "Z."), UnreadableError("a", "x", "y", "Z."), NoRecordingError("a", ": no such file.")],
)
def test_errors_keep_their_kind_through_pickles_and_other_names(error):
    for same in (pickle.loads(pickle.dumps(error)), error.of("a")):
        assert (type(same), str(same)) == (type(error), str(error))
    assert str(error.of("b")) == f"b{str(error)[1:]}"


@pytest.mark.parametrize(
    ("error", "is_ours"),
    [
        (ModuleNotFoundError("No module named 'scipy.signal'", name="scipy.signal"), True),
        (ImportError("cannot import name 'x' from 'simper_tf.tables'", name="simper_tf.tables"), True),
        (AttributeError("module 'pickle' has no attribute 'x'", obj=pickle), False),
        (AttributeError("module 'simper_tf.commands.console' has no attribute 'x'", obj=console), True),
        (ImportError("libm.so: failed to map segment from shared object", name="scipy"), False),
        (ImportError("Missing optional dependency 'lxml'."), False),
        (SyntaxError("invalid syntax", ("<unknown>", 1, 1, "a b")), False),
        (ZeroDivisionError("ours"), False),
    ],
)
def test_a_broken_installation_is_told_from_what_a_file_does(error, is_ours):
    assert is_broken(error) == is_ours
    with pytest.raises(BrokenInstallationError if is_ours else UnreadableError) as told, guarding("a.mp4"):
        raise error
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)
