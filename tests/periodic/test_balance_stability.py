"""Multipliers from harmonic balance against exponentials and an independent integration."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.balance_models import chain, motion, oscillator
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import slipstick as ss
from slipstick.periodic.balance import HarmonicBalance, harmonic_balance, multipliers
from slipstick.periodic.balance.fourier_series import fourier_grid
from slipstick.periodic.continuation.corrector import solve_at


def monodromy(stiffness, damping, period):
    """Multipliers of q'' + c q' + k(t) q = 0 for one coordinate, by an integration to 1e-12."""

    def rate(t, y):
        return [y[1], -damping * y[1] - stiffness(t) * y[0], y[3], -damping * y[3] - stiffness(t) * y[2]]

    end = solve_ivp(rate, (0.0, period), [1, 0, 0, 1], rtol=1e-12, atol=1e-13, max_step=period / 400).y[:, -1]
    return np.linalg.eigvals(end.reshape(2, 2).T)


def by_size(values):
    return sorted(values, key=lambda v: (round(abs(v), 9), round(v.imag, 9)))


def test_linear_chain_has_the_multipliers_of_its_modes():
    m = chain(3, (2,), limit=1e9)  # a slider that never slips is a spring, and rests anywhere
    point = HarmonicBalance(m, frequency=0.7, harmonics=1).solve(0.7).point
    stiffness = np.array([[2.0, -1, 0], [-1, 3, -1], [0, -1, 1.0]])
    plain = np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 1.0]])
    a = np.block([[np.zeros((3, 3)), np.eye(3)], [-stiffness, -0.05 * plain]])
    expected = np.append(np.linalg.eigvals(expm(a * 2 * np.pi / 0.7)), 1.0)
    assert by_size(point.multipliers) == pytest.approx(by_size(expected), abs=1e-3)
    assert point.multipliers[0] == pytest.approx(1.0, abs=1e-9)
    assert point.stable


@pytest.mark.parametrize(("omega", "stable"), [(2.0, False), (1.4, True), (0.95, True)])
def test_mathieu_multipliers_are_those_of_an_integration(omega, stable):
    law = ss.Linear(stiffness=0.5).modulated(ss.Cosine(1.0, order=1))
    model = oscillator(law, damping=0.04, load=ss.Cosine(0.1, order=1))
    point = HarmonicBalance(model, frequency=omega, harmonics=7, samples=256).solve(omega).point
    expected = monodromy(lambda t: 1.0 + 0.5 * np.cos(omega * t), 0.04, 2 * np.pi / omega)
    assert by_size(point.multipliers) == pytest.approx(by_size(expected), abs=1e-8)
    assert point.stable is stable


def test_meissner_multipliers_are_products_of_exponentials():
    # a square wave of stiffness as a long Fourier series is not enough: it is compared with that same series
    sin = tuple(0.4 * 4 / np.pi / h if h % 2 else 0.0 for h in range(1, 12))
    law = ss.Linear(stiffness=1.0).modulated(ss.Fourier(sin=sin, order=1))
    model = oscillator(law, damping=0.1, load=ss.Cosine(0.1, order=1))
    omega = 1.1
    point = HarmonicBalance(model, frequency=omega, harmonics=15, samples=512).solve(omega).point

    def stiffness(t):
        return 1.0 + sum(s * np.sin(h * omega * t) for h, s in enumerate(sin, start=1))

    expected = monodromy(stiffness, 0.1, 2 * np.pi / omega)
    assert by_size(point.multipliers) == pytest.approx(by_size(expected), abs=1e-6)
    # and the square wave itself is near
    half = np.pi / omega
    up, down = (expm(half * np.array([[0.0, 1.0], [-k, -0.1]])) for k in (1.4, 0.6))
    assert by_size(point.multipliers) == pytest.approx(by_size(np.linalg.eigvals(down @ up)), abs=3e-2)


@pytest.mark.parametrize("branch", [0, 1, 2])
def test_duffing_branches_have_the_multipliers_of_an_integration(branch):
    omega = 1.9
    model = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    family = HarmonicBalance(model, frequency=omega, harmonics=9, samples=256)
    starts = ((-0.4, 0.03), (-1.6, 0.5), (0.0, 3.0))
    start = np.zeros(family.size)
    start[:2] = starts[branch]
    solution = family.solve(omega, start)
    point = solution.point

    def stiffness(t):
        q = motion(solution, np.atleast_1d(t))[0, 0]
        return 1.0 + 1.5 * q * q

    expected = monodromy(stiffness, 0.1, 2 * np.pi / omega)
    assert by_size(point.multipliers) == pytest.approx(by_size(expected), abs=1e-7)
    assert np.prod(point.multipliers) == pytest.approx(np.exp(-0.1 * 2 * np.pi / omega), rel=1e-7)
    assert point.stable is bool(np.abs(expected).max() < 1.0)


