"""A drift of 20 N/s on the force of a loop whose amplitude varies: found, or refused."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.preparing.signal_conditioning import estimate_drift

T = np.linspace(0.0, 6.0, 3001)
RATE = 20.0  # [N/s]: 120 N over the test
LAWS = {
    "slipping": ss.Masing(stiffness=1e6, limit=500.0, parallel_stiffness=1e5),
    "stiff": ss.Masing(stiffness=1e6, limit=800.0, parallel_stiffness=4e5),
}
GROWING = {
    "from 0": T / 6.0,
    "from 0.6": 0.6 + 0.4 * T / 6.0,
    "step": np.where(T < 3.0, 0.6, 1.0),  # at a passage of zero for both frequencies
}


def drifting(law: ss.Masing, amplitude: object, hertz: float, rate: float = RATE) -> ss.Loop:
    u = 1e-3 * np.asarray(amplitude) * np.sin(2.0 * np.pi * hertz * T)
    return ss.Loop(u, law.trace(u, T) + rate * T, T)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("hertz", [0.7, 2.0])
@pytest.mark.parametrize("amplitude", GROWING.values(), ids=GROWING)
@pytest.mark.parametrize("rate", [RATE, 0.0, -RATE])
def test_drift_of_a_growing_loop_is_that_of_the_sensor(
    amplitude: object, hertz: float, law: ss.Masing, rate: float
) -> None:
    loop = drifting(law, amplitude, hertz, rate)
    clean = loop.without_drift()
    assert np.polyfit(T, loop.f - clean.f, 1)[0] * 6.0 == pytest.approx(rate * 6.0, abs=6.0)  # of 120 N
    assert np.ptp(loop.u - clean.u) < 1e-6  # of 1 mm: the deflection does not drift


def test_drift_of_the_deflection_of_a_growing_loop_is_removed() -> None:
    u = 1e-3 * (0.6 + 0.4 * T / 6.0) * np.sin(4.0 * np.pi * T)
    loop = ss.Loop(u + 1e-5 * T, LAWS["slipping"].trace(u, T) + RATE * T, T)
    clean = loop.without_drift()
    assert np.polyfit(T, loop.u - clean.u, 1)[0] == pytest.approx(1e-5, rel=0.02)
    assert np.polyfit(T, loop.f - clean.f, 1)[0] == pytest.approx(RATE, rel=0.05)


def test_drift_at_constant_amplitude_is_the_slope_of_the_means_of_cycles() -> None:
    loop = drifting(LAWS["slipping"], 1.0, 2.0)
    cycles = loop.cycles[1:]
    means = [cycle.f.mean() for cycle in cycles]
    assert estimate_drift(loop).force == float(np.polyfit(1.0 * np.arange(len(cycles)), means, 1)[0])
    assert loop.f[0] - loop.without_drift().f[0] == pytest.approx(-60.0, rel=0.01)


@pytest.mark.parametrize("amplitude", [1.0 - 0.5 * T / 6.0, np.where(T < 3.0, 1.0, 0.6)], ids=["slow", "step"])
def test_drift_of_a_loop_with_falling_amplitude_is_refused(amplitude: object) -> None:
    """Larger reversals before move the mean force of a Masing loop, by hundreds of N here."""
    with pytest.raises(ss.SlipstickError, match=r"its amplitude falls from .* keep cycles of one amplitude only"):
        drifting(LAWS["stiff"], amplitude, 2.0).without_drift()


def test_drift_of_a_one_sided_motion_that_grows_is_refused() -> None:
    u = 0.5e-3 * (0.4 + 0.6 * T / 6.0) * (1.0 - np.cos(4.0 * np.pi * T))
    with pytest.raises(ss.SlipstickError, match="amplitude and its middle both vary"):
        ss.Loop(u, LAWS["slipping"].trace(u, T), T).without_drift()


@pytest.mark.parametrize(
    ("amplitude", "hertz", "reason"),
    [("from 0.6", 0.4, "only 3 midpoints of branches show it"), ("from 0", 0.5, "branches lie on no line")],
)
def test_two_or_three_cycles_of_growing_amplitude_are_refused(amplitude: str, hertz: float, reason: str) -> None:
    with pytest.raises(ss.SlipstickError, match=reason):
        drifting(LAWS["slipping"], GROWING[amplitude], hertz).without_drift()


@pytest.mark.parametrize(("amplitude", "advised"), [(1.0, True), (1.0 - 0.5 * T / 6.0, False)])
def test_removal_is_advised_only_where_it_works(amplitude: object, advised: bool) -> None:
    fit = ss.identify(drifting(LAWS["slipping"], amplitude, 2.0, 10.0 * RATE), "masing")
    (note,) = [words for words in fit.notes if "linear in time" in words]
    assert ("without_drift()" in note) == advised


def test_a_force_that_is_constant_has_no_drift() -> None:
    loop = drifting(LAWS["slipping"], GROWING["from 0.6"], 2.0)
    assert estimate_drift(loop.changed("", f=np.full_like(T, 3.0))).force == 0.0


def test_drift_without_times_is_the_same() -> None:
    loop = drifting(LAWS["slipping"], GROWING["from 0.6"], 2.0)
    clean = ss.Loop(loop.u, loop.f).without_drift()
    np.testing.assert_allclose(clean.f, loop.without_drift().f, atol=1e-6)
