"""Beams of many elements: their fastest modes are thousands of times faster than what moves."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.common_period import Period
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.newton import PERIODICITY_TOLERANCE, solve_period_map
from slipstick.transient.accurate_products import accurate_product
from slipstick.transient.exact import modal_tables
from slipstick.transient.exact.certify import by_quadrature
from slipstick.transient.exact.engine import engine_of
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.exact.method import run as run_exactly
from slipstick.transient.exact.modal_tables import state_matrices
from slipstick.transient.exact.packed_model import pack_model
from slipstick.transient.exact.records import ModalTable, State
from slipstick.transient.exact.root_exclusion import (
    BASIS_ROW,
    LAMBDA_ROW,
    MODE_ROW,
    bend_bound,
    free_length,
    root_free,
)
from slipstick.transient.exact.work_integrals import works_of
from slipstick.transient.problem import pose
from slipstick.transient.run_request import RunRequest

LAWS = {
    "Jenkins": lambda length: ss.Jenkins(stiffness=2e4 / length, limit=5.0),
    "Freeplay": lambda length: ss.Freeplay(stiffness=2e4 / length, half_gap=1e-4 * length),
    "DryFriction": lambda _: ss.DryFriction(limit=5.0),
}


def beam(count, law="Jenkins", length=1.0, rayleigh=0.0):
    """A clamped steel beam of Euler's elements, 0.4 m long, with a law at its tip and a load of 20 N there.

    length : 1 for m, kg, s; 1000 for mm, t, s: forces are N in both.
    """
    e, rho, size, b, h = 2.1e11 / length**2, 7800.0 / length**4, 0.4 * length / count, 0.03 * length, 0.006 * length
    bend = e * b * h**3 / 12.0 / size**3
    k = bend * np.array(
        [[12, 6 * size, -12, 6 * size], [6 * size, 4 * size * size, -6 * size, 2 * size * size],
         [-12, -6 * size, 12, -6 * size], [6 * size, 2 * size * size, -6 * size, 4 * size * size]]
    )  # fmt: skip
    m = np.array(
        [[156, 22 * size, 54, -13 * size], [22 * size, 4 * size * size, 13 * size, -3 * size * size],
         [54, 13 * size, 156, -22 * size], [-13 * size, -3 * size * size, -22 * size, 4 * size * size]]
    ) * rho * b * h * size / 420.0  # fmt: skip
    mass, stiffness = np.zeros((2, 2 * count + 2, 2 * count + 2))
    for i in range(count):
        part = slice(2 * i, 2 * i + 4)
        mass[part, part] += m
        stiffness[part, part] += k
    mass, stiffness = mass[2:, 2:], stiffness[2:, 2:]
    model = ss.Model.from_matrices(mass, mass + rayleigh * stiffness, stiffness)
    tip = model[f"q{2 * count - 1}"]
    model.connect(tip, LAWS[law](length), name="joint")
    model.load(tip, ss.Cosine(20.0, order=1))
    return model


@pytest.mark.parametrize(
    ("count", "law", "length", "rayleigh"),
    [
        (10, "Jenkins", 1.0, 0.0),
        (20, "Jenkins", 1.0, 0.0),
        (20, "Jenkins", 1000.0, 1e-6),
        (20, "Freeplay", 1.0, 0.0),
        (20, "DryFriction", 1.0, 1e-6),
        (40, "Jenkins", 1.0, 1e-6),
        (60, "Jenkins", 1.0, 1e-4),  # fast modes are overdamped, with rates near 1e4 /s
        pytest.param(100, "DryFriction", 1.0, 0.0, marks=pytest.mark.long),  # hundreds of events
    ],
)
def test_the_energy_of_a_beam_balances(count, law, length, rayleigh):
    run = beam(count, law, length, rayleigh).simulate(until=0.02, frequency=200.0, samples=2)
    assert run.stats.method == "exact"
    assert run.certificate.passed, run.certificate.verdict
    assert run.certificate.energy_residual < 1e-11  # 1e-9 and more where rounding of the fastest modes is in it


@pytest.mark.parametrize("law", LAWS)
def test_works_in_closed_form_are_those_of_a_gauss_rule(law):
    model = beam(20, law, rayleigh=1e-6)
    model.connect(model["q1"], ss.Linear(stiffness=1e3, damping=3.0, preload=1.0), name="mount")
    model.load(model["q21"], ss.Constant(2.0) + ss.Sine(3.0, order=3))
    problem = pose(model, frequency=200.0)
    trajectory = run_exactly(problem, RunRequest(0.02, np.array([0.02])))
    closed, (ruled, covered) = works_of(trajectory), by_quadrature(trajectory)
    assert covered == 0.02
    for mine, other in zip(closed[:3], ruled[:3], strict=True):
        assert mine == pytest.approx(other, rel=0.0, abs=1e-12 * ruled.exchanged)
    assert closed.exchanged == pytest.approx(ruled.exchanged, rel=0.5)  # at the ends of fewer intervals


def test_energies_of_a_fine_mesh_are_followed_to_the_end():
    """1e5 turns of the fastest mode in 20 ms."""
    certificate = beam(100).simulate(until=0.02, frequency=200.0, samples=2).certificate
    assert certificate.passed, certificate.verdict
    assert certificate.energy_residual < 1e-11
    assert not any("first" in note for note in certificate.notes)


def test_a_slow_mode_keeps_its_frequency_beside_fast_ones():
    """K = T^2 with T of entries -1, 2, -1: whole numbers, and frequencies 4 sin^2(k pi / (2 n + 2)), over 1e3 apart."""
    n = 60
    t = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    shape = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    model = ss.Model.from_matrices(np.eye(n), None, t @ t)
    for coordinate, size in zip(model.coordinates, shape.tolist(), strict=True):
        coordinate.displacement = size
    model.connect(model["q1"], ss.Freeplay(stiffness=1.0, half_gap=10.0), name="stop")
    omega = 4.0 * math.sin(math.pi / (2 * n + 2)) ** 2
    times = np.linspace(0.0, 40.0 * math.pi / omega, 41)
    run = model.simulate(until=times[-1], samples=times, method="exact")
    wrong = run.data.displacement.to_numpy() - np.outer(np.cos(omega * times), shape)
    assert np.abs(wrong).max() < 1e-11


@pytest.mark.parametrize("damping", [(0.02, 0.0), (0.01, 0.3)])
def test_damped_modes_of_many_coordinates_follow_from_undamped_ones(damping, monkeypatch):
    """K = T^2 as above, C = a + b K: l = -c/2 +- sqrt(c^2/4 - K) in closed form, with over- and underdamped modes."""
    n, (a, b) = 120, damping
    t = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    omega = 4.0 * np.sin(np.pi * np.arange(1, n + 1) / (2 * n + 2)) ** 2
    half = 0.5 * (a + b * omega**2)
    expected = -half + np.sqrt((half**2 - omega**2).astype(complex))
    monkeypatch.setattr(np.linalg, "eig", None)  # 2n by 2n, of the first-order system
    model = ss.Model.from_matrices(np.eye(n), a * np.eye(n) + b * (t @ t), t @ t)
    model.connect(model["q1"], ss.Freeplay(stiffness=1.0, half_gap=10.0), name="stop")
    table = modal_tables.modal_table(pack_model(pose(model)), np.array([1.0]))
    found = table.eigenvalues.reshape(-1, LAMBDA_ROW)
    values = found[:, 0] + 1j * found[:, 1]
    for value in expected:
        assert np.abs(values - value).min() < 1e-12 * abs(value)


def test_overdamped_modes_need_no_eigenvalues_of_the_first_order_system(monkeypatch):
    """C = b K0, and a slider that sticks couples the modes: l = -1/b is nearly an eigenvalue many times over.

    Each pair has to satisfy (l^2 M + l C + K) x = 0; sums of these terms cancel, so they are added as fractions.
    """
    n, b = 30, 1e-5
    monkeypatch.setattr(np.linalg, "eig", None)
    packed = pack_model(pose(beam(n // 2, rayleigh=b), frequency=200.0))
    stiffness = state_matrices(packed, np.array([1.0])).stiffness
    assert not np.array_equal(stiffness, packed.stiffness)
    table = modal_tables.modal_table(packed, np.array([1.0]))
    values = table.eigenvalues.reshape(-1, LAMBDA_ROW)
    shapes = table.shapes.view(complex).reshape(n, -1)
    real = np.flatnonzero(values[:, 1] == 0.0)
    assert real.size >= 4
    for j in real.tolist():
        value, shape = Fraction(values[j, 0]), [Fraction(x) for x in shapes[:, j].real.tolist()]
        for m, c, k in zip(packed.mass.tolist(), packed.damping.tolist(), stiffness.tolist(), strict=True):
            parts = zip(m, c, k, shape, strict=True)
            terms = [value**2 * Fraction(m) * x + value * Fraction(c) * x + Fraction(k) * x for m, c, k, x in parts]
            assert abs(sum(terms)) < Fraction(1, 10**11) * sum(abs(term) for term in terms)


def test_a_fine_mesh_takes_modes_at_once():
    """Taylor steps follow its fastest mode: of 200 elements two hundred in each state come 20 us ahead."""
    flow = Flow(engine_of(pose(beam(60), frequency=200.0)), 0.01)
    flow.go()
    assert not flow.by_series.any()


@pytest.mark.parametrize("gap", [1, 20])
def test_products_lose_nothing_where_large_terms_cancel(gap):
    """gap : of so many columns one has entries that are not zero."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=(4, 30)) * 10.0 ** rng.uniform(-6, 6, (4, 30))
    b = rng.normal(size=(30, 2))
    a, b = np.hstack([a, -a]), np.vstack([b, b * (1.0 + 1e-12)])
    wide, tall = np.zeros((4, gap * 60)), rng.normal(size=(gap * 60, 2))
    wide[:, ::gap], tall[::gap] = a, b
    found = accurate_product(wide, tall)
    for i in range(4):
        for j in range(2):
            exact = sum(Fraction(x) * Fraction(y) for x, y in zip(a[i].tolist(), b[:, j].tolist(), strict=True))
            assert abs(Fraction(float(found[i, j])) - exact) < abs(exact) * Fraction(1, 10**7)
    plain = a @ b
    assert np.abs(plain - found).max() > 1e-6 * np.abs(found).max()  # what rounding leaves in order


