"""Modes say in which state, or at which rate, friction was taken where a motion makes it slide."""

from __future__ import annotations

import pytest

import slipstick as ss


def belt(law: ss.Law, motion: object = None, velocity: float = 0.0) -> ss.Model:
    m = ss.Model("belt")
    x = m.coordinate("x", inertia=1.0, velocity=velocity)
    y = m.coordinate("y", inertia=1.0)
    other = m.coordinate("belt", motion=motion) if motion is not None else 0.0 * y
    m.connect(x, ss.Linear(stiffness=100.0, damping=0.33), name="spring")
    m.connect(x - y, ss.Linear(stiffness=50.0), name="link")
    m.connect(x - other, law, name="rub")
    return m


FRICTION = ss.DryFriction(limit=1.0)
STRIBECK = ss.LuGre(
    bristle_stiffness=1e4, bristle_damping=10.0, viscous=0.1, coulomb=1.0, static=1.5, stribeck_velocity=0.1
)


@pytest.mark.parametrize(
    "law", [FRICTION, STRIBECK, ss.Jenkins(stiffness=5.0, limit=1.0), FRICTION + ss.Linear(damping=1.0)]
)
@pytest.mark.parametrize("motion", [ss.Sine(0.1, frequency=2.0), ss.Cosine(0.1, order=1)])
def test_a_swinging_belt_is_reported_with_the_state_that_was_taken(law: ss.Law, motion: object) -> None:
    found = belt(law, motion).modes()
    (note,) = (note for note in found.notes if "slides" in note)
    assert '"rub" slides at' in note
    assert "is taken in stick" in note
    assert 'state={"rub": "slip"}' in note
    assert note in repr(found)


@pytest.mark.parametrize("law", [STRIBECK, ss.Jenkins(stiffness=5.0, limit=1.0)])
def test_a_law_with_memory_on_a_running_belt_is_taken_in_stick(law: ss.Law) -> None:
    assert any("is taken in stick" in note for note in belt(law, ss.Ramp(0.1)).modes().notes)


@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_friction_on_a_running_belt_is_linearised_at_its_rate(damping: float) -> None:
    law = FRICTION + ss.Linear(damping=damping) if damping else FRICTION
    found = belt(law, ss.Ramp(0.1)).modes()
    (note,) = (note for note in found.notes if "slides" in note)
    assert '"rub" slides at 0.1' in note
    assert "is linearised there" in note
    assert 'state={"rub": "stick"} holds it' in note
    slips = belt(law).modes(state={"rub": "slip"} if not damping else {"rub": ("slip",)})
    assert found.damping_ratio == pytest.approx(slips.damping_ratio, rel=1e-12)
    stuck = belt(law, ss.Ramp(0.1)).modes(state={"rub": "stick"})
    assert len(stuck.eigenvalues) == 1


def test_an_initial_velocity_makes_it_slide_too() -> None:
    assert any("is taken in stick" in note for note in belt(FRICTION, velocity=2.0).modes().notes)


def test_a_smooth_law_is_taken_at_rest_and_says_so() -> None:
    smooth = FRICTION.regularised("tanh", sharpness=50.0)
    assert any("is taken at rest" in note for note in belt(smooth, ss.Ramp(0.1)).modes().notes)


def test_slip_that_changes_with_the_rate_says_so() -> None:
    notes = belt(STRIBECK, ss.Ramp(0.1)).modes(state={"rub": "slip"}).notes
    assert any("in slip without what its force does over the rate" in note for note in notes)
    falling = ss.DryFriction(limit=1.0, static_limit=1.5, stribeck_velocity=0.1, stribeck_exponent=1)
    notes = belt(falling, ss.Ramp(0.1)).modes(state={"rub": "slip"}).notes
    assert any("its force changes by -1.84" in note for note in notes)  # -0.5 exp(-1) / 0.1


@pytest.mark.parametrize(
    "found",
    [
        belt(FRICTION, ss.Constant(0.1)).modes(),
        belt(FRICTION).modes(),
        belt(FRICTION, ss.Ramp(0.1)).modes(state={"rub": "slip"}),
        belt(ss.Linear(stiffness=1.0, damping=2.0), ss.Ramp(0.1)).modes(),
        belt(ss.Polynomial(coefficients=[0.0, 1.0, 2.0], damping=3.0), ss.Ramp(0.1)).modes(),
    ],
)
def test_what_does_not_slide_or_does_not_care_has_no_note(found: object) -> None:
    assert not any("slides" in note for note in found.notes)
