"""The energy balance: closed forms close, and what is wrong is found out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import slipstick as ss
from slipstick.transient.energy import RunSpan, Snapshot, WorkIntegrals, energy_certificate
from slipstick.transient.problem import pose
from slipstick.transient.sensitivity import ErrorEstimate

TIGHT = 1e-9


def snapshots(problem, t0, q0, v0, t1, q1, v1):
    """First and last state; memories follow a way without reversals."""
    found = []
    for t, q, v in ((t0, q0, v0), (t1, q1, v1)):
        q, v = np.atleast_1d(np.array(q, dtype=float)), np.atleast_1d(np.array(v, dtype=float))
        u = problem.deflections @ q + problem.offsets.at(t)
        found.append(Snapshot(t, q, v, [e.law.start(float(x)) for e, x in zip(problem.elements, u, strict=True)]))
    return found


def certificate(problem, work_in, absorbed, first, last, errors, notes=(), matrices=0.0, exchanged=0.0):
    works = WorkIntegrals(work_in, absorbed, matrices, exchanged)
    return energy_certificate(problem, works, RunSpan(first, last), ErrorEstimate(errors, [*notes]), TIGHT)


def sliding_block(limit=0.5, v0=2.0):
    m = ss.Model("block")
    x = m.coordinate("x", inertia=3.0, velocity=v0)
    m.connect(x, ss.DryFriction(limit=limit), name="floor")
    return pose(m)


def test_a_block_that_slides_to_rest_dissipates_its_kinetic_energy():
    problem = sliding_block()
    way = 3.0 * 2.0**2 / (2.0 * 0.5)
    first, last = snapshots(problem, 0.0, 0.0, 2.0, 12.0, way, 0.0)
    c = certificate(problem, 0.0, np.array([0.5 * way]), first, last, np.zeros(1))
    assert c.dissipated == {"floor": pytest.approx(6.0)}
    assert c.kinetic == pytest.approx(-6.0)
    assert c.energy_residual < 1e-15
    assert c.passed
    assert c.verdict == "passed"


@pytest.mark.parametrize("method", ["exact", "events", "newmark"])
@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_an_asymmetric_slider_stores_the_energy_of_its_spring_alone(method, factor):
    """A mass slides it one way and returns: its spring holds f^2/(2 k), and the rest of the kinetic energy is lost."""
    m = ss.Model("slider")
    x = m.coordinate("x", inertia=1.0, velocity=2.0)
    law = ss.Masing(stiffness=80.0, limit=0.5, reverse_limit=0.1)
    m.connect(x, law if factor == 1.0 else law.scaled(deflection=factor, force=1.0 / factor), name="slider")
    m.connect(x, ss.Linear(damping=0.01), name="damper")
    run = m.simulate(9.0, method=method, **({} if method == "exact" else {"step": 1e-3}))
    force, v = float(run.data.force[-1, 0]), float(run.data.velocity[-1, 0])
    spring = 0.5 * force**2 / 80.0
    c = run.certificate
    assert c.passed
    assert c.stored["slider"] == pytest.approx(spring, rel=1e-9)
    lost = c.dissipated["slider"] + c.dissipated["damper"]
    assert lost == pytest.approx(2.0 - 0.5 * v**2 - spring, rel=1e-6)


def test_friction_that_gains_energy_fails_even_if_the_balance_closes():
    problem = sliding_block()
    first, last = snapshots(problem, 0.0, 0.0, 2.0, 1.0, 2.0, 2.5)
    gain = 0.5 * 3.0 * (2.5**2 - 2.0**2)
    c = certificate(problem, 0.0, np.array([-gain]), first, last, np.zeros(1))
    assert c.energy_residual < 1e-15
    assert not c.passed
    assert 'friction in "floor" gained 3.4 J' in c.verdict


def test_a_missing_joule_is_found():
    problem = sliding_block()
    first, last = snapshots(problem, 0.0, 0.0, 2.0, 12.0, 12.0, 0.0)
    c = certificate(problem, 0.0, np.array([5.9]), first, last, np.zeros(1))
    assert c.energy_residual == pytest.approx(0.1 / 6.0)
    assert not c.passed
    assert "energy does not balance: residual 0.017, at most 1e-09" in c.verdict


def test_an_oscillator_with_a_damper_closes():
    k, damper, w = 40.0, 0.8, 3.0
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=2.0)
    m.connect(x, ss.Linear(stiffness=k, damping=damper, preload=1.5), name="spring")
    m.load(x, ss.Constant(0.0))
    problem = pose(m)

    def q(t):
        return 0.3 * math.sin(w * t) + 0.1

    def v(t):
        return 0.3 * w * math.cos(w * t)

    def force(t):  # what a load must be for this motion
        return -2.0 * 0.3 * w**2 * math.sin(w * t) + k * q(t) + damper * v(t) + 1.5

    end = 1.7
    work = quad(lambda t: force(t) * v(t), 0.0, end, epsabs=1e-13)[0]
    absorbed = quad(lambda t: (k * q(t) + damper * v(t) + 1.5) * v(t), 0.0, end, epsabs=1e-13)[0]
    first, last = snapshots(problem, 0.0, q(0.0), v(0.0), end, q(end), v(end))
    c = certificate(problem, work, np.array([absorbed]), first, last, np.array([1e-9]))
    lost = damper * quad(lambda t: v(t) ** 2, 0.0, end, epsabs=1e-13)[0]
    assert c.dissipated["spring"] == pytest.approx(lost, rel=1e-12)
    assert c.stored["spring"] == pytest.approx(0.5 * k * (q(end) ** 2 - q(0) ** 2) + 1.5 * (q(end) - q(0)), rel=1e-12)
    assert c.energy_residual < 1e-12
    assert c.errors == {"x": 1e-9}


def test_wrong_work_of_a_spring_is_no_dissipation():
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    problem = pose(m)
    first, last = snapshots(problem, 0.0, 1.0, 0.0, 1.0, 0.9, 0.0)  # energy is lost, and the quadrature says so too
    c = certificate(problem, 0.0, np.array([0.0]), first, last, np.zeros(1))
    assert c.dissipated == {"spring": 0.0}
    assert c.energy_residual == pytest.approx((1.0 - 0.9**2) / 1.0)
    assert not c.passed


def test_a_moving_base_does_work_through_its_spring():
    """A mass at rest is pulled by a spring whose other end creeps away: work in = energy stored."""
    m = ss.Model("pulled")
    x = m.coordinate("x", inertia=1.0)
    y = m.coordinate("y", motion=ss.Ramp(0.2))
    m.connect(2.0 * (y - x), ss.Freeplay(stiffness=5.0, half_gap=0.1).scaled(deflection=3.0, force=0.5), name="rope")
    m.connect(x, ss.DryFriction(limit=100.0), name="floor")
    problem = pose(m)
    first, last = snapshots(problem, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0)

    def force(u):
        return 0.5 * 5.0 * (3.0 * u - 0.1) if 3.0 * u > 0.1 else 0.0

    work = quad(force, 0.0, 2.0 * 0.4, points=[0.1 / 3.0], epsabs=1e-13)[0]
    c = certificate(problem, work, np.array([work, 0.0]), first, last, np.zeros(1))
    assert c.stored["rope"] == pytest.approx(work, rel=1e-12)
    assert c.energy_residual < 1e-12
    assert c.errors == {"x": 0.0, "y": 0.0}


def test_matrices_have_a_bucket_of_their_own():
    stiffness, damping = np.array([[3.0, -1.0], [-1.0, 2.0]]), np.array([[0.2, 0.0], [0.0, 0.1]])
    m = ss.Model.from_matrices(np.eye(2), damping, stiffness)
    problem = pose(m)
    q0, q1, v0, v1 = np.array([1.0, 0.5]), np.array([0.2, -0.3]), np.zeros(2), np.array([0.4, 0.1])
    first, last = Snapshot(0.0, q0, v0, []), Snapshot(1.0, q1, v1, [])
    change = 0.5 * (q1 @ stiffness @ q1 - q0 @ stiffness @ q0)
    kinetic = 0.5 * v1 @ v1
    lost = -change - kinetic  # nothing else acts
    c = certificate(problem, 0.0, np.zeros(0), first, last, np.zeros(2), matrices=change + lost)
    assert c.stored == {"matrices": pytest.approx(change)}
    assert c.dissipated == {"matrices": pytest.approx(lost)}
    assert c.energy_residual < 1e-15
    forgotten = certificate(problem, 0.0, np.zeros(0), first, last, np.zeros(2), matrices=change)
    assert forgotten.energy_residual > 0.1  # a method that leaves the damping out is found


def test_a_symmetric_stiffness_matrix_needs_no_quadrature():
    m = ss.Model.from_matrices(np.eye(1), None, np.array([[4.0]]))
    first, last = (Snapshot(t, np.array([q]), np.array([v]), []) for t, q, v in ((0, 1.0, 0.0), (1, 0.0, 2.0)))
    c = certificate(pose(m), 0.0, np.zeros(0), first, last, np.zeros(1))
    assert c.energy_residual < 1e-15
    assert c.dissipated == {}


def test_an_unsymmetric_stiffness_matrix_is_noted():
    m = ss.Model.from_matrices(np.eye(2), None, np.array([[2.0, -1.0], [0.0, 2.0]]))
    state = Snapshot(0.0, np.ones(2), np.zeros(2), [])
    c = certificate(pose(m), 0.3, np.zeros(0), state, state, np.zeros(2), matrices=0.3)
    assert c.stored == {}
    assert c.dissipated == {"matrices": 0.3}
    assert any("not symmetric" in note for note in c.notes)


def test_a_connection_along_another_form_is_noted():
    m = ss.Model("printed")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x - y, ss.Linear(stiffness=2.0), along=x, name="odd")
    problem = pose(m)
    first, last = snapshots(problem, 0.0, [1.0, 0.0], [0.0, 0.0], 1.0, [0.0, 0.0], [1.0, 0.0])
    c = certificate(problem, 0.0, np.array([-0.5]), first, last, np.zeros(2))
    assert c.stored == {}
    assert c.dissipated == {"odd": -0.5}
    assert any('"odd" acts along another form' in note for note in c.notes)
    assert c.passed


def test_a_law_that_cannot_tell_reports_what_it_absorbed():
    m = ss.Model("dahl")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Dahl(stiffness=3.0, limit=0.8), name="joint")
    problem = pose(m)
    first, last = snapshots(problem, 0.0, 0.5, 0.0, 1.0, 0.0, 0.5)
    c = certificate(problem, 0.0, np.array([-0.125]), first, last, np.zeros(1), notes=["started late"])
    assert c.dissipated == {"joint": -0.125}
    assert c.stored == {}
    assert c.notes[0] == "started late"
    assert '"joint" gave 0.125 J' in c.notes[1]
    assert c.passed  # what it gave may have been stored


def test_a_varying_spring_does_parametric_work_but_varying_friction_must_dissipate():
    m = ss.Model("parametric", frequency=1.0)
    x = m.coordinate("x", inertia=1.0, velocity=1.0)
    wave = ss.Fourier(mean=1.0, cos=(0.5,))
    m.connect(x, ss.Linear(stiffness=2.0).modulated(wave), name="spring")
    m.connect(x, ss.DryFriction(limit=wave), name="pad")
    problem = pose(m)
    first, last = snapshots(problem, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0)
    c = certificate(problem, 0.0, np.array([0.1, -0.1]), first, last, np.zeros(1))
    assert c.dissipated["spring"] == 0.1
    assert list(c.stored) == ["pad"]
    assert not c.passed
    assert 'friction in "pad"' in c.verdict


def test_a_slider_turned_round_by_a_negative_scale_may_give():
    m = ss.Model("driven")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.DryFriction(limit=1.0).scaled(force=-1.0), name="drive")
    problem = pose(m)
    first, last = snapshots(problem, 0.0, 0.0, 0.0, 1.0, 0.5, 1.0)
    c = certificate(problem, 0.0, np.array([-0.5]), first, last, np.zeros(1))
    assert c.passed


@pytest.mark.parametrize(("error", "word"), [(math.inf, "sensitive"), (math.nan, "could not be estimated")])
def test_an_error_that_is_no_figure_does_not_pass(error, word):
    problem = sliding_block()
    first, last = snapshots(problem, 0.0, 0.0, 2.0, 12.0, 12.0, 0.0)
    c = certificate(problem, 0.0, np.array([6.0]), first, last, np.array([error]))
    assert not c.passed
    assert word in c.verdict
    assert c.sensitive is (error == math.inf)


def test_a_run_in_which_nothing_happens_balances():
    problem = sliding_block(v0=0.0)
    first, last = snapshots(problem, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    c = certificate(problem, 0.0, np.zeros(1), first, last, np.zeros(1))
    assert c.energy_residual == 0.0
    assert c.passed
