"""Regions of several motions over two parameters, against one harmonic in closed form and curves beside the limit."""

from __future__ import annotations

import math

import pytest
from models import DUFFING, one_mass
from scipy.optimize import brentq

import slipstick as ss
from slipstick.branch_search import jump_map as jump_maps
from slipstick.results.curve import Curve
from slipstick.results.special_curve import SpecialCurve

DAMPING = 0.1
GEAR = {"shaft": ss.Linear(stiffness=0.2, damping=0.08), "mesh": ss.Freeplay(stiffness=1.0, half_gap=0.5)}


def duffing(load=0.2):
    return one_mass({"spring": DUFFING}, ss.Cosine(load, order=1), name="duffing")


def closed_cusp(damping: float = DAMPING) -> tuple[float, float]:
    """(frequency, load) at the cusp of x'' + d x' + x + x^3 = F cos(w t) by one harmonic.

    With W = w^2 and the squared amplitude A, s = 1 - W + 3A/4: F^2 = A (s^2 + d^2 W). Folds: s^2 + d^2 W + 3/2 A s = 0,
    doubly at s = -3A/8, so that A = 8 (W - 1) / 9.
    """

    def square(w: float) -> float:
        return 8.0 / 9.0 * (w - 1.0)

    w = brentq(lambda w: damping**2 * w - 27.0 / 64.0 * square(w) ** 2, 1.05, 3.0, xtol=1e-15)
    a = square(w)
    return math.sqrt(w), math.sqrt(a * ((3.0 / 8.0 * a) ** 2 + damping**2 * w))


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


ONE_HARMONIC = {"frequencies": (0.8, 1.5), "method": "harmonic-balance", "harmonics": 1}


def one_harmonic_map(**how):
    return duffing().jump_map("forcing.amplitude", between=(0.03, 0.07), **{**ONE_HARMONIC, **how})


def test_a_fold_that_cannot_be_followed_makes_the_map_unknown_around_it(monkeypatch):
    def failing(*_):
        raise ss.NotConverged("the corrector stalled")

    monkeypatch.setattr(Curve, "track", failing)
    found = one_harmonic_map()  # folds at 0.06 and 0.07: the cusp is at 0.0516
    assert found.jump_free == ((0.03, 0.05),)
    assert found.unknown == ((0.05, 0.07),)
    limit = found.largest_without_jump
    assert (limit.kind, limit.value, math.isnan(limit.error)) == ("unknown", 0.05, True)
    assert "UNKNOWN for forcing.amplitude 0.05 to 0.07" in repr(found)
    assert "forcing.amplitude 0.06, was not followed: the corrector stalled" in repr(found)
    assert "unknown" in {text.get_text() for text in found.plot().axes[0].get_legend().get_texts()}


def test_a_curve_of_folds_that_stalls_makes_the_map_unknown_beyond_its_end(monkeypatch):
    follow = Curve.track

    def stalling(self, special, parameter, between):
        whole = follow(self, special, parameter, between)
        some = next(k for k, p in enumerate(whole.points) if p.second < 0.062)
        curve = SpecialCurve(whole.kind, whole.parameters, whole.scales, whole.points[:some], {}, whole.names)
        curve.ended = "the continuation stalled"
        return curve

    monkeypatch.setattr(Curve, "track", stalling)
    found = one_harmonic_map(levels=3)  # at 0.03, 0.05 and 0.07
    assert found.jump_free == ((0.03, 0.05),)
    assert found.largest_without_jump.kind == "unknown"
    assert "the continuation stalled" in repr(found)


def test_a_response_that_ends_early_makes_the_map_unknown_around_its_value(monkeypatch):
    respond = jump_maps.frequency_response

    def ending(system, **how):
        curve = respond(system, **how)
        if abs(system.loads[0].function.amplitude - 0.04) > 1e-9:
            return curve
        raise ss.NotConverged("the corrector gave up", curve)

    monkeypatch.setattr(jump_maps, "frequency_response", ending)
    found = one_harmonic_map()
    assert found.jump_free == ((0.05, pytest.approx(closed_cusp()[1], abs=1e-8)),)
    assert found.unknown == ((0.03, 0.05),)
    assert found.largest_without_jump is None
    assert "forcing.amplitude 0.04 is not complete: the corrector gave up" in repr(found)


def test_folds_of_other_amplitude_at_nearly_the_same_frequency_are_followed_too():
    m = ss.Model("two masses")
    dampings = {"x": DAMPING, "y": 0.95 * DAMPING}  # whose cusps are 0.0038 apart, between the same two levels
    masses = [m.coordinate(name, inertia=1.0) for name in dampings]
    for mass, (name, damping) in zip(masses, dampings.items(), strict=True):
        m.connect(mass, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0), damping=damping), name=f"spring {name}")
    m.load(masses[0] + masses[1], ss.Cosine(0.06, order=1))
    found = m.jump_map("forcing.amplitude", between=(0.03, 0.06), **{**ONE_HARMONIC, "frequencies": (0.8, 4.0)})
    assert found.largest_without_jump.value == pytest.approx(closed_cusp(0.95 * DAMPING)[1], abs=1e-8)


def test_more_levels_are_closer_and_stated():
    notes = one_harmonic_map(levels=9).notes[0]
    assert "at 9 values of forcing.amplitude, 0.005 apart" in notes
    assert "missed" in notes


def test_bad_requests_are_refused(refused):
    with refused("beside the frequency"):
        duffing().jump_map("frequency", between=(0.1, 0.2), frequencies=(0.6, 2.0))
    with refused("between"):
        duffing().jump_map("forcing.amplitude", between=(0.1,), frequencies=(0.6, 2.0))
    with refused("at least 2", "levels"):
        duffing().jump_map("forcing.amplitude", between=(0.1, 0.2), frequencies=(0.6, 2.0), levels=1)
    with refused("frequencies"):
        duffing().jump_map("forcing.amplitude", between=(0.1, 0.2), frequencies=(0.0, 2.0))
