"""Numbers of a figure turned away from the print: what is taken, what comes out, and that nothing is compared then."""

from __future__ import annotations

import numpy as np
import pytest
import xarray

import slipstick as ss
from slipstick.papers import NAMES, entries, entry
from slipstick.papers.knobs import NOT_THE_PAPERS

QUICK = [("tensioner", "5"), ("tensioner", "11"), ("gear", "3"), ("gear", "7"), ("clutch", "4"), ("clutch", "5")]


@pytest.mark.parametrize("name", NAMES)
def test_printed_numbers_lie_within_their_bounds_and_have_names_of_their_own(name):
    there = [one for one in entries(name) if one.knobs]
    assert there
    for one in there:
        assert len({knob.name for knob in one.knobs}) == len(one.knobs)
        for knob in one.knobs:
            assert knob.low <= knob.value <= knob.high
            assert knob.meaning


@pytest.mark.parametrize("name", ["tensioner", "gear", "clutch", "torsional"])
def test_knobs_of_a_system_begin_with_its_defaults(name):
    """What a knob and a keyword of the system have in common is one number; the print is in both."""
    import inspect

    keywords = inspect.signature(getattr(ss.systems, name)).parameters
    own = {("tensioner", "mean"), ("tensioner", "phase")}  # (53) is one case of several
    loaded = {"mean", "damping_psi", "damping_phi", "limit_psi", "limit_phi"}  # a train of its own
    for one in entries(name):
        for knob in one.knobs:
            default = keywords[knob.name].default if knob.name in keywords else None
            apart = (name, knob.name) in own or (one.label == "rattle" and knob.name in loaded)
            if isinstance(default, int | float) and not apart:
                assert knob.value == default, (one.label, knob.name)


@pytest.mark.parametrize(("name", "label"), QUICK)
def test_the_printed_number_is_no_change(name, label):
    one = entry(name, label)
    same = ss.paper(name, label, numbers={knob.name: knob.value for knob in one.knobs})
    plain = ss.paper(name, label)
    assert same.rows == plain.rows
    assert same.label == plain.label == label
    assert same.changed == ""
    xarray.testing.assert_identical(same.data, plain.data)


@pytest.mark.parametrize(("name", "label"), QUICK)
def test_with_another_number_nothing_is_compared_with_the_print(name, label, tmp_path):
    knob = entry(name, label).knobs[0]
    made = ss.paper(name, label, numbers={knob.name: 0.5 * (knob.value + knob.high)})
    assert made.label == f"{label}-changed"
    assert made.changed.startswith(f"{knob.name} ")
    assert all((row.paper, row.why) == ("-", NOT_THE_PAPERS) for row in made.rows)
    assert not any(row.reading for row in made.rows)
    files = made.save(tmp_path)
    again = ss.open(files[2])
    assert str(again) == str(made)
    assert [path.name for path in again.save(tmp_path)] == [path.name for path in files]


def test_another_limit_makes_the_parallelogram_of_that_limit():
    """Work of a Jenkins element, 4 f (X - f/k), with both changed."""
    made = ss.paper("tensioner", 5, numbers={"limit": 80.0, "swing": 4e-4})
    loop = made.data
    area = float(np.trapezoid(loop["dry"], loop["deflection"]))
    assert area == pytest.approx(4.0 * 80.0 * (4e-4 - 80.0 / 4.84e5), rel=1e-3)


def test_another_gap_moves_the_spring():
    made = ss.paper("gear", 3, numbers={"half_gap": 1.0, "stiffness": 5.0})
    assert made.data["force"].values == pytest.approx(5.0 * ss.luz(made.data["deflection"].values, 1.0), abs=1e-13)


def test_numbers_that_cannot_be_are_refused_in_one_line(refused):
    with refused("gear, Fig. 3: half_gap must be between 0 m and 2 m, got 3"):
        ss.paper("gear", 3, numbers={"half_gap": 3.0})
    with refused("half_gap must be a number", "nan"):
        ss.paper("gear", 3, numbers={"half_gap": float("nan")})
    with refused("no number 'halfgap' can be changed", "did you mean", "half_gap"):
        ss.paper("gear", 3, numbers={"halfgap": 1.0})
    with refused("clutch, Table 1", "it has none"):
        ss.paper("clutch", "table 1", numbers={"masses": 1.0})
