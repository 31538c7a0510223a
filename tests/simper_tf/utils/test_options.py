import dataclasses
import functools

import pytest

from simper_tf.utils.options import options_of


def draw(clips, *, size: int = 3, share: float = 0.5, name: str = "a", whole: bool = False, seed: int = 0, band=None):
    """Draws.

    Args:
        clips: What is drawn from.
        size, share: How much of it; at least
            a little. More is slower.
        name: Under which name.
    """


class Method:
    """Learns.

    Args:
        rate: How fast.
        pair: Two numbers. Rising.
        either: One number, or two.
        found: From the data.
    """

    def __init__(
        self,
        encoder,
        *,
        rate: float = 0.1,
        pair: tuple[float, float] = (0.5, 2.0),
        either: float | tuple[float, float] = 0.2,
        sizes: tuple[int, ...] = (16, 32),
        found: float | None = None,
        function=len,
    ): ...


class Warm(Method):
    """Learns from a start. It is on its own: what its base takes is not passed on."""

    def __init__(self, encoder, *, rate: float = 0.2): ...


class Timed(Method):
    """Learns for a time.

    Args:
        steps: How long.
        rate: How fast at first.
    """

    def __init__(self, encoder, *, steps: int = 5, rate: float = 0.3, **kwargs): ...


class Open(Timed):
    """Learns for a time, and says nothing more."""


@dataclasses.dataclass(frozen=True)
class Look:
    """How it looks.

    Attributes:
        hue: The turn.
    """

    hue: float = 0.0
    boxes: tuple[tuple[float, float], ...] = ()


def test_options_are_the_keyword_only_arguments_of_scalar_types_with_their_first_sentence():
    found = options_of(draw)
    assert {name: (each.kind, each.default) for name, each in found.items()} == {
        "size": (int, 3), "share": (float, 0.5), "name": (str, "a"), "whole": (bool, False),
    }  # fmt: skip
    assert found["size"].doc == found["share"].doc == "How much of it; at least a little."
    assert (found["name"].doc, found["whole"].doc) == ("Under which name.", "")


def test_classes_and_dataclasses_have_options_and_what_follows_from_data_is_none():
    assert set(options_of(Method)) == {"rate", "pair", "either", "sizes"}
    assert options_of(Method)["pair"].doc == "Two numbers."
    assert set(options_of(Look)) == {"hue"}


def test_a_class_that_passes_keywords_on_has_the_options_of_its_bases_with_its_own_defaults():
    for kind in (Timed, Open):
        found = options_of(kind)
        assert set(found) == {*options_of(Method), "steps"}
        assert (found["rate"].default, found["rate"].doc) == (0.3, "How fast at first.")
        assert found["pair"].doc == "Two numbers."
    assert set(options_of(Warm)) == {"rate"}


def test_what_an_entry_has_fixed_is_no_option():
    assert set(options_of(functools.partial(draw, size=4))) == {"share", "name", "whole"}


@pytest.mark.parametrize(
    ("function", "name", "text", "value"),
    [
        (draw, "size", "12", 12),
        (draw, "share", "1e-3", 1e-3),
        (draw, "name", "x,y", "x,y"),
        (draw, "whole", "True", True),
        (Method, "pair", "0.5,3", (0.5, 3.0)),
        (Method, "sizes", "8", (8,)),
        (Method, "either", "0.2", 0.2),
        (Method, "either", "1,0.1", (1.0, 0.1)),
    ],
)
def test_a_text_becomes_a_value_of_the_type(function, name, text, value):
    found = options_of(function)[name].parse(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("function", "name", "text", "message"),
    [
        (draw, "size", "1.5", "--size takes a value of the type int. Found: '1.5'"),
        (draw, "whole", "yes", "--whole is true or false. Found: 'yes'"),
        (Method, "pair", "1,x", "--pair takes numbers separated by commas. Found: '1,x'"),
        (Method, "rate", "", "--rate takes a value of the type float. Found: ''"),
    ],
)
def test_a_text_of_another_type_is_refused_by_its_name(function, name, text, message):
    with pytest.raises(ValueError, match=message):
        options_of(function)[name].parse(text)
