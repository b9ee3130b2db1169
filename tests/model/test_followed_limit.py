"""Friction whose limit follows the force of another connection."""

from __future__ import annotations

from zipfile import ZipFile

import numpy as np
import pytest

import slipstick as ss
from slipstick.model.named_parameter import parameter_of


def brake(law=ss.Jenkins, preload=0.6, connect=True, **options):
    """A block that a spring presses on a rail by the motion of another body."""
    m = ss.Model("brake", frequency=7.0)
    x, z = m.coordinate("x", inertia=1.0), m.coordinate("z", inertia=0.5)
    m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
    m.connect(z, ss.Linear(damping=1.0))
    m.load(x, ss.Sine(3.0, order=1))
    m.load(z, ss.Sine(2.0, order=1, phase=1.0))
    if connect:
        m.connect(z, ss.Linear(stiffness=300.0, preload=preload), name="spring")
        m.connect(x, law(limit=0.4 * m["spring"].force, **options), name="pad")
    return m


def test_friction_is_the_factor_times_the_force_while_it_presses():
    run = brake(stiffness=80.0).simulate(until=4.0)
    force = run.data["force"].sel(connection="spring").values
    held = run.data["force"].sel(connection="pad.tangential")
    states = run.data["state"].sel(connection="pad.tangential").values
    limit = 0.4 * np.maximum(force, 0.0)
    assert run.stats.method == "exact"
    assert run.certificate.passed
    assert (np.abs(held.values) <= limit + 1e-14).all()
    assert np.abs(np.abs(held.values) - limit)[states == "slip"].max() < 1e-14
    assert {"stick", "slip", "separated"} == set(states)
    assert run.certificate.energy_residual < 1e-12


def test_a_spring_that_always_presses_gives_the_contact_with_that_stiffness():
    """While N > 0 the spring and its friction are one `FrictionContact`."""
    one, other = brake(stiffness=80.0, preload=20.0), brake(connect=False)
    for m in (one, other):
        m.load(m["z"], ss.Constant(20.0))
    law = ss.FrictionContact(normal_stiffness=300.0, tangential_stiffness=80.0, friction=0.4, preload=20.0)
    other.connect((other["x"], other["z"]), law)
    a, b = (m.simulate(until=4.0, samples=200).data["displacement"].values for m in (one, other))
    np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(("method", "options", "apart"), [("events", {"tolerance": 1e-8}, 1e-8), ("newmark", {}, 1e-4)])
def test_methods_agree_with_the_exact_flow(method, options, apart):
    m = brake(stiffness=80.0)
    a, b = (m.simulate(until=2.0, samples=41, **how) for how in ({}, {"method": method, **options}))
    assert np.abs(a.data["displacement"] - b.data["displacement"]).values.max() < apart


def test_dry_friction_by_inclusion_is_the_limit_of_stiff_sliders():
    """First order: an eighth of the step, about an eighth of the distance; a slider of 1e7 N/m gives by 1e-7 m."""
    exact = brake(stiffness=1e7).simulate(until=2.0, samples=41).data["displacement"].values
    far = []
    for step in (8e-4, 1e-4):
        run = brake(ss.DryFriction).simulate(until=2.0, samples=41, method="inclusion", step=step)
        far.append(np.abs(run.data["displacement"].values - exact).max())
    assert far[1] < 3e-4
    assert far[0] / far[1] == pytest.approx(8.0, rel=0.1)


@pytest.mark.parametrize(
    ("name", "value", "options"),
    [("spring.preload", 1.0, {"stiffness": 80.0, "preload": 1.0}), ("pad.stiffness", 90.0, {"stiffness": 90.0})],
)
def test_the_limit_follows_numbers_of_the_spring(name, value, options):
    changed = parameter_of(brake(stiffness=80.0), name).at(value)
    ends = [m.simulate(until=1.0, samples=2).data["displacement"].values[-1] for m in (changed, brake(**options))]
    np.testing.assert_array_equal(*ends)


def test_orbits_of_both_methods_agree():
    m = brake(stiffness=80.0)
    a, b = m.periodic(), m.periodic(method="harmonic-balance", harmonics=15)
    assert np.abs(a.data["displacement"].max("time") - b.data["displacement"].max("time")).max() < b.certificate.error


@pytest.mark.parametrize(("law", "options"), [(ss.Jenkins, {"stiffness": 80.0}), (ss.DryFriction, {})])
def test_a_model_file_keeps_it(tmp_path, law, options):
    m = brake(law, **options)
    m.save(tmp_path / "brake.yaml")
    text = (tmp_path / "brake.yaml").read_text()
    assert "limit: {force_of: spring, factor: 0.4}" in text
    assert ss.open(tmp_path / "brake.yaml") == m


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("force_of: spring", "force_of: sprung"), 'no connection "sprung" (did you mean "spring"?)'),
        (("factor: 0.4", "factor: 3 mm"), "limit.factor: must be a plain number"),
        (("factor: 0.4", "fraction: 0.4"), 'unknown key (did you mean "factor"?)'),
    ],
)
def test_what_is_wrong_in_a_file_is_said(tmp_path, change, words):
    path = tmp_path / "brake.yaml"
    brake(stiffness=80.0).save(path)
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(ss.FileError) as error:
        ss.open(path)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (lambda f: ss.Linear(stiffness=f), "may be the limit of Jenkins and DryFriction only"),
        (lambda f: ss.Jenkins(stiffness=1.0, limit=f).trace([0.0, 1.0]), "has no value outside a run"),
        (lambda f: 0.0 * f, "multiplied by a number other than 0"),
        (lambda f: ss.Jenkins(stiffness=1.0, limit=f) + ss.Linear(stiffness=1.0), "not for sums"),
        (lambda f: ss.DryFriction(limit=f, damping=1.0), "connect dampers on their own"),
        (lambda f: ss.Jenkins(stiffness=1.0, limit=ss.Model("other").connections or f.__class__("damper")), "follows"),
    ],
)
def test_a_force_where_it_cannot_be_followed_is_refused(law, words):
    m = brake(connect=False)
    m.connect(m["z"], ss.Linear(stiffness=300.0), name="spring")
    m.connect(m["z"], ss.Linear(damping=3.0), name="damper")
    with pytest.raises(ss.InvalidInput) as error:
        m.connect(m["x"], law(m["spring"].force))
    assert words in str(error.value)


@pytest.mark.parametrize("question", ["exact", "equilibrium", "modes"])
def test_dry_friction_elsewhere_is_refused_with_the_way_out(question):
    m = brake(ss.DryFriction)
    with pytest.raises(ss.SlipstickError) as error:
        m.simulate(until=1.0, method=question) if question == "exact" else getattr(m, question)()
    assert "Jenkins(stiffness=..., limit=...)" in str(error.value)


def test_an_fmu_offers_no_numbers_that_a_limit_follows(tmp_path):
    """The program of an FMU changes one law at a time."""
    path = brake(stiffness=80.0).export_fmu(tmp_path / "brake.fmu")
    text = ZipFile(path).read("modelDescription.xml").decode()
    assert "connection1.stiffness" in text
    assert 'name="spring.stiffness"' not in text
