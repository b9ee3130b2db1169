"""What contacts leave no freedom stays where it is, exactly: loads below the limits of dry friction move nothing."""

import numpy as np
import pytest

import slipstick as ss


def stack(load, masses=(2.21712, 1.302068), springs=(3.694942, 3.166149)):
    """Block a on block b on the floor: with less than 1.3 N on a, nothing reaches a static or sliding limit."""
    m = ss.Model("stack")
    a, b = m.coordinate("a", inertia=masses[0]), m.coordinate("b", inertia=masses[1])
    m.connect(a, ss.Linear(stiffness=springs[0], damping=0.2), name="spring a")
    m.connect(b, ss.Linear(stiffness=springs[1], damping=0.08), name="spring b")
    m.connect(b - a, ss.DryFriction(limit=1.07, static_limit=1.4048), name="between")
    m.connect(b, ss.DryFriction(limit=1.3), name="floor")
    m.load(a, load)
    return m


def test_static_friction_holds_at_the_breaks_of_a_signal():
    rng = np.random.default_rng(0)
    for _ in range(25):
        p = np.exp(rng.uniform(-1.0, 1.0, 4)).tolist()
        top = -float(rng.uniform(1.1, 1.25))  # between the sliding and the static limit
        load = ss.Signal([0.0, 1.0, 3.0, 5.0], [top, top, 0.9 * top, 0.95 * top])
        run = stack(load, p[:2], p[2:]).simulate(until=6.0, samples=[6.0], method="exact")
        assert not run.events
        assert not run.data.displacement.values.any()


def test_a_belt_that_jumps_to_another_speed_lets_a_held_block_slip():
    m = ss.Model("belt")
    belt = m.coordinate("belt", motion=ss.Signal([0.0, 1.0, 3.0], [0.0, 0.0, 2.0]))
    x = m.coordinate("x", inertia=2.0)
    m.connect(x - belt, ss.DryFriction(limit=1.0, static_limit=1.5), name="contact")
    run = m.simulate(until=2.0, samples=[2.0], method="exact")
    # from 1 s on the belt moves at 1 m/s and pulls with 1 N: x = 1/4 (t - 1)^2
    assert float(run.data.displacement.sel(coordinate="x")[-1]) == pytest.approx(0.25, rel=1e-14)


def chain(rng, loads, ratios=False):
    """Two to five blocks, each held by the one before, the first by the floor."""
    m = ss.Model("chain")
    before = None
    for i in range(int(rng.integers(2, 6))):
        x = m.coordinate(f"x{i}", inertia=float(np.exp(rng.uniform(-3.0, 3.0))), displacement=float(rng.normal()))
        ratio = float(np.exp(rng.uniform(-1.0, 1.0))) if ratios else 1.0
        static = 60.0 if rng.random() < 0.5 else None
        m.connect(
            x if before is None else ratio * x - before, ss.DryFriction(limit=50.0, static_limit=static), name=f"c{i}"
        )
        m.connect(x, ss.Linear(stiffness=float(rng.uniform(0.1, 3.0)), damping=0.1), name=f"k{i}")
        m.load(x, loads(float(rng.uniform(-1.0, 1.0))))
        before = x
    return m


@pytest.mark.parametrize(
    ("until", "loads"),
    [(1e8, float), (1e3, lambda f: ss.Cosine(f, frequency=2.0 + f)), (1e8, lambda f: ss.Signal([0, 1, 7], [0, f, -f]))],
    ids=["constant", "harmonic", "sampled"],
)
def test_held_chains_stay_where_they_are(until, loads):
    rng = np.random.default_rng(1)
    for k in range(8):
        m = chain(rng, loads, ratios=k % 2 == 1)
        run = m.simulate(until=until, samples=[0.0, 0.3 * until, until], method="exact")
        q = run.data.displacement.values
        assert np.abs(q - q[0]).max() <= run.certificate.error
        assert not run.data.velocity.values.any()
        assert run.certificate.passed
        assert not run.events


def test_held_blocks_stay_beside_others_that_move():
    rng = np.random.default_rng(2)
    for _ in range(3):
        m = chain(rng, float)
        y = m.coordinate("y", inertia=1.3, displacement=1.0)
        z = m.coordinate("z", inertia=0.7, displacement=1.0)
        m.connect(y - m.coordinates[0], ss.Linear(stiffness=1.0, damping=0.1), name="coupling")
        m.connect(z - y, ss.DryFriction(limit=50.0), name="pair")
        m.load(y, ss.Cosine(0.3, frequency=0.9))
        run = m.simulate(until=500.0, samples=np.linspace(0.0, 500.0, 20), method="exact")
        data = run.data
        held = [name for name in data.coordinate.values if name.startswith("x")]
        assert not data.velocity.sel(coordinate=held).values.any()
        q = data.displacement.sel(coordinate=held).values
        assert np.abs(q - q[0]).max() <= 1e-15 * np.abs(q).max()
        apart = data.displacement.sel(coordinate="y") - data.displacement.sel(coordinate="z")
        assert np.abs(apart.values).max() <= run.certificate.error


def test_blocks_held_by_moving_ground_follow_it():
    m = ss.Model("shaken")
    ground = m.coordinate("ground", motion=ss.Cosine(0.5, frequency=0.7))
    a = m.coordinate("a", inertia=2.3, displacement=0.5)
    b = m.coordinate("b", inertia=0.4, displacement=0.5)
    m.connect(a - ground, ss.DryFriction(limit=50.0), name="lower")
    m.connect(b - a, ss.DryFriction(limit=50.0), name="upper")
    t = np.linspace(0.0, 1000.0, 50)
    run = m.simulate(until=1000.0, samples=t, method="exact")
    for name in ("a", "b"):
        off = run.data.displacement.sel(coordinate=name).values - 0.5 * np.cos(0.7 * t)
        assert np.abs(off).max() <= run.certificate.errors[name]


def test_two_contacts_that_share_a_load_hold_without_error():
    m = ss.Model("shared")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.DryFriction(limit=0.3, static_limit=0.45), name="one")
    m.connect(x, ss.DryFriction(limit=0.4), name="other")
    m.load(x, ss.Cosine(0.8, frequency=1.0))  # together they hold 0.85
    run = m.simulate(until=50.0, method="exact")
    assert not run.events
    assert run.certificate.passed
    assert run.certificate.error == 0.0
    force = np.abs(run.data.force)
    assert float(force.sel(connection="one").max()) <= 0.45
    assert float(force.sel(connection="other").max()) <= 0.4


def test_a_block_that_slid_and_then_stays_for_years_has_the_error_of_its_slide():
    m = ss.Model("slide")
    x = m.coordinate("x", inertia=2.0, velocity=0.3)
    m.connect(x, ss.DryFriction(limit=1.5), name="floor")
    run = m.simulate(until=1e8, samples=[1e8], method="exact")
    # it stops after m v^2/(2 F) = 0.06 m
    assert abs(float(run.data.displacement[-1, 0]) - 0.06) <= run.certificate.error <= 1e-14
