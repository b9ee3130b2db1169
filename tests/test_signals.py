"""Functions of time against direct formulas, differences and dense sampling."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import slipstick as ss
from slipstick import signals
from slipstick.periodicity import common_period
from slipstick.signals import Sum, TimeFunction, share_below_zero

EPS = float(np.finfo(float).eps)
T = np.linspace(-3.0, 7.0, 1_001)

FUNCTIONS = {
    "constant": ss.Constant(3.5),
    "ramp": ss.Ramp(-0.7),
    "cosine": ss.Cosine(2.0, frequency=3.0, phase=0.4),
    "sine": ss.Sine(2.0, frequency=3.0, phase=-1.1),
    "cosine of an order": ss.Cosine(2.0, order=0.5, phase=0.4),
    "fourier": ss.Fourier(0.3, cos=(1.0, 0.0, -0.2), sin=(0.5, 0.1), frequency=1.7),
    "fourier of an order": ss.Fourier(0.3, cos=(1.0,), sin=(0.5, 0.1), order=2),
    "sum": ss.Constant(1.0) + ss.Ramp(0.1) + ss.Sine(1.5, frequency=2.0) + ss.Cosine(0.5, order=1),
}
W = 1.3  # base frequency
DIRECT = {
    "constant": lambda t: 3.5 + 0 * t,
    "ramp": lambda t: -0.7 * t,
    "cosine": lambda t: 2.0 * np.cos(3.0 * t + 0.4),
    "sine": lambda t: 2.0 * np.sin(3.0 * t - 1.1),
    "cosine of an order": lambda t: 2.0 * np.cos(0.5 * W * t + 0.4),
    "fourier": lambda t: 0.3 + np.cos(1.7 * t) - 0.2 * np.cos(5.1 * t) + 0.5 * np.sin(1.7 * t) + 0.1 * np.sin(3.4 * t),
    "fourier of an order": lambda t: 0.3 + np.cos(2 * W * t) + 0.5 * np.sin(2 * W * t) + 0.1 * np.sin(4 * W * t),
    "sum": lambda t: 1.0 + 0.1 * t + 1.5 * np.sin(2.0 * t) + 0.5 * np.cos(W * t),
}


# ---- values and derivatives


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_follow_the_formula(name: str) -> None:
    # sizes up to 4, angles up to 36 rad, each known to a few ulps
    assert np.max(np.abs(FUNCTIONS[name].at(T, W) - DIRECT[name](T))) <= 4 * 36 * EPS


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_agree_with_central_differences(name: str, order: int) -> None:
    f, h = FUNCTIONS[name], 1e-3
    lower = order - 1
    # fourth-order differences: h^4/30 times the fifth derivative of what is differenced, at most 5.1^6 * 2 here
    near = f.at(T + h, W, lower) - f.at(T - h, W, lower)
    far = f.at(T + 2 * h, W, lower) - f.at(T - 2 * h, W, lower)
    difference = (8.0 * near - far) / (12.0 * h)
    bound = h**4 / 30.0 * 2.0 * 5.1**6 + 1e-11  # and the rounding of differences of values up to 20, over h
    assert np.max(np.abs(f.at(T, W, order) - difference)) <= bound


def test_a_number_gives_a_float_and_an_array_keeps_its_shape() -> None:
    f = FUNCTIONS["sum"]
    assert isinstance(f.at(0.5, W), float)
    assert f.at(T.reshape(7, 143), W).shape == (7, 143)
    assert f.at(0.5, W) == f.at(np.array([0.5]), W)[0]


def test_only_the_value_and_two_derivatives_can_be_asked_for(refused: Any) -> None:
    for wrong in (3, -1, 0.5):
        with refused("derivative must be 0, 1 or 2", str(wrong)):
            ss.Cosine(1.0, frequency=1.0).at(0.0, derivative=wrong)


def test_a_sine_is_a_cosine_a_quarter_behind() -> None:
    sine = ss.Sine(1.3, frequency=2.0, phase=0.7).at(T)
    cosine = ss.Cosine(1.3, frequency=2.0, phase=0.7 - math.pi / 2).at(T)
    assert np.max(np.abs(sine - cosine)) <= 20 * EPS


def test_fourier_counts_its_coefficients_from_the_first_multiple() -> None:
    f = ss.Fourier(2.0, sin=(0.0, 3.0), frequency=4.0)
    assert np.max(np.abs(f.at(T) - (2.0 + 3.0 * np.sin(8.0 * T)))) <= 60 * EPS * 5


def test_fourier_is_of_order_one_unless_told_otherwise() -> None:
    assert ss.Fourier(1.0, cos=(0.5,)) == ss.Fourier(1.0, cos=(0.5,), order=1)
    assert not ss.Fourier(1.0).has_order  # a mean alone needs no base frequency


# ---- sums


def test_functions_add_with_each_other_and_with_numbers() -> None:
    f = 2 + ss.Ramp(1.0) + 0.5
    assert np.array_equal(f.at(T), 2.5 + T)
    assert np.array_equal((np.float64(2.0) + ss.Ramp(1.0)).at(T), 2.0 + T)
    assert np.array_equal((ss.Ramp(1.0) + np.int64(2)).at(T), 2.0 + T)


def test_python_sum_adds_functions() -> None:
    f = sum([ss.Ramp(1.0), ss.Constant(2.0), ss.Ramp(3.0)])
    assert isinstance(f, TimeFunction)
    assert np.array_equal(f.at(T), 2.0 + 4.0 * T)


def test_a_sum_of_sums_is_flat_and_keeps_the_order_of_its_terms() -> None:
    a, b, c = ss.Constant(1.0), ss.Ramp(2.0), ss.Cosine(1.0, frequency=1.0)
    assert (a + b) + c == a + (b + c) == Sum((a, b, c))
    assert repr(a + b + c) == "Constant(1) + Ramp(2) + Cosine(1, frequency=1)"


@pytest.mark.parametrize("other", ["2", None, [1.0], {}])
def test_what_is_no_function_and_no_number_does_not_add(other: Any) -> None:
    with pytest.raises(TypeError):
        ss.Constant(1.0) + other
    with pytest.raises(TypeError):
        other + ss.Constant(1.0)


# ---- orders and the base frequency


def test_an_order_multiplies_the_base_frequency() -> None:
    f = ss.Cosine(1.0, order=3)
    assert f.has_order
    assert np.array_equal(f.at(T, 2.0), ss.Cosine(1.0, frequency=6.0).at(T))


def test_an_order_without_a_base_frequency_is_refused(refused: Any) -> None:
    for f in (ss.Cosine(1.0, order=1), ss.Ramp(1.0) + ss.Fourier(cos=(1.0,))):
        with refused("needs a base frequency", "frequency="):
            f.at(0.0)
    with refused("needs a base frequency"):
        ss.Sine(1.0, order=1).period()


@pytest.mark.parametrize("frequency", [0.0, -1.0, math.nan, math.inf])
def test_a_base_frequency_that_is_none_is_refused(frequency: float, refused: Any) -> None:
    with refused("base frequency must be finite and > 0", str(frequency)):
        ss.Cosine(1.0, order=2).at(0.5, frequency)


def test_a_frequency_ignores_the_base_frequency() -> None:
    f = ss.Cosine(1.0, frequency=2.0)
    assert not f.has_order
    assert f.at(0.3, 17.0) == f.at(0.3)


# ---- periods


def test_common_periods_known_by_hand() -> None:
    assert common_period([]) == 0.0
    assert common_period([2.0]) == math.pi
    assert common_period([2.0, 3.0]) == pytest.approx(2.0 * math.pi, rel=2 * EPS)
    assert common_period([0.5, 1.0, 2.0]) == pytest.approx(4.0 * math.pi, rel=2 * EPS)
    assert common_period([1.0, 0.5, 1.0 / 3.0]) == pytest.approx(12.0 * math.pi, rel=2 * EPS)
    assert common_period([6.0, 10.0, 15.0]) == pytest.approx(2.0 * math.pi, rel=2 * EPS)
    assert common_period([ss.hz(50.0), ss.rpm(3000.0)]) == pytest.approx(0.02, rel=2 * EPS)


small_fractions = st.fractions(min_value=Fraction(1, 30), max_value=30, max_denominator=30)


@given(st.lists(small_fractions, min_size=1, max_size=4), st.floats(0.01, 1e4))
def test_the_common_period_is_the_smallest_that_holds_whole_cycles_of_all(
    fractions: list[Fraction], scale: float
) -> None:
    smallest = min(fractions)
    assume(all((f / smallest).denominator <= 1_000 for f in fractions))
    period = common_period([float(f) * scale for f in fractions])
    # the greatest g with every fraction a multiple of it: gcd of numerators over one denominator
    denominator = math.lcm(*(f.denominator for f in fractions))
    numerator = math.gcd(*(int(f * denominator) for f in fractions))
    assert period == pytest.approx(2.0 * math.pi / (scale * numerator / denominator), rel=8 * EPS)


def test_frequencies_without_a_common_period_are_refused(refused: Any) -> None:
    with refused("1 and 1.41421356 rad/s", "no common period", "round them"):
        common_period([1.0, math.sqrt(2.0)])
    with refused("no common period"):
        (ss.Cosine(1.0, frequency=1.0) + ss.Cosine(1.0, frequency=math.pi)).period()


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf])
def test_a_period_of_no_frequency_is_refused(wrong: float, refused: Any) -> None:
    with refused("finite and > 0"):
        common_period([1.0, wrong])


def test_a_function_repeats_after_its_period_and_not_before() -> None:
    f = ss.Constant(1.0) + ss.Cosine(1.0, frequency=2.0) + ss.Sine(0.5, frequency=3.0, phase=0.3)
    period = f.period()
    assert period == pytest.approx(2.0 * math.pi, rel=2 * EPS)
    assert np.max(np.abs(f.at(T + period) - f.at(T))) <= 40 * EPS * 2
    for divisor in (2, 3, 5):
        assert np.max(np.abs(f.at(T + period / divisor) - f.at(T))) > 0.1


def test_a_constant_has_period_zero_and_a_vanishing_harmonic_does_not_count() -> None:
    assert ss.Constant(2.0).period() == 0.0
    assert (ss.Cosine(0.0, frequency=math.sqrt(2.0)) + ss.Cosine(1.0, frequency=1.0)).period() == 2.0 * math.pi
    assert ss.Fourier(1.0, cos=(0.0, 1.0), order=1).period(3.0) == pytest.approx(math.pi / 3.0, rel=2 * EPS)


def test_a_ramp_and_a_signal_have_no_period(refused: Any) -> None:
    assert ss.Cosine(1.0, frequency=1.0).is_periodic
    for f in (ss.Ramp(1.0), ss.Signal([0.0, 1.0], [0.0, 1.0]) + ss.Constant(1.0)):
        assert not f.is_periodic
        with refused("not periodic"):
            f.period()
        with refused("not periodic"):
            share_below_zero(f)


# ---- the share of a period below zero


@given(st.floats(-0.999, 0.999), st.floats(-10.0, 10.0), st.floats(0.1, 100.0), st.floats(1e-3, 1e3))
def test_the_share_below_zero_of_one_harmonic_is_an_arccosine(
    ratio: float, phase: float, frequency: float, size: float
) -> None:
    """mean + A cos: negative where the cosine is below -mean/A, for arccos(mean/A)/pi of the period."""
    f = ss.Constant(ratio * size) + ss.Cosine(size, frequency=frequency, phase=phase)
    # the function is known to about 20 ulps of its size; its slope at the crossing is sin(arccos ratio) >= 0.044
    assert abs(share_below_zero(f) - math.acos(ratio) / math.pi) <= 20 * EPS / 0.044


def test_the_share_below_zero_of_several_harmonics_agrees_with_dense_sampling() -> None:
    rng = np.random.default_rng(1)
    n = 20_000
    x = (np.arange(n) + 0.5) * 2.0 * math.pi / n
    for _ in range(50):
        f = ss.Fourier(rng.normal(), cos=rng.normal(size=4), sin=rng.normal(size=3), frequency=1.0)
        sampled = np.count_nonzero(f.at(x) < 0.0) / n
        # at most 8 crossings, each known to one sample
        assert abs(share_below_zero(f) - sampled) <= 8.0 / n


def test_the_share_below_zero_finds_a_short_dip_between_samples() -> None:
    dip = 1e-10
    f = ss.Constant(1.0 - dip) + ss.Cosine(1.0, frequency=1.0, phase=0.123)
    # arccos(1 - d) = sqrt(2 d) (1 + d/12 ...); the slope there is sqrt(2 d)
    assert share_below_zero(f) == pytest.approx(math.sqrt(2.0 * dip) / math.pi, abs=20 * EPS / math.sqrt(2.0 * dip))


def test_a_function_that_only_touches_zero_is_never_below() -> None:
    for phase in np.linspace(0.0, 6.0, 101):
        assert share_below_zero(ss.Constant(0.5) + ss.Cosine(0.5, frequency=3.3, phase=phase)) == 0.0
        assert share_below_zero(ss.Constant(-0.5) + ss.Cosine(0.5, frequency=3.3, phase=phase)) == pytest.approx(1.0)
    squared = ss.Fourier(1.5, cos=(2.0, 0.5), frequency=1.0)  # (1 + cos)^2: touches to fourth order
    assert share_below_zero(squared) == 0.0


def test_a_crossing_along_the_axis_is_counted_as_far_as_rounding_allows() -> None:
    cubed = ss.Fourier(sin=(0.75, 0.0, -0.25), frequency=1.0)  # sin^3, within 3e-15 of zero for 1.4e-5 around it
    assert share_below_zero(cubed) == pytest.approx(0.5, abs=2 * 1.5e-5 / math.pi)


def test_a_constant_is_below_zero_always_or_never() -> None:
    assert share_below_zero(ss.Constant(-1.0)) == 1.0
    assert share_below_zero(ss.Constant(0.0)) == 0.0
    assert share_below_zero(ss.Constant(1.0)) == 0.0
    assert share_below_zero(ss.Cosine(1.0, frequency=1.0) + ss.Cosine(-1.0, frequency=1.0)) == 0.0


def test_the_share_below_zero_of_orders_does_not_depend_on_the_base_frequency() -> None:
    f = ss.Fourier(0.2, cos=(1.0,), sin=(0.3,), order=0.5)
    assert share_below_zero(f, 1.0) == pytest.approx(share_below_zero(f, 73.15), abs=100 * EPS)


def test_frequencies_with_a_long_common_period_are_no_burden() -> None:
    f = ss.Constant(0.1) + ss.Cosine(0.5, frequency=10.0) + ss.Cosine(0.4, frequency=73.15)
    period = f.period()
    assert period == pytest.approx(2.0 * math.pi / 0.05, rel=8 * EPS)
    n = 1_000_000
    sampled = np.count_nonzero(f.at((np.arange(n) + 0.5) * period / n) < 0.0) / n
    assert abs(share_below_zero(f) - sampled) <= 2 * 1463 / n


def test_a_function_that_stays_above_zero_needs_no_common_period() -> None:
    assert share_below_zero(ss.Constant(3.0) + ss.Cosine(1.0, frequency=1.0) + ss.Sine(1.0, frequency=math.pi)) == 0.0


# ---- signals


def test_a_signal_is_linear_between_its_samples_and_holds_its_ends() -> None:
    f = ss.Signal([0.0, 1.0, 3.0], [2.0, 4.0, 0.0])
    assert f.at([-5.0, 0.0, 0.25, 1.0, 2.0, 3.0, 9.0]).tolist() == [2.0, 2.0, 2.5, 4.0, 2.0, 0.0, 0.0]
    assert f.at([-5.0, 0.5, 2.0, 9.0], derivative=1).tolist() == [0.0, 2.0, -2.0, 0.0]
    assert f.at([0.5, 2.0], derivative=2).tolist() == [0.0, 0.0]


def test_a_repeated_time_is_a_jump_and_the_later_value_holds_there() -> None:
    f = ss.Signal([0.0, 1.0, 1.0, 2.0], [0.0, 0.0, 5.0, 6.0])
    assert f.at([math.nextafter(1.0, 0.0), 1.0, 1.5]).tolist() == [0.0, 5.0, 5.5]
    assert f.at([0.5, 1.0], derivative=1).tolist() == [0.0, 1.0]


def test_a_signal_may_jump_at_its_ends() -> None:
    f = ss.Signal([0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0])
    assert f.at([-1.0, 0.0, 0.5, 1.0, 2.0]).tolist() == [1.0, 2.0, 2.5, 4.0, 4.0]


def test_a_single_sample_is_a_constant() -> None:
    f = ss.Signal([1.0], [7.0])
    assert f.at([0.0, 1.0, 2.0]).tolist() == [7.0, 7.0, 7.0]
    assert f.at(0.0, derivative=1) == 0.0


@given(st.lists(st.tuples(st.floats(0.01, 10.0), st.floats(-1e3, 1e3)), min_size=1, max_size=20), st.floats(-5, 250))
def test_a_signal_without_jumps_agrees_with_numpy(steps: list[tuple[float, float]], t: float) -> None:
    times = np.cumsum([step for step, _ in steps])
    values = [value for _, value in steps]
    # a difference of values, a slope, a product and a sum, each to half an ulp of at most 2e3
    assert abs(ss.Signal(times, values).at(t) - np.interp(t, times, values)) <= 8 * EPS * 2e3


def test_signals_add_to_other_functions() -> None:
    f = ss.Signal([0.0, 1.0], [0.0, 1.0]) + ss.Ramp(1.0) + ss.Signal([0.0, 1.0], [1.0, 1.0])
    assert f.at([0.0, 0.5, 2.0]).tolist() == [1.0, 2.0, 4.0]


class Column:
    """A column of a table: no list, but it can be had as an array."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


