"""Where something sticks for a whole period, orbits are many: which of them a curve goes on from, and their band."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

LIMIT, DAMPING = 0.5, 0.1


def jenkins(force: float, mean: float = 0.0) -> ss.Model:
    """Two springs of 1 N/m, one of them behind a slider."""
    m = ss.Model("jenkins")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=DAMPING), name="base")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=LIMIT), name="slider")
    m.load(x, ss.Cosine(force, order=1) + ss.Constant(mean))
    return m


def stuck(force: float, omega):
    """The amplitude while the slider sticks."""
    return force / np.abs(2.0 - np.asarray(omega) ** 2 + 1j * DAMPING * np.asarray(omega))


def slips_at(force: float) -> list[float]:
    """The frequencies at which that amplitude is the limit over the stiffness."""
    roots = np.roots([1.0, DAMPING**2 - 4.0, 4.0 - (force / LIMIT) ** 2])
    return sorted(np.sqrt(roots[roots > 0.0]).tolist())


@pytest.mark.parametrize("force", [0.2, 0.7])
@pytest.mark.parametrize("between", [(0.2, 3.0), (3.0, 0.2)])
def test_a_slider_that_slips_only_near_resonance(force, between) -> None:
    curve = jenkins(force).frequency_response(between=between, method="shooting")
    assert {s["kind"] for s in curve.special} == {"grazing"}
    found = sorted(s["frequency"] for s in curve.special)
    np.testing.assert_allclose(found, slips_at(force), rtol=1e-7)
    w, amplitude = curve.data.frequency.values, curve.data.amplitude.values[:, 0]
    low, high = slips_at(force)
    near = 1e-7  # of the onset: nothing is told of points so close
    sticks = (w < low * (1.0 - near)) | (w > high * (1.0 + near))
    slips = (w > low * (1.0 + near)) & (w < high * (1.0 - near))
    np.testing.assert_allclose(amplitude[sticks], stuck(force, w[sticks]), rtol=1e-9)
    assert (amplitude[slips] > LIMIT).all()
    assert np.abs(curve.data["mean"].values[sticks | slips]).max() < 1e-9
    assert len(curve) < 250


def test_following_the_load_from_stick_into_slip() -> None:
    m = jenkins(0.1)
    curve = m.follow("forcing.amplitude", between=(0.1, 2.0), frequency=0.9, method="shooting")
    begins = LIMIT * abs(2.0 - 0.81 + 0.09j)
    assert [s["kind"] for s in curve.special] == ["grazing"]
    assert curve.special[0]["parameter"] == pytest.approx(begins, rel=1e-7)
    force, amplitude = curve.data.parameter.values, curve.data.amplitude.values[:, 0]
    np.testing.assert_allclose(amplitude[force < begins], stuck(force[force < begins], 0.9), rtol=1e-9)


def test_a_slider_far_from_its_limits_is_a_spring() -> None:
    """It has never slid, so it pulls by its whole deflection; a gap makes folds, which are those of the spring."""

    def gear(joint: ss.Law) -> ss.Model:
        m = ss.Model("gear")
        x = m.coordinate("x", inertia=1.0)
        m.connect(x, ss.Linear(stiffness=0.1, damping=0.08), name="base")
        m.connect(x, joint, name="joint")
        m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="gap")
        m.load(x, ss.Cosine(0.2, order=1))
        return m

    spring = gear(ss.Linear(stiffness=0.1)).frequency_response(between=(0.6, 1.6), method="shooting")
    for between in ((0.6, 1.6), (1.6, 0.6)):
        slider = gear(ss.Jenkins(stiffness=0.1, limit=100.0)).frequency_response(between=between, method="shooting")
        for kind in ("fold", "grazing"):
            own, other = (sorted(s["frequency"] for s in c.special if s["kind"] == kind) for c in (slider, spring))
            np.testing.assert_allclose(own, other, rtol=1e-7)
        assert {s["kind"] for s in slider.special} == {"fold", "grazing"}


def test_a_slider_that_the_mean_load_has_dragged_along(tmp_path) -> None:
    """1.4 N would stretch it beyond its limit: it is near the edge of its band that lies nearer to where it began."""
    curve = jenkins(0.1, mean=1.4).frequency_response(between=(0.2, 0.6), method="shooting")
    left = LIMIT - stuck(0.1, curve.data.frequency.values)
    np.testing.assert_allclose(curve.data["mean"].values[:, 0], 1.4 - 0.9 * left, atol=1e-7)
    np.testing.assert_allclose(curve.data.mean_low.values[:, 0], 1.4 - left, atol=1e-6)
    np.testing.assert_allclose(curve.data.mean_high.values[:, 0], 1.4 + left, atol=1e-6)
    np.testing.assert_allclose(curve.data.amplitude.values[:, 0], stuck(0.1, curve.data.frequency.values), rtol=1e-9)
    curve.save(tmp_path / "curve.nc")
    np.testing.assert_array_equal(ss.open(tmp_path / "curve.nc").data.mean_low, curve.data.mean_low)


def test_the_band_of_a_slider_that_never_slips() -> None:
    """Its spring may have any mean force within what the swing leaves of the limit; the other spring takes the rest."""
    orbit = jenkins(0.1, mean=0.2).periodic(frequency=0.6)
    swing = stuck(0.1, 0.6)
    low, high = orbit.band["x"]
    assert low == pytest.approx(0.2 - (LIMIT - swing), abs=1e-6)
    assert high == pytest.approx(0.2 + (LIMIT - swing), abs=1e-6)
    assert low - 1e-9 <= orbit.mean["x"] <= high + 1e-9
    assert jenkins(2.0).periodic(frequency=0.6).band == {}


def test_an_orbit_of_a_band_is_the_one_in_which_the_slider_has_never_slid() -> None:
    """However it was let go: the mean load is shared by both springs."""
    for displacement in (0.0, 2.0):
        m = jenkins(0.3, mean=0.1)
        m.coordinates[0].displacement = displacement
        orbit = m.periodic(frequency=0.5)
        assert any("never slips" in note for note in orbit.notes)
        assert np.abs(orbit.multipliers).max() == pytest.approx(1.0, abs=1e-9)
        low, high = orbit.band["x"]
        assert high - low == pytest.approx(2.0 * (LIMIT - stuck(0.3, 0.5)), rel=1e-6)
        assert orbit.mean["x"] == pytest.approx(0.05, abs=1e-8)


def test_the_band_of_a_block_that_never_slides() -> None:
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=2.0, damping=0.1), name="spring")
    m.connect(x, ss.DryFriction(limit=1.0), name="ground")
    m.load(x, ss.Cosine(0.4, order=1))
    orbit = m.periodic(frequency=0.6)
    assert orbit.mean["x"] == pytest.approx(0.1, rel=1e-14)
    assert orbit.band["x"] == pytest.approx((-0.3, 0.3), abs=1e-6)
    assert any("never slips" in note for note in orbit.notes)


def chain(force: float) -> ss.Model:
    m = ss.Model("chain")
    x = [m.coordinate(f"x{i}", inertia=1.0) for i in range(4)]
    for i in range(4):
        form = x[0] if i == 0 else x[i] - x[i - 1]
        m.connect(form, ss.Linear(stiffness=1.0, damping=0.05), name=f"spring{i}")
        m.connect(x[i], ss.Jenkins(stiffness=0.5, limit=0.2 + 0.05 * i), name=f"slider{i}")
    m.load(x[1], ss.Cosine(force, order=1))
    return m


@pytest.mark.long
def test_a_chain_with_sliders_that_begin_one_after_the_other() -> None:
    """By both methods the same within what harmonic balance says of its error."""
    exact = chain(0.3).frequency_response(between=(0.3, 2.5), method="shooting")
    assert len(exact) < 900
    assert exact.data.frequency.values.max() == 2.5
    slips = exact.data.stick_share.values.min(axis=0) < 1.0 - 1e-9
    assert slips.any()
    places = exact.data.frequency.values[::15]
    balanced = chain(0.3).frequency_response(at=places, method="harmonic-balance", harmonics=15)
    again = chain(0.3).frequency_response(at=places, method="shooting")
    apart = np.abs(balanced.data.amplitude.values - again.data.amplitude.values).max(axis=1)
    assert (apart <= balanced.data.error.values + 1e-9).all()


def stopped(joint: ss.Law) -> ss.Model:
    """A mass that hits a stop, with a joint beside it."""
    m = ss.Model("stop")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.1, damping=0.18), name="base")
    m.connect(x, ss.Contact(stiffness=20.0, gap=0.1), name="stop")
    m.connect(x, joint, name="joint")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


SPRING, NEVER_SLIPS = ss.Linear(stiffness=0.1), ss.Jenkins(stiffness=0.1, limit=100.0)


@pytest.mark.parametrize("omega", [2.0, 2.8])
def test_a_slider_that_never_slips_is_a_spring_beside_a_stop(omega) -> None:
    """On the way from rest nothing moves it, so that the orbit is that of a spring in its place, stable or not."""
    spring, slider = (stopped(joint).periodic(frequency=omega) for joint in (SPRING, NEVER_SLIPS))
    assert slider.amplitude["x"] == pytest.approx(spring.amplitude["x"], rel=1e-9)
    assert slider.mean["x"] == pytest.approx(spring.mean["x"], rel=1e-9)
    assert slider.stable == spring.stable
    assert any("never slips" in note for note in slider.notes)


@pytest.mark.parametrize("between", [(1.8, 3.0), (3.0, 1.8)])
def test_curves_with_a_slider_that_never_slips_are_those_of_a_spring(between) -> None:
    spring, slider = (stopped(joint).frequency_response(between=between) for joint in (SPRING, NEVER_SLIPS))
    assert [s["kind"] for s in slider.special] == ["period-doubling"]
    assert slider.special[0]["frequency"] == pytest.approx(spring.special[0]["frequency"], rel=1e-7)
    assert len(slider) < 1.5 * len(spring)


def test_an_orbit_that_is_given_keeps_its_place_in_the_band() -> None:
    """Let go from far away the slider has slid before it stuck: by how much, the force of its spring tells."""
    let_go = jenkins(0.1, mean=0.2)
    let_go.coordinates[0].displacement = 2.0
    settled = let_go.periodic(frequency=0.6, method="integration")
    assert abs(settled.mean["x"] - 0.1) > 0.01  # not that of a slider that has never slid
    orbit = jenkins(0.1, mean=0.2).periodic(frequency=0.6, start=settled)
    assert orbit.stats.method == "shooting"
    assert orbit.mean["x"] == pytest.approx(settled.mean["x"], abs=1e-7)
    again = jenkins(0.1, mean=0.2).periodic(frequency=0.7, start=orbit)
    assert again.mean["x"] == pytest.approx(orbit.mean["x"], abs=1e-9)


HOLDS, BESIDE, JOINT_LIMIT = 8e5, 1e5, 250.0  # [N/m] behind the slider and beside it, [N]


def preloaded(preload: float) -> ss.Model:
    """A mass of 20 kg on a joint that a constant force stretches."""
    m = ss.Model("joint")
    x = m.coordinate("x", inertia=20.0)
    law = ss.Masing(stiffness=HOLDS, limit=JOINT_LIMIT, parallel_stiffness=BESIDE, damping=50.0, preload=preload)
    m.connect(x, law, name="joint")
    m.load(x, ss.Cosine(150.0, order=1))
    return m


def joint_slips_at() -> float:
    """The frequency at which the swing of a stuck joint is the limit over the stiffness."""
    squares = np.roots(
        [20.0**2, 50.0**2 - 40.0 * (HOLDS + BESIDE), (HOLDS + BESIDE) ** 2 - (150.0 * HOLDS / JOINT_LIMIT) ** 2]
    )
    return float(np.sqrt(squares.min()))


@pytest.mark.parametrize("preload", [2.34, 50.0])
@pytest.mark.parametrize("between", [(100.0, 220.0), pytest.param((220.0, 100.0), marks=pytest.mark.long)])
def test_a_joint_under_a_preload_begins_to_slip_as_one_without(preload, between) -> None:
    """A slider slips one way only until the spring beside it has all of the preload: then it slips both ways.

    So the preload shifts the motion, and changes nothing else of it.
    """
    curve = preloaded(preload).frequency_response(between=between, method="shooting")
    w, amplitude = curve.data.frequency.values, curve.data.amplitude.values[:, 0]
    assert (w[0], w[-1]) == between
    assert (np.diff(w) * (between[1] - between[0]) > 0.0).all()
    assert [s["kind"] for s in curve.special] == ["grazing"]
    onset = joint_slips_at()
    assert curve.special[0]["frequency"] == pytest.approx(onset, rel=1e-7)
    sticks, slips = w < onset * (1.0 - 1e-7), w > onset * (1.0 + 1e-7)
    swing = 150.0 / np.abs(HOLDS + BESIDE - 20.0 * w**2 + 50j * w)
    np.testing.assert_allclose(amplitude[sticks], swing[sticks], rtol=1e-9)
    some = np.flatnonzero(slips)[::6]
    without = preloaded(0.0).frequency_response(at=w[some], method="shooting").data.amplitude.values[:, 0]
    np.testing.assert_allclose(amplitude[some], without, rtol=1e-8)
    mean = curve.data["mean"].values[:, 0]
    np.testing.assert_allclose(mean[slips], -preload / BESIDE, rtol=1e-8)
    aside = BESIDE * mean[sticks] + preload  # what the slider's spring holds of it
    left = 0.9 * (JOINT_LIMIT - HOLDS * swing[sticks])
    np.testing.assert_allclose(aside, np.minimum(preload * HOLDS / (HOLDS + BESIDE), left), atol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("preload", [0.0, 3.0, 40.0])
def test_two_joints_begin_and_end_to_slip_at_the_same_frequencies_from_both_ends(preload) -> None:
    found = []
    for between in ((60.0, 400.0), (400.0, 60.0)):
        m = preloaded(preload)
        y = m.coordinate("y", inertia=10.0)
        law = ss.Masing(stiffness=4e5, limit=100.0, parallel_stiffness=2e5, damping=30.0, preload=-0.5 * preload)
        m.connect(y - m["x"], law, name="upper")
        m.load(y, ss.Cosine(150.0, order=1))
        curve = m.frequency_response(between=between, method="shooting")
        assert curve.data.frequency.values[-1] == between[1]
        assert {s["kind"] for s in curve.special} == {"grazing"}
        found.append(sorted(s["frequency"] for s in curve.special))
    np.testing.assert_allclose(*found, rtol=1e-6)
