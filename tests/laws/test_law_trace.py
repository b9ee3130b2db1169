"""trace: what it takes, what it refuses, the rates it finds for itself, and where a history begins."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from laws.example_laws import every_law
from laws.reference_solutions import EPS

import slipstick as ss
from slipstick.laws.base import Law
from slipstick.laws.law_trace import sample_rates

LAW = ss.Jenkins(stiffness=2.0, limit=0.6)
DAMPED = ss.Linear(damping=1.0)
U = [0.0, 0.5, -0.2, 0.9]
WANT = LAW.trace(np.array(U))


def relaxes(law: Law) -> bool:
    """True if the force changes at rest, so that a history needs its times."""
    return any(leaf.law.keeps_time for leaf in law.leaves())


# ---- what it takes


class Column:
    """What a table's column looks like to NumPy."""

    def __init__(self, values: list[float]) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)


@pytest.mark.parametrize(
    "u",
    [
        U,
        tuple(U),
        np.array(U),
        np.array(U, dtype=object),
        np.repeat(U, 3)[::3],
        np.array(U)[::-1][::-1],
        np.array([U, U]).T[:, 1],
        np.ma.array(U, mask=[False] * 4),
        Column(U),
        memoryview(np.array(U)),
    ],
    ids=["list", "tuple", "array", "objects", "strided", "backwards", "column", "masked", "table", "memory"],
)
def test_anything_that_is_a_row_of_numbers_will_do(u: Any) -> None:
    found = LAW.trace(u)
    assert type(found) is np.ndarray
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, WANT)


def test_whole_numbers_and_short_floats_are_numbers() -> None:
    np.testing.assert_array_equal(LAW.trace([0, 1, -1]), LAW.trace([0.0, 1.0, -1.0]))
    np.testing.assert_array_equal(LAW.trace(np.array([0, 1, -1], dtype=np.int8)), LAW.trace([0.0, 1.0, -1.0]))
    np.testing.assert_array_equal(LAW.trace(np.array([0.0, 0.5], dtype=np.float32)), LAW.trace([0.0, 0.5]))
    np.testing.assert_array_equal(LAW.trace(np.array([0.0, 0.5], dtype=">f8")), LAW.trace([0.0, 0.5]))


@pytest.mark.parametrize("name", every_law())
def test_what_is_passed_in_is_left_alone(name: str) -> None:
    law = every_law()[name]
    u, t, v = np.array([0.0, 0.4, -0.3, 0.8]), np.array([0.0, 1.0, 2.0, 4.0]), np.array([0.1, 0.4, -0.7, 1.0])
    kept = u.copy(), t.copy(), v.copy()
    for array in (u, t, v):
        array.setflags(write=False)
    memory = law.start(0.0)
    first = law.trace(u, t, memory, rate=v)
    np.testing.assert_array_equal(law.trace(u, t, memory, rate=v), first)
    assert memory == law.start(0.0)
    for array, was in zip((u, t, v), kept, strict=True):
        np.testing.assert_array_equal(array, was)


@pytest.mark.parametrize("name", every_law())
def test_one_sample_is_a_history(name: str) -> None:
    law = every_law()[name]
    assert law.trace([0.3], [0.0]).shape == (1,)


def test_forces_are_new_each_time() -> None:
    first = LAW.trace(U)
    first[:] = 99.0
    np.testing.assert_array_equal(LAW.trace(U), WANT)


