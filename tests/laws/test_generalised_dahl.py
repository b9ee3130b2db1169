"""Dahl's law with any envelope: closed branches, and envelopes of all kinds of users."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from laws.reference_solutions import at_rest, force_at

import slipstick as ss
from slipstick.laws import envelopes

SIGMA, LIMIT, C2, XI, POLY = 1.5, 0.8, 0.3, 0.37, (0.0, 0.4, 0.1, 0.2)
RATE = SIGMA / LIMIT


def polynomial(u: float) -> float:
    return sum(c * u**i for i, c in enumerate(POLY))


def hysteresis(x: float) -> float:
    """(31): the stress gained x beyond a reversal."""
    return 2.0 * LIMIT * (1.0 - math.exp(-RATE * x))


def overshoot(x: float) -> float:
    """(16b), (17): what the second part takes away."""
    return 2.0 * C2 * (1.0 - math.exp(-XI * RATE * x))


def by_the_user(u: float, s: float, u_m: float, f_m: float) -> float:
    return 2.0 * 0.8 + f_m * s + 0.0 * (u - u_m)


# the envelope, what a branch gains x beyond its reversal, and whether the polynomial comes on top
ENVELOPES: dict[str, tuple[Any, Callable[[float], float], bool]] = {
    "(9)": (envelopes.dynamic_hysteresis(LIMIT), hysteresis, False),
    "(14)": (envelopes.with_polynomial(SIGMA, LIMIT, POLY), hysteresis, True),
    "(21)": (envelopes.bliman_sorine(SIGMA, LIMIT, C2, XI), lambda x: hysteresis(x) - overshoot(x), False),
    "(23)": (envelopes.full(SIGMA, LIMIT, C2, XI, POLY), lambda x: hysteresis(x) - overshoot(x), True),
    "(9) by the user": (by_the_user, hysteresis, False),
}


@pytest.mark.parametrize("name", ENVELOPES)
def test_the_generalised_model_integrates_to_the_closed_branches(name: str) -> None:
    envelope, gained, bends = ENVELOPES[name]
    law = ss.GeneralisedDahl(rate=RATE, envelope=envelope)
    turns, forces = [0.2, 1.1, -0.6, 0.4, 0.0, 2.5], [-0.3]
    for a, b in pairwise(turns):
        rest = polynomial(b) - polynomial(a) if bends else 0.0
        forces.append(forces[-1] + math.copysign(gained(abs(b - a)), b - a) + rest)
    found = law.trace(turns, memory=at_rest(0.2, -0.3))
    np.testing.assert_allclose(found, forces, rtol=0, atol=1e-11)  # promised: 1e-12 of the force a branch


def test_an_exponent_of_the_generalised_model_means_what_it_means_in_equation_8() -> None:
    i = 0.6
    law = ss.GeneralisedDahl(rate=SIGMA / LIMIT**i, envelope=envelopes.dynamic_hysteresis(LIMIT), exponent=i)
    want = force_at(lambda _, f: SIGMA * (2.0 - (f - 0.1) / LIMIT) ** i, 0.0, 0.1, 0.5)
    assert law.update(0.5, 1.0, at_rest(0.0, 0.1))[0] == pytest.approx(want, abs=1e-11)


def the_asymptote(u: float, s: float, u_m: float, f_m: float) -> float:
    return 0.8 + 0.4 * u * s + 0.0 * (u_m + f_m)


def test_h_is_not_the_asymptote() -> None:
    """A first-order law that is told a sloping asymptote as h settles beside it; (14) settles on it."""
    slope = 0.4
    told = ss.GeneralisedDahl(rate=RATE, envelope=the_asymptote)
    on_it = ss.GeneralisedDahl(rate=RATE, envelope=envelopes.with_polynomial(SIGMA, LIMIT, (0.0, slope)))
    far = 30.0 / RATE
    asymptote = LIMIT + slope * far
    assert asymptote - told.trace([0.0, far])[-1] == pytest.approx(slope / RATE, abs=1e-9)
    # a branch of (14) from a tip of the symmetric loop, P(u_m) - tau_C
    start = at_rest(-far, -LIMIT - slope * far)
    assert on_it.update(far, 1.0, start)[0] == pytest.approx(asymptote, abs=1e-9)
    assert envelopes.with_polynomial(SIGMA, LIMIT, (0.0, slope))(far, 1.0, -far, start[1]) == pytest.approx(
        asymptote + slope / RATE
    )


def with_a_pole(u: float, s: float, u_m: float, f_m: float) -> float:
    return 1.0 / (u - 0.5) ** 2 + 0.0 * (s + u_m + f_m)


def test_a_branch_that_cannot_be_integrated_is_refused(refused: Any) -> None:
    law = ss.GeneralisedDahl(rate=2.0, envelope=with_a_pole)
    with refused("the force of GeneralisedDahl", "at sample 2 (u = 1)", error=ss.NotConverged):
        law.trace([0.0, 0.25, 1.0])


class Envelope:
    """A callable that no compiler takes."""

    def __call__(self, u: float, s: float, u_m: float, f_m: float) -> float:
        return {"limit": 1.6}["limit"] + f_m * s


def test_an_envelope_that_cannot_be_compiled_is_called_in_python(caplog: pytest.LogCaptureFixture) -> None:
    law = ss.GeneralisedDahl(rate=RATE, envelope=Envelope())
    plain = ss.GeneralisedDahl(rate=RATE, envelope=envelopes.dynamic_hysteresis(LIMIT))
    turns = [0.0, 0.5, -0.2, 0.4]
    np.testing.assert_allclose(law.trace(turns), plain.trace(turns), rtol=0, atol=1e-14)
    assert caplog.messages == [
        "the envelope cannot be compiled and runs in Python, some 20 times slower; write it as a plain function"
    ]


class Fragile:
    """Fails beyond a deflection."""

    def __call__(self, u: float, s: float, u_m: float, f_m: float) -> float:
        return {"near": 1.0}["near" if abs(u) < 0.3 else "far"]


def test_an_envelope_that_fails_is_not_taken_for_zero(refused: Any, caplog: pytest.LogCaptureFixture) -> None:
    with refused("the force of GeneralisedDahl", "nan at sample 1", error=ss.NotConverged):
        ss.GeneralisedDahl(rate=RATE, envelope=Fragile()).trace([0.0, 0.5])
    assert "'far'" in caplog.messages[1]


def test_a_start_force_of_a_generalised_law_is_where_it_begins() -> None:
    def level(u, s, u_m, f_m):  # noqa: ARG001
        return 1.0

    law = ss.GeneralisedDahl(rate=3.0, envelope=level, start_force=0.4)
    assert law.trace([0.0, 0.5])[1] == pytest.approx(1.0 - 0.6 * math.exp(-1.5), rel=1e-11)
