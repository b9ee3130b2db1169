"""Dry friction whose deflection is prescribed: it has no reaction, its force is its limit times the sign of a rate
that is known beforehand."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import slipstick as ss

LIMIT, X, OMEGA = 0.3, 0.8, 1.3
PERIOD = 2.0 * math.pi / OMEGA


def shaken(friction, inertia=1.0, motion=None):
    """A mass on a spring and damper to a base that moves, and friction between the base and the ground."""
    model = ss.Model()
    base = model.coordinate("base", motion=motion or ss.Cosine(X, order=1))
    mass = model.coordinate("mass", inertia=inertia)
    model.connect(mass - base, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
    model.connect(base, friction, name="rub")
    return model


def dragged(friction):
    """A mass on a spring and damper to the ground; friction of a base that moves pushes it."""
    model = ss.Model()
    base = model.coordinate("base", motion=ss.Cosine(X, order=1))
    mass = model.coordinate("mass", inertia=1.0)
    model.connect(mass, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
    model.connect(base, friction, name="rub", along=mass)
    return model


@pytest.mark.parametrize("method", ["shooting", "integration"])
@pytest.mark.parametrize("friction", [ss.DryFriction(limit=LIMIT), ss.DryFriction(limit=LIMIT, static_limit=0.5)])
def test_energy_of_a_cycle(method, friction):
    """4 F X a cycle; a static limit has no meaning, as nothing ever rests."""
    orbit = shaken(friction).periodic(frequency=OMEGA, method=method)
    assert orbit.dissipated["rub"] == pytest.approx(4.0 * LIMIT * X, rel=1e-12)
    assert orbit.stick_share["rub"] == 0.0
    assert orbit.force_range["rub"] == pytest.approx(2.0 * LIMIT, rel=1e-12)
    transfer = (1.0 + 0.2j * OMEGA) / (1.0 - OMEGA**2 + 0.2j * OMEGA)  # the mass does not feel it
    assert orbit.amplitude["mass"] == pytest.approx(X * abs(transfer), rel=1e-5)


def test_viscous_part():
    orbit = shaken(ss.DryFriction(limit=LIMIT, damping=0.1)).periodic(frequency=OMEGA, method="shooting")
    assert orbit.dissipated["rub"] == pytest.approx(4.0 * LIMIT * X + math.pi * 0.1 * OMEGA * X**2, rel=1e-12)


@pytest.mark.parametrize("inertia", [1.0, 0.0])
@pytest.mark.parametrize("cycles", [3, 1000])
def test_force_history(inertia, cycles):
    """A square wave, also late in a run, where the time is rounded, and beside coordinates without inertia."""
    until = cycles * PERIOD
    times = np.linspace(until - 3.0 * PERIOD, until, 301) - 0.003 * PERIOD
    run = shaken(ss.DryFriction(limit=LIMIT), inertia).simulate(
        until=until, frequency=OMEGA, samples=times[1:], method="exact"
    )
    force = run.data.force.sel(connection="rub").values
    assert np.array_equal(force, -LIMIT * np.sign(np.sin(OMEGA * times[1:])))
    turns = [event.time for event in run.events if event.time > 0.0]
    assert turns == pytest.approx(np.arange(1, 2 * cycles) * 0.5 * PERIOD, rel=1e-12)
    assert run.certificate.passed


def test_between_two_motions():
    """Work over the rate's zeros: 2 F times how far the deflection goes from turn to turn."""
    model = shaken(ss.DryFriction(limit=1e-3))
    other = model.coordinate("other", motion=ss.Sine(X, order=2))
    model.connect(model["base"] - other, ss.DryFriction(limit=LIMIT), name="between")
    orbit = model.periodic(frequency=OMEGA, method="shooting")
    phase = np.linspace(0.0, 2.0 * math.pi, 2_000_001)
    way = np.abs(np.diff(X * np.cos(phase) - X * np.sin(2.0 * phase))).sum()
    assert orbit.dissipated["between"] == pytest.approx(LIMIT * way, rel=1e-9)
    assert orbit.dissipated["rub"] == pytest.approx(4e-3 * X, rel=1e-12)


def test_along_another_coordinate():
    """Against an integration with the force as a known square wave, from turn to turn."""
    turns = np.arange(1, 11) * 0.5 * PERIOD
    run = dragged(ss.DryFriction(limit=LIMIT)).simulate(
        until=5.0 * PERIOD, frequency=OMEGA, samples=turns, method="exact"
    )
    state, found = np.zeros(2), []
    for half in range(10):
        push = LIMIT if half % 2 == 0 else -LIMIT  # the base first moves down: the friction pushes up
        ends = half * 0.5 * PERIOD, (half + 1) * 0.5 * PERIOD
        state = solve_ivp(
            lambda _, y, push=push: (y[1], push - y[0] - 0.2 * y[1]),
            ends,
            state,
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
        ).y[:, -1]
        found.append(state[0])
    assert run.data.displacement.sel(coordinate="mass").values == pytest.approx(np.array(found), abs=1e-10)
    assert run.certificate.passed