# ---- what it refuses


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"u": []}, "u must have at least one sample, got none"),
        ({"u": [[0.0, 1.0]]}, "u must have one dimension, got shape (1, 2)"),
        ({"u": np.zeros((2, 2))}, "u must have one dimension, got shape (2, 2)"),
        ({"u": [0.0, math.nan]}, "u must be finite, got nan at sample 1"),
        ({"u": [0.0, 1.0, math.inf]}, "u must be finite, got inf at sample 2"),
        ({"u": np.ma.array([0.0, 1.0], mask=[False, True])}, "u must be finite, got nan at sample 1"),
        ({"u": "abc"}, "u must be a list of numbers, got 'abc'"),
        ({"u": ["0", "1"]}, "u must be a list of numbers"),
        ({"u": [0.0, "a"]}, "u must be a list of numbers"),
        ({"u": [0.0, [1.0]]}, "u must be a list of numbers"),
        ({"u": {"a": 1.0}}, "u must be a list of numbers"),
        ({"u": np.array([0.0, 1j])}, "u must be a list of numbers"),
        ({"u": np.array([0, 1], dtype="m8[ns]")}, "u must be a list of numbers"),
        ({"u": np.array(["2026-01-01"], dtype="M8[ns]")}, "u must be a list of numbers"),
        ({"u": None}, "u must be"),
        ({"u": iter([0.0, 1.0])}, "u must be a list of numbers"),
        ({"t": [0.0, 1.0]}, "t must have 4 samples like u, got 2"),
        ({"t": [0.0, 1.0, 1.0, 2.0]}, "times must increase, got 1 after 1 (sample 2)"),
        ({"t": [0.0, 1.0, 3.0, 2.0]}, "times must increase, got 2 after 3 (sample 3)"),
        ({"t": [0.0, 1.0, math.nan, 3.0]}, "t must be finite, got nan at sample 2"),
        ({"t": np.array([0, 1, 2, 3], dtype="m8[s]")}, "t must be a list of numbers"),
        ({"rate": [0.0, 1.0]}, "rate must have 4 samples like u, got 2"),
        ({"rate": [0.0, 1.0, math.inf, 0.0]}, "rate must be finite, got inf at sample 2"),
        ({"rate": [[0.0] * 4]}, "rate must have one dimension"),
        ({"memory": 5.0}, "memory of Jenkins must be a tuple of 1 finite numbers (slider)"),
        ({"memory": (0.0, 0.0)}, "memory of Jenkins must be a tuple of 1 finite numbers (slider)"),
        ({"memory": (math.nan,)}, "memory of Jenkins must be a tuple of 1 finite numbers (slider)"),
        ({"memory": "a"}, "memory of Jenkins must be a tuple of 1 finite numbers (slider)"),
    ],
)
def test_what_is_no_history_is_refused_in_one_line(options: dict[str, Any], words: str, refused: Any) -> None:
    with refused(words):
        LAW.trace(**{"u": U} | options)


@pytest.mark.parametrize("name", [n for n, law in every_law().items() if law.needs_rate])
def test_a_law_that_needs_a_rate_asks_for_times_or_rates(name: str, refused: Any) -> None:
    law = every_law()[name]
    rates = "depends on the rate: trace needs the times, trace(u, t), or the rates, trace(u, rate=...)"
    with refused("relaxes in time: trace needs the times, trace(u, t)" if relaxes(law) else rates):
        law.trace(U)


@pytest.mark.parametrize("name", [n for n, law in every_law().items() if not law.needs_rate])
def test_the_other_laws_do_not_care_for_times_and_rates(name: str) -> None:
    law, rng = every_law()[name], np.random.default_rng(1)
    plain = law.trace(U)
    np.testing.assert_array_equal(law.trace(U, np.cumsum(rng.uniform(0.1, 2.0, 4))), plain)
    np.testing.assert_array_equal(law.trace(U, rate=rng.normal(size=4)), plain)


@pytest.mark.parametrize(("law", "u"), [(ss.Polynomial(coefficients=(0.0, 0.0, 1.0)), 1e200)])
def test_a_force_that_is_no_number_is_an_error_with_what_was_reached(law: Law, u: float, refused: Any) -> None:
    with refused("the force of Polynomial", "is inf at sample 2 (u = 1e+200)", error=ss.NotConverged):
        law.trace([0.0, 1.0, u, 0.0])
    with pytest.raises(ss.NotConverged) as caught:
        law.trace([0.0, 2.0, u])
    np.testing.assert_array_equal(caught.value.partial, [0.0, 4.0])


