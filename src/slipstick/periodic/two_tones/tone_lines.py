"""A solution of two tones as a result: spectral lines of all coordinates and connections, error and energy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.balance.nonlinear_connections import folded_of
from slipstick.periodic.two_tones.tone_equations import ToneEquations, grid_for
from slipstick.periodic.two_tones.tone_solver import FreeTone, Solution, solve
from slipstick.periodic.two_tones.torus_grid import TorusGrid, as_complex
from slipstick.results.certificate import Certificate
from slipstick.results.quasi_periodic import QuasiPeriodic, ToneLines

# for the error: how many times as many harmonics, and how many times the distance to their motion. The finer motion has
# a tenth of the error with smooth laws; with corners, whose series converge slowly, two thirds at worst
SMOOTH_LAWS, CORNER_LAWS = (1.25, 1.25), (1.5, 3.0)
MAX_FINER_UNKNOWNS = 8000
POLISHING_STEPS = 5
SHOWN_POINTS = 128  # along each phase, for extremes
ENERGY_TOLERANCE = 1e-6  # of the balance of mean power
UNSETTLED_MEMORY_REL = 1e-6  # a memory that changes more in a pass has not settled
STABILITY_NOTE = "stability is not computed: a run that begins nearby shows it"
FREE_NOTE = "the phase of frequency 2 is open: no load sets it"
ERROR_NOTE = "error: from the distance to the motion with more harmonics"


def describe(found: Solution, swapped: bool, free: FreeTone | None) -> QuasiPeriodic:
    """The result of a solution.   swapped : the second frequency is the slower one."""
    equations = found.equations
    problem, grid, m = equations.problem, equations.grid, equations.lines.count
    u = as_complex(found.x.reshape(m, grid.width))
    q = equations.displacements(u, found.forces.series)
    moved = _all_coordinates(equations, q)
    deflection, force = _connections(equations, moved, found.forces.series)
    wide = replace(grid, lines=SHOWN_POINTS, samples=SHOWN_POINTS)
    values = wide.values(moved)
    columns = slice(None, None, -1) if swapped else slice(None)
    first, second = (grid.fast, grid.slow) if swapped else (grid.slow, grid.fast)
    lines = ToneLines(
        grid.orders[:, columns], (first, second), moved.T, deflection.T, force.T,
        0.5 * (_highest(wide, moved) + _highest(wide, -moved)), np.sqrt(np.mean(values**2, axis=(1, 2))),
        None if free is None else 1, found.iterations, found.residual,
    )  # fmt: skip
    model = problem.assembly.system
    names = tuple(c.name for c in model.coordinates)
    errors = dict(zip(names, _errors(found, q, free), strict=True))
    notes = (STABILITY_NOTE, *((FREE_NOTE,) if free else ()))
    failures: tuple[str, ...] = ()
    if found.forces.memory_change > UNSETTLED_MEMORY_REL:
        change = f"{found.forces.memory_change:.1g}"
        failures = (f"a law's memory has not settled: it changes by {change} of itself from pass to pass",)
    rates = grid.rates(deflection)
    dissipated = {
        connection.name: _period(equations) * _mean_power(force[j : j + 1], rates[j : j + 1])
        for j, connection in enumerate(model.connections)
    }
    certificate = _certificate(equations, q, found.forces.series, dissipated)
    certificate = replace(
        certificate, error=max(errors.values(), default=0.0), errors=errors, notes=(ERROR_NOTE, *notes),
        failures=failures, motion=float(lines.amplitude[problem.assembly.free].max(initial=0.0)),
    )  # fmt: skip
    return QuasiPeriodic(lines, model, certificate, notes)


def _highest(grid: TorusGrid, series: Complex) -> Array:
    """(rows,) the largest values of series (rows, L + 1): the best point of a grid, improved by Newton's method."""
    values = grid.values(series)
    found = values.max(axis=(1, 2))
    for i, (own, c) in enumerate(zip(values, series, strict=True)):
        place = np.unravel_index(int(np.argmax(own)), own.shape)
        phases = np.array([part[place] for part in grid.phases])
        for _ in range(POLISHING_STEPS):
            waves = c * np.exp(1j * grid.orders @ phases)
            slope = (1j * waves @ grid.orders).real
            curvature = -(grid.orders.T * waves.real) @ grid.orders
            phases = phases - np.linalg.lstsq(curvature, slope, rcond=1e-9)[0]
        found[i] = max(found[i], float((c * np.exp(1j * grid.orders @ phases)).real.sum()))
    return np.asarray(found)


