"""Linear forms of coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slipstick as ss
from slipstick.model.linear_forms import Form

NAMES = ("x", "y", "z")
numbers = st.floats(-1e6, 1e6, allow_nan=False).filter(lambda a: a == 0.0 or abs(a) > 1e-6)
forms = st.dictionaries(st.sampled_from(NAMES), numbers, max_size=3).map(Form)
points = st.fixed_dictionaries({name: st.floats(-100, 100) for name in NAMES})


def value(form, q):
    return sum(factor * q[name] for name, factor in form.terms.items())


def size(form, q):
    return sum(abs(factor * q[name]) for name, factor in form.terms.items())


@given(forms, forms, numbers, points)
def test_arithmetic_of_forms_is_that_of_their_values(a, b, factor, q):
    scale = size(a, q) + size(b, q)
    assert value(a + b, q) == pytest.approx(value(a, q) + value(b, q), abs=1e-13 * scale)
    assert value(a - b, q) == pytest.approx(value(a, q) - value(b, q), abs=1e-13 * scale)
    assert value(factor * a, q) == pytest.approx(factor * value(a, q), abs=1e-13 * abs(factor) * scale)
    assert value(-a, q) == -value(a, q)
    if factor:
        assert value(a / factor, q) == pytest.approx(value(a, q) / factor, abs=1e-13 * scale / abs(factor))


@given(forms, forms)
def test_sums_commute_and_differences_of_equals_vanish(a, b):
    assert a + b == b + a
    assert (a - a).terms == {}
    assert hash(a + b) == hash(b + a)


def test_rounding_dust_of_cancelling_factors_is_dropped():
    x, y = Form({"x": 1.0}), Form({"y": 1.0})
    assert (0.1 * x + 0.2 * x - 0.3 * x + y).terms == {"y": 1.0}


def test_numpy_numbers_multiply_from_both_sides():
    x = Form({"x": 1.0})
    for two in (np.float64(2.0), np.int64(2), np.float32(2.0)):
        assert two * x == Form({"x": 2.0})
        assert x * two == Form({"x": 2.0})
        assert x / two == Form({"x": 0.5})


def test_sum_of_coordinates_starts_from_zero():
    x, y = Form({"x": 1.0}), Form({"y": 1.0})
    assert sum([x, y, x]) == Form({"x": 2.0, "y": 1.0})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda x: x * x, "linear"),
        (lambda x: x * "2", "finite number"),
        (lambda x: x * True, "finite number"),
        (lambda x: x * float("nan"), "finite number"),
        (lambda x: x / 0, "other than 0"),
        (lambda x: x / x, "finite number"),
        (lambda x: x + 1.0, "put a constant offset into the law"),
        (lambda x: x - 1.0, "put a constant offset into the law"),
        (lambda x: 1.0 - x, "put a constant offset into the law"),
        (lambda x: x * np.ones(2), "finite number"),
    ],
)
def test_what_is_not_linear_is_refused_in_one_line(make, words):
    with pytest.raises(ss.InvalidInput, match=words) as caught:
        make(Form({"x": 1.0}))
    assert "\n" not in str(caught.value)


def test_a_form_reads_as_it_was_written():
    x, y = Form({"x": 1.0}), Form({"y": 1.0})
    assert repr(x - 2 * y) == "x - 2*y"
    assert repr(-x + 0.5 * y) == "-x + 0.5*y"
    assert repr(x - x) == "0"


def test_coordinates_of_another_model_are_refused_though_their_names_match():
    one, other = ss.Model("one"), ss.Model("other")
    x, y = one.coordinate("x", inertia=1.0), other.coordinate("x", inertia=1.0)
    for form in (y, -2.0 * y, x - 0.5 * y, y / 3.0):
        with pytest.raises(
            ss.InvalidInput, match=r'coordinates of another model than "one"; take its own, such as m\["x"\]'
        ):
            one.connect(form, ss.Linear(stiffness=1.0))
        with pytest.raises(ss.InvalidInput, match="another model"):
            one.load(form, 1.0)
    assert not one.connections
    assert not one.loads


def test_coordinates_of_a_copy_of_a_model_are_known_to_it():
    import copy
    import pickle

    m = ss.Model("m")
    m.coordinate("x", inertia=1.0)
    for twin in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        twin.connect(2.0 * twin["x"], ss.Linear(stiffness=1.0), name="spring")
        assert [c.name for c in twin.connections][-1] == "spring"


@pytest.mark.parametrize(
    ("form", "words"),
    [("frame", 'm["frame"] is that coordinate'), ("frme", 'did you mean "frame"'), (3.0, "such as x - 2 * y, got 3.0")],
)
def test_a_name_is_no_coordinate_and_how_it_is_had_is_reported(form: object, words: str) -> None:
    m = ss.Model()
    m.coordinate("frame", inertia=1.0)
    with pytest.raises(ss.InvalidInput) as connected:
        m.connect(form, ss.Linear(stiffness=1.0))
    with pytest.raises(ss.InvalidInput) as loaded:
        m.load(form, ss.Constant(1.0))
    assert words in str(connected.value)
    assert words in str(loaded.value)
