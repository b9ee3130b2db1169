"""Basins of attraction against published shares, plain runs and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from models import DUFFING, one_mass

import slipstick as ss
from slipstick.basins.shares import wilson_interval

BOX = {"x": (-2.0, 2.0), "x.velocity": (0.0, 2.0)}


def belt_oscillator(speed: float) -> ss.Model:
    """The belt oscillator of bSTAB (Stender and Hoffmann 2021): unit mass and stiffness, Stribeck friction."""
    m = ss.Model("belt oscillator")
    x = m.coordinate("x", inertia=1.0)
    belt = m.coordinate("belt", motion=ss.Ramp(speed))
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    friction = ss.DryFriction(limit=0.5, static_limit=1.0, stribeck_velocity=0.5, stribeck_exponent=1)
    m.connect(x - belt, friction, name="friction")
    return m


def sliding_rest(speed: float) -> float:
    """Where the spring balances the sliding friction of the belt."""
    return 0.5 + 0.5 * math.exp(-speed / 0.5)


def share_within(basins, name, expected):
    """True if a share differs from an expected one by no more than three binomial deviations."""
    deviation = math.sqrt(expected * (1.0 - expected) / len(basins.starts))
    return abs(basins.shares[name][0] - expected) <= 3.0 * deviation


def test_starts_of_the_belt_oscillator_end_at_rest_or_in_a_stick_slip_cycle():
    found = belt_oscillator(1.5).basins(BOX, count=300, workers=1)
    assert list(found.shares) == ["rest 1", "cycle 1"]
    assert share_within(found, "rest 1", 0.312)
    rest, cycle = found.motions
    assert rest.lowest[0] == pytest.approx(sliding_rest(1.5), abs=1e-3)
    assert cycle.highest[0] - cycle.lowest[0] == pytest.approx(2.0 * cycle.amplitude[0], rel=1e-3)


@pytest.mark.long
@pytest.mark.parametrize(("speed", "share", "within"), [(1.5, 0.312, 0.01), (1.175, 0.018, 0.01), (1.85, 1.0, 0.0)])
def test_shares_of_the_belt_oscillator_are_those_published(speed, share, within):
    found = belt_oscillator(speed).basins(BOX, count=4000)
    assert found.shares["rest 1"][0] == pytest.approx(share, abs=within)
    assert "none" not in found.shares


@pytest.mark.parametrize("law", ["duffing", "freeplay"])
def test_forced_oscillators_end_where_plain_runs_end(law):
    laws = {
        "duffing": {"spring": DUFFING},
        "freeplay": {"spring": ss.Linear(stiffness=1.0, damping=0.08), "gap": ss.Freeplay(stiffness=4.0, half_gap=0.5)},
    }[law]
    omega = {"duffing": 1.6, "freeplay": 1.35}[law]
    m = one_mass(laws, ss.Cosine(0.3, order=1), frequency=omega)
    found = m.basins({"x": (-2.0, 2.0), "x.velocity": (-2.0, 2.0)}, count=40, workers=1)
    assert {own.repeats for own in found.motions} == {1}
    period = 2.0 * math.pi / omega
    for start, label in zip(found.starts[:20], found.labels, strict=False):
        m.coordinates[0].displacement, m.coordinates[0].velocity = start.tolist()
        run = m.simulate(until=80 * period, samples=np.linspace(79 * period, 80 * period, 401))
        swing = 0.5 * np.ptp(run.data.displacement.values)
        assert found.motions[label].amplitude[0] == pytest.approx(swing, abs=2e-3)


def test_starts_that_stick_anywhere_share_one_band():
    m = one_mass({"spring": ss.Linear(stiffness=1.0, damping=0.05), "pad": ss.DryFriction(limit=0.3)})
    found = m.basins({"x": (-2.0, 2.0), "x.velocity": (-1.0, 1.0)}, count=100, workers=1)
    (band,) = found.motions
    assert band.is_band
    assert -0.3 - 1e-9 <= band.lowest[0] < -0.25  # nowhere but where friction balances the spring
    assert 0.25 < band.highest[0] <= 0.3 + 1e-9


def test_wells_are_told_apart_and_a_symmetric_pair_has_equal_shares():
    m = one_mass({"spring": ss.Polynomial(coefficients=(0.0, -1.0, 0.0, 1.0), damping=0.3)})
    found = m.basins({"x": (-2.0, 2.0), "x.velocity": (-1.0, 1.0)}, count=200, workers=1)
    assert sorted(round(float(own.lowest[0]), 3) for own in found.motions) == [-1.0, 1.0]
    assert share_within(found, "rest 1", 0.5)


def test_free_bodies_drift_and_a_softening_spring_lets_starts_escape():
    m = ss.Model("free pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x - y, ss.Linear(stiffness=1.0, damping=0.2))
    assert list(m.basins({"x.velocity": (0.5, 1.0)}, count=5).shares) == ["drift"]
    m = one_mass({"spring": ss.Polynomial(coefficients=(0.0, 1.0, 0.0, -1.0), damping=0.2)})
    found = m.basins({"x": (0.0, 2.0)}, count=40)
    boundary = found.starts[found.labels == 0].max()
    assert list(found.shares) == ["rest 1", "none"]
    assert 0.8 < boundary < 1.0  # released at rest beyond the saddle at 1 it escapes, and well within it does not


@pytest.mark.long
def test_results_of_worker_processes_are_the_same_and_resume_from_a_store(tmp_path):
    m = one_mass({"spring": DUFFING}, ss.Cosine(0.3, order=1), frequency=1.6)
    over, heard = {"x": (-2.0, 2.0)}, []
    alone = m.basins(over, count=120, workers=1)
    stored = m.basins(over, count=120, workers=1, store=tmp_path / "basins.sqlite", progress=heard.append)
    again = m.basins(over, count=120, store=tmp_path / "basins.sqlite")
    assert alone.shares == stored.shares == again.shares
    assert (alone.labels == stored.labels).all()
    assert heard[-1] == 1.0


def test_a_store_of_another_request_is_refused_in_words_of_basins(tmp_path, refused):
    m = one_mass({"spring": DUFFING}, ss.Cosine(0.3, order=1), frequency=1.6)
    over, store = {"x": (-2.0, 2.0)}, tmp_path / "basins.sqlite"
    m.basins(over, count=3, workers=1, store=store)
    for other in ({"count": 4}, {"count": 120}, {"count": 3, "seed": 1}):
        with refused("basins.sqlite has the basins of another model, frequency, over, count, seed", "another file"):
            m.basins(over, workers=1, store=store, **other)


def test_data_table_example_picture_and_words():
    m = one_mass({"spring": DUFFING}, ss.Cosine(0.3, order=1), frequency=1.6)
    found = m.basins({"x": (-2.0, 2.0), "x.velocity": (-2.0, 2.0)}, count=30)
    assert found.data.share.sum() == pytest.approx(1.0)
    assert found.data.ends_on.values.tolist() == found.to_pandas().ends_on.tolist()
    assert found.example("orbit 1") == {"x": found.starts[found.labels == 0][0, 0], "x.velocity": pytest.approx(
        found.starts[found.labels == 0][0, 1])}  # fmt: skip
    assert "30 starts" in repr(found)
    figure = found.plot()
    assert figure.axes[0].get_xlabel() == "start of x [SI]"
    assert found.plot(x="x.velocity", y="x").axes[0].get_xlabel().startswith("start velocity of x")
    with pytest.raises(ss.InvalidInput, match="orbit 9"):
        found.example("orbit 9")
    with pytest.raises(ss.InvalidInput, match="x must be one of"):
        found.plot(x="z")


def test_the_interval_of_wilson():
    assert wilson_interval(0, 100) == (0.0, pytest.approx(1.96**2 / (100 + 1.96**2), rel=1e-4))
    low, high = wilson_interval(50, 100)
    assert 0.5 - low == pytest.approx(high - 0.5)
    assert high == pytest.approx(0.5962, abs=1e-4)  # Newcombe (1998)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"over": {}}, "over must give ranges"),
        ({"over": {"y": (0, 1)}}, "no coordinate for"),
        ({"over": {"belt": (0, 1)}}, "prescribed motion"),
        ({"over": {"x": (1, 0)}}, "low < high"),
        ({"over": {"x": (0, math.inf)}}, "finite"),
        ({"over": BOX, "count": 0}, "count must be a whole number"),
        ({"over": BOX, "seed": -1}, "seed must be"),
        ({"over": BOX, "longest": 0}, "longest must be > 0"),
    ],
)
def test_bad_input_is_refused_in_one_line(given, words):
    with pytest.raises(ss.InvalidInput, match=words) as caught:
        belt_oscillator(1.5).basins(**given)
    assert "\n" not in str(caught.value)


def test_models_that_never_repeat_or_have_no_state_of_fixed_size_are_refused():
    m = one_mass({"spring": ss.Linear(stiffness=1.0)}, ss.Ramp(0.1))
    with pytest.raises(ss.InvalidInput, match="ramp"):
        m.basins({"x": (0, 1)})
    m = one_mass({"spring": ss.Linear(stiffness=1.0)}, ss.Signal([0.0, 1.0], [0.0, 1.0]))
    with pytest.raises(ss.InvalidInput, match="never repeat"):
        m.basins({"x": (0, 1)})
    m = one_mass({"iwan": ss.Iwan4(stiffness=1.0, limit=1.0, chi=-0.5, beta=1.0)})
    with pytest.raises(ss.MissingFace, match="reversals"):
        m.basins({"x": (0, 1)})
    m = ss.Model("belt with a slider")
    x, belt = m.coordinate("x", inertia=1.0), m.coordinate("belt", motion=ss.Ramp(1.0))
    m.connect(x, ss.Linear(stiffness=1.0))
    m.connect(x - belt, ss.Jenkins(stiffness=1.0, limit=1.0), name="pad")
    with pytest.raises(ss.MissingFace, match="steadily moving"):
        m.basins({"x": (0, 1)})


def test_an_orbit_that_begins_near_zero_displacement_is_one_motion():
    m = one_mass({"spring": ss.Linear(stiffness=1.0, damping=0.5)}, ss.Cosine(0.42, order=1), frequency=1.0)
    found = m.basins({"x": (-8.0, 8.0), "x.velocity": (-8.0, 8.0)}, count=20, workers=1)  # at resonance x = sin t
    assert [(own.name, own.share) for own in found.motions] == [("orbit 1", 1.0)]


@pytest.mark.parametrize("stiffness", [0.5, 1.0, 3.0])
def test_a_narrow_band_of_rests_is_one(stiffness):
    """The slider of a Jenkins law stays anywhere, and the rests are narrow beside the motions that lead to them."""
    slider = ss.Jenkins(stiffness=stiffness, limit=0.5)
    m = one_mass({"spring": ss.Linear(stiffness=1.0, damping=0.1), "slider": slider})
    found = m.basins({"x": (-2.0, 2.0), "x.velocity": (-2.0, 2.0)}, count=120, workers=1)
    (motion,) = found.motions
    assert motion.name == "rest 1"
    assert motion.is_band
    reach = 0.5  # where the spring balances the limit
    assert -reach <= motion.lowest[0] < motion.highest[0] <= reach


def test_separate_rests_of_a_model_with_memory_stay_apart():
    """Three wells at -1, 0 and 1 of x (x^2 - 1/4) (x^2 - 1), with a slider too soft to hold anything between."""
    spring = ss.Polynomial(coefficients=(0.0, 0.25, 0.0, -1.25, 0.0, 1.0), damping=0.2)
    m = one_mass({"spring": spring, "slider": ss.Jenkins(stiffness=1e-4, limit=1e-6)})
    found = m.basins({"x": (-1.3, 1.3)}, count=60, workers=1)
    assert sorted(round(float(own.lowest[0]), 2) for own in found.motions) == [-1.0, 0.0, 1.0]
