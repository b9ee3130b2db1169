"""`FrictionContact` in the exact method: closed forms by hand, Jenkins, matrix exponentials, start and end of runs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from transient.contact_oracle import Oracle, random_model

import slipstick as ss

KN, KT, MU = 2e4, 1e4, 0.5
OPTIONS = {"normal_stiffness": 300.0, "tangential_stiffness": 150.0, "friction": 0.4}


def prescribed(tangential, normal, **options):
    """A contact between prescribed motions, beside a mass that the engine needs."""
    m = ss.Model("imposed", frequency=1.0)
    free = m.coordinate("free", inertia=1.0)
    m.connect(free, ss.Linear(stiffness=1.0))
    t, n = m.coordinate("t", motion=tangential), m.coordinate("n", motion=normal)
    law = ss.FrictionContact(normal_stiffness=KN, tangential_stiffness=KT, friction=MU, **options)
    m.connect((t, n), law, name="pad")
    return m


def two_masses(law=None, **options):
    m = ss.Model("pressed", frequency=8.0)
    x, z = (m.coordinate(name, inertia=1.0) for name in "xz")
    m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
    m.connect(z, ss.Linear(stiffness=200.0, damping=1.0))
    m.connect((x, z + 0.3 * x), law or ss.FrictionContact(**{**OPTIONS, "preload": 1.0, **options}), name="pad")
    m.load(x, ss.Sine(3.0, order=1))
    m.load(z, ss.Sine(4.0, order=1, phase=1.0))
    return m


def changes(run):
    """(time, state after) of the tangential direction."""
    return [(event.time, event.after) for event in run.events if event.connection == "pad.tangential"]


def test_stick_slip_and_separation_come_at_instants_by_hand():
    """t = A cos, n = B sin: touches at 0, sticks to 2 atan(mu k_n B / (k_t A)), slips to pi, is apart to 2 pi."""
    a, b = 2e-3, 1e-3
    begin = 2.0 * math.atan(MU * KN * b / (KT * a))
    run = prescribed(ss.Cosine(a, order=1), ss.Sine(b, order=1)).simulate(until=6.0 * math.pi, method="exact")
    turns = [(begin, "slip"), (math.pi, "separated"), (2.0 * math.pi, "stick")]
    expected = [(2.0 * math.pi * k + t, state) for k in range(3) for t, state in turns]
    found = changes(run)
    assert [state for _, state in found] == [state for _, state in expected[: len(found)]]
    assert len(found) >= 8
    assert [t for t, _ in found] == pytest.approx([t for t, _ in expected[: len(found)]], rel=1e-14)
    # the work of a cycle by hand: in stick, and in slip at mu N = mu k_n B sin; nothing is stored while it is apart
    lost = 0.5 * KT * (a * math.cos(begin) - a) ** 2
    lost += MU * KN * a * b * ((math.pi - begin) / 2.0 + math.sin(2.0 * begin) / 4.0)
    assert run.certificate.passed
    assert run.certificate.energy_residual < 1e-13
    assert run.certificate.dissipated["pad.tangential"] == pytest.approx(3.0 * lost, rel=1e-12)


def test_slip_ends_where_the_limit_grows_faster_than_the_motion_by_hand():
    """t = a cos x, n = n0 + b cos(x + phi), always pressed: slip with sign s ends where k_t t' = s mu N'."""
    a, b, n0, phi = 1.5e-3, 0.6e-3, 1e-3, 0.8
    run = prescribed(
        ss.Cosine(a, order=1), ss.Constant(n0) + ss.Cosine(b, order=1, phase=phi)
    ).simulate(until=20.0 * math.pi, method="exact")  # fmt: skip
    last = [(t - 18.0 * math.pi, state) for t, state in changes(run) if t > 18.0 * math.pi]
    assert [state for _, state in last] in (["stick", "slip"] * 2, ["slip", "stick"] * 2)
    ends = sorted(t for t, state in last if state == "stick")
    expected = []
    for sign in (1.0, -1.0):  # k_t a sin(x) = sign mu k_n b sin(x + phi)
        c = sign * MU * KN * b
        expected.append(math.atan2(c * math.sin(phi), KT * a - c * math.cos(phi)) % math.pi)
    assert sorted(t % math.pi for t in ends) == pytest.approx(sorted(expected), abs=1e-13)


def test_a_constant_normal_load_moves_as_jenkins_to_rounding():
    runs = []
    for is_contact in (True, False):
        m = ss.Model("constant load")
        x, n = m.coordinate("x", inertia=1.0), m.coordinate("n", motion=ss.Constant(0.0))
        m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
        if is_contact:
            m.connect((x, n), ss.FrictionContact(**OPTIONS, preload=2.0), name="pad")
        else:
            m.connect(x, ss.Jenkins(stiffness=150.0, limit=0.8), name="pad.tangential")
        m.load(x, ss.Sine(3.0, frequency=8.0) + ss.Sine(1.0, frequency=4.1))
        runs.append(m.simulate(until=30.0, method="exact", samples=301))
    x = [run.data["displacement"].sel(coordinate="x").values for run in runs]
    assert x[0] == pytest.approx(x[1], abs=sum(run.certificate.error for run in runs))
    assert max(run.certificate.error for run in runs) < 1e-12 * np.abs(x[0]).max()
    times = [[e.time for e in run.events if e.connection == "pad.tangential"] for run in runs]
    assert len(times[0]) > 100
    assert times[0] == pytest.approx(times[1], abs=1e-13)


def assert_agrees_with_exponentials(seed, until):
    model = random_model(seed)
    run = model.build().simulate(until=until, method="exact", samples=[until])
    events, end = Oracle(model, 2e-3).go(until)
    size, n = np.abs(end[: len(model.load)]).max(), len(model.load)
    assert run.data["displacement"].values[-1] == pytest.approx(end[:n], abs=1e-10 * size)
    own = [(e.time, e.connection.split(".")[0], e.after) for e in run.events if e.connection.endswith("tangential")]
    assert [row[1:] for row in own] == [row[1:] for row in events]
    assert [row[0] for row in own] == pytest.approx([row[0] for row in events], abs=1e-9)
    certificate = run.certificate
    assert certificate.passed
    assert certificate.energy_residual < 1e-12
    assert all(lost > -1e-14 for name, lost in certificate.dissipated.items() if name.endswith("tangential"))
    return {state for _, _, state in own}


def test_random_contacts_agree_with_matrix_exponentials_in_every_event():
    met = set()
    for seed in range(24):
        met |= assert_agrees_with_exponentials(seed, 4.0)
    assert met == {"stick", "slip", "separated"}


@pytest.mark.long
def test_a_hundred_random_contacts_agree_over_long_runs():
    for seed in range(24, 124):
        assert_agrees_with_exponentials(seed, 20.0)


def test_contacts_side_by_side_switch_at_once_as_one_does():
    """Three thirds of a contact at one place: every event is a tie of three."""
    shared = two_masses()
    split = ss.Model("three thirds", frequency=8.0)
    x, z = (split.coordinate(name, inertia=1.0) for name in "xz")
    split.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
    split.connect(z, ss.Linear(stiffness=200.0, damping=1.0))
    third = {"normal_stiffness": 100.0, "tangential_stiffness": 50.0, "friction": 0.4, "preload": 1.0 / 3.0}
    for _ in range(3):
        split.connect((x, z + 0.3 * x), ss.FrictionContact(**third))
    split.load(x, ss.Sine(3.0, order=1))
    split.load(z, ss.Sine(4.0, order=1, phase=1.0))
    runs = [m.simulate(until=6.0, method="exact", samples=61) for m in (shared, split)]
    assert runs[0].data["displacement"].values == pytest.approx(runs[1].data["displacement"].values, abs=1e-14)
    assert len(runs[1].events) == 3 * len(runs[0].events) > 100


def test_a_run_continues_from_every_state():
    whole = two_masses().simulate(until=3.0, samples=[3.0])
    assert whole.stats.method == "exact"
    met = set()
    for until in np.linspace(0.3, 2.5, 12):
        first = two_masses().simulate(until=until)
        met.add(str(first.data["state"].sel(connection="pad.tangential").values[-1]))
        rest = two_masses().simulate(until=3.0, start=first.end, samples=[3.0])
        assert rest.data["displacement"].values == pytest.approx(whole.data["displacement"].values, abs=1e-14)
    assert met == {"stick", "slip", "separated"}


@pytest.mark.parametrize(
    ("options", "start"),
    [
        ({"friction": 0.0}, {}),
        ({"gap": 0.01, "preload": 0.0}, {}),
        ({"preload": -1.0}, {"x": 0.02, "z": 0.05}),
        ({"friction": 0.0, "normal_damping": 0.0}, {"x": -0.1, "z": -0.1}),
    ],
)
def test_limits_gaps_and_starts_are_those_of_newmark(options, start):
    runs = []
    for method, step in (("exact", None), ("newmark", 2e-4), ("newmark", 1e-4)):
        m = two_masses(**options)
        for name, value in start.items():
            m[name].displacement = value
        run = m.simulate(until=3.0, method=method, step=step, samples=[3.0])
        runs.append(run.data["displacement"].values)
    fine = np.abs(runs[0] - runs[2]).max()
    assert fine < 1e-6
    assert fine < 0.5 * np.abs(runs[0] - runs[1]).max()  # at least of first order, where a contact opens between steps


def test_massless_dampers_keep_the_balance():
    m = ss.Model("damper without mass", frequency=8.0)
    x, z = (m.coordinate(name, inertia=1.0) for name in "xz")
    y = m.coordinate("y")
    m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
    m.connect(y, ss.Linear(stiffness=80.0))
    m.connect(z, ss.Linear(stiffness=200.0, damping=0.5))
    m.connect((x - y, z), ss.FrictionContact(**OPTIONS, preload=1.0), name="pad")
    m.load(x, ss.Cosine(5.0, order=1))
    m.load(z, ss.Cosine(4.0, order=1, phase=1.0))
    run = m.simulate(until=5.0, method="exact", samples=501)
    assert run.certificate.passed
    assert run.certificate.energy_residual < 1e-12
    force, y = run.data["force"], run.data["displacement"].sel(coordinate="y").values
    assert 80.0 * y == pytest.approx(force.sel(connection="pad.tangential").values, abs=1e-12)
    assert len(changes(run)) > 20


def test_no_force_pulls_and_none_exceeds_its_limit():
    run = two_masses().simulate(until=10.0, method="exact", samples=4001)
    force = run.data["force"]
    tangential, normal = (force.sel(connection=f"pad.{name}").values for name in ("tangential", "normal"))
    states = run.data["state"].sel(connection="pad.normal").values
    assert normal.min() >= -1e-13
    assert (np.abs(tangential) <= 0.4 * normal + 1e-13).all()
    assert not tangential[states == "separated"].any()
    times = [t for t, _ in changes(run)]
    assert all(a < b for a, b in pairwise(times))


@pytest.mark.parametrize("law", [ss.FrictionContact(**OPTIONS, normal_damping=1.0, preload=1.0)])
def test_normal_damping_is_refused_with_the_methods_that_take_it(law):
    with pytest.raises(ss.MissingFace, match=r"pad\.tangential.*several deflections.*newmark"):
        two_masses(law).simulate(until=1.0, method="exact")
    assert two_masses(law).simulate(until=0.1).stats.method != "exact"


class Coupled(ss.Law):
    """A user's spring of two deflections with pieces: f_t = k u_t + c u_n where u_n > 0, else k u_t; f_n = k u_n."""

    directions = ("along", "across")
    stiffness: float
    coupling: float

    def update(self, u, v, memory):
        return (self.stiffness * u[0] + self.coupling * max(u[1], 0.0), self.stiffness * u[1]), ()

    def direction_pieces(self, direction):
        from slipstick.laws.faces import Affine, Guard, Piece

        if direction == 1:
            return tuple(Piece(name, Affine(u=self.stiffness)) for name in ("open", "shut"))
        return (
            Piece("open", Affine(u=self.stiffness), (Guard(Affine(partner=-1.0), "shut"),)),
            Piece("shut", Affine(u=self.stiffness, partner=self.coupling), (Guard(Affine(partner=1.0), "open"),)),
        )


def test_a_law_of_a_user_with_pieces_in_two_directions_runs_exactly():
    runs = [two_masses(Coupled(stiffness=50.0, coupling=30.0)).simulate(until=3.0, method="exact", samples=[3.0])]
    for step in (2e-4, 1e-4):
        run = two_masses(Coupled(stiffness=50.0, coupling=30.0)).simulate(
            until=3.0, method="newmark", step=step, samples=[3.0]
        )
        runs.append(run)
    exact, coarse, fine = (run.data["displacement"].values for run in runs)
    assert exact == pytest.approx((4.0 * fine - coarse) / 3.0, abs=1e-8)
    assert runs[0].events
