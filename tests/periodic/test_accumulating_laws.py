"""Laws whose memory moves one way only: their periodic motions are those of long use, or there are none."""

from __future__ import annotations

import numpy as np
import pytest
from laws.monotone_memory_laws import Counting, Damaged, Endless, Fading, Hardening, Healthy, Largest, Ratchet, Wearing

import slipstick as ss
from slipstick.laws.monotone_memory import long_use_limit, monotone_memories

SLIDER = {"stiffness": 4e5, "reach": 2e-3}
FADING = Fading(limit=100.0, floor=0.4, **SLIDER)
AT = [105.0, 150.0, 200.0, 240.0]
METHODS = [{"method": "shooting"}, {"method": "harmonic-balance", "harmonics": 31}]


def machine(law: ss.Law) -> ss.Model:
    m = ss.Model("machine")
    x = m.coordinate("x", inertia=10.0)
    m.connect(x, law + ss.Linear(stiffness=1e5, damping=50.0), name="joint")
    m.load(x, ss.Cosine(80.0, order=1))
    return m


def amplitudes(law: ss.Law, **how: object) -> np.ndarray:
    return np.asarray(machine(law).frequency_response(at=AT, **how).data.amplitude.sel(coordinate="x"))


@pytest.fixture(scope="module")
def peer() -> np.ndarray:
    """In long use each of the laws below is a slider with a constant limit of 40 N, whose orbits are exact."""
    return amplitudes(ss.Jenkins(stiffness=4e5, limit=40.0), method="shooting")


@pytest.mark.parametrize(
    "law",
    [
        FADING,
        Damaged(limit=100.0, floor=0.4, **SLIDER),
        Healthy(limit=100.0, floor=0.4, **SLIDER),
        Hardening(limit=20.0, multiple=2.0, **SLIDER),
        Fading(stiffness=4.0, limit=1e-3, reach=2e3, floor=0.4).scaled(deflection=1.0, force=1e5),
        Fading(stiffness=4e2, limit=100.0, reach=2.0, floor=0.4).scaled(deflection=1e3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("how", METHODS, ids=lambda how: how["method"])
def test_response_is_that_of_long_use(law: ss.Law, how: dict[str, object], peer: np.ndarray) -> None:
    np.testing.assert_allclose(amplitudes(law, **how), peer, rtol=1e-4)


def test_the_whole_curve_is_that_of_long_use_and_says_so() -> None:
    curve = machine(FADING).frequency_response(between=(110.0, 240.0))
    exact = machine(ss.Jenkins(stiffness=4e5, limit=40.0))
    sought = np.interp([120.0, 150.0, 180.0], curve.data.frequency, curve.data.amplitude.sel(coordinate="x"))
    found = exact.frequency_response(at=[120.0, 150.0, 180.0]).data.amplitude.sel(coordinate="x")
    np.testing.assert_allclose(sought, found, rtol=0.02)
    assert any('memory "way" of "joint" (Fading) moves one way only' in note for note in curve.notes)


def test_an_orbit_is_where_a_long_run_settles() -> None:
    m, omega = machine(FADING), 149.5
    orbit = m.periodic(frequency=omega)
    period = 2.0 * np.pi / omega
    run = m.simulate(until=150 * period, frequency=omega, samples=149 * period + period * np.linspace(0.0, 1.0, 401))
    settled = 0.5 * np.ptp(run.data.displacement.sel(coordinate="x").values)
    assert 0.5 * np.ptp(orbit.data.displacement.sel(coordinate="x").values) == pytest.approx(settled, rel=1e-4)
    assert any("moves one way only" in note for note in orbit.point.notes)


def test_a_count_of_reversals_that_softens_a_spring_ends_with_the_soft_one() -> None:
    soft = amplitudes(ss.Linear(stiffness=2e5), method="shooting")
    for how in METHODS:
        np.testing.assert_allclose(amplitudes(Counting(stiffness=4e5), **how), soft, rtol=1e-6)


def test_a_nonlinear_mode_is_that_of_long_use() -> None:
    modes = [
        machine(law).nonlinear_mode(1, amplitudes=[1e-4, 1e-3])
        for law in (FADING, ss.Jenkins(stiffness=4e5, limit=40.0))
    ]
    np.testing.assert_allclose(modes[0].data.frequency, modes[1].data.frequency, rtol=1e-9)
    assert any("moves one way only" in note for note in modes[0].notes)


@pytest.mark.parametrize("law", [Wearing(stiffness=4e5, wear=1e-6), Ratchet(stiffness=4e5)], ids=repr)
@pytest.mark.parametrize("how", METHODS, ids=lambda how: how["method"])
def test_what_never_settles_is_refused_in_a_line(law: ss.Law, how: dict[str, object]) -> None:
    with pytest.raises(
        ss.MissingFace, match=r'its memory "path" grows with every cycle .* method="integration"'
    ) as refusal:
        machine(law).frequency_response(between=(100.0, 200.0), **how)
    assert "\n" not in str(refusal.value)


def test_memory_that_ends_where_the_amplitude_leads_it_is_left_alone() -> None:
    law = Largest(stiffness=4e5, softening=1e3)
    assert long_use_limit(law) is law
    assert [own.limit for own in monotone_memories(law)] == [None]


@pytest.mark.parametrize("how", METHODS, ids=lambda how: how["method"])
@pytest.mark.parametrize(
    ("law", "name"),
    [(Largest(stiffness=4e5, softening=1e3), "largest"), (Endless(stiffness=4e5, limit=20.0, reach=2e-3), "way")],
    ids=repr,
)
def test_orbits_of_memory_that_stays_where_it_was_led_say_that_they_are_a_band(law, name, how) -> None:
    """Both methods have an orbit at 105 rad/s; a spring that was once led to 1 mm has another one."""
    m = machine(law)
    for notes in (m.frequency_response(at=[105.0], **how).notes, m.periodic(frequency=105.0, **how).point.notes):
        assert any(f'memory "{name}" of "joint"' in note and "a band of solutions" in note for note in notes)


@pytest.mark.parametrize(
    "law", [ss.Jenkins(stiffness=1e3, limit=2.0), ss.BoucWen(stiffness=1e3, ratio=0.1, beta=1.0, gamma=1.0)]
)
def test_laws_that_forget_keep_their_memory(law: ss.Law) -> None:
    assert long_use_limit(law) is law
    assert monotone_memories(law) == ()


def test_the_law_of_long_use_compiles_to_what_it_does_in_python() -> None:
    twin = long_use_limit(FADING)
    u = 1e-3 * np.sin(np.linspace(0.0, 30.0, 400))
    memory, forces = twin.start(0.0), []
    for own in u:
        force, memory = twin.update(own, 0.0, memory)
        forces.append(force)
    np.testing.assert_allclose(twin.trace(u), forces, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(twin.trace(u), ss.Jenkins(stiffness=4e5, limit=40.0).trace(u), rtol=1e-12, atol=1e-9)
