"""`FrictionContact` by error-controlled integration: exact flow, circles, curved springs, normal damping, newmark."""

from __future__ import annotations

import math

import numpy as np
import pytest
from transient.contact_oracle import random_model

import slipstick as ss

OPTIONS = {"normal_stiffness": 300.0, "tangential_stiffness": 150.0, "friction": 0.4}


def in_space(angle=0.0, spring=None, **options):
    """Three masses on springs, held by a contact with two tangential directions, turned by an angle."""
    c, s = math.cos(angle), math.sin(angle)
    m = ss.Model("plane")
    x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
    for q in (x, y, z):
        m.connect(q, spring or ss.Linear(stiffness=100.0, damping=0.5))
    law = ss.FrictionContact(**{**OPTIONS, "preload": 1.0, **options})
    m.connect((c * x + s * y, c * y - s * x, z), law, name="pad")
    m.load(x, ss.Sine(3.0, frequency=8.0))
    m.load(y, ss.Sine(2.0, frequency=8.0, phase=1.2))
    m.load(z, ss.Sine(4.0, frequency=8.0, phase=0.5))
    return m


def on_a_line(**options):
    m = ss.Model("line")
    x, z = (m.coordinate(name, inertia=1.0) for name in "xz")
    for q in (x, z):
        m.connect(q, ss.Linear(stiffness=100.0, damping=0.5))
    m.connect((x, z + 0.3 * x), ss.FrictionContact(**{**OPTIONS, "preload": 1.0, **options}), name="pad")
    m.load(x, ss.Sine(3.0, frequency=8.0))
    m.load(z, ss.Sine(4.0, frequency=8.0, phase=0.5))
    return m


def last(m, **options):
    return m.simulate(until=3.0, samples=[3.0], **options).data["displacement"].values[0]