def test_a_start_out_of_the_range_of_numbers_is_an_error_in_words(refused: Any) -> None:
    law = ss.FibreShear(stiffness=1.5, limit=0.8, linear=0.4, cubic=0.3, overshoot=0.9, ratio=0.4)
    with refused("FibreShear", "cannot start at u = 1e+125", error=ss.NotConverged):
        law.trace([1e125])


@pytest.mark.parametrize("name", [n for n in every_law() if n not in ("generalised-dahl", "modified-dahl curved")])
def test_any_size_gives_numbers_or_an_error_never_nan(name: str) -> None:
    """Histories from the smallest to the largest floats; the compiled law and its Python agree throughout."""
    law, rng = every_law()[name], np.random.default_rng(7)
    for _ in range(25):
        size = 10.0 ** rng.uniform(-320.0, 300.0) if rng.random() < 0.3 else 10.0 ** rng.uniform(-13.0, 13.0)
        u = rng.normal(size=8) * size * 10.0 ** rng.uniform(-20.0 * (rng.random() < 0.3), 0.0, 8)
        u, v = np.repeat(u, rng.integers(1, 3)), rng.normal() * 10.0 ** rng.uniform(-12.0, 12.0)
        rates = np.full(u.size, v)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # where envelopes cross
            try:
                forces = law.trace(u, rate=rates)
            except ss.SlipstickError:
                continue
            assert np.all(np.isfinite(forces))
            try:
                memory, plain = law.start(float(u[0])), []
                for x in u.tolist():
                    f, memory = law.update(x, v, memory)
                    plain.append(f)
            except OverflowError:
                continue  # math.exp raises where the compiled one is endless, and that is then divided by
        np.testing.assert_allclose(forces, plain, rtol=0, atol=1e-12 * np.abs(plain).max() + 1e-300)


# ---- rates from samples


def error_of(function: Any, slope: Any, count: int, stretch: float = 0.0) -> np.ndarray:
    t = np.linspace(0.0, 3.0, count)
    t = t + stretch * np.sin(2.0 * t)  # any spacing
    return np.abs(sample_rates(function(t), t) - slope(t))


@pytest.mark.parametrize("stretch", [0.0, 0.3])
def test_rates_are_fourth_order_inside_and_second_at_the_ends(stretch: float) -> None:
    counts = [101, 201, 401, 801, 1601]
    inside, ends = [], []
    for count in counts:
        off = error_of(np.exp, np.exp, count, stretch)
        inside.append(off[2:-2].max())
        ends.append(off[[0, -1]].max())
    assert np.mean(np.log2(np.array(inside[:-1]) / inside[1:])) == pytest.approx(4.0, abs=0.2)
    assert np.mean(np.log2(np.array(ends[:-1]) / ends[1:])) == pytest.approx(2.0, abs=0.2)


def test_rates_of_a_sine_stay_fourth_order_where_it_bends_the_other_way() -> None:
    h = 3.0 / 400
    off = error_of(lambda t: np.sin(4.0 * t), lambda t: 4.0 * np.cos(4.0 * t), 401)
    assert off[2:-2].max() <= 4.0**5 * h**4 / 30.0 * 1.01


@pytest.mark.parametrize("count", [3, 4, 5, 8, 50])
def test_rates_of_a_parabola_are_exact(count: int) -> None:
    t = np.cumsum(np.random.default_rng(2).uniform(0.5, 1.5, count))
    np.testing.assert_allclose(sample_rates(3.0 * t**2 - t, t), 6.0 * t - 1.0, rtol=1e-11)


def test_rates_of_few_samples() -> None:
    np.testing.assert_array_equal(sample_rates(np.array([2.0]), np.array([0.0])), [0.0])
    np.testing.assert_array_equal(sample_rates(np.array([2.0, 3.0]), np.array([0.0, 0.5])), [2.0, 2.0])


