"""How the period map of harmonic balance is carried: fewer changes, longer steps, the same multipliers."""

from __future__ import annotations

import numpy as np

import slipstick as ss
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.balance.multipliers import PeriodMaps
from slipstick.periodic.balance.orbit_solver import first_start, linear_start


def sliders(count: int) -> ss.Model:
    m = ss.Model("sliders in parallel")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    for k in range(count):
        m.connect(x, ss.Jenkins(stiffness=0.1, limit=0.004 * (1 + k)), name=f"slider {k}")
    m.load(x, ss.Cosine(0.5, order=1))
    return m


def mixed() -> ss.Model:
    """Two masses with a slider, a gap and a cubic spring."""
    m = ss.Model("slider, gap and cubic spring")
    x, y = (m.coordinate(name, inertia=1.0) for name in "xy")
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(y - x, ss.Linear(stiffness=2.0, damping=0.05))
    m.connect(x, ss.Jenkins(stiffness=0.5, limit=0.15))
    m.connect(y - x, ss.Freeplay(stiffness=1.0, half_gap=0.1))
    m.connect(y, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.3)))
    m.load(y, ss.Cosine(0.4, order=1))
    return m


def family_and_orbit(model: ss.Model, frequency: float, harmonics: int) -> tuple[HarmonicBalance, np.ndarray]:
    family = HarmonicBalance(model._solvable, frequency=frequency, harmonics=harmonics)
    return family, family.solve(frequency).x


def largest_change(some: np.ndarray, others: np.ndarray) -> float:
    return float(np.abs(some[:, None] - others[None, :]).min(axis=1).max())


def test_a_period_begins_where_sliders_slip_so_that_memories_are_not_carried() -> None:
    family, x = family_and_orbit(sliders(10), 1.0, 7)
    family.multipliers_at(x, 1.0)
    assert family.period_maps.state.column_count == 2


def test_multipliers_of_sliders_are_those_of_shooting() -> None:
    model = sliders(10)
    ours = model.frequency_response(at=[0.8, 1.0], method="harmonic-balance", harmonics=31).points
    exact = model.frequency_response(at=[0.8, 1.0], method="shooting").points
    for one, other in zip(ours, exact, strict=True):
        assert largest_change(other.multipliers[:2], one.multipliers) < 3e-3


def test_long_steps_change_multipliers_by_less_than_sampling_does() -> None:
    family, x = family_and_orbit(mixed(), 0.9, 9)
    found = family.multipliers_at(x, 0.9)
    assert family.period_maps.state.longest >= 3  # steps of eight samples are borne
    short = PeriodMaps(family)
    short.long_steps = short.state.long_steps = 0
    short._last = None
    family.period_maps = short
    assert largest_change(found, family.multipliers_at(x, 0.9)) < 5e-5


def test_many_harmonics_begin_near_their_orbit() -> None:
    m = ss.Model("freeplay")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(x, ss.Freeplay(stiffness=2.0, half_gap=0.3))
    m.load(x, ss.Cosine(0.5, order=1))
    family = HarmonicBalance(m._solvable, frequency=0.7, harmonics=300)
    left = [np.abs(family.residual(start(family, 0.7), 0.7)).max() for start in (first_start, linear_start)]
    assert left[0] < 1e-3 * left[1]
