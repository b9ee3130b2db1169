"""Numbers as text: short, exact or with the digits that their error leaves."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slipstick.units.number_format import (
    format_cell,
    format_exact,
    format_number,
    format_percent,
    format_seconds,
    separating_digits,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (799187.4, "799187"),
        (12_300_000.0, "12300000"),
        (1.5e9, "1.5e9"),
        (-1.5e-9, "-1.5e-9"),
        (0.25, "0.25"),
    ],
)
def test_numbers_are_plain_within_everyday_size_and_have_a_short_power_beyond(value, text):
    assert format_number(value) == text


def test_a_cell_without_a_number_has_a_dash():
    assert [format_cell(value) for value in (2.0 / 3.0, math.nan, math.inf)] == ["0.6667", "-", "-"]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_exact_numbers_read_back_to_the_last_bit(value):
    text = format_exact(value)
    assert float(text) == value
    assert "." in text  # without a point YAML 1.1 reads 1e-05 as a word


@pytest.mark.parametrize(
    ("share", "options", "text"),
    [(0.025, {}, "2.5 %"), (0.1234, {"digits": 3}, "12.3 %"), (0.5, {"sign": "+"}, "+50 %")],
)
def test_shares_are_in_percent(share, options, text):
    assert format_percent(share, **options) == text


@pytest.mark.parametrize(("seconds", "text"), [(2.5e-4, "250 us"), (1.25e-3, "1.25 ms"), (3.21, "3.21 s")])
def test_durations_have_the_unit_of_their_size(seconds, text):
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(("low", "high"), [(799187.0, 801405.0), (-1.0, 3.0), (0.99, 1.0)])
def test_numbers_with_separating_digits_and_one_more_differ(low, high):
    digits = separating_digits(low, high) + 1
    assert f"{low:.{digits}g}" != f"{high:.{digits}g}"
