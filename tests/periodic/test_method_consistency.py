"""What methods say of the same response: friction of a prescribed motion, distances, and what never slips."""

import pytest

import slipstick as ss

OMEGA = 0.4


def dragged(law):
    """A mass on a spring, rubbed along by a base that moves."""
    model = ss.Model()
    base = model.coordinate("base", motion=ss.Sine(0.8, order=1))
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    model.connect(x - base, law, name="rub")
    return model


def held(law):
    """A mass that begins away from the middle, under a load that moves no slider."""
    model = ss.Model()
    x = model.coordinate("x", inertia=1.0, displacement=0.05)
    model.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    model.connect(x, law, name="slider")
    model.load(x, ss.Cosine(0.1, order=1))
    return model


@pytest.mark.parametrize("law", [ss.DryFriction(limit=0.3), ss.Jenkins(stiffness=2.0, limit=0.3)])
def test_friction_of_a_moved_base(law):
    """Stick and slip on a base that moves: all methods within what they say of their errors."""
    exact, run, balance = (
        dragged(law).periodic(frequency=OMEGA, method=method)
        for method in ("shooting", "integration", "harmonic-balance")
    )
    assert 0.2 < exact.stick_share["rub"] < 0.6  # both happen
    assert exact.distance_to(run) <= exact.certificate.error + run.certificate.error
    assert exact.distance_to(balance) <= balance.certificate.error


def test_a_static_limit_on_a_moved_base_is_refused_in_one_line():
    with pytest.raises(ss.MissingFace, match=r'"rub" has a static_limit.*use method="shooting"'):
        dragged(ss.DryFriction(limit=0.3, static_limit=0.4)).periodic(frequency=OMEGA, method="harmonic-balance")


def test_distance_is_that_of_the_motions_and_not_of_curves_between_samples():
    """Corners of a stick-slip motion lie between the samples of a run; cubics through those are off by 1e-6."""
    model = dragged(ss.DryFriction(limit=0.3))
    exact, run = (model.periodic(frequency=OMEGA, method=method) for method in ("shooting", "integration"))
    assert exact.distance_to(run) < 1e-11
    assert run.distance_to(exact) < 1e-11


def test_orbits_that_differ_in_phase_alone_are_apart():
    """x = X cos(w t + phase): at most 2 X sin(phase difference / 2) apart."""
    found = []
    for phase in (0.0, 0.2):
        model = ss.Model()
        x = model.coordinate("x", inertia=1.0)
        model.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
        model.load(x, ss.Cosine(1.0, order=1, phase=phase))
        found.append(model.periodic(frequency=OMEGA, method="shooting"))
    size = 1.0 / abs(1.0 - OMEGA**2 + 0.1j * OMEGA)
    assert found[0].distance_to(found[1]) == pytest.approx(2.0 * size * 0.09983341664682815, rel=1e-4)  # sin 0.1


@pytest.mark.parametrize("law", [ss.Jenkins(stiffness=1.0, limit=0.5), ss.DryFriction(limit=0.3)])
@pytest.mark.parametrize("method", ["shooting", "integration", "harmonic-balance"])
def test_what_never_slips_is_told_by_every_method(law, method):
    assert any("slider" in note and "never slips" in note for note in held(law).periodic(0.7, method=method).notes)


def test_a_sweep_tells_it_once_for_all_points_and_not_of_what_slips():
    notes = held(ss.Jenkins(stiffness=1.0, limit=0.5)).frequency_response(at=[0.5, 0.6], method="integration").notes
    assert [note for note in notes if "never slips" in note] == [
        'at 2 points between 0.5 rad/s and 0.6 rad/s: "slider" never slips: where it rests depends on how the motion '
        "began, one of a band of responses"
    ]
    slips = held(ss.Jenkins(stiffness=1.0, limit=0.01)).periodic(0.7, method="integration")
    assert not any("never slips" in note for note in slips.notes)