@pytest.mark.parametrize("length", [1.0, 1000.0])
def test_a_beam_comes_back_after_a_period_within_the_rounding_of_its_modes(length):
    problem = pose(beam(20, length=length), frequency=200.0)
    period = ExactMap(problem, Period(200.0, 1).time)
    closed = solve_period_map(period, period.first())
    assert closed.residual <= max(PERIODICITY_TOLERANCE, period.rounding)
    assert period.rounding < 1e-8
    again = period.go(closed.passed.state).state  # no step could bring it nearer
    assert np.abs((again - closed.state) / period.scales(closed.passed.flow)).max() < 3.0 * max(
        PERIODICITY_TOLERANCE, period.rounding
    )


def test_a_small_model_is_held_to_the_same_residual_as_ever():
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=2.0, limit=0.5), name="slider")
    m.load(x, ss.Cosine(1.0, order=1))
    period = ExactMap(pose(m, frequency=0.7), Period(0.7, 1).time)
    closed = solve_period_map(period, period.first())
    assert 0.0 < period.rounding < 1e-13
    assert closed.residual <= PERIODICITY_TOLERANCE


def test_newton_finds_the_orbit_of_a_fine_mesh():
    """In displacements and velocities its matrix has a condition of 1e13, and steps lead to fast modes at random."""
    tips = []
    for count in (20, 40):
        period = ExactMap(pose(beam(count), frequency=200.0), Period(200.0, 1).time)
        closed = solve_period_map(period, period.first())
        assert closed.residual <= max(PERIODICITY_TOLERANCE, period.rounding)
        assert closed.steps <= 15
        assert len(closed.passed.flow.events) <= 8  # two limits are reached and left in a period
        tips.append(closed.state[2 * count - 2])
    assert tips[1] == pytest.approx(tips[0], rel=1e-5)  # the first modes of cubic elements: 1e-6 and less


