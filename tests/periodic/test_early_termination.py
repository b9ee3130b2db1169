"""What would never end is told in one line, soon: frequencies, orders, dampers and loads far beyond any machine.

Every one of these was a computation that nobody saw the end of. They are bounded by counts of steps, which a model of
ordinary numbers beside each of them stays well within.
"""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import solve_scaled


def ends(words: str, computed) -> None:
    with pytest.raises(NotConverged, match=words) as failure:
        computed()
    assert "\n" not in str(failure.value)


def test_derivatives_that_are_no_numbers_are_refused():
    """Least squares in LAPACK never came back from them, and could not be interrupted."""
    for bad in (np.nan, np.inf):
        matrix = np.eye(3)
        matrix[1, 2] = bad
        ends("not finite", lambda matrix=matrix: solve_scaled(matrix, np.ones(3), np.ones(3)))


def test_a_load_too_small_to_compute_with():
    ends("may be too small or too large", lambda: ss.systems.fibre(amplitude=1e-300).periodic())


@pytest.mark.parametrize("method", ["auto", "shooting"])
def test_one_orbit_at_a_frequency_that_a_curve_refuses(method):
    """It said that it passed, with an error of twice its motion."""
    model = ss.systems.torsional()
    words = "a period holds 1.0e\\+07 oscillations .* take higher frequencies"
    ends(words, lambda: model.periodic(frequency=1e-7, method=method))
    ends(words, lambda: model.frequency_response(at=[1e-7], method=method))
    orbit = model.periodic(frequency=1e-5, method=method)
    assert orbit.certificate.error < 1e-9


def test_one_orbit_over_which_a_damper_outlasts_everything():
    ends("oscillations of the slowest mode", lambda: ss.systems.tensioner(frequency=1e-6).periodic())


def test_a_damper_that_no_modes_serve_for():
    def run(damping):
        return ss.systems.torsional(damping).simulate(until=10.0, frequency=0.9)

    ends("a damper, a spring or a load is so fast .* more would be needed \\(limit 3e\\+07", lambda: run(1e8))
    assert run(1e7).certificate.passed


def test_what_was_reached_is_kept():
    with pytest.raises(NotConverged) as failure:
        ss.systems.torsional(order=1e12).simulate(10.0, frequency=0.9)
    reached = failure.value.partial.data["time"].values
    assert 0.0 <= reached[-1] < 1e-3


def test_a_load_of_a_great_order():
    ends("so fast that steps are of", lambda: ss.systems.torsional(order=1e12).periodic(frequency=0.9))
    assert ss.systems.torsional(order=1000).simulate(1.0, frequency=0.9).certificate.passed


def test_adaptive_steps_over_a_load_of_a_great_frequency():
    ends(
        "a load or motion of 1e\\+12 rad/s takes at least .* steps in 0.002 s .*; take a run of",
        lambda: ss.systems.clutch(frequency=1e12).simulate(2e-3),
    )


def test_adaptive_steps_that_a_damper_keeps_short():
    model = ss.systems.clutch(bearing_damping=1e13)
    ends("more would be needed \\(most_steps: 50000000\\)", lambda: model.simulate(2e-3))
    ends("a period takes more than .* harmonic-balance", model.periodic)
