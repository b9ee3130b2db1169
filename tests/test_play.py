"""Play and stop: histories, inner loops, radii, and the scalar form step by step.

Bounds: each floating-point operation is off by at most half an ulp, u = EPS/2, of its result.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slipstick import scalar
from slipstick.maps import play, stop

EPS = float(np.finfo(float).eps)  # 2 u

histories = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)
radii = st.floats(0.0, 1e6)


# ---- play and stop


@given(histories, radii, st.floats(-1e6, 1e6))
def test_stop_stays_within_its_radius_and_play_within_reach(u: list[float], r: float, start: float) -> None:
    held, slider = stop(u, r, start), play(u, r, start)
    assert np.all(np.abs(held) <= r)
    # the slider is at u - r, rounded, or u + r, rounded, or nearer
    assert np.all(np.abs(u - slider) <= r + EPS * (np.abs(u) + r))


@given(histories, radii, st.floats(-1e6, 1e6))
def test_play_and_stop_add_to_the_deflection(u: list[float], r: float, start: float) -> None:
    # u -+ r in play, the difference in stop, the sum here: 3 u of at most |u| + r
    assert np.all(np.abs(play(u, r, start) + stop(u, r, start) - u) <= 1.5 * EPS * (np.abs(u) + r))


def test_play_and_stop_add_exactly_on_a_grid() -> None:
    rng = np.random.default_rng(29)
    u = rng.integers(-9, 10, 20_000).astype(float)
    for r in (0.0, 1.0, 3.0, 20.0):
        assert np.array_equal(play(u, r) + stop(u, r), u)


def test_the_stop_has_the_closed_form_of_an_elastoplastic_loop() -> None:
    u = [0.0, 1.0, 3.0, 2.0, -1.0, -3.0, -2.0, 3.0]
    assert stop(u, 1.0).tolist() == [0.0, 1.0, 1.0, 0.0, -1.0, -1.0, 0.0, 1.0]
    assert play(u, 1.0).tolist() == [0.0, 0.0, 2.0, 2.0, 0.0, -2.0, -2.0, 2.0]


@given(histories, radii, st.data())
def test_play_does_not_depend_on_how_fast_or_how_finely_a_history_runs(u: list[float], r: float, data: Any) -> None:
    """Repeated and intermediate samples change nothing, to the bit."""
    fine, marks = [], []
    last = u[0]
    for x in u:
        between = st.floats(min(last, x), max(last, x))
        stops = sorted(data.draw(st.lists(between, max_size=4)), reverse=x < last)
        fine += [*stops, x, x]
        marks.append(len(fine) - 1)
        last = x
    assert np.array_equal(play(fine, r)[marks], play(u, r))
    assert np.array_equal(stop(fine, r)[marks], stop(u, r))


def test_a_monotone_path_ends_the_same_in_one_step_as_in_many() -> None:
    rng = np.random.default_rng(30)
    for _ in range(200):
        start, r = rng.normal(size=2)
        path = np.sort(rng.normal(scale=3.0, size=100))[:: rng.choice([-1, 1])]
        r, start = abs(r), float(np.clip(start, path[0] - abs(r), path[0] + abs(r)))
        assert play(path, r, start)[-1] == play(path[-1:], r, start)[0]


@given(histories, radii, st.floats(-1e6, 1e6), st.data())
def test_play_can_be_interrupted_anywhere_and_taken_up_again(u: list[float], r: float, start: float, data: Any) -> None:
    cut = data.draw(st.integers(1, len(u)))
    first = play(u[:cut], r, start)
    assert np.array_equal(np.concatenate((first, play(u[cut:], r, first[-1]))), play(u, r, start))
    held = np.concatenate((stop(u[:cut], r, start), stop(u[cut:], r, first[-1])))
    assert np.array_equal(held, stop(u, r, start))


@given(histories, radii, st.floats(-1e6, 1e6), st.data())
def test_an_inner_loop_of_a_monotone_run_is_wiped_out(u: list[float], r: float, end: float, data: Any) -> None:
    """On the way from m to M the detour p, q, p with q between m and p leaves no trace, to the bit."""
    m = u[-1]
    p = data.draw(st.floats(min(m, end), max(m, end)))
    q = data.draw(st.floats(min(m, p), max(m, p)))
    assert play([*u, p, q, p], r)[-1] == play([*u, p], r)[-1]
    assert play([*u, p, q, p, end], r)[-1] == play([*u, end], r)[-1]


@given(histories, radii, st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_loop_between_two_reversals_closes_after_its_first_round(
    u: list[float], r: float, one: float, two: float
) -> None:
    rounds = play([*u, one, two, one, two, one], r)
    assert rounds[-1] == rounds[-3]


def test_play_keeps_the_order_of_two_histories() -> None:
    rng = np.random.default_rng(31)
    for _ in range(100):
        u = np.cumsum(rng.normal(size=200))
        above = u + np.abs(rng.normal(size=200))
        assert np.all(play(u, 1.3) <= play(above, 1.3))


def test_a_slider_with_an_infinite_radius_never_moves_and_one_without_radius_follows() -> None:
    u = [3.0, -7.0, 2.0]
    assert play(u, math.inf, 0.5).tolist() == [0.5, 0.5, 0.5]
    assert stop(u, math.inf, 0.5).tolist() == [2.5, -7.5, 1.5]
    assert play(u, 0.0).tolist() == u
    assert stop(u, 0.0).tolist() == [0.0, 0.0, 0.0]


def test_play_refuses_a_hole_in_the_history(refused: Any) -> None:
    with refused("finite numbers", "nan"):
        play([0.0, math.nan, 1.0], 1.0)
    with refused("list of finite numbers"):
        play(3.0, 1.0)
    with refused("start", "nan"):
        play([0.0], 1.0, math.nan)


@given(histories, radii, st.floats(-1e6, 1e6))
def test_play_is_its_scalar_form_step_by_step(u: list[float], r: float, start: float) -> None:
    slider, seen = start, []
    for x in u:
        slider = scalar.play(slider, x, r)
        seen.append(slider)
    assert play(u, r, start).tobytes() == np.asarray(seen).tobytes()  # the sign of zero included


@pytest.mark.parametrize("function", [play, stop])
def test_a_radius_below_zero_or_not_a_number_is_refused(function: Any, refused: Any) -> None:
    for r in (-1.0, math.nan):
        with refused("must be >= 0", str(r)):
            function([0.0, 1.0], r)
