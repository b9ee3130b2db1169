"""Full cycles are counted as they are, wherever samples fall and data begin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import slipstick as ss
from slipstick.app.identify.loop_diagnostics import loop_diagnostics_table
from slipstick.identification import loop as loop_module
from slipstick.identification.preparing.amplitude_levels import amplitude_levels_of
from slipstick.identification.preparing.cycle_figures import loop_frequency, representative_cycles
from slipstick.report.fit_tables import loop_table

SLIDER = ss.Jenkins(stiffness=1e6, limit=400.0)
SLIDES = 4.0 * 400.0 * (1e-3 - 400.0 / 1e6)  # J, what a settled cycle of 1 mm takes


def loop_of(phase: float, cycles: float, samples: int, **how: Any) -> ss.Loop:
    """A sine of so many cycles.   phase : in cycles, 0 where it passes its middle on the way up."""
    t = np.linspace(0.0, cycles, samples, **how)
    u = 1e-3 * np.sin(2.0 * np.pi * (phase + t))
    return ss.Loop(u, SLIDER.trace(u), t)


@pytest.mark.parametrize("samples", [451, 450, 226, 1000, 2251, 46])
def test_samples_on_the_middle_cost_no_cycle(samples: int) -> None:
    loop = loop_of(0.0, 2.25, samples)
    assert len(loop.cycles) == 2
    assert [own.frequency for own in loop.figures] == pytest.approx([1.0, 1.0], rel=3.0 / samples)
    assert loop.figures[1].area == pytest.approx(SLIDES, rel=20.0 / samples)


@pytest.mark.parametrize("samples", [250, 399, 400, 401, 1600])
@pytest.mark.parametrize("cycles", [2.0, 2.4, 3.0, 7.3])
@pytest.mark.parametrize("phase", [0.0, 0.07, 0.25, 0.33, 0.5, 0.62, 0.75, 0.93])
def test_cycles_go_from_one_rise_through_the_middle_to_the_next(phase: float, cycles: float, samples: int) -> None:
    rises = math.floor(phase + cycles + 1e-9) - math.ceil(phase - 1e-9) + 1
    for closed in (True, False):  # a last sample that is the first again may be there, or left out
        loop = loop_of(phase, cycles, samples, endpoint=closed)
        assert len(loop.cycles) == rises - 1, closed


@pytest.mark.parametrize("phase", np.linspace(0.0, 1.0, 17))
@pytest.mark.parametrize("closed", [True, False])
def test_one_cycle_is_one_wherever_it_begins(phase: float, closed: bool) -> None:
    twice = loop_of(phase, 2.0, 800 + closed, endpoint=closed)
    assert twice.t is not None
    loop = ss.Loop(twice.u[400:], twice.f[400:], twice.t[400:])  # settled
    (own,) = loop.figures
    assert own.amplitude == pytest.approx(1e-3, rel=1e-3)
    assert own.frequency == pytest.approx(1.0, rel=5e-3)
    assert own.area == pytest.approx(SLIDES, rel=1e-2)


@pytest.mark.parametrize("sizes", [(1.0, 0.5, 0.2), (0.2, 0.5, 1.0), (1.0, 0.8, 0.6, 0.4, 0.2), (0.5, 1.0, 0.3)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_cycles_to_one_side_are_counted_whatever_their_size(sizes: tuple[float, ...], sign: float) -> None:
    """u = a (1 - cos w t), three cycles of each: the small ones do not reach the middle of the large ones."""
    t = np.arange(len(sizes) * 600) / 200.0
    u = sign * 1e-3 * np.repeat(sizes, 600) * (1.0 - np.cos(2.0 * np.pi * t))
    loop = ss.Loop(u, SLIDER.trace(u), t)
    assert len(loop.cycles) in (3 * len(sizes) - 1, 3 * len(sizes))
    assert loop_frequency(loop) == pytest.approx(1.0, rel=5e-3)
    largest = max(loop.figures, key=lambda own: own.amplitude)
    assert largest.damping == pytest.approx(largest.area / (2.0 * np.pi**2 * 1e-6), rel=0.02)


@pytest.mark.parametrize("samples", [40, 64, 101])
@pytest.mark.parametrize("closed", [True, False])
def test_a_coarse_cycle_is_one_wherever_it_begins(samples: int, closed: bool) -> None:
    for phase in np.arange(24) / 24.0:
        twice = loop_of(phase, 2.0, 2 * samples + closed, endpoint=closed)
        assert twice.t is not None
        loop = ss.Loop(twice.u[samples:], twice.f[samples:], twice.t[samples:])
        (own,) = loop.figures
        assert own.area == pytest.approx(SLIDES, rel=0.03)  # of a polygon


@pytest.mark.parametrize("part", [0.45, 0.6, 0.8, 0.95])
@pytest.mark.parametrize("phase", [0.0, 0.1, 0.25, 0.4, 0.5, 0.7])
def test_less_than_a_cycle_is_none(phase: float, part: float) -> None:
    assert loop_of(phase, part, 300).cycles == ()


@pytest.mark.parametrize("seed", range(8))
def test_noise_on_the_middle_costs_no_cycle(seed: int) -> None:
    clean = loop_of(0.0, 2.25, 451)
    u = clean.u + 1e-6 * np.random.default_rng(seed).standard_normal(len(clean))
    assert len(ss.Loop(u, clean.f, clean.t).cycles) == 2


def test_loading_and_unloading_from_rest_is_no_cycle_as_its_force_does_not_come_back() -> None:
    u = 1e-3 * (1.0 - np.abs(np.linspace(-1.0, 1.0, 401)))
    assert ss.Loop(u, SLIDER.trace(u)).cycles == ()


def test_the_energy_of_a_loop_has_one_value_wherever_it_is_told() -> None:
    """Of a slider 4 limit (amplitude - limit/stiffness) a cycle; cycles differ by their noise, their median is told."""
    t = np.linspace(0.0, 6.3, 1260)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    f = ss.Jenkins(stiffness=1e6, limit=400.0).trace(u) + np.random.default_rng(3).normal(0.0, 30.0, t.size)
    loop = ss.Loop(u, f, t)
    fit = ss.identify(loop, ss.Jenkins)
    areas = [own.area for own in loop.figures[1:]]  # the first cycle begins on the virgin curve
    assert np.ptp(areas) > 1e-3 * loop.energy
    assert loop.energy == np.median(areas)
    assert fit.loops[0].measured_energy == loop.energy
    (level,) = amplitude_levels_of(fit.loops)
    assert level.energy_error == fit.loops[0].energy_error
    assert loop.energy == pytest.approx(4.0 * 400.0 * (1e-3 - 4e-4), rel=0.02)
    on_page, on_report = loop_diagnostics_table([loop]), loop_table(fit)
    place = next(i for i, head in enumerate(on_page.heads) if head.startswith("energy"))
    other = next(i for i, head in enumerate(on_report.heads) if head.startswith("energy"))
    assert on_page.rows[0][place] == on_report.rows[0][other] == f"{loop.energy:.4g}"
    law = fit.law
    assert fit.loops[0].energy == pytest.approx(4.0 * law.limit * (1e-3 - law.limit / law.stiffness), rel=2e-3)


def test_the_cycles_of_a_long_record_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    find = loop_module.full_cycles
    monkeypatch.setattr(loop_module, "full_cycles", lambda *given: calls.append(1) or find(*given))
    record = loop_of(0.0, 30.0, 3001)
    assert record.energy == pytest.approx(SLIDES, rel=1e-3)
    assert len(representative_cycles(record)) == len(record.cycle_starts) - 1  # the first has the virgin curve
    assert len(calls) == 1