def test_arrays_and_columns_of_tables_are_taken_as_samples() -> None:
    expected = ss.Signal([0.0, 1.0, 2.0], [1.0, 2.0, 3.0])
    assert ss.Signal(np.arange(3), np.array([1.0, 2.0, 3.0])) == expected
    assert ss.Signal(Column([0.0, 1.0, 2.0]), Column([1, 2, 3])) == expected


@pytest.mark.parametrize(
    ("times", "values", "words"),
    [
        ([0.0, 1.0], [1.0], ["2 times but 1 values"]),
        ([], [], ["at least one sample"]),
        ([0.0, 2.0, 1.0], [1.0, 2.0, 3.0], ["must not decrease", "1 after 2"]),
        ([0.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0], ["more than twice", "time 1"]),
        ([0.0, math.nan], [1.0, 2.0], ["times[1]", "finite", "nan"]),
        (np.array([0.0, math.inf]), [1.0, 2.0], ["times[1]", "finite", "inf"]),
        ([0.0, 1.0], [1.0, "x"], ["values[1]", "number", "'x'"]),
        ([0.0, 1.0], [1.0, True], ["values[1]", "number", "True"]),
        ("01", [1.0, 2.0], ["times", "list of numbers"]),
        (1.0, [1.0], ["times", "list of numbers"]),
        (np.array(1.0), [1.0], ["times", "list of numbers"]),
        (np.zeros((2, 2)), [1.0, 2.0], ["times", "list of numbers"]),
        ([[0.0], 1.0], [1.0, 2.0], ["times[0]", "number"]),
    ],
)
def test_a_signal_refuses_bad_samples(times: Any, values: Any, words: list[str], refused: Any) -> None:
    with refused("Signal", *words):
        ss.Signal(times, values)


