"""The equations that pick one orbit of a band, in the directions in which a period says nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.shooting.exact_map import ExactMap, ExactPeriod
from slipstick.periodic.shooting.newton import PERIODICITY_TOLERANCE, periodicity_residual, solve_period_map_near
from slipstick.periodic.shooting.stick_band import (
    BandSlopes,
    band_slopes_along,
    begins_pressed,
    constant_band_slopes,
    limit_margin_of,
    neutral_directions,
    state_inside_band,
)


class GaugeEquations(NamedTuple):
    """Equations that pick one orbit of a band: k of them, in the directions in which a period says nothing.

    value : (k,) how far it is along each.   by_x : (k, size)   by_p : (k,) derivatives, along orbits.
    left : (size, k) how these are added to the equations of the period: so that a period and the way to that orbit
    together lead there, as periods lead to where something slips.
    """

    value: Array
    by_x: Array
    by_p: Array
    left: Array


def gauge_equations(
    period_map: ExactMap, beside: Iterable[tuple[ExactMap, float]], state: Array, passed: ExactPeriod
) -> GaugeEquations | None:
    """Of a state in which something never slips, or one way only; None where all is determined.

    What slips one way only is on its way into the band: no orbit does, but for those at its edge, which are not
    wanted. So they are told how far they are from the one that is as seen from just inside.
    beside : maps at other values of the parameter, and how far away these are; the first is taken that can be.

    Orbits of a band are told apart by the places of what sticks: of any state, the orbit in those places counts.
    """
    state, passed = _closed(period_map, *state_inside_band(period_map, state, passed))
    units = [j for j, ways in passed.flow.ways.items() if not ways]
    if not units:
        return None
    room, contacts = limit_margin_of(passed.flow, units), not all(begins_pressed(period_map, j) for j in units)
    well_inside = not contacts and bool((np.abs(room.aside) + np.abs(room.virgin) <= room.most).all())
    if well_inside:
        neutral = neutral_directions(period_map, passed)
        found: BandSlopes | None = constant_band_slopes(period_map, neutral, units, passed.flow)
    else:
        found = band_slopes_along(period_map, state, passed, units, room)
    if found is None:
        return None
    held = np.zeros(len(units)) if well_inside else found.held(room)
    along = np.linalg.pinv(found.room.apart(held), rcond=1e-9)
    if not along.any():
        return None
    by_p = np.zeros(len(units))
    if held.any() or contacts or not period_map.problem.offsets.is_zero:
        by_p = _apart_by(beside, state, units, held, room.apart(held))
    places = _places(period_map, units)
    by_x = np.linalg.pinv(places @ found.directions, rcond=1e-9) @ places
    scales = period_map.scales(passed.flow)
    return GaugeEquations(along @ room.apart(held), by_x, along @ by_p, -found.directions / scales[:, None])


def _closed(period_map: ExactMap, state: Array, passed: ExactPeriod) -> tuple[Array, ExactPeriod]:
    """The orbit near a state in which the same sticks at the same places; the state itself if there is none."""
    if periodicity_residual(period_map, state, passed) <= max(PERIODICITY_TOLERANCE, period_map.rounding):
        return state, passed
    try:
        found = solve_period_map_near(period_map, state)
    except NotConverged:
        return state, passed
    same = found.passed.flow.never_slipping == passed.flow.never_slipping
    return (found.state, found.passed) if same else (state, passed)


def _places(period_map: ExactMap, units: list[int]) -> Array:
    """(units, size) where what sticks is, by the state: how far sliders have slid, and deflections of contacts."""
    n, found = period_map.problem.n, np.zeros((len(units), period_map.size))
    for k, j in enumerate(units):
        unit = period_map.engine.packed.units[j]
        found[k, :n] = unit.deflection
        if not unit.friction:
            found[k, 2 * n + period_map.sliders.index(j)] = -1.0
    return found


def _apart_by(
    beside: Iterable[tuple[ExactMap, float]], state: Array, units: list[int], held: Array, here: Array
) -> Array:
    """(units,) the derivative of `LimitMargin.apart` by the parameter, along orbits whose sliders and contacts stay in
    place; nothing where these slip on both sides."""
    for other, distance in beside:
        try:
            flow = solve_period_map_near(other, state).passed.flow
        except NotConverged:
            continue
        if not any(flow.ways.get(j) for j in units):
            return np.asarray((limit_margin_of(flow, units).apart(held) - here) / distance)
    return np.zeros(len(units))
