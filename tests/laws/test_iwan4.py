"""Iwan4 against quadrature over its density of sliders, and against a finite sum of sliders."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import slipstick as ss
from slipstick.laws.base import Law

SEGALMAN = ss.Iwan4(stiffness=2.0, limit=3.0, chi=-0.1, beta=0.1)
LAWS = [
    SEGALMAN,
    ss.Iwan4(stiffness=5.0, limit=1.0, chi=-0.8, beta=2.0),
    ss.Iwan4(stiffness=1.0, limit=1.0, chi=0.5, beta=0.0),
]


def density(law: ss.Iwan4) -> tuple[float, float, float]:
    """R, S and phi_max from the four parameters, by the two integrals of the density: found by bisection."""
    chi, beta = law.chi, law.beta

    def parts(end: float) -> tuple[float, float]:
        r = law.stiffness / (end ** (chi + 1.0) / (chi + 1.0) * (1.0 + beta))
        return r, beta * r * end ** (chi + 1.0) / (chi + 1.0)

    low, high = 0.0, 1e3
    for _ in range(200):
        end = 0.5 * (low + high)
        r, s = parts(end)
        force = quad(lambda x, r=r: r * x ** (chi + 1.0), 0.0, end, epsabs=1e-13, epsrel=1e-13)[0] + s * end
        low, high = (end, high) if force < law.limit else (low, end)
    return (*parts(end), end)


def integral(law: ss.Iwan4, of: Any, corner: float) -> float:
    """Integral of of(phi) over the density; the substitution phi = y^(1/(chi + 1)) takes the singularity away."""
    r, s, end = density(law)
    p = 1.0 / (law.chi + 1.0)
    points = sorted({0.0, min(corner, end) ** (1.0 / p), end ** (1.0 / p)})
    total = sum(quad(lambda y: of(y**p) * r * p, a, b, epsabs=1e-13, epsrel=1e-12)[0] for a, b in pairwise(points))
    return float(total + s * of(end))


@pytest.mark.parametrize("law", LAWS, ids=["segalman", "-0.8", "0.5"])
def test_the_virgin_curve_is_the_integral_over_all_sliders(law: ss.Iwan4) -> None:
    assert law.macroslip == pytest.approx(density(law)[2], rel=1e-9)
    for u in np.array([0.01, 0.3, 0.9, 0.999, 1.2]) * law.macroslip:
        want = integral(law, lambda phi, u=u: min(u, phi), u)
        assert law.trace([0.0, u])[1] == pytest.approx(want, rel=1e-9)
        assert law.trace([0.0, -u])[1] == pytest.approx(-want, rel=1e-9)


@pytest.mark.parametrize("law", LAWS, ids=["segalman", "-0.8", "0.5"])
@pytest.mark.parametrize("share", [0.1, 0.8, 1.5])
def test_a_cycle_dissipates_what_all_sliders_do(law: ss.Iwan4, share: float) -> None:
    """A slider of unit stiffness dissipates 4 phi (X - phi)."""
    size = share * law.macroslip
    want = integral(law, lambda phi: 4.0 * phi * max(size - phi, 0.0), size)
    assert law.dissipation(size) == pytest.approx(want, rel=1e-8)
    u = size * np.cos(np.linspace(0.0, 4.0 * np.pi, 8001))
    f = law.trace(u)
    assert float(np.sum(0.5 * (f[4001:] + f[4000:-1]) * np.diff(u[4000:]))) == pytest.approx(want, rel=2e-4)


def test_the_loss_of_small_cycles_is_a_power_three_plus_chi_of_the_amplitude() -> None:
    sizes = np.array([1e-3, 2e-3])
    losses = []
    for size in sizes:
        u = size * np.cos(np.linspace(0.0, 4.0 * np.pi, 40001))
        f = SEGALMAN.trace(u)
        losses.append(float(np.sum(0.5 * (f[20001:] + f[20000:-1]) * np.diff(u[20000:]))))
    assert np.log2(losses[1] / losses[0]) == pytest.approx(3.0 - 0.1, abs=2e-3)


@pytest.mark.parametrize("law", LAWS, ids=["segalman", "-0.8", "0.5"])
def test_a_finite_sum_of_sliders_is_within_its_stated_error(law: ss.Iwan4) -> None:
    sizes = np.repeat(np.linspace(0.05, 1.4, 28), 200)
    u = law.macroslip * sizes * np.sin(np.linspace(0.0, 56.0 * np.pi, sizes.size, endpoint=False))
    errors = []
    for count in (8, 16, 32):
        bound = law.discretisation_error(count)
        errors.append(np.abs(law.discretised(count).trace(u) - law.trace(u)).max())
        assert errors[-1] <= 2.0 * bound * (1.0 + 1e-9)
        virgin = np.linspace(0.0, 1.1, 3001) * law.macroslip
        off = law.trace(virgin) - law.discretised(count).trace(virgin)
        assert off.max() == pytest.approx(bound, rel=0.02)
        assert off.min() > -1e-12 * law.limit
    assert errors[2] < 0.4 * errors[1]


def test_the_documented_discretisation_error_is_that_of_the_backbone() -> None:
    """Backbone K u - K u (u/phi)^(chi + 1)/((1 + beta)(chi + 2)) against 10 and 100 sliders."""
    k, limit, chi, beta = 2.0, 3.0, -0.1, 0.1
    end = limit * (1.0 + beta) / (k * (beta + (chi + 1.0) / (chi + 2.0)))
    u = np.linspace(0.0, end, 20001)
    backbone = k * u - k * u * (u / end) ** (chi + 1.0) / ((1.0 + beta) * (chi + 2.0))
    np.testing.assert_allclose(SEGALMAN.trace(u), backbone, rtol=1e-9, atol=1e-12)
    for count, words in ((10, "0.0065 with 10 elements"), (100, "6.5e-5 with 100")):
        error = np.abs(SEGALMAN.discretised(count).trace(u) - backbone).max()
        assert error == pytest.approx(float(words.split()[0]), rel=0.01)
        assert words in ss.Iwan4.words.use


def mass_on(law: Law) -> ss.Model:
    m = ss.Model("joint", frequency=1.0)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, law, name="joint")
    m.connect(x, ss.Linear(stiffness=0.5, damping=0.05), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


def test_runs_and_orbits_agree_with_those_of_many_sliders() -> None:
    fine = SEGALMAN.discretised(60)
    t = np.linspace(0.0, 15.0, 61)
    one = mass_on(SEGALMAN).simulate(until=15.0, samples=t)
    other = mass_on(fine).simulate(until=15.0, samples=t, method="exact")
    assert one.certificate.passed
    np.testing.assert_allclose(one.data["displacement"].values, other.data["displacement"].values, atol=2e-3)
    orbits = [mass_on(law).periodic(frequency=1.2, method=m) for law, m in ((SEGALMAN, "shooting"), (fine, "shooting"))]
    orbits.append(mass_on(SEGALMAN).periodic(frequency=1.2, method="harmonic-balance"))
    sizes = [float(np.ptp(o.data["displacement"].values[:, 0])) for o in orbits]
    np.testing.assert_allclose(sizes, sizes[0], rtol=2e-3)
    assert all(o.stable for o in orbits)


def test_loops_of_three_amplitudes_determine_the_parameters() -> None:
    rng, loops = np.random.default_rng(0), []
    for share in (0.2, 0.6, 1.6):
        u = share * SEGALMAN.macroslip * np.sin(np.linspace(0.0, 4.0 * np.pi, 401))
        loops.append(ss.Loop(u, SEGALMAN.trace(u) + rng.normal(0.0, 0.003, u.size)))
    fit = ss.identify(loops, ss.Iwan4)
    for name, value in SEGALMAN.parameters().items():
        own = fit.parameters[name]
        assert own.value == pytest.approx(value, abs=3.0 * (own.high - own.low))
        assert own.high - own.low < 0.15
    assert ss.rank(loops, ["jenkins", "iwan4", "dahl"]).best.law.__class__ is ss.Iwan4


def test_values_out_of_bounds_are_refused_in_one_line(refused: Any) -> None:
    with refused("Iwan4: chi must be > -1, got -1"):
        ss.Iwan4(stiffness=1.0, limit=1.0, chi=-1.0, beta=0.0)
    with refused("Iwan4: elements must be a whole number >= 1, got 0"):
        SEGALMAN.discretised(0)
