"""Numbers that are typed, on every page of the app."""

import pytest

from slipstick.app.number_input import parse_number, parse_positive
from slipstick.errors import InvalidInput


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), (" 2e3 ", 2000.0), ("-1", -1.0), (7, 7.0), ("1E-3", 0.001)])
def test_a_number_is_read_as_it_is_written(text, value):
    assert parse_number("mass", text) == value


@pytest.mark.parametrize("text", ["five", "nan", "inf", "1e999", "1_0", "2 mm", "0x10"])
@pytest.mark.parametrize("read", [parse_number, parse_positive])
def test_what_is_none_is_refused_in_one_line(read, text):
    with pytest.raises(InvalidInput, match=r"^mass must be a number.*, got .*; write it like 0\.5 or 2e3$"):
        read("mass", text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0,5", 0.5), ("-1,25", -1.25), (",5", 0.5), ("1,5e3", 1500.0), ("0,500", 0.5), ("1000,250", 1000.25)],
)
def test_a_lone_comma_is_for_the_decimals_where_it_can_mean_nothing_else(text, value):
    assert parse_number("mass", text) == value


@pytest.mark.parametrize(("text", "one", "other"), [("1,000", "1.000", "1000"), ("-12,345", "-12.345", "-12345")])
def test_a_comma_that_may_group_thousands_is_refused_with_both_readings(text, one, other):
    with pytest.raises(InvalidInput, match=f"got '{text}'; it may mean {one} or {other}: write one of these$"):
        parse_number("mass", text)


@pytest.mark.parametrize("read", [parse_number, parse_positive])
def test_several_commas_and_nothing_have_a_way_out(read):
    for text in ("1,000,000", "1,000.5", "5,", "1,5 mm"):
        with pytest.raises(InvalidInput, match="; write a point for the decimals"):
            read("mass", text)
    for text in ("", "  ", None):
        with pytest.raises(InvalidInput, match="mass is empty; write it like"):
            read("mass", text)


@pytest.mark.parametrize("text", ["0", "-2"])
def test_what_is_not_above_zero_is_refused_where_it_must_be(text):
    with pytest.raises(InvalidInput, match=f"until must be a number > 0, got .{text}"):
        parse_positive("until", text)