def _all_coordinates(equations: ToneEquations, q: Complex) -> Complex:
    """(coordinates, L + 1) series of all coordinates from those of the free ones."""
    from slipstick.forcing import sum_functions

    problem = equations.problem
    found = np.zeros((len(problem.assembly.names), q.shape[1]), dtype=complex)
    found[problem.assembly.free] = q
    for i in problem.assembly.prescribed:
        motion = problem.system.coordinates[i].motion
        assert motion is not None
        found[i] = equations.loads(sum_functions(1, [(motion, np.ones(1))], problem.base))[0]
    return found


def _connections(equations: ToneEquations, moved: Complex, forces: Complex) -> tuple[Complex, Complex]:
    """(connections, L + 1) series of deflections and forces."""
    from slipstick.model.system import dense

    problem, grid = equations.problem, equations.grid
    deflection = dense(problem.assembly.deflections).T @ moved
    force = np.zeros_like(deflection)
    for e, element in enumerate(problem.elements):
        linear = element.law.linear_force
        if linear is None or e in folded_of(problem).others:
            continue
        own = element.scale * deflection[element.connection]
        force[element.connection] += element.force * (linear.stiffness * own + linear.damping * grid.rates(own))
        force[element.connection, 0] += element.force * linear.preload
    for k, connection in enumerate(equations.lines.connections):
        force[connection] += forces[k]
    return deflection, force


def _errors(found: Solution, q: Complex, free: FreeTone | None) -> Array:
    """(coordinates,) distance to the motion with more harmonics; NaN where that is not found."""
    equations = found.equations
    grid, m = equations.grid, equations.lines.count
    errors = np.zeros(len(equations.problem.assembly.names))
    if not m:
        return errors
    share, factor = CORNER_LAWS if equations.lines.has_corners else SMOOTH_LAWS
    harmonics = tuple(max(math.ceil(share * h), h + 2) for h in grid.harmonics)
    fine = equations.on(grid_for(equations.lines, grid.slow, grid.fast, (harmonics[0], harmonics[1])))
    places = [int(np.flatnonzero((fine.grid.orders == own).all(axis=1))[0]) for own in grid.orders]
    u = np.zeros((m, fine.grid.orders.shape[0]), dtype=complex)
    u[:, places] = as_complex(found.x.reshape(m, grid.width))
    try:
        if fine.size > MAX_FINER_UNKNOWNS:
            raise NotConverged("too many unknowns")
        better = solve(fine, u, None if free is None else free.within(grid, fine.grid, places))
    except NotConverged:
        return errors + math.nan
    moved = better.equations.displacements(as_complex(better.x.reshape(m, -1)), better.forces.series)
    moved[:, places] -= q
    errors[equations.problem.assembly.free] = factor * np.abs(fine.grid.values(moved)).max(axis=(1, 2))
    return errors


def _certificate(equations: ToneEquations, q: Complex, forces: Complex, dissipated: dict[str, float]) -> Certificate:
    """Mean power of the loads against that of dampers and nonlinear connections.

    forces : (m, L + 1) of the lines.   dissipated : [J] by connection in `_period`.
    """
    rates, lines, time = equations.grid.rates(q), equations.lines, _period(equations)
    power = _mean_power(equations.forcing, rates)
    lost = _mean_power(folded_of(equations.problem).damping @ rates, rates)
    taken = _mean_power(lines.along @ forces, rates)
    scale = max(abs(power), abs(lost), abs(taken), 1e-300)
    return Certificate(
        error=0.0, errors={}, energy_residual=abs(power - lost - taken) / scale, work_in=power * time,
        dissipated=dissipated, stored={}, kinetic=0.0, tolerance=ENERGY_TOLERANCE,
    )  # fmt: skip


def _period(equations: ToneEquations) -> float:
    """[s] of the slower frequency, over which energies are stated."""
    return 2.0 * math.pi / equations.grid.slow


def _mean_power(force: Complex, rates: Complex) -> float:
    """[W] mean of the product of series (rows, L + 1), summed over rows."""
    products = (force.conj() * rates).real
    return float(products[:, 0].sum() + 0.5 * products[:, 1:].sum())
