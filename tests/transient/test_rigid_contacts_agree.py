"""Rigid contacts on random models: the exact flow, Moreau's time stepping of the tests, and `inclusion`."""

from __future__ import annotations

import numpy as np
import pytest
from transient.moreau_oracle import march
from transient.rigid_contact_models import Chain

import slipstick as ss
from slipstick.transient.exact.engine import engine_of
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.problem import pose

UNTIL = 3.0
# two contacts strike within 2e-8 s of each other: time stepping takes both as one impact, with other impulses
NEARLY_TOGETHER = (26,)


def exact(m, until=UNTIL, samples=31):
    return m.simulate(until=until, method="exact", samples=samples)


def gains_energy(seed):
    """True if the run ends at an impact that would gain energy."""
    try:
        exact(Chain(seed).model, 4.0, 0)
    except ss.NotConverged as stop:
        return "would gain energy" in str(stop)
    return False


def distances(seed, steps, until=UNTIL):
    """The largest distance from Moreau's scheme at each number of steps."""
    chain = Chain(seed)
    run = exact(chain.model, until)
    assert run.certificate.passed or run.certificate.sensitive
    found = []
    for count in steps:
        path, _, _ = march(chain.body, chain.q, chain.v, until, count)
        found.append(float(np.abs(path[:: count // 30] - run.samples.displacement).max()))
    return found, run


@pytest.mark.parametrize("seed", [1, 7, 22])
def test_the_exact_flow_is_the_limit_of_time_stepping(seed):
    (coarse, fine), run = distances(seed, (600, 4800))
    assert len(run.events) > 3
    assert fine < 0.3 * coarse
    assert fine < 2e-3


@pytest.mark.long
@pytest.mark.parametrize("seed", [seed for seed in range(100) if seed not in NEARLY_TOGETHER])
def test_the_exact_flow_is_the_limit_of_time_stepping_on_many_models(seed):
    if gains_energy(seed):
        return
    (coarse, fine), _ = distances(seed, (3000, 24000), 4.0)
    assert fine < max(0.6 * coarse, 1e-3)
    assert fine < 2e-2


def test_inclusion_is_of_first_order_and_states_its_error():
    checked = 0
    for seed in (0, 4, 7, 16, 22):
        m = Chain(seed).model
        truth = exact(m)
        apart = []
        for step in (1e-3, 2.5e-4):
            run = m.simulate(until=UNTIL, method="inclusion", step=step, samples=31)
            apart.append(np.abs(run.samples.displacement - truth.samples.displacement).max())
        assert apart[1] < 0.45 * apart[0]
        assert apart[1] < 5.0 * run.certificate.error
        assert run.certificate.passed
        for name, energy in run.certificate.dissipated.items():
            assert energy >= -1e-12
            assert energy == pytest.approx(truth.certificate.dissipated[name], abs=0.02)
        checked += 1
    assert checked == 5


def test_the_theta_scheme_takes_rigid_contacts():
    m = Chain(22).model
    truth = exact(m)
    run = m.simulate(until=UNTIL, method="inclusion", step=2.5e-4, scheme="theta", samples=31)
    assert np.abs(run.samples.displacement - truth.samples.displacement).max() < 2e-3
    assert run.certificate.passed


def test_no_contact_gains_energy():
    refused = 0
    for seed in range(40):
        if gains_energy(seed):
            refused += 1
            continue
        certificate = exact(Chain(seed).model, 4.0, 0).certificate
        pads = [energy for name, energy in certificate.dissipated.items() if name.startswith("pad")]
        assert min(pads) >= -1e-12
        assert certificate.energy_residual < 1e-12
    assert refused < 8


@pytest.mark.parametrize("seed", [0, 4, 8, 22])
def test_the_derivative_of_the_flow_is_that_of_differences(seed):
    """Through stick, slip, lift-off and impacts with friction."""
    chain = Chain(seed)
    engine = engine_of(pose(chain.model._solvable))

    def flow(state):
        found = Flow(engine, 2.0, engine.state_of(state))
        found.go()
        return found

    start = np.concatenate([chain.q, chain.v])
    own = flow(start).derivative()
    small = 1e-7 * np.eye(start.size)
    differences = [(flow(start + d).arrived - flow(start - d).arrived) / 2e-7 for d in small]
    np.testing.assert_allclose(own, np.array(differences).T, atol=1e-6 * np.abs(own).max())


def test_a_contact_kicked_off_by_less_than_rounding_rests():
    """Two contacts whose impacts accumulate in turns: the last rate is 7e-13, the last gap 1e-14."""
    run = exact(Chain(140).model, 4.0)
    assert run.certificate.energy_residual < 1e-12


def test_a_chain_on_rigid_floors_is_the_chain_with_dry_friction():
    """Ten blocks under constant weight: the same events as with DryFriction, all contacts decided together."""
    runs = []
    for rigid in (True, False):
        m, before = ss.Model("chain"), None
        for i in range(10):
            x, friction = m.coordinate(f"x{i}", inertia=1.0), 0.1 + 0.02 * i
            if rigid:
                y = m.coordinate(f"y{i}", inertia=1.0)
                m.load(y, ss.Constant(-5.0))
                m.connect((x, -y), ss.CoulombContact(friction=friction), name=f"floor{i}")
            else:
                m.connect(x, ss.DryFriction(limit=5.0 * friction), name=f"floor{i}")
            m.connect(x if before is None else x - before, ss.Linear(stiffness=30.0, damping=0.1))
            before = x
        m.load(before, ss.Sine(4.0, frequency=2.0))
        runs.append(exact(m, 20.0))
    rigid, dry = runs
    np.testing.assert_allclose(rigid.samples.displacement[:, ::2], dry.samples.displacement, atol=1e-11)
    assert len(rigid.events) == len(dry.events) > 50
    assert not any("were not looked for" in note for note in rigid.certificate.notes)


def test_bars_on_two_feet_move_as_blocks_on_one():
    """Redundant friction in a chain: the motion of bars whose friction acts at their middle does not know of feet."""
    runs = []
    for feet in (1, 2):
        m, before = ss.Model("bars"), None
        for i in range(4):
            x, y, a = (m.coordinate(f"{name}{i}", inertia=1.0) for name in "xya")
            m.load(y, ss.Constant(-5.0))
            for side in (1.0, -1.0) if feet == 2 else (0.0,):
                m.connect((x, -y - 0.5 * side * a), ss.CoulombContact(friction=0.1 + 0.05 * i))
            m.connect(x if before is None else x - before, ss.Linear(stiffness=30.0, damping=0.1))
            before = x
        m.load(before, ss.Sine(3.0, frequency=2.0))
        runs.append(exact(m, 10.0))
    one, two = runs
    assert any("were not looked for" in note for note in two.certificate.notes)
    np.testing.assert_allclose(one.samples.displacement, two.samples.displacement, atol=1e-11)
