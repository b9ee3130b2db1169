"""Regions of several motions over two parameters, against one harmonic in closed form and curves beside the limit."""

from __future__ import annotations

import math

import pytest
from models import DUFFING, one_mass
from scipy.optimize import brentq

import slipstick as ss

DAMPING = 0.1
GEAR = {"shaft": ss.Linear(stiffness=0.2, damping=0.08), "mesh": ss.Freeplay(stiffness=1.0, half_gap=0.5)}


def duffing(load=0.2):
    return one_mass({"spring": DUFFING}, ss.Cosine(load, order=1), name="duffing")


def closed_cusp() -> tuple[float, float]:
    """(frequency, load) at the cusp of x'' + d x' + x + x^3 = F cos(w t) by one harmonic.

    With W = w^2 and the squared amplitude A, s = 1 - W + 3A/4: F^2 = A (s^2 + d^2 W). Folds: s^2 + d^2 W + 3/2 A s = 0,
    doubly at s = -3A/8, so that A = 8 (W - 1) / 9.
    """

    def square(w: float) -> float:
        return 8.0 / 9.0 * (w - 1.0)

    w = brentq(lambda w: DAMPING**2 * w - 27.0 / 64.0 * square(w) ** 2, 1.05, 3.0, xtol=1e-15)
    a = square(w)
    return math.sqrt(w), math.sqrt(a * ((3.0 / 8.0 * a) ** 2 + DAMPING**2 * w))


@pytest.fixture(scope="module")
def found():
    return duffing().jump_map(
        "forcing.amplitude", between=(0.03, 0.1), frequencies=(0.8, 1.5), method="harmonic-balance", harmonics=1
    )


def test_the_largest_load_without_a_jump_is_the_cusp_of_the_closed_form(found):
    frequency, load = closed_cusp()
    limit = found.largest_without_jump
    assert limit.kind == "cusp"
    assert limit.value == pytest.approx(load, abs=1e-8)
    assert limit.frequency == pytest.approx(frequency, abs=1e-8)
    assert found.jump_free == ((0.03, limit.value),)


@pytest.mark.long
def test_the_error_of_a_limit_covers_that_of_few_harmonics(found):
    more = duffing().jump_map(
        "forcing.amplitude", between=(0.04, 0.1), frequencies=(0.6, 2.0), method="harmonic-balance", harmonics=5
    )
    apart = abs(more.largest_without_jump.value - found.largest_without_jump.value)
    assert 0.0 < apart <= 1.05 * found.largest_without_jump.error


def test_a_jump_map_has_data_words_and_a_picture(found):
    assert found.data.sizes["point"] == sum(len(curve) for curve in found.curves)
    assert "no jump for forcing.amplitude 0.03 to 0.0515845" in repr(found)
    axes = found.plot().axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("frequency [rad/s]", "forcing.amplitude")
    assert {"fold", "limit", "several motions"} <= {text.get_text() for text in axes.get_legend().get_texts()}


@pytest.mark.long
def test_a_gear_jumps_above_the_limit_and_not_below():
    m = one_mass(GEAR, ss.Cosine(0.1, order=1), name="gear")
    limit = m.jump_map("forcing.amplitude", between=(0.01, 0.1), frequencies=(0.4, 0.9)).largest_without_jump
    assert limit.value > 0.5 * 0.08 * math.sqrt(0.2 - 0.04**2)  # below, the motion stays in the gap
    for factor, folds in ((0.99, 0), (1.01, 2)):
        curve = one_mass(GEAR, ss.Cosine(factor * limit.value, order=1)).frequency_response(between=(0.4, 0.9))
        assert sum(s["kind"] == "fold" for s in curve.special) == folds


def test_bad_requests_are_refused(refused):
    with refused("beside the frequency"):
        duffing().jump_map("frequency", between=(0.1, 0.2), frequencies=(0.6, 2.0))
    with refused("between"):
        duffing().jump_map("forcing.amplitude", between=(0.1,), frequencies=(0.6, 2.0))
    with refused("frequencies"):
        duffing().jump_map("forcing.amplitude", between=(0.1, 0.2), frequencies=(0.0, 2.0))