def test_slipping_oscillator_has_the_multipliers_of_its_exact_flow():
    model = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5))
    point = HarmonicBalance(model, frequency=1.0, harmonics=21, samples=4096).solve(1.0).point

    # an exact run a little beside the orbit comes back by the largest multiplier a period
    def after(periods, nudge):
        m = ss.Model("oscillator")
        q = m.coordinate("q", inertia=1.0, displacement=nudge)
        m.connect(q, ss.Linear(stiffness=1.0, damping=0.1))
        m.connect(q, ss.Jenkins(stiffness=1.0, limit=0.5))
        m.load(q, ss.Cosine(1.0, order=1))
        times = 2 * np.pi * np.array([periods, periods + 4.0])
        run = m.simulate(until=times[-1], frequency=1.0, samples=times, method="exact")
        return np.stack([run.data["displacement"].values[:, 0], run.data["velocity"].values[:, 0]])

    apart = after(10, 1e-3) - after(10, 0.0)
    factor = np.linalg.norm(apart[:, 1]) / np.linalg.norm(apart[:, 0])
    assert factor**0.25 == pytest.approx(abs(point.multipliers[0]), rel=0.02)
    assert np.abs(point.multipliers[2]) < 1e-12  # the slider forgets where it was


def test_what_a_law_keeps_only_to_save_time_has_no_multiplier():
    """By shooting and by harmonic balance the same multipliers, and none of one."""
    m = ss.Model("tensioner law")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=2.0, damping=0.1))
    m.connect(x, ss.ModifiedDahl(rate=2.0, exponent=1.0, upper=(0.5, 0.5), lower=(-0.5, 0.5)))
    m.load(x, ss.Cosine(0.8, order=1))
    exact = m.periodic(frequency=1.2, method="shooting").multipliers
    balanced = m.periodic(frequency=1.2, method="harmonic-balance", harmonics=21).multipliers
    np.testing.assert_allclose(balanced[:3], exact, atol=3e-3)
    assert np.abs(balanced[3:]).max() < 1e-9


def gap(damping, half_gap=0.5):
    """An oscillator that touches both sides of a gap, which are damped."""
    m = ss.Model("gap")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.2, damping=0.08))
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=half_gap, damping=damping))
    m.load(x, ss.Cosine(0.5, order=1))
    return m


def train():
    """Three inertias with a damped gap, which nothing holds."""
    m = ss.Model("train")
    a, b, c = (m.coordinate(name, inertia=inertia) for name, inertia in (("a", 1.0), ("b", 2.0), ("c", 1.5)))
    m.connect(a - b, ss.Freeplay(stiffness=10.0, half_gap=0.05, damping=0.2))
    m.connect(b - c, ss.Linear(stiffness=5.0, damping=0.1))
    m.load(a, ss.Constant(0.1) + ss.Cosine(1.0, order=1))
    m.load(c, ss.Constant(-0.1))
    return m


def stops():
    """Two bodies, one of which meets a damped stop with a soft spring beside it that has a corner of its own."""
    m = ss.Model("stops")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.7)
    m.connect(x, ss.Linear(stiffness=0.5, damping=0.05))
    m.connect(y - x, ss.TwoStage(stiffness=1.0, inner_ratio=0.4, half_gap=0.3, damping=0.02))
    m.connect(x, ss.Contact(stiffness=3.0, gap=0.2, damping=0.4))
    m.load(x, ss.Cosine(0.5, order=1))
    return m


