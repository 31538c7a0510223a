import dataclasses
import functools
import inspect
import math
import re

import pytest

from simper_tf.utils.options import Options, declared, described, kind_of, option, options_of, parse, takes


@dataclasses.dataclass(frozen=True)
class DrawOptions(Options):
    """Options of `draw`."""

    size: int = option(3, "How many are drawn.", low=1)
    share: float = option(0.5, "Share of what is drawn.", low=0, high=1, above=True, rare=True)
    name: str = option("a", "Name of the drawing.", choices=("a", "b"))
    whole: bool = option(False, "Draw it whole.")
    pair: tuple[float, float] = option((0.5, 2.0), "From where to where.", low=0)
    either: float | tuple[float, float] = option(0.2, "One chance, or two.", low=0, high=1)
    sizes: tuple[int, ...] = option((16, 32), "Sizes of parts.", low=1)
    found: float | None = option(None, "What follows from the data.", low=0, is_flag=False)


@dataclasses.dataclass(frozen=True)
class MoreOptions(DrawOptions):
    """Options of something that draws too."""

    size: int = option(5, "How many.", low=1)
    steps: int = option(7, "How long.", low=0, group="time")


@takes(DrawOptions)
def draw(clips, options):
    """Draws clips."""
    return clips, options


FIELDS = {field.name: field for field in dataclasses.fields(DrawOptions)}


def test_a_function_gets_its_keywords_as_one_object():
    assert draw(1) == (1, DrawOptions())
    assert draw(clips=2, size=4, name="b") == (2, DrawOptions(size=4, name="b"))
    with pytest.raises(TypeError, match="sise"):
        draw(1, sise=2)


def test_signature_and_documentation_tell_every_option():
    parameters = inspect.signature(draw).parameters
    assert [*parameters] == ["clips", *FIELDS]
    assert (parameters["share"].default, parameters["share"].annotation) == (0.5, float)
    assert draw.__doc__.startswith("Draws clips.\n\nOptions:\n    size: How many are drawn. Default: 3.\n")
    assert "    pair: From where to where. Default: 0.5,2.0." in described(DrawOptions)


def test_flags_are_all_options_but_those_of_the_data_alone():
    assert {*options_of(draw)} == {*options_of(DrawOptions)} == {*FIELDS} - {"found"}
    assert options_of(functools.partial(draw, size=2)) == options_of(len) == {}
    assert [field.name for field in declared(DrawOptions)] == [*FIELDS]


def test_options_of_a_base_are_there_with_defaults_of_their_own():
    more = options_of(MoreOptions)
    assert {*more} == {*options_of(draw), "steps"}
    assert (more["size"].default, more["share"].default, more["steps"].metadata["group"]) == (5, 0.5, "time")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 0}, "`size` must be at least 1 and finite. Received: 0."),
        ({"size": 1.5}, "`size` must be a whole number. Received: 1.5."),
        ({"share": "0.5"}, "`share` must be a number. Received: '0.5'."),
        ({"share": 0.0}, "`share` must be above 0 and at most 1. Received: 0.0."),
        ({"share": math.nan}, "`share` must be above 0 and at most 1. Received: nan."),
        ({"either": (0.5, 1.5)}, "`either` must be at least 0 and at most 1. Received: 1.5."),
        ({"sizes": (4, 0)}, "`sizes` must be at least 1 and finite. Received: 0."),
        ({"found": -1.0}, "`found` must be at least 0 and finite. Received: -1.0."),
        ({"name": "c"}, "`name` must be one of a, b. Received: 'c'."),
    ],
)
def test_a_value_out_of_its_range_is_refused_by_name(values, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        DrawOptions(**values)


def test_saved_options_come_back_with_tuples():
    options = DrawOptions(pair=(1.0, 3.0))
    assert DrawOptions.from_config({**options.get_config(), "pair": [1.0, 3.0]}) == options


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("size", "12", 12),
        ("share", "1e-3", 1e-3),
        ("name", "x,y", "x,y"),
        ("whole", "True", True),
        ("pair", "0.5,3", (0.5, 3.0)),
        ("sizes", "8", (8,)),
        ("either", "0.2", 0.2),
        ("either", "1,0.1", (1.0, 0.1)),
    ],
)
def test_a_text_becomes_a_value_of_the_type(name, text, value):
    made = parse(FIELDS[name], text)
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("size", "1.5", "`size` takes a whole number. Found: '1.5'"),
        ("whole", "yes", "`whole` is true or false. Found: 'yes'"),
        ("pair", "1,x", "`pair` takes numbers separated by commas. Found: '1,x'"),
        ("share", "", "`share` takes a number. Found: ''"),
    ],
)
def test_a_text_of_another_type_is_refused_by_its_name(name, text, message):
    with pytest.raises(ValueError, match=message):
        parse(FIELDS[name], text)


def test_the_type_of_an_option_is_that_of_its_numbers():
    kinds = {name: kind_of(field) for name, field in FIELDS.items()}
    assert kinds["either"] == kinds["pair"] == (float, True)
    assert (kinds["sizes"], kinds["found"], kinds["name"]) == ((int, True), (float, False), (str, False))
