"""Display units know their kind of motion, their factor, and the units of force and energy beside them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from slipstick.units.axes import DISPLAY_FACTORS, axis_unit, column_axes, kind_of_unit
from slipstick.units.parser import from_si, to_si

UNITS = [(kind, unit) for kind, units in DISPLAY_FACTORS.items() for unit in units]


@pytest.mark.parametrize(("kind", "unit"), UNITS)
def test_factors_for_display_are_those_of_the_parser(kind, unit):
    assert DISPLAY_FACTORS[kind][unit] * to_si(Fraction(1), unit) == pytest.approx(1.0, rel=1e-15)
    assert kind_of_unit(unit) == kind


def test_forces_and_energies_follow_the_kind_of_motion():
    assert (axis_unit("mm").force, axis_unit("mm").energy, axis_unit("mm").inertia) == ("N", ("N mm", 1e3), "kg")
    assert (axis_unit("deg").force, axis_unit("deg").energy, axis_unit("deg").rate) == ("N m", ("J", 1.0), "deg/s")


def test_an_unknown_unit_leaves_the_kind_open():
    axis = axis_unit("")
    assert (axis.unit, axis.force, axis.rate, axis.inertia) == ("SI", "SI", "SI", "SI")


def test_columns_share_an_axis_only_if_all_have_the_same_unit():
    units = {"x": "mm", "y": "mm", "phi": "deg"}
    assert column_axes(units, ("x", "y", "phi"), (0, 1)).shared == axis_unit("mm")
    assert column_axes(units, ("x", "y", "phi"), (0, 2)).shared is None


@pytest.mark.parametrize("number", [8.0, 0.1, 560.0, 1e-7])
def test_a_number_in_a_unit_has_the_digits_that_were_typed(number):
    assert from_si(to_si(Fraction(str(number)), "N m/deg"), "N m/deg") == number