@pytest.mark.parametrize(
    ("model", "omega"),
    [
        (gap(0.0), 0.6),
        (gap(0.1), 0.6),
        (gap(0.5), 0.6),
        (train(), 2.63),
        (train(), 1.2),
        (stops(), 0.7),
        (stops(), 1.4),
    ],
    ids=["gap", "damped-gap", "much-damped-gap", "train", "slow-train", "stops", "fast-stops"],
)
def test_multipliers_of_gaps_have_no_error_but_that_of_the_orbit(model, omega):
    """Shooting has saltation matrices. With the jump of a damped side put at a sample the train's were off by 9e-3,
    with any number of harmonics."""
    exact = model.periodic(frequency=omega, method="shooting")
    wanted = np.poly(exact.multipliers)

    def missed(harmonics):
        found = model.periodic(frequency=omega, method="harmonic-balance", harmonics=harmonics, start=exact)
        return np.abs(np.poly(found.multipliers) - wanted).max()

    few, many = missed(15), missed(63)
    assert many < 2e-4  # of the characteristic polynomial
    assert many < 0.2 * few


@pytest.mark.parametrize("count", [2, 5])
def test_a_slider_in_equal_parts_has_the_multipliers_of_the_whole(count):
    """Parts of a slider stick and slip together; each adds a multiplier that has no part in the motion."""
    m, parts = ss.Model(), ss.Model()
    for model, some in ((m, 1), (parts, count)):
        x = model.coordinate("x", inertia=1.0)
        model.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
        for k in range(some):
            model.connect(x, ss.Jenkins(stiffness=1.0 / some, limit=0.2 / some), name=f"slider {k}")
        model.load(x, ss.Cosine(0.4, order=1))
    p, found = 1.1, list[np.ndarray]()
    for model in (m, parts):
        family = HarmonicBalance(model, frequency=p)
        found.append(family.multipliers_at(family.solve(p).x, p))
    for value in found[0]:
        assert np.abs(found[1] - value).min() < 1e-9


def test_multipliers_do_not_depend_on_the_orbits_they_are_found_with():
    """A slider that slips at one frequency and not at another: alone and together the same."""
    model = oscillator(ss.Jenkins(stiffness=1.0, limit=0.9))
    omegas = (0.4, 1.0, 1.3)
    family = HarmonicBalance(model, frequency=1.0)
    x = [family.solve(omega).x for omega in omegas]
    together = list(family.points(x, omegas))
    for own, omega, point in zip(x, omegas, together, strict=True):
        np.testing.assert_allclose(point.multipliers, family.point(own, omega).multipliers, atol=1e-12)
    assert {any("never slips" in note for note in point.notes) for point in together} == {True, False}


def test_a_stop_that_is_touched_between_samples_acts_as_long_as_it_is_touched():
    """Where a stop begins between two samples was rounded to one of them, and traces were off by 0.04."""
    m = ss.Model("stops")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(x, ss.Freeplay(stiffness=30.0, half_gap=0.7))
    m.load(x, ss.Cosine(0.6, order=1))
    for omega in (1.3, 1.31, 1.32, 1.33, 1.34):
        exact = m.periodic(frequency=omega, method="shooting")
        balanced = m.periodic(frequency=omega, method="harmonic-balance", harmonics=31, start=exact)
        assert np.sum(balanced.multipliers).real == pytest.approx(np.sum(exact.multipliers).real, abs=5e-3)


@pytest.mark.parametrize(
    ("law", "harmonics"), [(ss.DryFriction(limit=0.2), 9), (ss.Jenkins(stiffness=1.0, limit=0.5), 2)], ids=str
)
def test_stability_that_may_be_wrong_says_so(law, harmonics):
    point = HarmonicBalance(oscillator(law), frequency=0.8, harmonics=harmonics).solve(0.8).point
    assert any(note.startswith("stability") for note in point.notes)


def test_a_change_beyond_all_numbers_leaves_stability_unknown_and_raises_nothing(monkeypatch):
    """As of a light train on its way to an orbit, where maps of a period overflow."""
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0), damping=0.1), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    felt = multipliers.without_unused_memory
    monkeypatch.setattr(multipliers, "without_unused_memory", lambda maps, size: felt(maps, size) * np.inf)
    orbit = m.periodic(frequency=0.8, method="harmonic-balance")
    assert orbit.stable is None
    assert any("derivative of the period map overflows" in note for note in orbit.certificate.notes)


def test_multipliers_that_rounding_hides_are_not_stated():
    """Eigenvalues of a matrix of size 1e20 are wrong by some 1e4: those near the unit circle say nothing."""
    huge = multipliers._stability(np.array([1e20, 1.5, 0.5], dtype=complex), False, [])
    assert huge.multipliers.size == 0
    assert huge.stable is False
    assert "the largest is 1.0e+20" in huge.notes[0]
    large = multipliers._stability(np.array([1e12, 0.5], dtype=complex), False, [])
    assert large.multipliers.size == 2
    assert not large.notes