def test_modes_of_little_share_take_no_short_steps():
    """With parabolas of all modes, certified steps are of 3 us, and 1163 lead to an event."""
    run = beam(60).simulate(until=0.05, frequency=200.0, samples=2)
    assert run.certificate.passed, run.certificate.verdict
    assert run.stats.steps < 150 * run.stats.events


@pytest.mark.parametrize("seed", range(4))
def test_a_stretch_without_roots_has_none(seed):
    """Sums of a few slow and fast modes, seen at 4000 points of each stretch."""
    rng = np.random.default_rng(seed)
    table, state = (
        record({name: 100 for name, kind in record.fields.items() if kind == "section"})
        for record in (ModalTable, State)
    )
    table.mode_count = r = 6
    longer = 0
    for _ in range(100):
        values = rng.uniform(-2.0, 0.1, r) + 1j * np.array([1.0, 2.0, 5.0, 300.0, 2e3, 1e4]) * rng.uniform(0.5, 2.0, r)
        sizes = (rng.normal(size=r) + 1j * rng.normal(size=r)) * np.array([1.0, 0.5, 0.2, 1e-2, 1e-3, 1e-4])
        slopes = sizes * values
        for k in range(r):
            table.eigenvalues[LAMBDA_ROW * k :][:2] = values[k].real, values[k].imag
            state.guard_modes[MODE_ROW * k :][:5] = (
                sizes[k].real, sizes[k].imag, slopes[k].real, slopes[k].imag, abs(slopes[k] * values[k])
            )  # fmt: skip
            state.mode_basis[BASIS_ROW * k :][:3] = 1.0, 0.0, 1.0
        constant = 10.0 ** rng.uniform(-4, 1) - sizes.sum().real
        value, slope, ahead = constant + sizes.sum().real, slopes.sum().real, 3.0
        bend = bend_bound(table, state, 0, 0.0, ahead)
        found = min(root_free(table, state, 0, value, slope, bend, ahead), ahead)
        longer += found > 2.0 * free_length(value, slope, bend)
        times = np.linspace(0.0, found, 4000)
        assert (constant + (sizes * np.exp(values * times[:, None])).sum(axis=1).real).min() > -1e-12
    assert longer > 10


