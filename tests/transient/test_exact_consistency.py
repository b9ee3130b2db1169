"""Samples, states, forces and events of exact runs say the same thing, and it is Newton's law."""

from __future__ import annotations

import numpy as np
import pytest
from transient.random_models import KINDS, random_model, special_model

import slipstick as ss
from slipstick.laws.friction import DryFriction
from slipstick.transient.problem import pose

H = 1e-3  # [s] of the differences


def exact(m, until, samples=0, **options):
    return m.simulate(until=until, method="exact", samples=samples, **options)


def models():
    """Twenty-five of each kind."""
    for seed in range(25):
        yield random_model(seed)
        for kind in KINDS:
            yield special_model(kind, 900 + seed)


def test_accelerations_are_what_loads_and_forces_of_connections_give():
    """Central differences of velocities in threes of samples that no event falls between."""
    checked = 0
    for m in models():
        p = pose(m)
        middle = np.linspace(0.05, 11.95, 240)
        times = np.unique(np.concatenate([middle - H, middle, middle + H]))
        run = exact(m, 12.0, samples=times)
        s, free = run.samples, p.assembly.free
        at = np.searchsorted(times, middle)
        changes = np.concatenate([run.events["time"], p.breaks(12.0)])
        quiet = [not ((changes >= t - H) & (changes <= t + H)).any() for t in times[at]]
        found = (s.velocity[at + 1] - s.velocity[at - 1])[:, free] / (times[at + 1] - times[at - 1])[:, None]
        along = np.array([[c.along.terms.get(p.assembly.names[i], 0.0) for i in free] for c in m.connections])
        loads = sum_of_loads(m, p, times[at])
        needed = (loads - s.force[at] @ along) / np.diag(p.mass)
        scale = np.abs(needed).max() + 1.0
        np.testing.assert_allclose(found[quiet], needed[quiet], atol=4e-5 * scale, err_msg=m.name)
        checked += sum(quiet)
    assert checked > 20_000


def sum_of_loads(m, p, times):
    """(k, n) the loads on the free coordinates, from the model itself."""
    total = np.zeros((times.size, p.n))
    for load in m.loads:
        row = np.array([load.form.terms.get(p.assembly.names[i], 0.0) for i in p.assembly.free])
        total += np.outer(load.function.at(times, m.frequency), row)
    return total


def friction_only(m):
    """The numbers of connections that are dry friction and nothing else, with their laws."""
    return [(j, c.law) for j, c in enumerate(m.connections) if isinstance(c.law, DryFriction)]


def test_contacts_that_stick_do_not_move_and_hold_no_more_than_they_can():
    stuck = slid = 0
    for m in models():
        run = exact(m, 12.0, samples=301)
        s = run.samples
        for j, law in friction_only(m):
            rate = sum(a * s.velocity[:, names(m).index(name)] for name, a in m.connections[j].deflection.terms.items())
            limit = law.limit.at(s.time, m.frequency) if law.varies else np.full(s.time.shape, law.limit)
            size = np.abs(s.velocity).max() + 1e-3
            sticks = s.state[:, j] == "stick"
            assert (np.abs(rate[sticks]) <= 1e-12 * size).all(), m.name
            held = np.abs(s.force[sticks, j]) - law.static_ratio * limit[sticks]
            assert (held <= 1e-10 * (1.0 + limit[sticks])).all(), m.name
            for name, sign in (("slip+", 1.0), ("slip-", -1.0)):
                slips = s.state[:, j] == name
                assert (sign * rate[slips] >= -1e-12 * size).all(), m.name
                force = sign * limit[slips] + law.damping * rate[slips]
                np.testing.assert_allclose(
                    s.force[slips, j], force, atol=1e-12 * (1.0 + np.abs(force).max(initial=0.0))
                )
                slid += int(slips.sum())
            stuck += int(sticks.sum())
    assert stuck > 1000
    assert slid > 3000


def names(m):
    return [c.name for c in m.coordinates]


