"""The exact flow over many orders of magnitude: fast and slow, stiff and soft, light and heavy, in any units."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from friction_block_oracle import Block
from gear_train import train

import slipstick as ss

DIGITS = 50


def exact(m, until, samples=0):
    return m.simulate(until=until, method="exact", samples=samples)


def honest(run, wrong):
    """The true error of each coordinate (n,) is no more than ten times what is claimed, and that is small."""
    c = run.certificate
    assert c.passed, str(c)
    assert all(math.isfinite(c.errors[name]) for name in c.errors)
    for name, error in zip(c.errors, np.atleast_1d(wrong), strict=True):
        assert error <= 10.0 * c.errors[name], f"{name}: {error:.2g} where {c.errors[name]:.2g} is claimed"


# ---- fast and slow


@pytest.mark.parametrize("w", [1e-8, 1e-4, 1.0, 1e4, 1e7, 1e11])
def test_a_mass_on_a_spring_is_a_cosine_at_any_frequency(w):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=w * w))
    phase = np.linspace(0.0, 30.0, 16)[1:]
    run = exact(m, 30.0 / w, phase / w)
    # w w is rounded, so the frequency is half a rounding off: 30 rad later that is 3e-15
    wrong = np.abs(run.data.displacement.values[:, 0] - np.cos(phase)).max()
    assert wrong < 2e-14
    honest(run, wrong)
    assert run.stats.steps < 100


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_two_masses_and_a_slider_move_alike_in_any_unit_of_time(unit):
    def displacement(unit):
        m = ss.Model("two masses")
        x = m.coordinate("x", inertia=1.0, displacement=1.0)
        y = m.coordinate("y", inertia=2.0, velocity=-0.3 / unit)
        m.connect(x, ss.Linear(stiffness=2.0 / unit**2, damping=0.02 / unit))
        m.connect(x - y, ss.Linear(stiffness=1.0 / unit**2))
        m.connect(y, ss.Jenkins(stiffness=0.5 / unit**2, limit=0.1 / unit**2))
        m.load(x, ss.Sine(0.4 / unit**2, frequency=1.3 / unit))
        run = exact(m, 40.0 * unit, np.linspace(0.0, 40.0, 21)[1:] * unit)
        assert run.certificate.passed
        return run.data.displacement.values, run.certificate.error

    seconds, error = displacement(1.0)
    other, claimed = displacement(unit)
    assert np.abs(seconds - other).max() <= 10.0 * (error + claimed)
    assert claimed == pytest.approx(error, rel=0.5)


def overdamped(t, c, k, w=2.0, size=0.3, x0=1.0, v0=0.5):
    """x'' + c x' + k x = size sin(w t), in closed form with many digits."""
    with mp.workdps(DIGITS):
        t, c, k, w, size = (mp.mpf(z) for z in (t, c, k, w, size))
        root = mp.sqrt(c * c - 4 * k)
        slow, fast = (-c + root) / 2, (-c - root) / 2
        answer = size / mp.mpc(k - w * w, w * c)
        x, v = x0 - mp.im(answer), v0 - mp.im(1j * w * answer)
        part = (v - fast * x) / (slow - fast)
        wave = mp.im(answer * mp.expj(w * t))
        return float(part * mp.exp(slow * t) + (x - part) * mp.exp(fast * t) + wave)


@pytest.mark.parametrize("c", [1e3, 1e5, 1e6, 1e7, 1e8])
@pytest.mark.parametrize("k", [1.0, 100.0])
def test_a_heavy_damper_creeps_as_its_closed_form(c, k):
    m = ss.Model("damper")
    x = m.coordinate("x", inertia=1.0, displacement=1.0, velocity=0.5)
    m.connect(x, ss.Linear(stiffness=k, damping=c))
    m.load(x, ss.Sine(0.3, frequency=2.0))
    times = [0.1, 1.0, 10.0]
    run = exact(m, 10.0, times)
    wrong = max(
        abs(a - overdamped(t, c, k)) for a, t in zip(run.data.displacement.values[:, 0].tolist(), times, strict=True)
    )
    assert wrong < 1e-14
    honest(run, wrong)


# ---- side by side


@pytest.mark.parametrize("ratio", [1e5, 1e7])
@pytest.mark.parametrize("z", [0.0, 0.01])
def test_a_fast_mode_beside_a_slow_one_and_a_free_body_costs_no_steps(ratio, z):
    m = ss.Model("three apart")
    m.coordinate("free", inertia=1.0, velocity=1.0)
    slow = m.coordinate("slow", inertia=1.0, displacement=1.0)
    fast = m.coordinate("fast", inertia=1.0, displacement=1.0 / ratio)
    m.connect(slow, ss.Linear(stiffness=1.0, damping=2.0 * z))
    m.connect(fast, ss.Linear(stiffness=ratio**2, damping=2.0 * z * ratio))
    times = np.array([5.0, 20.0])
    run = exact(m, 20.0, times)
    q = run.data.displacement
    own = math.sqrt(1.0 - z * z)
    decay = np.exp(-z * times) * (np.cos(own * times) + z / own * np.sin(own * times))
    np.testing.assert_allclose(q.sel(coordinate="slow"), decay, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(q.sel(coordinate="free"), times, rtol=1e-13)
    assert run.stats.steps < 200  # of the fast mode there are up to 3e7 periods
    assert run.certificate.passed


@pytest.mark.parametrize("d", [1e-3, 1e-7, 1e-11, 1e-14])
def test_a_weakly_coupled_mass_is_as_right_as_its_own_size_allows(d):
    m = ss.Model("weakly coupled")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    y = m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.01))
    m.connect(y, ss.Linear(stiffness=1.0, damping=0.02))
    m.connect(x - y, ss.Linear(stiffness=d))
    exact(m, 1000.0)  # long enough for a table of modes, which all later runs of the model use
    run = exact(m, 200.0, [200.0])
    with mp.workdps(DIGITS):
        e, c1, c2 = mp.mpf(d), mp.mpf(0.01), mp.mpf(0.02)
        a = mp.matrix([[0, 0, 1, 0], [0, 0, 0, 1], [-1 - e, e, -c1, 0], [e, -1 - e, 0, -c2]])
        end = mp.expm(a * 200) * mp.matrix([1, 0, 0, 0])
        wrong = np.array([float(abs(q - end[i])) for i, q in enumerate(run.data.displacement.values[-1].tolist())])
    honest(run, wrong)
    assert wrong[1] < 1e-11 * abs(float(end[1]))