def test_the_slopes_of_a_triangle_are_exact_up_to_its_corners() -> None:
    """Corners on samples: beside them three points are used, the five-point formula would ring."""
    t = np.arange(41) / 4.0
    u = np.abs((t + 1.0) % 4.0 - 2.0)  # slopes -1 and 1, corners at t = 1, 3, 5, ...
    rates = sample_rates(u, t)
    corner = np.isclose(t % 2.0, 1.0)
    slopes = np.where((t % 4.0 > 1.0) & (t % 4.0 < 3.0), 1.0, -1.0)
    np.testing.assert_allclose(rates[~corner], slopes[~corner], rtol=0, atol=8 * EPS)
    np.testing.assert_allclose(rates[corner], 0.0, atol=8 * EPS)
    np.testing.assert_array_equal(DAMPED.trace(u, t), rates)


def test_the_rate_of_what_rests_is_zero() -> None:
    assert not sample_rates(np.full(9, 3.7), np.arange(9.0)).any()


def test_given_rates_are_taken_as_they_are() -> None:
    v = np.array([3.0, -1.0, 0.5, 2.0])
    np.testing.assert_array_equal(DAMPED.trace(U, rate=v), v)
    np.testing.assert_array_equal(DAMPED.trace(U, [0.0, 1.0, 2.0, 3.0], rate=v), v)


# ---- where a history begins, and how it goes on


@pytest.mark.parametrize("name", every_law())
@pytest.mark.parametrize("u", [0.0, 0.7, -1.1])
def test_a_history_begins_with_a_virgin_law_led_to_the_first_sample(name: str, u: float) -> None:
    law = every_law()[name]
    way, v, t = np.array([u, 0.2, -0.4]), np.zeros(3), np.arange(3.0)
    np.testing.assert_array_equal(law.trace(way, t, rate=v), law.trace(way, t, memory=law.start(u), rate=v))
    if relaxes(law):
        assert law.stored(0.0, law.start(0.0)) == 0.0
    elif not any(word in name for word in ("duhem", "modified", "generalised", "dry-friction")):
        led = law.trace([0.0, *(u * np.array([0.3, 0.8])), *way], rate=np.zeros(6))
        error = 1e-9 if name == "bouc-wen-baber-noori" else 1e-13  # it is integrated, in steps that end at samples
        np.testing.assert_allclose(led[3:], law.trace(way, rate=v), rtol=0, atol=error)


@pytest.mark.parametrize("name", every_law())
def test_a_history_goes_on_where_it_stopped(name: str) -> None:
    """update after update and one trace of all give the same forces, and a trace may begin anywhere between."""
    law, rng = every_law()[name], np.random.default_rng(3)
    u, v = rng.normal(size=40), rng.normal(size=40)
    t = np.cumsum(rng.uniform(0.1, 1.0, 40))
    whole = law.trace(u, t, rate=v)
    memory = law.start(float(u[0]))
    for k in range(25):
        f, memory = law.update(float(u[k]), float(v[k]), law.at_time(memory, t[k]))
        assert f == pytest.approx(whole[k], rel=1e-13, abs=1e-14)
    np.testing.assert_allclose(law.trace(u[25:], t[25:], memory=memory, rate=v[25:]), whole[25:], rtol=0, atol=1e-13)


def test_without_a_rate_the_sign_of_the_way_is_passed_on() -> None:
    """A law that needs only the sign of the rate is not told that everything rests."""
    np.testing.assert_array_equal(Signed().trace([0.0, 1.0, 1.0, 0.5, 2.0]), [0.0, 1.0, 0.0, -1.0, 1.0])


class Signed(Law):
    """Coulomb friction, badly: only the sign of the rate matters."""

    needs_rate = False

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        return (1.0 if v > 0.0 else (-1.0 if v < 0.0 else 0.0)), memory


def test_a_long_history_is_one_call() -> None:
    u = np.sin(np.linspace(0.0, 2000.0, 1_000_000))
    forces = LAW.trace(u)
    assert forces.shape == u.shape
    assert np.abs(forces).max() <= 0.6
