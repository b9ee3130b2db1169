"""A curve whose orbit grows without bound ends in words, soon; one that only grows a great deal does not."""

import numpy as np
import pytest
from periodic.analytic_families import Equation

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.curve_trace import trace_curve


class Growing(Equation):
    """Measured by its own size, as orbits are."""

    def scales(self, x, p):
        return np.abs(x)


def under_load(softest):
    """p x = 1, but for a spring that is left at the end: x = 1/(p + softest)."""
    return Growing(
        lambda x, p: (p + softest) * x - 1.0, lambda _x, p: p + softest, lambda x, _p: x, guess=lambda p: 1.0 / p
    )


def test_it_ends_in_words_with_what_was_reached():
    with pytest.raises(NotConverged, match=r"grows without bound as the curve comes near 0.*hold the motion") as caught:
        trace_curve(under_load(0.0), (1.0, 0.0))
    points = caught.value.partial.points
    assert points[-1].p < 1e-5
    assert points[-1].x[0] == pytest.approx(1.0 / points[-1].p, rel=1e-9)
    assert len(points) < 400


@pytest.mark.parametrize("softest", [1e-2, 1e-3])
def test_a_large_orbit_at_the_end_is_reached(softest):
    points = trace_curve(under_load(softest), (1.0, 0.0)).points
    assert points[-1].p == 0.0
    assert points[-1].x[0] == pytest.approx(1.0 / softest, rel=1e-9)


def test_a_spring_that_goes_under_a_mean_load():
    model = ss.Model()
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    model.load(x, ss.Constant(1.0))
    model.load(x, ss.Cosine(0.5, order=1))
    with pytest.raises(ss.NotConverged, match="grows without bound as the curve comes near 0") as caught:
        model.follow("spring.stiffness", between=(1.0, 0.0), frequency=0.8, method="shooting")
    last = caught.value.partial.points[-1]
    assert last.mean[0] == pytest.approx(1.0 / last.p, rel=1e-6)
