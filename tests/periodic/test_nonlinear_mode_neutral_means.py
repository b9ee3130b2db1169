"""Trains that sliders alone hold: once these slip nothing holds the means, and no answer may hang on their rounding."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.continuation.corrector import newton_at, scale_of
from slipstick.periodic.modes.nonlinear_mode import _checked_request

LIMIT, STIFFNESS = 0.3, 1.0


def train(last_bits: tuple[float, ...] = (0.0,) * 4, ground: float = 0.0) -> ss.Model:
    """Masses of 1, sliders between them, a spring in the place of the second; the last one may be held by a spring.

    last_bits : by which each mass is larger.
    """
    m = ss.Model("train")
    q = [m.coordinate(f"q{i}", inertia=1.0 + more) for i, more in enumerate(last_bits)]
    for i in range(3):
        slider = ss.Jenkins(stiffness=STIFFNESS, limit=LIMIT * (1.0 + 0.3 * i))
        m.connect(q[i] - q[i + 1], ss.Linear(stiffness=1.0) if i == 1 else slider, name=f"between {i}")
    if ground:
        m.connect(q[3], ss.Linear(stiffness=ground), name="ground")
    return m


@pytest.mark.long
def test_a_mode_goes_on_beyond_a_corner_the_same_way_whatever_the_last_bits() -> None:
    """Sliders begin to slip at 0.3 and 0.698, where the curve has corners: five of the six modes ended at the first."""
    rng = np.random.default_rng(1)
    bits = [(0.0,) * 4, *(tuple(2.2e-16 * rng.integers(0, 9, 4)) for _ in range(5))]
    ends = [train(own).nonlinear_mode(3, between=(0.3, 1.0)).data.isel(point=-1) for own in bits]
    for end in ends:
        assert float(end.amplitude) == pytest.approx(1.0)
        assert float(end.frequency) == pytest.approx(float(ends[0].frequency), rel=1e-9)
        assert float(end.damping_ratio) == pytest.approx(float(ends[0].damping_ratio), rel=1e-9)


@pytest.mark.parametrize("ground", [0.0, 1e-3])
def test_derivatives_have_full_rank_where_sliders_forget_their_means_and_change_only_along_these(ground: float) -> None:
    """Against central differences: all that equations tell is in the derivatives, and the rest holds the means."""
    family = _checked_request(train(ground=ground), mode=3 if not ground else 4, amplitudes=[1.0]).plan.family
    z = np.append(family.start(-0.5), -0.5)
    for p in (-0.5, -0.4, -0.3, -0.2, -0.1, 0.0):
        z = newton_at(family, z, p, scale_of(family, z, 1.0), 60).z
    x = z[:-1]
    own = family.linearise(x, 0.0).by_x
    step, size = 1e-6, x.size
    beside = [[family.linearise(x + s * step * e, 0.0).residual for s in (1.0, -1.0)] for e in np.eye(size)]
    meant = np.array([(a - b) / (2.0 * step) for a, b in beside]).T
    assert np.linalg.svd(own, compute_uv=False)[-1] > 1e-2
    means = family.balance.waves.width * np.arange(1, 3) - 1
    others = np.setdiff1d(np.arange(size), means)
    np.testing.assert_allclose(own[:, others], meant[:, others], atol=1e-4)
    assert np.abs(meant[:, means]).max() < 1e-8  # both sliders slip, and nothing tells where they do it
    np.testing.assert_allclose(own[np.ix_(means, means)], np.eye(2), atol=1e-8)
    np.testing.assert_allclose(own[np.ix_(others, means)], 0.0, atol=1e-8)


def test_a_mean_that_a_soft_spring_holds_is_where_that_holds_it() -> None:
    """A slider that slips to and fro carries none of a constant load: all of it is on the spring beside it."""
    soft, load = 0.02, 1e-3
    m = train()
    q = [m[f"q{i}"] for i in range(4)]
    for a, b in ((q[0], q[1]), (q[2], q[3])):
        m.connect(a - b, ss.Linear(stiffness=soft))
    m.load(q[0] - q[3], ss.Constant(load))
    mode = m.nonlinear_mode(3, amplitudes=np.linspace(0.8, 1.0, 9)).data
    mean = mode["mean"].values
    np.testing.assert_allclose(mean[:, 0] - mean[:, 1], load / soft, rtol=1e-7)
    np.testing.assert_allclose(mean[:, 2] - mean[:, 3], load / soft, rtol=1e-7)
    assert mode.iterations.values[1:].max() <= 8  # derivatives are those of the equations
