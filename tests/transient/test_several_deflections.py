"""Laws with several deflections in time: against matrices, Jenkins, and an event-driven integration of its own."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import slipstick as ss


class CoupledSpring(ss.Law):
    """f_t = k u_t + c u_n + d v_n, f_n = c u_t + k u_n: a law of a user with two deflections."""

    directions = ("along", "across")
    stiffness: float
    coupling: float
    damping: float

    def update(self, u, v, memory):
        a, b = u
        return (
            self.stiffness * a + self.coupling * b + self.damping * v[1],
            self.coupling * a + self.stiffness * b,
        ), ()


def coupled(law):
    """The law between three masses, or the same as springs and dampers."""
    m = ss.Model("coupled")
    x, y, z = (m.coordinate(name, inertia=1.0, displacement=s) for name, s in (("x", 0.1), ("y", 0.0), ("z", -0.2)))
    for q in (x, y, z):
        m.connect(q, ss.Linear(stiffness=100.0, damping=0.5))
    if law:
        m.connect((x - y, z), CoupledSpring(stiffness=40.0, coupling=25.0, damping=2.0), name="own")
    else:
        m.connect(x - y, ss.Linear(stiffness=40.0))
        m.connect(z, ss.Linear(stiffness=40.0))
        m.connect(z, ss.Linear(stiffness=25.0, damping=2.0), along=x - y)
        m.connect(x - y, ss.Linear(stiffness=25.0), along=z)
    m.load(x, ss.Cosine(3.0, frequency=7.0))
    return m


@pytest.mark.parametrize("condensed", [True, False])
def test_a_coupled_linear_law_is_that_of_matrices(condensed):
    runs = [coupled(law).simulate(until=3.0, method="newmark", step=1e-2, condensed=condensed) for law in (True, False)]
    q = [run.data["displacement"].values for run in runs]
    assert q[0] == pytest.approx(q[1], abs=1e-11)
    named = runs[0].data["force"].sel(connection="own.along").values
    assert np.abs(named).max() > 1.0


OPTIONS = {"normal_stiffness": 300.0, "tangential_stiffness": 150.0, "friction": 0.4}
MASS, SPRING, DAMPER = (1.0, 1.0), (100.0, 200.0), (0.5, 1.0)
LOADS = ((3.0, 8.0, 0.0), (4.0, 8.0, 1.0))  # amplitude, frequency, phase of sines


def oblique(law=None, preload=2.0):
    """Two masses on springs, held on each other by a contact that opens."""
    m = ss.Model("oblique")
    q = [m.coordinate(name, inertia=mass) for name, mass in zip("xz", MASS, strict=True)]
    for own, k, c, (size, omega, phase) in zip(q, SPRING, DAMPER, LOADS, strict=True):
        m.connect(own, ss.Linear(stiffness=k, damping=c))
        m.load(own, ss.Sine(size, frequency=omega, phase=phase))
    m.connect((q[0], q[1] + 0.3 * q[0]), law or ss.FrictionContact(**OPTIONS, preload=preload), name="pad")
    return m


def events_of_its_own(until, preload):
    """(t, (k, 5)) x, z, their rates and the slider by an integration from event to event: stick, slip+-, apart."""
    kn, kt, mu = OPTIONS.values()

    def normal(y):
        return kn * (y[1] + 0.3 * y[0]) + preload, kn * (y[3] + 0.3 * y[2])

    def forces(y, state):
        pressure = normal(y)[0] if state != "apart" else 0.0
        stick = kt * (y[0] - y[4])
        return {"stick": stick, "slip+": mu * pressure, "slip-": -mu * pressure, "apart": 0.0}[state], pressure

    def rate(t, y, state):
        tangential, pressure = forces(y, state)
        push = [size * np.sin(omega * t + phase) for size, omega, phase in LOADS]
        a = push[0] - SPRING[0] * y[0] - DAMPER[0] * y[2] - tangential - 0.3 * pressure
        b = push[1] - SPRING[1] * y[1] - DAMPER[1] * y[3] - pressure
        slides = {
            "stick": 0.0,
            "apart": y[2],
            "slip+": y[2] - mu * normal(y)[1] / kt,
            "slip-": y[2] + mu * normal(y)[1] / kt,
        }
        return [y[2], y[3], a, b, slides[state]]

    def guards(state):
        opens = lambda _, y: normal(y)[0]  # noqa: E731
        if state == "apart":
            return [(lambda _, y: -normal(y)[0], None)]
        if state == "stick":
            room = [lambda _, y, s=s: mu * normal(y)[0] - s * kt * (y[0] - y[4]) for s in (1.0, -1.0)]
            return [(room[0], "slip+"), (room[1], "slip-"), (opens, "apart")]
        sign = 1.0 if state == "slip+" else -1.0
        return [(lambda t, y: sign * rate(t, y, state)[4], "stick"), (opens, "apart")]

    t, y, state, times, found, seen = 0.0, np.zeros(5), "stick", [0.0], [np.zeros(5)], set()
    while t < until:
        seen.add(state)
        pairs = guards(state)
        functions = []
        for guard, _ in pairs:

            def falls(t, y, guard=guard):
                return guard(t, y)

            falls.terminal, falls.direction = True, -1.0
            functions.append(falls)
        run = solve_ivp(
            lambda t, y, s=state: rate(t, y, s), (t, until), y, method="DOP853", rtol=1e-11, atol=1e-13, max_step=5e-3,
            events=functions,
        )  # fmt: skip
        times += run.t[1:].tolist()
        found += list(run.y.T[1:])
        t, y = run.t[-1], run.y[:, -1].copy()
        if run.status != 1:
            break
        state = next(name for at, (_, name) in zip(run.t_events, pairs, strict=True) if at.size)
        if state == "apart":
            y[4] = y[0]
        if state is None:  # contact is made: T = 0 there, and it sticks if it moves more slowly than the limit grows
            growth = mu * normal(y)[1]
            state = "stick" if kt * abs(y[2]) <= growth else "slip+" if y[2] > 0.0 else "slip-"
    return np.array(times), np.array(found), seen


def test_stick_slip_and_lift_off_agree_with_an_event_driven_integration():
    preload, until = 1.0, 4.0
    times, found, seen = events_of_its_own(until, preload)
    assert seen == {"stick", "slip+", "slip-", "apart"}
    errors = []
    for step in (4e-4, 1e-4):
        run = oblique(preload=preload).simulate(
            until=until, method="newmark", step=step, samples=times[:: max(1, times.size // 400)]
        )
        other = found[:: max(1, times.size // 400), :2]
        errors.append(np.abs(run.data["displacement"].values - other).max())
        assert errors[-1] < 3.0 * run.certificate.error
        assert run.certificate.passed
        assert run.certificate.energy_residual < 1e-5
        assert run.certificate.dissipated["pad.tangential"] > 0.1
    assert errors[0] / errors[1] > 8.0  # of second order
    assert errors[1] < 2e-6  # of a motion of 0.06
    assert set(np.unique(run.data["state"].sel(connection="pad.normal"))) == {"stick", "slip", "separated"}


def test_a_constant_normal_load_moves_like_jenkins():
    runs = []
    for is_contact in (True, False):
        m = ss.Model("pressed")
        x = m.coordinate("x", inertia=1.0)
        n = m.coordinate("n", motion=ss.Constant(0.0))
        m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
        if is_contact:
            m.connect((x, n), ss.FrictionContact(**OPTIONS, preload=2.0), name="pad")
        else:
            m.connect(x, ss.Jenkins(stiffness=150.0, limit=0.8))
        m.load(x, ss.Sine(3.0, frequency=8.0))
        runs.append(m.simulate(until=5.0, method="newmark", step=2e-3).data["displacement"].sel(coordinate="x").values)
    assert runs[0] == pytest.approx(runs[1], abs=1e-13)


def test_two_tangential_directions_in_a_plane_move_like_one():
    """The plane turned by an angle: forces, friction circle and all turn with it."""
    runs = []
    for c, s in ((1.0, 0.0), (0.6, 0.8)):
        m = ss.Model("plane")
        x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
        for q in (x, y, z):
            m.connect(q, ss.Linear(stiffness=100.0, damping=0.5))
        m.connect((c * x + s * y, c * y - s * x, z), ss.FrictionContact(**OPTIONS, preload=1.0), name="pad")
        m.load(x, ss.Sine(3.0, frequency=8.0))
        m.load(y, ss.Sine(2.0, frequency=8.0, phase=1.2))
        m.load(z, ss.Sine(4.0, frequency=8.0, phase=0.5))
        run = m.simulate(until=3.0, step=2e-3)
        assert run.certificate.passed
        runs.append(run.data["displacement"].values)
    assert runs[0] == pytest.approx(runs[1], abs=1e-10)


def test_a_run_goes_on_from_the_end_of_another():
    whole = oblique().simulate(until=2.0, method="newmark", step=1e-3, samples=[2.0]).data["displacement"].values
    first = oblique().simulate(until=1.0, method="newmark", step=1e-3)
    rest = oblique().simulate(until=2.0, method="newmark", step=1e-3, start=first.end, samples=[2.0])
    assert rest.data["displacement"].values == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("method", ["inclusion", "taylor"])
def test_other_methods_refuse_with_the_way_out(method):
    with pytest.raises(ss.MissingFace, match=r"several deflections.*newmark"):
        oblique().simulate(until=1.0, method=method)


def test_other_questions_are_refused_or_answered_for_each_state():
    m = oblique()
    for ask in (m.equations, lambda: m.reduce(massless=["z"])):
        with pytest.raises(ss.SlipstickError, match="several deflections"):
            ask()
    found = {}
    for state in ("stick", "slip", "separated"):
        found[state] = m.modes(state={"pad": state}).magnitude
    a, b = OPTIONS["normal_stiffness"], OPTIONS["tangential_stiffness"]
    for state, k, t in (("stick", a, b), ("slip", a, 0.0), ("separated", 0.0, 0.0)):
        matrix = np.diag(SPRING) + k * np.outer([0.3, 1.0], [0.3, 1.0]) + np.diag([t, 0.0])
        first_order = np.block([[np.zeros((2, 2)), np.eye(2)], [-matrix, -np.diag(DAMPER)]])
        own = np.sort(np.abs(np.linalg.eigvals(first_order)))[::2]
        assert np.sort(found[state]) == pytest.approx(own, rel=1e-9)
    assert m.modes().magnitude == pytest.approx(found["stick"])
    assert oblique(preload=-1.0).modes().magnitude == pytest.approx(found["separated"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, law: m.connect(m["x"], law), "takes a tuple of deflections"),
        (lambda m, law: m.connect((m["x"],), law), "takes 2 deflections"),
        (lambda m, law: m.connect((m["x"], 3), law), "normal"),
        (lambda m, law: m.connect((m["x"], m["z"]), law, along=m["x"]), "along"),
        (lambda m, law: m.connect((m["x"], m["z"]), law, name="pad"), "already"),
        (lambda m, _: m.connect((m["x"], m["z"]), ss.Linear(stiffness=1.0)), "takes one deflection"),
        (lambda m, _: m.connect((m["x"], m["z"]), "contact"), "must be one"),
    ],
)
def test_connecting_in_a_wrong_way_is_refused(call, words):
    m = oblique()
    with pytest.raises(ss.InvalidInput, match=words):
        call(m, ss.FrictionContact(**OPTIONS))


def test_names_of_directions_follow_each_other():
    names = [c.name for c in oblique().connections]
    assert ("pad.tangential", "pad.normal") in list(pairwise(names))
