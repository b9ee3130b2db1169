"""Dahl's family against quadrature of dx/dF, closed forms and an ODE solver."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from golden import table
from hypothesis import given
from hypothesis import strategies as st
from laws.reference_solutions import EPS, Tensioner, area, at_rest, distance, force_at

import slipstick as ss
from slipstick.laws.base import Law

GOLDEN = table("tensioner")
RIG = Tensioner
MDM = ss.ModifiedDahl(rate=RIG.rate, exponent=RIG.exponent, upper=RIG.upper, lower=RIG.lower)


# ---- the modified Dahl model, straight envelopes


# the distance to the envelope at the start: so much of a unit, and so much of the distance where it settles
STARTS = {
    "inside": ((0.0, 3.0), 0.0),
    "outside": ((-3.0, 0.0), 0.0),
    "on the envelope": ((0.0, 0.0), 0.0),
    "where it settles": ((0.0, 0.0), 1.0),
    "near where it settles": ((0.0, 0.0), 1.07),
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("slope", [1.0, -1.0, 0.0], ids=["rising", "falling", "level"])
@pytest.mark.parametrize("upwards", [True, False], ids=["up", "down"])
def test_a_branch_is_the_quadrature_of_its_equation(start: str, slope: float, upwards: bool) -> None:
    rng = np.random.default_rng([len(start), int(slope) + 1, upwards])
    s = 1.0 if upwards else -1.0
    for _ in range(4):
        mu = math.exp(rng.uniform(math.log(0.05), math.log(5.0)))
        rate, g = 10.0 ** rng.uniform(-1, 2), slope * 10.0 ** rng.uniform(-1, 1)
        rest = math.copysign((abs(g) / rate) ** (1.0 / mu), g) if g else 0.0
        if abs(rest) > 1e6:
            continue  # the envelope is then so far that nothing of it can be seen
        near, far = (1.0, g), (-1.0, rng.uniform(-0.5, 0.5))
        law = ss.ModifiedDahl(
            rate=rate,
            exponent=mu,
            upper=near if upwards else (-far[0], far[1]),
            lower=far if upwards else (-near[0], near[1]),
        )
        way = 10.0 ** rng.uniform(-4, 1)
        between, settled = STARTS[start]
        f0 = s * (1.0 - rng.uniform(*between) - settled * rest)
        y = distance(1.0 - s * f0, way, g, rate, mu)
        want = s * (1.0 + g * way - y)
        found, _ = law.update(s * way, s, at_rest(0.0, f0))
        # log(eta^mu) is known to the rounding of 37, the size of its table, there and back; log(eta) to 1/mu of that
        scale = 1.0 + abs(g * way) + abs(f0) + abs(rest)
        assert found == pytest.approx(want, abs=2 * 37 * EPS / min(mu, 1.0) * scale)


@pytest.mark.parametrize("mu", [0.05, 0.37, 0.8, 1.0, 1.7, 5.0])
@pytest.mark.parametrize("slopes", [(0.4, 0.3), (-0.3, 0.2), (0.0, 0.4), (0.5, -0.4)])
def test_one_step_and_ten_thousand_give_the_same_force(mu: float, slopes: tuple[float, float]) -> None:
    law = ss.ModifiedDahl(rate=3.0, exponent=mu, upper=(1.0, slopes[0]), lower=(-0.8, slopes[1]))
    turns = [0.0, 1.3, -0.9, 0.7, 0.2, 1.1]
    fine = np.concatenate([np.linspace(a, b, 10_001)[1:] for a, b in pairwise(turns)])
    assert np.abs(law.trace([0.0, *fine])[10_000::10_000] - law.trace(turns)[1:]).max() < 1e-12
    rng = np.random.default_rng(4)
    few = np.sort(rng.uniform(0.0, 1.3, 50))
    assert abs(law.trace([0.0, *few, 1.3])[-1] - law.trace([0.0, 1.3])[-1]) < 1e-12


def test_the_loop_of_the_tensioner_is_the_quadrature_of_equation_3() -> None:
    low, high = RIG.mean - RIG.swing, RIG.mean + RIG.swing
    (b, a), (e, d) = RIG.upper, RIG.lower
    f = 700.0
    for _ in range(3):  # from turning point to turning point until it repeats
        f = b + a * high - distance(b + a * low - f, high - low, a, RIG.rate, RIG.exponent)
        top = f
        f = e + d * low + distance(f - e - d * high, high - low, d, RIG.rate, RIG.exponent)
    for u in (3e-4, 8e-4):
        up = b + a * u - distance(b + a * low - f, u - low, a, RIG.rate, RIG.exponent)
        down = e + d * u + distance(top - e - d * high, high - u, d, RIG.rate, RIG.exponent)
        GOLDEN[f"mdm_up_{u:.0e}".replace("e-0", "e-")].assert_agrees(up)
        GOLDEN[f"mdm_down_{u:.0e}".replace("e-0", "e-")].assert_agrees(down)
        found = MDM.trace([low, high, low, high, low, u, high, u])
        assert found[5] == pytest.approx(up, abs=1e-9)
        assert found[7] == pytest.approx(down, abs=1e-9)


def test_a_loop_settles_beside_its_envelopes_not_on_them() -> None:
    way = np.array([0.0, 0.5, -0.02])  # hundreds of times the deflection on which it relaxes
    forces = MDM.trace(way)
    GOLDEN["upper_rest"].assert_agrees(RIG.upper[0] + RIG.upper[1] * way[1] - forces[1])
    GOLDEN["lower_rest"].assert_agrees(forces[2] - RIG.lower[0] - RIG.lower[1] * way[2])
    GOLDEN["upper_rest"].assert_agrees(MDM.upper_rest)
    GOLDEN["lower_rest"].assert_agrees(MDM.lower_rest)


def test_the_place_where_envelopes_cross_is_known_and_warned_of() -> None:
    crossing = MDM.crossing()
    assert crossing is not None
    GOLDEN["crossing"].assert_agrees(1e3 * crossing)
    with pytest.warns(UserWarning, match=r"beyond u = -0\.0308333 the upper envelope lies below the lower one"):
        MDM.start(-0.04)
    with pytest.warns(UserWarning, match="create energy"):
        MDM.trace([0.0, -0.031])  # on the way, not only at the start
    MDM.trace([0.0, -0.0308])
    assert ss.ModifiedDahl(rate=1.0, exponent=1.0, upper=(1.0, 0.2), lower=(-1.0, 0.2)).crossing() is None


def test_beyond_the_crossing_a_loop_does_create_energy() -> None:
    way = np.concatenate([np.linspace(-0.05, -0.04, 2000), np.linspace(-0.04, -0.05, 2000)])
    with pytest.warns(UserWarning, match="create energy"):
        forces = MDM.trace(np.tile(way, 3))
    assert area(way, forces[-4000:]) < 0.0


def steady_work(law: Law, ends: tuple[float, float]) -> float:
    """The work of one cycle after forty, and by how much it may be off where it has not quite settled."""
    cycle = np.concatenate([np.linspace(*ends, 60), np.linspace(*ends[::-1], 60)[1:]])
    forces = law.trace(np.tile(cycle, 41))[-cycle.size :]
    return area(cycle, forces) + abs(forces[-1] - forces[0]) * abs(ends[1] - ends[0])


slopes_of_envelopes = st.integers(-90, 90).map(lambda n: n / 100.0)


@given(
    mu=st.floats(0.1, 4.0),
    rate=st.floats(0.2, 20.0),
    slopes=st.tuples(slopes_of_envelopes, slopes_of_envelopes),
    ends=st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)),
)
def test_no_steady_loop_creates_energy_unless_the_law_has_warned_of_it(
    mu: float, rate: float, slopes: tuple[float, float], ends: tuple[float, float]
) -> None:
    law = ss.ModifiedDahl(rate=rate, exponent=mu, upper=(1.0, slopes[0]), lower=(-1.0, slopes[1]))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        work = steady_work(law, ends)
    assert work >= -1e-12 or warned


def test_envelopes_that_do_not_cross_are_not_enough() -> None:
    """Where the slope after a reversal is below that of the envelopes, small loops go the wrong way round."""
    law = ss.ModifiedDahl(rate=0.5, exponent=2.0, upper=(1.0, 0.0), lower=(-1.0, 0.75))
    with pytest.warns(UserWarning, match=r"reversal at u = 1 is below that of the envelopes, 0\.195312 < 0\.375"):
        assert steady_work(law, (0.0, 1.0)) < -4e-3


@pytest.mark.parametrize("mu", [0.4, 1.0, 2.0])
def test_a_branch_stays_where_it_settled(mu: float) -> None:
    law = ss.ModifiedDahl(rate=3.0, exponent=mu, upper=(1.0, 0.4), lower=(-0.8, 0.3))
    rest = (0.4 / 3.0) ** (1.0 / mu)
    _, memory = law.update(0.0, 0.0, at_rest(0.0, 1.0 - rest))
    for u in (1e-9, 0.1, 1.0, 50.0):
        assert law.update(u, 1.0, memory)[0] == pytest.approx(1.0 + 0.4 * u - rest, abs=4 * EPS * (1.0 + u))


@pytest.mark.parametrize("off", [1e-12, -1e-12, 1e-9])
def test_exponents_beside_one_go_over_into_exponent_one(off: float) -> None:
    turns = np.array([0.0, 0.7, -1.0, 0.3, 0.1, 2.0])
    for upper, lower in (((1.0, 0.4), (-0.8, 0.3)), ((1.0,), (-0.8,)), ((1.0, -0.2), (-0.8, 0.1))):
        one, other = (
            ss.ModifiedDahl(rate=3.0, exponent=mu, upper=upper, lower=lower).trace(turns) for mu in (1.0, 1.0 + off)
        )
        # d(|y|^mu)/dmu = |y|^mu log|y| is below 1 here, times rate * way, times what is carried over six branches
        assert np.abs(one - other).max() < abs(off) * 3.0 * 8.0 + 1e-13


@pytest.mark.parametrize("force", [1e-12, 1e-3, 1e4, 1e12])
@pytest.mark.parametrize("size", [1e-12, 1e5])
@pytest.mark.parametrize("mu", [0.37, 1.0, 2.2])
def test_the_size_of_the_numbers_does_not_matter(force: float, size: float, mu: float) -> None:
    turns = np.array([0.0, 0.7, -1.0, 0.3, 0.1, 2.0, 2.0, -3.0])
    plain = ss.ModifiedDahl(rate=3.0, exponent=mu, upper=(1.0, 0.4), lower=(-0.8, 0.3)).trace(turns)
    law = ss.ModifiedDahl(
        rate=3.0 * force ** (1.0 - mu) / size,
        exponent=mu,
        upper=(force, 0.4 * force / size),
        lower=(-0.8 * force, 0.3 * force / size),
    )
    np.testing.assert_allclose(law.trace(turns * size), plain * force, rtol=0, atol=1e-12 * force)


def test_no_way_no_change_and_the_smallest_way_hardly_any() -> None:
    for law in (MDM, ss.Dahl(stiffness=3.0, limit=0.8), ss.Dahl(stiffness=3.0, limit=0.8, exponent=0.5)):
        memory = law.start(0.0)
        f, memory = law.update(1e-4, 1.0, memory)
        assert law.update(1e-4, 1.0, memory) == (f, memory)
        for tiny in (5e-324, 1e-310, 1e-30):  # back by less than can be told, and on
            back, turned = law.update(1e-4 - tiny, -1.0, memory)
            assert back == f
            assert law.update(1e-4, 1.0, turned)[0] == f
        forces = law.trace([0.0, 5e-324, -5e-324, 1e-310, 0.0])
        assert np.ptp(forces) <= 1e-9


# ---- exponent one, constant envelopes


def duhem(f: float, u: float, end: float, rate: float, upper: tuple[float, float], lower: tuple[float, float]) -> float:
    """(2) integrated: the distance to the settled line decays exponentially."""
    s = 1.0 if end > u else -1.0
    b, a = upper if s > 0.0 else lower
    settled_here, settled_there = b + a * u - s * a / rate, b + a * end - s * a / rate
    return settled_there + (f - settled_here) * math.exp(-rate * abs(end - u))


def test_duhem_is_its_closed_form_and_the_modified_model_with_exponent_one() -> None:
    upper, lower, turns = (1.0, 0.4), (-0.8, -0.3), [0.0, 0.7, -1.0, 0.3, 0.1, 2.0, -2.0]
    want = [0.5 * (1.0 - 0.8)]
    for a, b in pairwise(turns):
        want.append(duhem(want[-1], a, b, 3.0, upper, lower))
    found = ss.Duhem(rate=3.0, upper=upper, lower=lower).trace(turns)
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-14)
    same = ss.ModifiedDahl(rate=3.0, exponent=1.0, upper=upper, lower=lower).trace(turns)
    np.testing.assert_array_equal(found, same)


def dahl_branch(q: float, x: float, i: float) -> float:
    """(5) integrated for three exponents: q = 1 - s F/F_C after a way x (in F_C/sigma), q > 0."""
    if i == 1.0:
        return q * math.exp(-x)
    if i == 0.5:
        return max(math.sqrt(q) - 0.5 * x, 0.0) ** 2
    return q / (1.0 + q * x)  # i = 2


@pytest.mark.parametrize("i", [0.5, 1.0, 2.0])
def test_dahl_follows_equation_5(i: float) -> None:
    sigma, limit, turns = 3.0, 0.8, [0.0, 0.2, -0.4, 0.1, -0.05, 1.5]
    want = [0.0]
    for a, b in pairwise(turns):
        s = math.copysign(1.0, b - a)
        q = dahl_branch(1.0 - s * want[-1] / limit, sigma * abs(b - a) / limit, i)
        want.append(s * limit * (1.0 - q))
    found = ss.Dahl(stiffness=sigma, limit=limit, exponent=i).trace(turns)
    np.testing.assert_allclose(found, want, rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("i", [0.3, 0.5, 1.0, 1.5, 3.0])
def test_the_slope_of_dahl_at_no_force_is_its_stiffness(i: float) -> None:
    law = ss.Dahl(stiffness=3.0, limit=0.8, exponent=i)
    _, slope, _ = law.tangent(1e-9, 1.0, law.start(0.0))
    assert slope == pytest.approx(3.0, rel=2 * i * 3.0 * 1e-9 / 0.8)  # it falls by i sigma/F_C of itself
    assert law.linearised().stiffness == 3.0
    assert law.linearised("slip").stiffness == 0.0


@given(i=st.floats(0.1, 4.0), way=st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=10))
def test_dahl_stays_between_its_limits(i: float, way: list[float]) -> None:
    assert np.all(np.abs(ss.Dahl(stiffness=3.0, limit=0.8, exponent=i).trace(way)) <= 0.8 * (1.0 + 2 * EPS))


@pytest.mark.parametrize("rate", [1e1, 1e2, 1e3, 1e6])
def test_a_stiff_dahl_model_is_coulomb_friction(rate: float) -> None:
    """Tensioner (1): after a reversal what is missing decays like exp(-Lambda x)."""
    way = np.concatenate([np.linspace(0.0, 1.0, 50), np.linspace(1.0, -1.0, 99)[1:], np.linspace(-1.0, 0.5, 70)[1:]])
    coulomb = ss.DryFriction(limit=0.7).trace(way)
    dahl = ss.Dahl(stiffness=0.7 * rate, limit=0.7).trace(way)
    since = np.concatenate([way[:50], 1.0 - way[50:148], way[148:] + 1.0])
    assert np.all(np.abs(dahl - coulomb) <= 2.0 * 0.7 * np.exp(-rate * since) + 4 * EPS)


def test_a_law_starts_midway_and_dahl_without_force() -> None:
    assert ss.Duhem(rate=3.0, upper=(1.0, 0.4), lower=(-0.5, 0.2)).trace([0.5])[0] == pytest.approx(0.25 + 0.3 * 0.5)
    law = ss.Dahl(stiffness=3.0, limit=0.8)
    assert law.trace([0.3])[0] == pytest.approx(0.8 * (1.0 - math.exp(-3.0 * 0.3 / 0.8)))  # led there from rest at 0
    assert law.trace([0.0])[0] == 0.0


def test_a_start_force_is_where_the_first_branch_begins() -> None:
    """Exponent 1 and level envelopes: from F0 at u0 the distance to the limit decays like exp(-rate (u - u0))."""
    law = ss.Duhem(rate=3.0, upper=(1.0,), lower=(-1.0,), start_force=0.4)
    u = np.array([0.2, 0.3, 0.6])
    np.testing.assert_allclose(law.trace(u), 1.0 - 0.6 * np.exp(-3.0 * (u - 0.2)), rtol=1e-12)
    np.testing.assert_allclose(law.trace(-u), -1.0 + 1.4 * np.exp(-3.0 * (u - 0.2)), rtol=1e-12)


@pytest.mark.parametrize("value", ["5", math.nan, 10**400, (1.0, 2.0)])
def test_a_start_force_that_is_no_force_is_refused(value: object, refused) -> None:
    with refused("ModifiedDahl: start_force must be"):
        ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=(1.0,), lower=(-1.0,), start_force=value)  # type: ignore[arg-type]


def test_a_start_force_is_no_part_of_the_law_that_is_identified() -> None:
    """Loops that were gone through before say nothing of it; it stays what the template has."""
    u = 0.5 * np.sin(np.linspace(0.0, 4.0 * np.pi, 400))
    law = ss.ModifiedDahl(rate=3.0, exponent=0.8, upper=(1.0, 0.2), lower=(-1.0, 0.1), start_force=0.25)
    fit = ss.identify(ss.Loop(u, law.trace(u)), law)
    assert "start_force" not in fit.parameters
    assert fit.law.start_force == 0.25
    assert fit.parameters["rate"].value == pytest.approx(3.0, rel=1e-3)


# ---- curved envelopes


@pytest.mark.parametrize("mu", [0.6, 1.0, 1.8])
@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ((1.0, 0.3, 0.1), (-1.0, 0.2, -0.1)),
        ((1.0, 0.3, 0.1), (-1.0, 0.2)),
        ((1.0, 0.3), (-1.0, 0.0, 0.0, 0.2)),
        ((1.0,), (-1.0, 0.2, 0.1)),
    ],
    ids=["both", "straight below", "straight above", "level above"],
)
def test_curved_envelopes_are_followed_beside_curved_and_straight_ones(
    mu: float, upper: tuple[float, ...], lower: tuple[float, ...]
) -> None:
    law = ss.ModifiedDahl(rate=2.0, exponent=mu, upper=upper, lower=lower)
    turns = [0.0, 0.5, 0.2, 0.7, -0.8, -0.1]
    force = 0.5 * (upper[0] + lower[0])
    want = [force]
    for a, b in pairwise(turns):
        side, s = (upper, 1.0) if b > a else (lower, -1.0)

        def slope(u: float, f: float, side: tuple[float, ...] = side, s: float = s) -> float:
            d = s * (sum(c * u**i for i, c in enumerate(side)) - f)
            return 2.0 * math.copysign(abs(d) ** mu, d)

        force = force_at(slope, a, force, b)
        want.append(force)
    np.testing.assert_allclose(law.trace(turns), want, rtol=0, atol=2e-11)  # the solver's 1e-12, over five branches


# ---- parameters


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ss.Duhem(rate=1.0, upper=(0.0,), lower=(1.0,)), "Duhem: upper must lie above lower, got 0 and 1"),
        (
            lambda: ss.ModifiedDahl(rate=1.0, exponent=0.5, upper=(1.0,), lower=(1.0,)),
            "ModifiedDahl: upper must lie above lower, got 1 and 1",
        ),
        (lambda: ss.ModifiedDahl(rate=0.0, exponent=0.5, upper=(1.0,), lower=(0.0,)), "rate must be > 0, got 0"),
        (lambda: ss.ModifiedDahl(rate=1.0, exponent=0.0, upper=(1.0,), lower=(0.0,)), "exponent must be > 0, got 0"),
        (
            lambda: ss.ModifiedDahl(rate=1e9, exponent=0.02, upper=(1.0, 1e2), lower=(-1.0, 1e2)),
            "(100/1e+09)^(1/0.02); raise the exponent",
        ),
        (
            lambda: ss.ModifiedDahl(rate=3.0, exponent=0.5, upper=(1.0, 0.1), lower=(-1.0, 1e-300)),
            "out of the range of numbers",
        ),
        (lambda: ss.Dahl(stiffness=1e300, limit=1e-300), "Dahl: stiffness/limit must be finite, got 1e+300/1e-300"),
        (lambda: ss.Dahl(stiffness=1.0, limit=0.0), "Dahl: limit must be > 0, got 0"),
        (lambda: ss.GeneralisedDahl(rate=1.0, envelope=3.0), "GeneralisedDahl: envelope must be a function"),
        (lambda: ss.GeneralisedDahl(rate=1.0, envelope=math.sin), "(u, direction, u_m, f_m)"),
    ],
)
def test_parameters_without_meaning_are_refused(make: Any, words: str, refused: Any) -> None:
    with refused(words):
        make()


@pytest.mark.parametrize(
    "law", [MDM, ss.Dahl(stiffness=2.0, limit=0.5), ss.Duhem(rate=2.0, upper=(1.0,), lower=(0.0,))]
)
def test_speed_does_not_matter(law: Law) -> None:
    way = np.random.default_rng(1).normal(size=50) * 1e-3
    t = np.cumsum(np.random.default_rng(2).uniform(0.1, 3.0, 50))
    np.testing.assert_array_equal(law.trace(way, t), law.trace(way))


def test_stick_and_slip_have_the_slopes_beside_a_reversal_and_far_from_it() -> None:
    law = ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=(1.0, 0.4), lower=(-0.8, 0.3))
    assert law.linearised("stick").stiffness == pytest.approx(3.0 * 0.9**0.4)
    assert law.linearised("slip").stiffness == pytest.approx(0.35)