def test_events_and_states_of_samples_tell_the_same_story():
    """Following the events from the first state gives every later state; at an event the one after it."""
    for m in models():
        run = exact(m, 12.0, samples=50)
        s, column = run.samples, {c.name: j for j, c in enumerate(m.connections)}
        if any(len(c.law.leaves()) > 1 for c in m.connections):
            continue  # a connection of several parts shows the state of its first
        now = dict(zip(column, s.state[0].tolist(), strict=True))
        k = 0
        events = list(run.events)
        for t, row in zip(s.time.tolist(), s.state.tolist(), strict=True):
            while k < len(events) and events[k].time <= t:
                assert now[events[k].connection] == events[k].before, m.name
                now[events[k].connection] = events[k].after
                k += 1
            assert [now[name] for name in column] == row, (m.name, t)
        assert k == len(events)
        assert (np.diff(run.events["time"]) >= 0.0).all()


def test_samples_by_count_by_times_and_none_lie_on_one_motion():
    for seed in range(20):
        m = random_model(seed)
        many = exact(m, 10.0, samples=1001)
        assert many.samples.time.size == 1001
        assert (many.samples.time[0], many.samples.time[-1]) == (0.0, 10.0)
        pick = many.samples.time[[3, 500, 777, 1000]]
        few = exact(m, 10.0, samples=pick)
        np.testing.assert_array_equal(few.samples.time, pick)
        scale = np.abs(many.samples.displacement).max() + 1e-6
        np.testing.assert_allclose(
            few.samples.displacement, many.samples.displacement[[3, 500, 777, 1000]], atol=1e-12 * scale
        )
        none = exact(m, 10.0, samples=0)
        np.testing.assert_array_equal(none.samples.time, np.unique([*none.events["time"], 10.0]))
        np.testing.assert_allclose(none.samples.displacement[-1], many.samples.displacement[-1], atol=1e-12 * scale)
        assert list(none.events) == list(many.events)
        assert none.stats.events == len(none.events)


def test_displacements_are_the_integrals_of_velocities():
    """Simpson's rule between neighbouring samples without an event."""
    for seed in range(25):
        m = random_model(seed)
        p = pose(m)
        run = exact(m, 10.0, samples=8001)
        s = run.samples
        step = s.time[2] - s.time[0]
        way = (s.velocity[:-2:2] + 4.0 * s.velocity[1:-1:2] + s.velocity[2::2]) * step / 6.0
        quiet = ~np.histogram([*run.events["time"], *p.breaks(10.0)], bins=s.time[::2])[0].astype(bool)
        scale = np.abs(s.velocity).max() + 1e-6
        moved = np.diff(s.displacement[::2], axis=0)
        free = p.assembly.free
        np.testing.assert_allclose(moved[quiet][:, free], way[quiet][:, free], atol=1e-11 * scale)


def test_a_run_that_begins_later_sees_time_as_it_is():
    """Time is absolute: loads, motions and limits at the start are those of that instant."""
    m = ss.Model("later")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.DryFriction(limit=0.5), name="rub")
    m.load(x, ss.Ramp(0.1))
    run = exact(m, 9.0, start=4.0)
    assert run.events["time"][0] == pytest.approx(5.0, rel=1e-15)
    assert run.samples.velocity[-1, 0] == pytest.approx(0.05 * 4.0**2, rel=1e-14)
    assert exact(m, 9.0, start=6.0).samples.state[0, 0] == "slip+"


def test_a_run_may_end_at_any_of_its_events():
    m = ss.Model("row")
    q = [m.coordinate(f"x{i}", inertia=1.0 + 0.1 * i) for i in range(6)]
    for i in range(6):
        m.connect(q[i] - q[i - 1] if i else q[0], ss.Linear(stiffness=100.0 * (1 + i)))
        m.connect(q[i], ss.DryFriction(limit=0.3 + 0.07 * i))
        m.load(q[i], ss.Cosine(3.0 + 0.3 * i, frequency=3.1 + 1.37 * i))
    whole = m.simulate(until=1.5, samples=0)
    at_events = whole.data.displacement.sel(time=whole.events["time"]).values
    for t, reached in list(zip(whole.events["time"], at_events, strict=True))[:15]:
        run = m.simulate(until=float(t), samples=3)
        np.testing.assert_allclose(run.data.displacement.values[-1], reached, atol=1e-13)
        assert run.certificate.passed