@pytest.mark.parametrize("samples", [512, 4096])
def test_multipliers_of_rounded_friction_have_the_product_of_liouvilles_formula(samples):
    """Their product is exp of minus the damping over the mass, integrated over the period."""
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=2.0)
    m.connect(x, ss.Linear(stiffness=2.0, damping=0.04), name="base")
    m.connect(x, ss.DryFriction(limit=0.5), name="contact")
    m.load(x, ss.Cosine(2.0, order=1))
    family, p = HarmonicBalance(m, frequency=1.0), 1.02
    found = solve_at(family, family.solve(p).x, p, 1.0)
    family.__dict__["stability_family"] = family.changed(samples=samples)
    (friction,) = (member.law for member in family.lines.members if member.rounds)
    slope = fourier_grid(family.index, 2**16).slopes_of(found.x)
    step = 1e-4 * friction.width
    tangent = [(friction.update(0.0, v + step, ())[0] - friction.update(0.0, v - step, ())[0]) for v in slope]
    damping = 0.04 + np.mean(tangent) / (2.0 * step * p)
    expected = np.exp(-damping / 2.0 * 2.0 * np.pi / p)
    assert np.prod(family.multipliers_at(found.x, p)).real == pytest.approx(expected, rel=1e-3)


def test_multipliers_of_stiff_teeth_and_rounded_friction_are_those_of_many_small_steps():
    """Teeth in contact oscillate 283 times a period. The oracle multiplies exponentials of 65536 constant steps."""
    p, steps = 10.0, 2**16
    family = HarmonicBalance(ss.systems.gear(), frequency=p)
    # of the two responses at this frequency, this one: from a linear start the rounding of BLAS decides which is found
    start = np.zeros((4, 2 * family.index + 1))
    start[:, :3] = [[-0.22, 0.038, 0.019], [-0.26, 0.03, 0.0024], [-0.14, 0.015, -0.0026], [-0.17, 0.017, -0.019]]
    x = family.solve(p, start.ravel()).x
    part, lines, grid = family.plain_part, family.lines, fourier_grid(family.index, 2 * steps)
    series = family.into @ x.reshape(-1, grid.width) if not family.direct else x.reshape(-1, grid.width)
    u, slope = (own[:, 1::2] for own in (grid.values_of(series), grid.slopes_of(series)))  # in the middle of each step
    inverse, n = np.linalg.inv(part.mass), len(part.mass)
    rate = np.zeros((steps, 2 * n, 2 * n))
    rate[:, :n, n:] = np.eye(n)
    rate[:, n:, :n], rate[:, n:, n:] = -inverse @ part.stiffness, -inverse @ part.damping
    for member in lines.members:
        force = np.vectorize(lambda u, v, law=member.law: law.update(u, v, ())[0])
        acting = inverse @ np.outer(lines.along[:, member.line], lines.rows[member.line])
        own, v = member.scale * u[member.line], member.scale * slope[member.line] * (1.0 if member.rounds else p)
        by_u = (force(own + 1e-9, v) - force(own - 1e-9, v)) / 2e-9
        by_v = (force(own, v + 1e-7) - force(own, v - 1e-7)) / 2e-7 / (p if member.rounds else 1.0)
        factor = member.strength * member.scale
        rate[:, n:, :n] -= factor * by_u[:, None, None] * acting
        rate[:, n:, n:] -= factor * by_v[:, None, None] * acting
    maps = term = np.broadcast_to(np.eye(2 * n), rate.shape)
    for order in range(1, 9):
        term = term @ rate * (2.0 * np.pi / p / steps / order)
        maps = maps + term
    while len(maps) > 1:
        maps = maps[1::2] @ maps[::2]
    expected = np.sort(np.abs(np.linalg.eigvals(maps[0])))[::-1]
    found = np.abs(family.multipliers_at(x, p))
    assert found[:4] == pytest.approx(expected[:4], abs=0.01)
    assert found[0] > 1.5


def test_multipliers_that_steps_do_not_resolve_are_not_stated(monkeypatch):
    monkeypatch.setattr(harmonic_balance, "STABILITY_SAMPLES_FRICTION", 256)
    orbit = ss.systems.gear().periodic(frequency=14.5, method="harmonic-balance")
    assert orbit.stable is None
    assert not orbit.multipliers.size
    assert any("leave an error beyond 5 % in the multipliers" in note for note in orbit.certificate.notes)
