"""Dry friction times a periodic function is dry friction whose limit is that function."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from models import one_mass

import slipstick as ss

LOAD = ss.Fourier(mean=1.0, cos=(0.5,), order=1)
TWICE = ss.Fourier(mean=2.0, cos=(1.0,), order=1)
PAIRS = {
    "plain": (ss.DryFriction(limit=TWICE), ss.DryFriction(limit=2.0).modulated(LOAD)),
    "scaled": (ss.DryFriction(limit=TWICE), ss.DryFriction(limit=1.0).modulated(LOAD).scaled(force=2.0)),
    "static": (
        ss.DryFriction(limit=TWICE, static_limit=ss.Fourier(mean=3.0, cos=(1.5,), order=1)),
        ss.DryFriction(limit=2.0, static_limit=3.0).modulated(LOAD),
    ),
    "touches zero": (
        ss.DryFriction(limit=ss.Fourier(mean=1.0, cos=(1.0,), order=1)),
        ss.DryFriction(limit=1.0).modulated(ss.Fourier(mean=1.0, cos=(1.0,), order=1)),
    ),
    "beside a spring": (
        ss.DryFriction(limit=TWICE) + ss.Linear(stiffness=0.3),
        ss.DryFriction(limit=2.0).modulated(LOAD) + ss.Linear(stiffness=0.3),
    ),
}


def oscillator(law: ss.Law) -> ss.Model:
    laws = {"spring": ss.Linear(stiffness=1.0, damping=0.05), "friction": law}
    return one_mass(laws, ss.Cosine(5.0, order=1), frequency=1.3)


@pytest.mark.parametrize("name", PAIRS)
def test_runs_and_orbits_are_the_same(name: str, tmp_path: object) -> None:
    limit, times = (oscillator(law) for law in PAIRS[name])
    methods = ["exact"] if name == "static" else ["exact", "inclusion"]
    for method in methods:
        ends = [m.simulate(until=10.0, method=method).data.displacement.values[-1, 0] for m in (limit, times)]
        assert ends[0] == ends[1]
    assert times.periodic(frequency=1.3).amplitude["x"] == limit.periodic(frequency=1.3).amplitude["x"]
    path = f"{tmp_path}/model.yaml"
    times.save(path)
    assert ss.open(path).periodic(frequency=1.3).amplitude["x"] == limit.periodic(frequency=1.3).amplitude["x"]


def test_its_damper_is_multiplied_too() -> None:
    t = np.linspace(0.0, 6.0, 61)
    u, q = np.sin(t), 1.0 + 0.5 * np.cos(1.3 * t)
    law = ss.DryFriction(limit=1.0, damping=0.2)
    np.testing.assert_allclose(law.modulated(LOAD).trace(u, t, frequency=1.3), q * law.trace(u, t), atol=1e-12)
    apart = ss.DryFriction(limit=LOAD) + ss.Linear(damping=0.2).modulated(LOAD)
    ends = [
        oscillator(own).simulate(until=10.0, method="inclusion").data.displacement.values[-1, 0]
        for own in (law.modulated(LOAD), apart)
    ]
    assert ends[0] == ends[1]


def test_the_smooth_stand_in_is_multiplied() -> None:
    smooth = ss.DryFriction(limit=1.0).modulated(LOAD).regularised("sqrt", rounding=0.1, width=1e-3)
    assert repr(smooth) == repr(ss.DryFriction(limit=1.0).regularised("sqrt", rounding=0.1, width=1e-3).modulated(LOAD))


def test_a_factor_below_zero_is_refused_with_the_way_out() -> None:
    negative = ss.Fourier(mean=0.2, cos=(0.5,), order=1)
    with pytest.raises(ss.MissingFace, match="may be negative; as the limit of the law it is cut off at zero"):
        oscillator(ss.DryFriction(limit=1.0).modulated(negative)).simulate(until=1.0, method="exact")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oscillator(ss.DryFriction(limit=negative)).simulate(until=1.0, method="exact")