# ---- what is refused, and how functions look


@pytest.mark.parametrize("function", [ss.Cosine, ss.Sine])
def test_a_harmonic_needs_a_frequency_or_an_order_and_not_both(function: Any, refused: Any) -> None:
    with refused(function.__name__, "frequency=", "order=", "either a frequency or an order"):
        function(1.0, frequency=2.0, order=1)
    with refused(function.__name__, "frequency=", "order=", "either a frequency or an order"):
        function(1.0)


def test_fourier_takes_a_frequency_or_an_order_and_not_both(refused: Any) -> None:
    with refused("Fourier", "either a frequency or an order"):
        ss.Fourier(1.0, frequency=2.0, order=1)


@pytest.mark.parametrize("wrong", [0.0, -0.0, -2.0])
@pytest.mark.parametrize("name", ["frequency", "order"])
@pytest.mark.parametrize("function", [ss.Cosine, ss.Sine, ss.Fourier])
def test_a_frequency_or_order_of_zero_or_less_is_refused(function: Any, name: str, wrong: float, refused: Any) -> None:
    with refused(function.__name__, f"{name} must be > 0", str(wrong)):
        function(1.0, **{name: wrong})


@pytest.mark.parametrize("wrong", [math.nan, math.inf, "3", True, 1j, [1.0]])
@pytest.mark.parametrize(
    "build",
    [
        lambda x: ss.Constant(x),
        lambda x: ss.Ramp(x),
        lambda x: ss.Cosine(x, frequency=1.0),
        lambda x: ss.Cosine(1.0, frequency=x),
        lambda x: ss.Sine(1.0, order=x),
        lambda x: ss.Sine(1.0, order=1, phase=x),
        lambda x: ss.Fourier(x),
        lambda x: ss.Fourier(cos=(1.0, x)),
        lambda x: ss.Fourier(sin=(x,)),
    ],
)
def test_what_is_no_finite_number_is_refused(build: Any, wrong: Any, refused: Any) -> None:
    with refused("must be"):
        build(wrong)