@pytest.mark.parametrize("method", ["shooting", "integration", "harmonic-balance"])
@pytest.mark.parametrize(
    "law", [ss.DryFriction(limit=LIMIT), ss.Linear(damping=0.1), ss.Jenkins(stiffness=2.0, limit=LIMIT)]
)
def test_what_is_pushed_takes_what_the_damper_dissipates(law, method):
    """No load does work on the mass: what the force along it puts in, the damper takes out."""
    orbit = dragged(law).periodic(frequency=OMEGA, method=method)
    assert orbit.dissipated["rub"] == pytest.approx(-orbit.dissipated["spring"], rel=1e-6)
    assert orbit.dissipated["spring"] > 0.01
    assert orbit.certificate.passed


def test_square_wave_response():
    """The harmonics of a square wave, each through the mass on its spring."""
    orbit = dragged(ss.DryFriction(limit=LIMIT)).periodic(frequency=OMEGA, method="shooting")
    order = np.arange(1, 4001, 2)
    parts = 4.0 * LIMIT / (math.pi * order) / np.abs(1.0 - (order * OMEGA) ** 2 + 0.2j * order * OMEGA)
    assert orbit.rms["mass"] == pytest.approx(math.sqrt(0.5 * (parts**2).sum()), rel=1e-10)
    balance = dragged(ss.DryFriction(limit=LIMIT)).periodic(frequency=OMEGA, method="harmonic-balance")
    assert balance.amplitude["mass"] == pytest.approx(orbit.amplitude["mass"], rel=2e-3)


@pytest.mark.parametrize("inertia", [1.0, 0.0])
def test_rest_in_between(inertia):
    """While the base rests nothing determines the force: it is zero, and the contact sticks."""
    motion = ss.Signal([0.0, 1.0, 2.0, 4.0, 5.0], [0.0, 0.5, 0.5, -0.5, -0.5])
    model = shaken(ss.DryFriction(limit=LIMIT), inertia, motion)
    run = model.simulate(until=6.0, samples=[0.5, 1.5, 3.0, 4.5, 5.5], method="exact")
    found = run.data
    assert found.force.sel(connection="rub").values.tolist() == [LIMIT, 0.0, -LIMIT, 0.0, 0.0]
    assert found.state.sel(connection="rub").values.tolist() == ["slip+", "stick", "slip-", "stick", "stick"]
    assert run.certificate.dissipated["rub"] == pytest.approx(1.5 * LIMIT, rel=1e-12)


def test_normal_load_that_goes():
    """F(t) = max(0, a + b sin) under a rate -sin: the work is the integral of F |rate|."""
    with pytest.warns(UserWarning, match="cut off at zero"):
        model = shaken(ss.DryFriction(limit=ss.Fourier(0.2 * LIMIT, sin=(LIMIT,))))
    orbit = model.periodic(frequency=OMEGA, method="shooting")
    phase = np.linspace(0.0, 2.0 * math.pi, 2_000_001)
    power = np.maximum(0.2 + np.sin(phase), 0.0) * np.abs(np.sin(phase))
    assert orbit.dissipated["rub"] == pytest.approx(LIMIT * X * np.trapezoid(power, phase), rel=1e-9)


def test_beside_friction_that_holds():
    """Friction of the mass itself is decided together with the push of the driven one, at the same instants too."""
    times = np.linspace(0.0, 4.0 * PERIOD, 101) + 0.01

    def run(own):
        model = dragged(ss.DryFriction(limit=LIMIT))
        model.connect(model["mass"], own, name="own")
        return model.simulate(until=4.1 * PERIOD, frequency=OMEGA, samples=times, method="exact").data

    rigid, near = run(ss.DryFriction(limit=0.1)), run(ss.Jenkins(stiffness=1e9, limit=0.1))
    assert rigid.displacement.values == pytest.approx(
        near.displacement.values, abs=1e-5
    )  # stiff springs lag like 1/sqrt(stiffness)
    still = run(ss.DryFriction(limit=0.31))
    assert np.abs(still.displacement.sel(coordinate="mass").values).max() == 0.0
    force = still.force
    assert np.allclose(force.sel(connection="own"), -force.sel(connection="rub"), rtol=1e-12, atol=0.0)


def test_inclusion_names_the_method_that_takes_it():
    with pytest.raises(ss.MissingFace, match=r"prescribed motions alone.*methods that take this model: exact"):
        shaken(ss.DryFriction(limit=LIMIT)).simulate(until=1.0, frequency=OMEGA, method="inclusion")


@pytest.mark.parametrize("method", ["auto", "exact", "inclusion"])
def test_friction_that_cannot_stop_itself_is_refused(method):
    """The force acts on another mass than the one whose rate it goes by."""
    model = ss.Model()
    one, other = model.coordinate("one", inertia=1.0, velocity=1.0), model.coordinate("other", inertia=1.0)
    model.connect(one - other, ss.Linear(stiffness=1.0), name="spring")
    model.connect(one, ss.DryFriction(limit=LIMIT), name="rub", along=other)
    with pytest.raises(ss.MissingFace, match=r'"rub".*regularised'):
        model.simulate(until=1.0, method=method)