def assert_agrees_with_the_exact_flow(seed, until):
    m = random_model(seed).build()
    runs = [m.simulate(until=until, method="exact", samples=[until])]
    runs.append(m.simulate(until=until, method="events", tolerance=1e-12, samples=[until]))
    exact, own = (run.data["displacement"].values for run in runs)
    assert own == pytest.approx(exact, abs=1e-10 * np.abs(exact).max())
    names = [[(event.connection, event.before, event.after) for event in run.events] for run in runs]
    assert names[0] == names[1]
    times = [[event.time for event in run.events] for run in runs]
    assert times[0] == pytest.approx(times[1], abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_random_contacts_agree_with_the_exact_flow_in_every_event(seed):
    assert_agrees_with_the_exact_flow(seed, 4.0)


@pytest.mark.long
def test_a_hundred_random_contacts_agree_with_the_exact_flow():
    for seed in range(12, 112):
        assert_agrees_with_the_exact_flow(seed, 10.0)


def test_a_circular_path_slides_at_the_angle_by_hand():
    """The slider follows on the circle of radius sqrt(r^2 - (R/k)^2), and the force, of size R, is tangent to it."""
    m = ss.Model("circle", frequency=2.0)
    free = m.coordinate("free", inertia=1.0)
    m.connect(free, ss.Linear(stiffness=1.0, damping=0.1))
    r, limit = 0.02, 0.4 * 2.0
    t1, t2 = m.coordinate("t1", motion=ss.Cosine(r, order=1)), m.coordinate("t2", motion=ss.Sine(r, order=1))
    n = m.coordinate("n", motion=ss.Constant(0.0))
    m.connect((t1, t2, n), ss.FrictionContact(**OPTIONS, preload=2.0), name="pad")
    period, cycles = math.pi, 12
    at = (cycles + np.linspace(0.0, 1.0, 9)) * period
    run = m.simulate(until=at[-1], method="events", tolerance=1e-11, samples=at)
    force = [run.data["force"].sel(connection=f"pad.tangential{k}").values for k in (1, 2)]
    inner = math.sqrt(r**2 - (limit / 150.0) ** 2)
    phase = 2.0 * at
    radial = force[0] * np.cos(phase) + force[1] * np.sin(phase)
    along = force[1] * np.cos(phase) - force[0] * np.sin(phase)
    assert np.hypot(*force) == pytest.approx(limit, rel=1e-9)
    assert along == pytest.approx(limit * inner / r, rel=1e-8)
    assert radial == pytest.approx(limit * (limit / 150.0) / r, rel=1e-8)


def test_the_circle_of_friction_has_no_preferred_direction():
    turned = last(in_space(0.9), method="events", tolerance=1e-11)
    assert turned == pytest.approx(last(in_space(), method="events", tolerance=1e-11), abs=1e-11)


@pytest.mark.parametrize(
    "build",
    [
        in_space,
        lambda: in_space(preload=-0.5),
        lambda: in_space(spring=ss.Polynomial(coefficients=[0.0, 80.0, 0.0, 2e4], damping=0.5)),
        lambda: on_a_line(friction=0.0),
        lambda: on_a_line(preload=0.0),
    ],
    ids=["space", "open at rest", "beside cubic springs", "no friction", "touching at rest"],
)
def test_newmark_converges_to_it_with_second_order(build):
    own = last(build(), method="events", tolerance=1e-11)
    errors = [np.abs(last(build(), method="newmark", step=step) - own).max() for step in (4e-4, 1e-4)]
    assert errors[1] < 3e-6
    assert errors[0] > 3.0 * errors[1]


def test_newmark_converges_to_it_with_normal_damping():
    own = last(on_a_line(normal_damping=4.0), method="events", tolerance=1e-11)
    errors = [
        np.abs(last(on_a_line(normal_damping=4.0), method="newmark", step=step) - own).max() for step in (1e-4, 1e-5)
    ]
    assert errors[1] < 0.4 * errors[0] < 1e-5


@pytest.mark.parametrize("build", [in_space, lambda: in_space(normal_damping=3.0), on_a_line])
def test_errors_are_controlled_and_energy_closes(build):
    fine = last(build(), method="events", tolerance=1e-12)
    for tolerance in (1e-6, 1e-9):
        run = build().simulate(until=3.0, method="events", tolerance=tolerance, samples=[3.0])
        assert np.abs(run.data["displacement"].values[0] - fine).max() < run.certificate.error
        assert run.certificate.error < 1e3 * tolerance
        assert run.certificate.passed
        lost = [own for name, own in run.certificate.dissipated.items() if name.startswith("pad.tangential")]
        assert sum(lost) > 0.01


def test_damped_contacts_are_picked_by_auto():
    run = on_a_line(normal_damping=1.0).simulate(until=0.3)
    assert run.stats.method == "events"
    assert in_space().simulate(until=0.3).stats.method == "events"


def test_contacts_side_by_side_switch_at_once_as_one_does():
    m = on_a_line(friction=0.4, normal_stiffness=150.0, tangential_stiffness=75.0, preload=0.5)
    half = ss.FrictionContact(normal_stiffness=150.0, tangential_stiffness=75.0, friction=0.4, preload=0.5)
    m.connect((m["x"], m["z"] + 0.3 * m["x"]), half, name="other")
    assert last(m, method="events", tolerance=1e-11) == pytest.approx(
        last(on_a_line(), method="events", tolerance=1e-11), abs=1e-11
    )


@pytest.mark.parametrize("build", [in_space, on_a_line])
def test_a_run_continues_from_every_state(build):
    whole = last(build(), method="events", tolerance=1e-11)
    met = set()
    for until in np.linspace(0.3, 2.7, 9):
        first = build().simulate(until=until, method="events", tolerance=1e-11)
        met.add(str(first.data["state"].sel(connection="pad.normal").values[-1]))
        rest = build().simulate(until=3.0, method="events", tolerance=1e-11, start=first.end, samples=[3.0])
        assert rest.data["displacement"].values[0] == pytest.approx(whole, abs=1e-11)
        assert all(event.time > until for event in rest.events)
    assert met >= {"slip", "separated"}


@pytest.mark.parametrize("build", [in_space, on_a_line])
@pytest.mark.parametrize("until", [3.27, 3.3])  # slips as the normal force grows, and as it falls
def test_a_damped_contact_continues_with_the_force_of_its_end(build, until):
    options = {"method": "events", "tolerance": 1e-11}
    first = build(normal_damping=2.0).simulate(until=until, samples=[until], **options)
    assert first.data["state"].sel(connection="pad.normal").values[-1] == "slip"
    again = build(normal_damping=2.0).simulate(until=3.5, start=first.end, samples=[until, 3.5], **options)
    ended, begun = (run.data["force"].values for run in (first, again))
    assert begun[0] == pytest.approx(ended[-1], rel=1e-9)
    whole = build(normal_damping=2.0).simulate(until=3.5, samples=[3.5], **options)
    assert again.samples.displacement[-1] == pytest.approx(whole.samples.displacement[-1], abs=1e-11)


@pytest.mark.parametrize("seed", range(12))
def test_no_run_is_stuck_where_a_turning_force_fades(seed):
    """As the contact opens the force turns ever faster: steps must pass that at any tolerance."""
    rng = np.random.default_rng(seed)
    options = {"preload": rng.choice([1.0, -0.3, 3.0]), "friction": rng.choice([0.1, 0.4, 1.2])}
    for tolerance in (1e-6, 1e-8, 1e-11):
        run = in_space(angle=rng.uniform(0.0, 6.0), **options).simulate(until=5.0, method="events", tolerance=tolerance)
        assert not run.stats.ended
        assert run.stats.steps < 20_000


@pytest.mark.long
def test_integration_of_orbits_takes_it():
    m = in_space()
    found = m.periodic(frequency=8.0, method="integration")
    balanced = m.periodic(frequency=8.0, method="harmonic-balance", harmonics=21)
    for name in "xyz":
        allowed = found.certificate.error + balanced.certificate.error
        assert abs(found.amplitude[name] - balanced.amplitude[name]) < allowed + 1e-7