# ---- stiff, with dry friction


def stiff_pair(k, c, limit, w, length=1.0, mass=1.0):
    """Two masses tied by a stiff spring; one rubs, the other is sprung and driven."""
    force = mass * length
    m = ss.Model("stiff pair")
    x = m.coordinate("x", inertia=mass, displacement=0.5 * length)
    y = m.coordinate("y", inertia=mass, displacement=0.5 * length)
    m.connect(x - y, ss.Linear(stiffness=k * mass, damping=c * mass))
    m.connect(y, ss.DryFriction(limit=limit * force), name="rub")
    m.connect(x, ss.Linear(stiffness=mass))
    m.load(x, ss.Sine(0.5 * force, frequency=w))
    return m


@pytest.mark.parametrize(
    ("k", "c", "limit", "w"), [(1e6, 0.25, 0.15, 0.58), (1e6, 0.01, 0.22, 1.04), (1e7, 0.1, 0.14, 1.46)]
)
def test_a_stiff_pair_with_dry_friction_moves_as_one_body_in_any_units(k, c, limit, w):
    until = 20.0
    run = exact(stiff_pair(k, c, limit, w), until, [until])
    other = exact(stiff_pair(k, c, limit, w, length=3.0, mass=0.7), until, [until])
    q = run.data.displacement.values[-1]
    honest(run, np.abs(q - other.data.displacement.values[-1] / 3.0))
    _, together, _ = Block(m=2, k=1, load=[(0.5, w, -mp.pi / 2)], limit=limit).simulate(until, 0.5)
    # a contact that sticks or lets go shakes the spring, with rates of about limit / sqrt(k): the friction feels them
    assert np.abs(q - together).max() < 1.0 / math.sqrt(k)


@pytest.mark.parametrize("inertia", [1e-6, 1e-7])
def test_a_gear_train_with_light_wheels_comes_near_the_one_without(inertia):
    times = np.linspace(0.0, 20.0, 9)[1:]
    light, none = exact(train(inertia), 20.0, times), exact(train(), 20.0, times)
    # a wheel lags by inertia / damping, which is 0.3 and 0.4 N m s, times its acceleration
    assert float(abs(light.data.displacement - none.data.displacement).max()) < 10.0 * inertia
    assert light.certificate.passed


def light_train(s):
    """A train whose wheels, with their bearings, become light and their mesh stiff as s becomes small."""
    m = ss.Model("train")
    inertia = {"psi": 1.0, "delta": 0.01 * s * s, "gamma": 0.01 * s * s, "phi": 2.0}
    q = {name: m.coordinate(name, inertia=value) for name, value in inertia.items()}
    for name, share in {"psi": 1.0, "delta": s, "gamma": s, "phi": 1.0}.items():
        m.connect(q[name], ss.DryFriction(limit=0.1 * share, damping=0.05 * share))
    m.connect(q["psi"] - q["delta"], ss.Freeplay(stiffness=100.0, half_gap=0.01))
    m.connect(q["delta"] + 2.0 * q["gamma"], ss.Freeplay(stiffness=400.0 / s, half_gap=0.02))
    m.connect(q["gamma"] - q["phi"], ss.Freeplay(stiffness=300.0, half_gap=0.01))
    m.load(q["psi"], ss.Cosine(5.0, frequency=3.0))
    return m


def train_of_two():
    """Its limit: three gaps in a row, the springs of the first and the last one after the other."""
    m = ss.Model("two bodies")
    psi, phi = m.coordinate("psi", inertia=1.0), m.coordinate("phi", inertia=2.0)
    for body in (psi, phi):
        m.connect(body, ss.DryFriction(limit=0.1, damping=0.05))
    stiffness = 1.0 / (1.0 / 100.0 + 4.0 / 300.0)
    m.connect(psi + 2.0 * phi, ss.Freeplay(stiffness=stiffness, half_gap=0.01 + 0.02 + 2.0 * 0.01))
    m.load(psi, ss.Cosine(5.0, frequency=3.0))
    return m


def test_wheels_between_stiff_and_soft_springs_leave_a_train_of_two_as_they_become_light():
    """Contacts of bodies beside light wheels begin to slide from rest although fast modes round their rates."""
    times = np.linspace(0.0, 4.0, 17)[1:]
    two = exact(train_of_two(), 4.0, times).data.displacement
    differ = []
    for s in (0.1, 0.01, 0.001):
        run = exact(light_train(s), 4.0, times)
        if s == 0.1:
            assert run.certificate.passed, str(run.certificate)
        differ.append(float(abs(run.data.displacement.sel(coordinate=["psi", "phi"]) - two).max()))
    assert differ[0] < 0.1
    assert differ[0] / differ[1] == pytest.approx(10.0, rel=0.1)
    assert differ[1] / differ[2] == pytest.approx(10.0, rel=0.1)
