"""Laws made of laws: sums, scaling, modulation, in any nesting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws.example_laws import every_law
from laws.reference_solutions import EPS

import slipstick as ss
from slipstick.laws.base import Law
from slipstick.laws.faces import Face

JENKINS = ss.Jenkins(stiffness=2.0, limit=0.6)
SPRING = ss.Linear(stiffness=0.5, damping=0.125)
CUBIC = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.25))
DHM = ss.DynamicHysteresis(stiffness=1.5, limit=0.8)
DAHL = ss.Dahl(stiffness=3.0, limit=0.8)
Q = ss.Fourier(mean=1.0, cos=(0.5,), frequency=3.0)

RNG = np.random.default_rng(1)
T = np.linspace(0.0, 4.0, 60)
U = np.cumsum(RNG.normal(size=60)) * 0.3
V = RNG.normal(size=60)


def by_update(law: Any, u: np.ndarray = U, v: np.ndarray = V, t: np.ndarray = T, **options: Any) -> np.ndarray:
    memory, out = law.start(float(u[0])), []
    for x, y, z in zip(u.tolist(), v.tolist(), t.tolist(), strict=True):
        f, memory = law.update(x, y, memory, z, **options)
        out.append(f)
    return np.array(out)


# ---- sums


def test_a_sum_is_the_sum_of_the_forces() -> None:
    law = JENKINS + SPRING + CUBIC + DHM
    want = sum(part.trace(U, rate=V) for part in (JENKINS, SPRING, CUBIC, DHM))
    np.testing.assert_allclose(law.trace(U, rate=V), want, rtol=0, atol=16 * EPS * np.abs(want).max())
    np.testing.assert_allclose(by_update(law), want, rtol=0, atol=16 * EPS * np.abs(want).max())


@pytest.mark.parametrize("name", every_law())
def test_every_law_can_stand_in_a_sum(name: str) -> None:
    law = every_law()[name]
    whole = (law + CUBIC).trace(U, T, rate=V)
    np.testing.assert_allclose(whole - CUBIC.trace(U), law.trace(U, T, rate=V), rtol=0, atol=1e-13 * np.ptp(whole))


def test_sums_of_sums_flatten() -> None:
    law = (JENKINS + SPRING) + (CUBIC + (DHM + JENKINS))
    assert [type(leaf.law).__name__ for leaf in law.leaves()] == [
        "Jenkins",
        "Linear",
        "Polynomial",
        "DynamicHysteresis",
        "Jenkins",
    ]
    assert len(law.terms) == 5
    assert law == JENKINS + SPRING + CUBIC + DHM + JENKINS


def test_composite_laws_in_a_sum_are_taken_apart_into_leaves() -> None:
    masing = ss.Masing(stiffness=2.0, limit=0.6, parallel_stiffness=0.5, damping=0.1)
    law = masing + DAHL
    assert [type(term.law).__name__ for term in law.terms] == ["Masing", "Dahl"]
    assert [type(leaf.law).__name__ for leaf in law.leaves()] == ["Jenkins", "Linear", "ModifiedDahl"]
    assert law.leaves()[2].force == 0.8  # Dahl is a law of unit envelopes, times its limit


def test_pythons_sum_adds_laws() -> None:
    assert sum([JENKINS, SPRING, CUBIC]) == JENKINS + SPRING + CUBIC


@pytest.mark.parametrize("wrong", [1.0, "law", None, [JENKINS]])
def test_what_is_no_law_cannot_be_added(wrong: Any) -> None:
    with pytest.raises(TypeError):
        JENKINS + wrong
    with pytest.raises(TypeError):
        wrong + JENKINS


# ---- memory


def test_the_memory_of_a_sum_is_that_of_its_leaves() -> None:
    law = JENKINS + SPRING + DHM
    memory = law.start(1.0)
    assert memory == (JENKINS.start(1.0), (), DHM.start(1.0))
    _, memory = law.update(-0.5, 0.0, memory)
    assert memory == (JENKINS.update(-0.5, 0.0, JENKINS.start(1.0))[1], (), DHM.update(-0.5, 0.0, DHM.start(1.0))[1])


@pytest.mark.parametrize("wrong", [(), ((0.0,),), ((0.0,), (), (), ()), 5.0, None.__class__, "ab"])
def test_a_memory_that_does_not_fit_a_sum_is_refused(wrong: Any, refused: Any) -> None:
    law = JENKINS + SPRING
    with refused("must be a tuple of 2, as start() and update() give it"):
        law.trace(U, rate=V, memory=wrong)


def test_a_part_of_a_memory_that_does_not_fit_is_refused(refused: Any) -> None:
    law = JENKINS + SPRING
    with refused("memory of Jenkins must be a tuple of 1 finite numbers (slider)"):
        law.trace(U, rate=V, memory=((0.0, 0.0), ()))


def test_a_history_goes_on_where_it_stopped() -> None:
    law = (JENKINS + DHM.scaled(deflection=2.0) + DAHL).scaled(force=3.0)
    memory = law.start(float(U[0]))
    for u in U[:30].tolist():
        _, memory = law.update(u, 0.0, memory)
    np.testing.assert_array_equal(law.trace(U[30:], memory=memory), law.trace(U)[30:])


# ---- scaling


@pytest.mark.parametrize("name", every_law())
def test_scaling_is_force_times_law_of_deflection_times_u(name: str) -> None:
    law = every_law()[name]
    scaled = law.scaled(deflection=2.0, force=-3.0)
    want = -3.0 * law.trace(2.0 * U, T, rate=2.0 * V)
    np.testing.assert_allclose(scaled.trace(U, T, rate=V), want, rtol=0, atol=8 * EPS * np.abs(want).max())


@pytest.mark.parametrize("name", every_law())
def test_a_law_can_be_turned_round(name: str) -> None:
    """-f(-u): the mirror image; the law itself where it is odd."""
    law = every_law()[name]
    mirrored = law.scaled(deflection=-1.0, force=-1.0)
    np.testing.assert_array_equal(mirrored.trace(U, T, rate=V), -law.trace(-U, T, rate=-V))
    if name in ("jenkins", "dahl", "dynamic-hysteresis", "bliman-sorine", "fibre-shear", "freeplay", "bouc-wen"):
        np.testing.assert_allclose(mirrored.trace(U), law.trace(U), rtol=0, atol=1e-13)


def test_a_one_sided_contact_turned_round_holds_the_other_side() -> None:
    law = ss.Contact(stiffness=2.0, gap=0.3).scaled(deflection=-1.0, force=-1.0)
    np.testing.assert_array_equal(law.trace([-1.0, -0.3, 0.0, 5.0]), [-1.4, 0.0, 0.0, 0.0])


def test_the_fibre_sample_goes_from_stress_and_strain_to_force_and_deflection() -> None:
    """F = 2 S tau(u/h): two samples of 40 mm x 60 mm, 20 mm high (fibre (2), (3))."""
    tau = ss.FibreShear(stiffness=1.49e6, limit=1.07e3, linear=6.16e6, cubic=2.38e9, overshoot=0.92, ratio=0.37)
    area, height = 40e-3 * 60e-3, 20e-3
    mount = tau.scaled(deflection=1.0 / height, force=2.0 * area)
    u = 1e-4 * np.array([0.0, 1.0, -1.0, 0.5, 1.0, -0.2])
    np.testing.assert_allclose(mount.trace(u), 2.0 * area * tau.trace(u / height), rtol=1e-15)
    # (31) of the tip at gamma_0 = 5e-3: 32170.72906 Pa on 2 S
    assert mount.trace([1e-4])[0] == pytest.approx(32170.72906 * 4.8e-3, abs=0.5e-5 * 4.8e-3)
    assert mount.tangent(1e-12, 0.0, mount.start(0.0))[1] == pytest.approx(9.14e6 * 4.8e-3 / height, rel=1e-6)


def test_scalings_multiply() -> None:
    law = (JENKINS.scaled(deflection=2.0) + SPRING).scaled(deflection=3.0, force=5.0)
    assert [(leaf.deflection, leaf.force) for leaf in law.leaves()] == [(6.0, 5.0), (3.0, 5.0)]
    assert law == JENKINS.scaled(deflection=6.0, force=5.0) + SPRING.scaled(deflection=3.0, force=5.0)


@pytest.mark.parametrize("wrong", [0.0, math.nan, math.inf, True, "2", None, [1.0], 1j])
@pytest.mark.parametrize("name", ["deflection", "force"])
def test_scales_without_meaning_are_refused(name: str, wrong: Any, refused: Any) -> None:
    with refused(f"scaled: {name} must be a finite number other than 0, got"):
        JENKINS.scaled(**{name: wrong})


def test_scales_go_by_name() -> None:
    with pytest.raises(TypeError):
        JENKINS.scaled(2.0)  # type: ignore[misc]


# ---- modulation


def test_a_modulated_law_is_the_law_times_the_function() -> None:
    law = (JENKINS + CUBIC).modulated(Q)
    want = (1.0 + 0.5 * np.cos(3.0 * T)) * (JENKINS + CUBIC).trace(U)
    np.testing.assert_allclose(law.trace(U, T), want, rtol=0, atol=16 * EPS * np.abs(want).max())
    np.testing.assert_allclose(by_update(law), want, rtol=0, atol=16 * EPS * np.abs(want).max())


def test_modulations_multiply_and_go_through_sums_and_scales() -> None:
    other = ss.Sine(0.3, frequency=5.0)
    law = (JENKINS.modulated(Q).scaled(deflection=2.0, force=3.0) + CUBIC).modulated(other)
    q, s = 1.0 + 0.5 * np.cos(3.0 * T), 0.3 * np.sin(5.0 * T)
    want = s * (3.0 * q * JENKINS.trace(2.0 * U) + CUBIC.trace(U))
    np.testing.assert_allclose(law.trace(U, T), want, rtol=0, atol=32 * EPS * np.abs(want).max())


def test_an_order_needs_a_base_frequency(refused: Any) -> None:
    law = JENKINS.modulated(ss.Fourier(mean=1.0, cos=(0.5,), order=2.0))
    with refused("has an order and needs a base frequency"):
        law.trace(U, T)
    found = law.trace(U, T, frequency=1.5)
    np.testing.assert_array_equal(found, JENKINS.modulated(Q).trace(U, T))
    np.testing.assert_allclose(by_update(law, frequency=1.5), found, rtol=0, atol=8 * EPS * np.abs(found).max())
    for wrong in (0.0, -1.0, math.nan):
        with refused("the base frequency must be finite and > 0"):
            law.trace(U, T, frequency=wrong)


def test_a_modulated_law_needs_times(refused: Any) -> None:
    with refused("varies in time: trace needs the times, trace(u, t)"):
        JENKINS.modulated(Q).trace(U)
    with refused("varies in time: trace needs the times, trace(u, t)"):
        JENKINS.modulated(Q).trace(U, rate=V)


@pytest.mark.parametrize("wrong", [2.0, None, math.cos])
def test_what_is_no_function_of_time_cannot_modulate(wrong: Any, refused: Any) -> None:
    with refused("modulated needs a function of time (Fourier, Cosine, Signal), got"):
        JENKINS.modulated(wrong)


@pytest.mark.parametrize("factor", [ss.Ramp(0.3), ss.Signal([0.0, 1.0], [0.2, 1.0]), ss.Chirp(1.0, 2.0, 3.0)], ids=repr)
def test_any_function_of_time_modulates(factor: Any) -> None:
    modulated = JENKINS.modulated(factor).trace(U, T)
    np.testing.assert_allclose(modulated, factor.at(T) * JENKINS.trace(U), rtol=1e-12, atol=1e-14)


def test_a_factor_without_a_mean_has_no_linearised_model(refused: Any) -> None:
    with refused("has no mean over time"):
        JENKINS.modulated(ss.Ramp(0.3)).linearised("stick")


def test_a_constant_modulates() -> None:
    np.testing.assert_array_equal(JENKINS.modulated(ss.Constant(2.0)).trace(U, T), 2.0 * JENKINS.trace(U))


def test_the_tangent_of_a_modulated_law_is_refused(refused: Any) -> None:
    law = JENKINS.modulated(Q)
    with refused("is modulated in time here; take the tangent of the law itself"):
        law.tangent(0.1, 0.0, law.start(0.0))


# ---- what a combination knows of itself


def test_the_tangent_of_a_sum_is_the_sum_of_the_tangents() -> None:
    law = JENKINS.scaled(deflection=2.0, force=3.0) + SPRING + DAHL
    memory = law.start(0.2)
    f, k, c = law.tangent(0.25, 0.1, memory)
    j = JENKINS.tangent(0.5, 0.2, JENKINS.start(0.4))
    d = DAHL.tangent(0.25, 0.1, DAHL.start(0.2))
    assert f == pytest.approx(3.0 * j[0] + 0.5 * 0.25 + 0.125 * 0.1 + d[0])
    assert k == pytest.approx(6.0 * j[1] + 0.5 + d[1])
    assert c == pytest.approx(0.125)


def test_a_sum_has_the_faces_that_all_its_parts_have() -> None:
    assert (JENKINS + SPRING).faces == {Face.VALUE, Face.PIECES}
    assert (SPRING + CUBIC).faces == {Face.VALUE, Face.TAYLOR}
    assert (JENKINS + DAHL).faces == {Face.VALUE}
    assert Face.PIECES not in JENKINS.modulated(Q).faces
    assert DAHL.scaled(force=2.0).faces == DAHL.faces


def test_a_sum_is_linearised_part_by_part() -> None:
    law = JENKINS.scaled(deflection=2.0, force=3.0) + SPRING
    assert law.linearised("stick").stiffness == 3.0 * 2.0 * 2.0 + 0.5
    assert law.linearised("slip").stiffness == 0.5
    assert law.linearised("slip").damping == 0.125
    assert JENKINS.modulated(Q).linearised("stick").stiffness == 2.0  # times the mean
    assert (JENKINS + ss.DryFriction(limit=1.0)).linearised("stick").sticks


def test_a_state_that_no_part_has_is_refused(refused: Any) -> None:
    with refused("no part of it has the state 'contact'"):
        (JENKINS + SPRING).linearised("contact")


def test_combinations_are_equal_by_value_and_can_be_keys() -> None:
    one, two = JENKINS + SPRING.scaled(force=2.0), JENKINS + SPRING.scaled(force=2.0)
    assert one == two
    assert hash(one) == hash(two)
    assert {one: 1}[two] == 1
    assert one != SPRING.scaled(force=2.0) + JENKINS  # in another order
    assert one != JENKINS + SPRING
    assert JENKINS.modulated(Q) == JENKINS.modulated(ss.Fourier(mean=1.0, cos=(0.5,), frequency=3.0))
    assert JENKINS.modulated(Q) != JENKINS
    assert JENKINS.scaled() == JENKINS + ss.Linear() or JENKINS.scaled().terms[0].law == JENKINS


def test_a_combination_is_shown_as_it_can_be_written() -> None:
    law = JENKINS + SPRING.scaled(deflection=2.0) + CUBIC.modulated(Q)
    assert repr(law) == (
        "Jenkins(stiffness=2, limit=0.6) + Linear(stiffness=0.5, damping=0.125).scaled(deflection=2, force=1)"
        " + Polynomial(coefficients=(0, 1, 0, 0.25)).modulated(Fourier(1, cos=(0.5,), frequency=3))"
    )
    assert eval(repr(law), vars(ss) | {n: getattr(ss, n) for n in ss.__all__}) == law


def test_a_combination_is_frozen() -> None:
    with pytest.raises(AttributeError):
        (JENKINS + SPRING).terms = ()


def test_a_sum_asks_for_a_rate_if_one_part_does(refused: Any) -> None:
    law: Law = JENKINS + SPRING
    assert law.needs_rate
    assert not (JENKINS + CUBIC).needs_rate
    with refused("depends on the rate"):
        law.trace(U)