def test_only_the_first_value_goes_without_a_name() -> None:
    with pytest.raises(TypeError):
        ss.Cosine(1.0, 2.0)
    with pytest.raises(TypeError):
        ss.Cosine(1.0, speed=2.0)


def test_frequencies_convert_from_hertz_and_revolutions() -> None:
    assert ss.hz(0.5) == math.pi
    assert ss.rpm(30.0) == math.pi
    assert ss.hz(30) == ss.rpm(1800)


REPRS = [
    "Constant(3.5)",
    "Ramp(-0.25)",
    "Cosine(122.1, frequency=73.15, phase=0.4)",
    "Sine(1, order=0.5)",
    "Fourier(0.5, cos=(0.3,), sin=(0, 0.123456789), frequency=2)",
    "Signal((0, 1, 2), values=(1, 0.5, 0.25))",
    "Constant(1) + Ramp(2) + Sine(1, order=1)",
]


@pytest.mark.parametrize("text", REPRS)
def test_a_function_is_shown_as_it_is_written(text: str) -> None:
    assert repr(eval(text, vars(signals))) == text


def test_a_long_signal_is_shown_short() -> None:
    assert len(repr(ss.Signal(np.arange(1e5), np.zeros(100_000)))) < 120


def test_functions_are_equal_if_their_numbers_are_and_can_be_keys() -> None:
    assert ss.Cosine(1, frequency=2) == ss.Cosine(1.0, frequency=2.0)
    assert ss.Cosine(1, frequency=2) != ss.Cosine(1, order=2)
    assert ss.Cosine(1, frequency=2) != ss.Sine(1, frequency=2)
    assert ss.Signal([0, 1], [1, 2]) == ss.Signal((0.0, 1.0), np.array([1.0, 2.0]))
    assert len({ss.Constant(1), ss.Constant(1.0), ss.Ramp(1), ss.Constant(1) + ss.Ramp(1)}) == 3