@pytest.mark.long
def test_a_curve_of_a_fine_mesh_is_followed():
    tips = []
    for count in (20, 40):
        curve = beam(count, rayleigh=1e-5).frequency_response(between=(150.0, 160.0))
        assert curve.stats.method == "shooting"
        assert curve.orbit(-1).certificate.passed
        tip = curve.data.amplitude.sel(coordinate=f"q{2 * count - 1}").to_numpy()
        assert float(curve.data.error.max()) < 1e-6 * tip.max()
        tips.append(float(tip[-1]))
    assert tips[1] == pytest.approx(tips[0], rel=1e-5)  # as above


def test_a_mesh_with_hardly_damped_modes_has_a_curve_by_harmonic_balance():
    """Its modes have damping ratios down to 1e-6, and resonate with thousands of harmonics of the load."""
    mesh = beam(20)
    curve = mesh.frequency_response(between=(150.0, 170.0))
    assert curve.stats.method == "harmonic-balance"
    assert curve.notes[0].startswith(
        "by harmonic-balance: 38 modes above"
    )  # all but the first two of 40: 197, 1238, 3466 rad/s
    exact = mesh.frequency_response(at=[150.0])  # an orbit alone is exact
    assert exact.stats.method == "shooting"
    apart = np.abs(exact.data.amplitude.values[0] - curve.data.amplitude.values[0]).max()
    assert 0.0 < apart <= curve.data.error.values[0]
    with pytest.raises(ss.NotConverged, match=r"resonances with harmonics of the load.*use method=\"harmonic-balance"):
        mesh.frequency_response(between=(150.0, 170.0), method="shooting")


@pytest.mark.parametrize("begin", ["stick", "slip"])
def test_the_derivative_by_modes_that_outlive_a_segment_is_that_by_each_coordinate(begin):
    """Changes of all displacements, velocities and the stretch, carried one by one."""
    n = 80
    flow = Flow(engine_of(pose(beam(n // 2, rayleigh=1e-5), frequency=200.0)), 0.03)
    flow.go()
    if begin == "slip":
        again = np.concatenate([flow.arrived[: 2 * n], [5.0 / 2e4]])
        flow = Flow(flow.engine, 0.03, flow.engine.state_of(again))
        flow.go()
    piece, slider = flow.engine.packed.units[0].pieces[int(flow.pieces[0, 0])], np.eye(n)[n - 2]
    assert piece.startswith(begin)
    changes = np.zeros((2 * n + 1, 2 * n + 1))
    changes[: 2 * n, : 2 * n] = np.eye(2 * n)
    if begin == "stick":  # the stretch u - memory is held
        changes[:n, 2 * n], changes[2 * n, 2 * n] = slider, -1.0
    flow.vary(flow.recording, flow.until, changes)
    if flow.engine.packed.units[0].pieces[int(flow.pieces[-1, 0])] == "stick":
        changes[:, 2 * n] = changes[:, :n] @ slider - changes[:, 2 * n]
    found, scale = flow.derivative(), np.abs(changes).max(axis=0)[:, None]
    assert np.abs(found - changes.T).max() > 0.0  # not the same sums
    assert (np.abs(found - changes.T) <= 1e-11 * np.where(scale > 0.0, scale, 1.0)).all()