def test_functions_are_frozen() -> None:
    with pytest.raises(AttributeError):
        ss.Constant(1.0).value = 2.0


@pytest.mark.parametrize(
    "function",
    [
        ss.Constant(2.0),
        ss.Ramp(3.0),
        ss.Cosine(1.5, frequency=2.0, phase=0.3),
        ss.Sine(1.5, order=2),
        ss.Fourier(0.5, cos=[1.0, 0.2], sin=[0.0, 0.4], frequency=3.0),
        ss.Signal([0.0, 1.0, 1.0, 2.0], [1.0, 2.0, -1.0, 0.0]),
        ss.Chirp(2.0, 3.0, 0.5, 0.1),
        ss.Constant(2.0) + ss.Ramp(3.0),
    ],
    ids=repr,
)
def test_functions_are_subtracted_and_multiplied(function):
    t = np.linspace(-0.5, 2.5, 61)
    value, other = function.at(t, 5.0), ss.Ramp(0.7)
    np.testing.assert_allclose((-function).at(t, 5.0), -value, rtol=1e-15, atol=0)
    np.testing.assert_allclose((2.5 * function).at(t, 5.0), 2.5 * value, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose((function - other).at(t, 5.0), value - 0.7 * t, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose((1.0 - function).at(t, 5.0), 1.0 - value, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose((function - 1.0).at(t, 5.0), value - 1.0, rtol=1e-13, atol=1e-14)


def test_two_functions_are_not_multiplied():
    with pytest.raises(TypeError):
        ss.Ramp(1.0) * ss.Ramp(2.0)
