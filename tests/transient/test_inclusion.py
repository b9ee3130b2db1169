"""Scheme (A.7) of the tensioner paper, and its theta variant."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from golden import table
from transient.tensioner_model import BEGIN, FIG_21, WINDOW, ratios, two_dof

import slipstick as ss
from slipstick.errors import InvalidInput, MissingFace, NotConverged
from slipstick.laws.law_kernels import pointer
from slipstick.native import compile_functions
from slipstick.transient import box_complementarity, inclusion
from slipstick.transient.inclusion.setup import split_problem
from slipstick.transient.inclusion.step_choice import StepStability
from slipstick.transient.problem import pose
from slipstick.transient.run_request import RunRequest

TENSIONER = table("tensioner")


def go(model, until, *, start=0.0, samples=2000, step=None, progress=None, **options):
    times = np.linspace(start, until, samples) if isinstance(samples, int) else np.asarray(samples, dtype=float)
    request = RunRequest(until=until, times=times, step=step, progress=progress)
    return inclusion.run(pose(model, start), request, **options)


def block(limit=0.6, damping=0.0, **start):
    """Friction block of the gear paper, 3.1: M = 1, F = sin t."""
    m = ss.Model("block")
    z = m.coordinate("z", inertia=1.0, **start)
    m.connect(z, ss.DryFriction(limit=limit, damping=damping), name="floor")
    return m


def slopes(steps, errors):
    """Orders of convergence between neighbouring steps."""
    return np.diff(np.log(errors)) / np.diff(np.log(steps))


# ---- the papers' numbers


def test_two_dof_ratios_at_the_papers_step():
    found = ratios(go(two_dof(), 3.15, start=BEGIN, samples=WINDOW, step=1e-5).samples().force)
    for name, own in zip("tf", found, strict=True):
        TENSIONER[f"ratio_{name}_a7"].assert_agrees(own)


@pytest.mark.parametrize(("amplitude", "frequency"), FIG_21)
def test_points_of_fig_21_with_a7_at_1e_5(amplitude, frequency):
    m = ss.systems.tensioner(amplitude=amplitude, frequency=frequency)
    tension = go(m, 20.0, samples=17.0 + 1e-5 * np.arange(300_001), step=1e-5).samples().force[:, 0]
    assert np.ptp(tension) == pytest.approx(TENSIONER[f"fig21_a7_{amplitude}_{frequency}"].value, abs=6e-6)


def test_step_limit_of_the_tensioner_at_10_rad_s_is_1_64e_5_and_a_step_above_is_refused(refused):
    m = ss.systems.tensioner(frequency=10.0)
    limit = StepStability(split_problem(pose(m)), None, 20.0).limit()
    assert limit == pytest.approx(1.64e-5, rel=5e-3)
    with refused("1.64e-05 s", 'scheme="theta"', "smaller step", error=InvalidInput):
        go(m, 1.0, step=1.7e-5)
    just_below = go(m, 0.5, step=1.63e-5, samples=3).samples()
    assert np.abs(just_below.displacement).max() < 1e-2


def test_friction_block_slips_and_sticks_where_the_gear_paper_says_with_order_one():
    m = block()
    m.load(m["z"], ss.Sine(1.0, frequency=1.0))
    slips, sticks, rest = 0.643501108793284, 3.52345490581182, 0.788372108748076
    t = np.linspace(0.0, 3.7, 2000)
    since = np.clip(t, slips, sticks) - slips
    z = math.sin(slips) - np.sin(since + slips) + math.cos(slips) * since - 0.3 * since**2
    assert z[-1] == pytest.approx(rest, abs=1e-13)
    steps = [0.0131 / 2**i for i in range(6)]
    errors = [np.abs(go(m, 3.7, step=h).samples().displacement[:, 0] - z).max() for h in steps]
    np.testing.assert_allclose(slopes(steps, errors), 1.0, atol=0.1)
    fine = go(m, 3.7, step=1e-5)
    slip, stick = (e.time for e in fine.events())
    assert slip == pytest.approx(slips, abs=3e-5)
    assert stick == pytest.approx(sticks, abs=3e-5)
    assert fine.samples().velocity[-1, 0] == 0.0
    assert list(fine.samples().state[[0, 1000, -1], 0]) == ["stick", "slip+", "stick"]


def test_order_of_a7_with_a_slider_is_one():
    m = ss.systems.tensioner(amplitude=120, frequency=73)
    times = 0.2 + 0.0013 * np.arange(80)

    def motion(h):
        return go(m, 0.31, samples=times, step=h).samples().displacement[:, 0]

    steps = [3.1e-5 / 2**i for i in range(6)]
    found = [motion(h) for h in steps]
    # against the limit of first order from the two finest
    limit = 2.0 * found[-1] - found[-2]
    errors = [np.abs(q - limit).max() for q in found[:-1]]
    np.testing.assert_allclose(slopes(steps[:-1], errors), 1.0, atol=0.1)


# ---- contacts


def test_box_problem_agrees_with_all_sets_of_bounds_gone_through():
    solve = compile_functions(box_complementarity.box_solve)["box_solve"]
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(1, 5))
        root = rng.normal(size=(n, n + 1))
        a, b, high = root @ root.T, 3.0 * rng.normal(size=n), rng.uniform(0.1, 1.0, n)
        x = np.zeros(n)
        solve.call(
            pointer(a), pointer(b), pointer(-high), pointer(high), pointer(x), n, pointer(np.zeros(n * (n + 3) + 1))
        )
        np.testing.assert_allclose(x, brute_force(a, b, high), atol=1e-10)


def brute_force(a, b, high):
    for bounds in itertools.product((-1, 0, 1), repeat=len(b)):
        side = np.array(bounds)
        x = side * high
        free = side == 0
        if free.any():
            x[free] = np.linalg.solve(a[np.ix_(free, free)], b[free] - a[np.ix_(free, ~free)] @ x[~free])
        r = a @ x - b
        if (np.abs(x) <= high + 1e-12).all() and (r[side > 0] <= 1e-12).all() and (r[side < 0] >= -1e-12).all():
            return x
    raise AssertionError("no solution")


def stack(pull):
    """Two blocks on each other; the upper one is pulled."""
    m = ss.Model("stack")
    low, top = m.coordinate("low", inertia=2.0), m.coordinate("top", inertia=1.0)
    m.connect(low, ss.DryFriction(limit=0.5), name="floor")
    m.connect(top - low, ss.DryFriction(limit=2.0), name="between")
    m.load(top, ss.Constant(pull))
    return m


@pytest.mark.parametrize(
    ("pull", "low", "top"),
    # rest; both together at (F - 0.5)/3; apart: the lower one at (2 - 0.5)/2, the upper one at F - 2
    [(0.4, 0.0, 0.0), (1.7, 0.4, 0.4), (3.5, 0.75, 1.5)],
)
def test_stacked_blocks_are_decided_together(pull, low, top):
    for options in ({}, {"scheme": "theta", "theta": 0.5}):
        v = go(stack(pull), 2.0, samples=2, step=0.1, **options).samples().velocity[-1]
        np.testing.assert_allclose(v, [2.0 * low, 2.0 * top], atol=1e-12)


def test_redundant_frictions_on_one_deflection_add():
    m = block(limit=0.3)
    m.connect(m["z"], ss.DryFriction(limit=0.2), name="second")
    m.load(m["z"], ss.Constant(0.8))
    v = go(m, 1.0, samples=2, step=0.01).samples().velocity[-1, 0]
    assert v == pytest.approx(0.3, abs=1e-12)


def test_many_frictions_in_a_row_hold_a_chain():
    m = ss.Model("chain")
    q = [m.coordinate(f"q{i}", inertia=1.0) for i in range(12)]
    for i, x in enumerate(q):
        m.connect(x, ss.DryFriction(limit=1.0), name=f"floor{i}")
        if i:
            m.connect(x - q[i - 1], ss.DryFriction(limit=20.0), name=f"link{i}")
    m.load(q[-1], ss.Constant(11.9))
    still = go(m, 1.0, samples=2, step=0.05).samples()
    assert np.abs(still.velocity).max() < 1e-12
    m.load(q[0], ss.Constant(1.3))  # 13.2 against 12: all slide together with 0.1
    np.testing.assert_allclose(go(m, 1.0, samples=2, step=0.05).samples().velocity[-1], 0.1, atol=1e-10)


def test_a_limit_that_varies_in_time_brakes_by_its_integral():
    limit = ss.Fourier(mean=0.5, cos=(0.3,), frequency=1.0)
    m = block(limit=limit, velocity=1.0)
    s = go(m, 1.0, step=1e-4).samples()
    t = s.time
    np.testing.assert_allclose(s.velocity[:, 0], 1.0 - 0.5 * t - 0.3 * np.sin(t), atol=1e-4)
    np.testing.assert_allclose(s.force[1:, 0], (0.5 + 0.3 * np.cos(t))[1:], atol=1e-4)


def test_viscous_friction_is_part_of_the_graph_and_sets_no_step_limit():
    m = block(limit=0.5, damping=1e6)
    m.load(m["z"], ss.Constant(1.5))
    assert go(m, 1.0, samples=2, step=0.1).samples().velocity[-1, 0] == pytest.approx(1e-6, rel=1e-3)


def belt(speed):
    m = ss.Model("belt", frequency=1.0)
    x, b = m.coordinate("x", inertia=1.0), m.coordinate("b", motion=speed)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    m.connect(x - b, ss.DryFriction(limit=0.5), name="rub")
    return m


@pytest.mark.parametrize("options", [{"step": 1e-4}, {"scheme": "theta", "theta": 0.5, "step": 1e-3}])
@pytest.mark.parametrize(
    "speed", [ss.Ramp(0.1), ss.Signal((0.0, 100.0), (0.0, 10.0)), ss.Ramp(0.1) + ss.Sine(0.01, order=1)]
)
def test_a_moving_belt_carries_the_block_until_the_spring_pulls_it_off(speed, options):
    run = go(belt(speed), 6.5, **options)
    s = run.samples()
    before = (s.time > 0.5) & (s.time < 4.5)
    moved = speed.at(s.time[before], 1.0, 1)
    np.testing.assert_allclose(s.velocity[before, 0], moved, atol=1e-9 if "Signal" not in repr(speed) else 1e-4)
    off = [e.time for e in run.events() if e.before == "stick"][-1]
    x_off = np.interp(off, s.time, s.displacement[:, 0])
    acceleration = speed.at(off, 1.0, 2)
    assert x_off + acceleration == pytest.approx(0.5, abs=2e-3)


def test_sampling_changes_nothing_and_lies_on_the_line_between_steps():
    m = ss.systems.tensioner(amplitude=120, frequency=73)
    end = [go(m, 0.1, samples=k, step=1e-4).samples().displacement[-1] for k in (2, 1001, 4001)]
    assert (end[0] == end[1]).all()
    assert (end[0] == end[2]).all()
    q = go(m, 0.1, samples=2001, step=1e-4).samples().displacement
    np.testing.assert_allclose(q[1:-1:2], 0.5 * (q[:-1:2] + q[2::2]), atol=1e-15)


# ---- theta


def test_theta_has_no_limit_from_stiff_damping_and_agrees_with_the_fine_explicit_run():
    m = ss.systems.tensioner(amplitude=160, frequency=10.0)
    times = np.linspace(0.5, 1.0, 101)
    fine = go(m, 1.0, samples=times, step=1e-6).samples().displacement
    errors = []
    steps = [2e-3 / 2**i for i in range(5)]
    for h in steps:  # all above the explicit limit
        coarse = go(m, 1.0, samples=times, step=h, scheme="theta", theta=1.0).samples().displacement
        errors.append(np.abs(coarse - fine).max() / np.abs(fine).max())
    assert errors[-1] < 2e-3
    np.testing.assert_allclose(slopes(steps, errors), 1.0, atol=0.25)


def test_theta_one_half_is_second_order_where_all_is_smooth():
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Jenkins(stiffness=4.0, limit=100.0))  # never slips
    steps = [0.1 / 2**i for i in range(6)]
    errors = [
        abs(go(m, 5.0, samples=2, step=h, scheme="theta", theta=0.5).samples().displacement[-1, 0] - math.cos(10.0))
        for h in steps
    ]
    np.testing.assert_allclose(slopes(steps, errors), 2.0, atol=0.1)


def test_smooth_laws_without_memory_are_explicit_in_both():
    m = ss.Model("gap")
    x = m.coordinate("x", inertia=1.0, displacement=2.0)
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="stop")
    m.connect(x, ss.Linear(damping=1e-9), name="air")
    period = 2.0 * math.pi + 4.0 * 0.5 / (2.0 - 0.5)  # gear: freeplay
    for options in ({"step": 2e-5}, {"step": 2e-5, "scheme": "theta"}):
        s = go(m, period, samples=2, **options).samples()
        assert s.displacement[-1, 0] == pytest.approx(2.0, abs=2e-3)


# ---- certificate


def random_model(rng):
    m = ss.Model("random", frequency=float(rng.uniform(0.5, 3.0)))
    n = int(rng.integers(1, 4))
    q = [m.coordinate(f"q{i}", inertia=float(rng.uniform(0.5, 2.0)), velocity=float(rng.normal())) for i in range(n)]
    for i, x in enumerate(q):
        form = x - q[i - 1] if i else x
        m.connect(form, ss.Linear(stiffness=float(rng.uniform(0.5, 9.0)), damping=float(rng.uniform(0.1, 0.5))))
        kind = rng.integers(4)
        if kind == 0:
            m.connect(form, ss.Jenkins(stiffness=float(rng.uniform(1, 5)), limit=float(rng.uniform(0.1, 1.0))))
        elif kind == 1:
            m.connect(x, ss.DryFriction(limit=float(rng.uniform(0.05, 0.5))))
        elif kind == 2:
            m.connect(form, ss.Freeplay(stiffness=float(rng.uniform(1, 9)), half_gap=float(rng.uniform(0.05, 0.3))))
        else:
            m.connect(form, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, float(rng.uniform(0, 3)))))
    m.load(q[0], ss.Cosine(float(rng.uniform(0.5, 3.0)), order=1))
    return m


def test_certificate_is_honest_on_random_models():
    rng = np.random.default_rng(5)
    misses = 0
    for _ in range(60):
        m = random_model(rng)
        options = {} if rng.random() < 0.5 else {"scheme": "theta"}
        h = 2e-3
        run = go(m, 20.0, samples=500, step=h, **options)
        fine = go(m, 20.0, samples=500, step=h / 64, **options)
        true = np.abs(run.samples().displacement - fine.samples().displacement)
        certificate = run.certificate()
        ratio = true.max() / certificate.error
        misses += not 1e-3 <= ratio <= 10.0
    assert misses == 0


@pytest.mark.parametrize("step", [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4])
def test_certificate_is_honest_where_half_the_step_has_the_same_error(step):
    """With theta = 0.5 the error comes from where in a step the block stops and starts: no power of the step."""
    m = ss.Model("block on a spring")
    x = m.coordinate("x", inertia=1.0, displacement=0.3)
    m.connect(x, ss.DryFriction(limit=0.3), name="floor")
    m.connect(x, ss.Linear(stiffness=2.0, damping=0.05), name="spring")
    m.load(x, ss.Sine(1.0, frequency=1.3))
    exact = m.simulate(10.0, samples=1001).data.displacement
    run = m.simulate(10.0, method="inclusion", scheme="theta", theta=0.5, step=step, samples=1001)
    true = float(np.abs(run.data.displacement - exact).max())
    assert 0.1 * true <= run.certificate.error <= 10.0 * true


def test_certificate_balances_energy_and_knows_what_friction_took():
    m = block(velocity=1.0, limit=0.5)
    run = go(m, 3.0, step=1e-3)
    c = run.certificate()
    assert c.passed
    assert c.dissipated["floor"] == pytest.approx(0.5, rel=2e-3)  # all of the kinetic energy
    assert c.kinetic == pytest.approx(-0.5)
    assert c.error == pytest.approx(abs(run.samples().displacement[-1, 0] - 1.0), rel=0.05)  # v^2/(2 mu g) = 1


def test_motion_that_amplifies_small_changes_is_called_sensitive():
    m = ss.Model("Duffing")  # a well-known chaotic case: Lyapunov exponent near 0.15 a second
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, -1.0, 0.0, 1.0), damping=0.3), name="two wells")
    m.load(x, ss.Cosine(0.5, frequency=1.2))
    c = go(m, 250.0, step=1e-3).certificate()
    assert c.error == math.inf
    assert any("sensitive" in note for note in c.notes)
    assert not c.passed


# ---- bad input


def test_laws_with_a_memory_are_refused_by_name_with_methods_that_work(refused):
    m = ss.systems.tensioner("modified-dahl")
    with refused('connection "tensioner" (ModifiedDahl)', "resolvent", "events", error=MissingFace):
        m.simulate(1.0, method="inclusion")
    m = ss.Model("stack")
    m.connect(m.coordinate("z", inertia=1.0), ss.DynamicHysteresis(stiffness=1.0, limit=0.5), name="stack")
    with refused('connection "stack" (DynamicHysteresis)', "resolvent", "events", error=MissingFace):
        m.simulate(1.0, method="inclusion")
    m = block()
    m.connect(m["z"], ss.DryFriction(limit=0.1, static_limit=0.2), name="sticky")
    with refused('"sticky"', "static limit", "exact", error=MissingFace):
        m.simulate(1.0, method="inclusion")
    m = ss.Model("light")
    m.connect(m.coordinate("x"), ss.Jenkins(stiffness=1.0, limit=1.0))
    with refused('coordinate "x": no inertia', "exact, newmark", error=MissingFace):
        m.simulate(1.0, method="inclusion")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scheme": "thetta"}, 'did you mean "theta"'),
        ({"scheme": "theta", "theta": 0.3}, "theta must be from 0.5 to 1, got 0.3"),
        ({"theta": 0.7}, 'leave theta= out, or use scheme="theta"'),
        ({"step": 2.0}, "at most the length of the run"),
    ],
)
def test_options_are_checked_in_words(refused, options, words):
    with refused(words, error=InvalidInput):
        go(block(), 1.0, **options)


def test_an_undamped_mode_may_grow_a_tenth_over_the_run_and_no_more(refused):
    m = ss.Model("free")
    m.connect(m.coordinate("x", inertia=1.0, displacement=1.0), ss.Linear(stiffness=1.0))
    # |1 + i h| grows like h/2 a second
    assert go(m, 100.0, step=1.9e-3).stats.steps == math.ceil(100.0 / 1.9e-3)
    with refused("stability limit 0.002 s", error=InvalidInput):
        go(m, 100.0, step=2.1e-3)
    assert go(m, 100.0).stats.steps > 5e4


def test_a_state_that_is_no_number_stops_with_what_was_reached():
    m = ss.Model("runaway")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, -1.0)), name="pushes")
    with pytest.raises(NotConverged, match="no longer finite") as caught:
        go(m, 10.0, step=1e-3)
    s = caught.value.partial.samples()
    assert 0.5 < s.time[-1] < 4.0
    assert np.isfinite(s.displacement).all()


def test_ctrl_c_keeps_what_was_computed_and_progress_is_called_a_hundred_times():
    seen = []

    def interrupt(part):
        seen.append(part)
        if part > 0.5:
            raise KeyboardInterrupt

    m = ss.systems.tensioner(amplitude=120, frequency=73)
    with pytest.raises(NotConverged, match="interrupted") as caught:
        go(m, 1.0, step=1e-4, progress=interrupt)
    s = caught.value.partial.samples()
    assert s.time[-1] == pytest.approx(0.51, abs=0.01)
    seen.clear()
    go(m, 1.0, step=1e-4, progress=seen.append)
    assert len(seen) == 100
    assert seen[-1] == 1.0


def test_samples_at_events_are_there_on_request():
    m = block()
    m.load(m["z"], ss.Sine(1.0, frequency=1.0))
    request = RunRequest(until=3.7, times=np.array([3.7]), with_events=True, step=1e-3)
    run = inclusion.run(pose(m), request)
    s = run.samples()
    np.testing.assert_allclose(s.time, [*(e.time for e in run.events()), 3.7])
    assert list(s.state[:, 0]) == ["slip+", "stick", "stick"]


def test_a_model_that_is_all_prescribed_has_forces():
    m = ss.Model("rig")
    x = m.coordinate("x", motion=ss.Sine(1.0, frequency=2.0))
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5), name="slider")
    s = go(m, 5.0, step=1e-4).samples()
    np.testing.assert_allclose(s.force[:, 0], m.connections[0].law.trace(s.deflection[:, 0]), atol=5e-4)


def test_a_block_that_slides_from_the_start_has_one_event_when_it_stops():
    run = go(block(velocity=1.0, limit=0.5), 3.0, step=1e-3)
    (stop,) = run.events()
    assert (stop.before, stop.after) == ("slip+", "stick")
    assert stop.time == pytest.approx(2.0, abs=2e-3)
    assert list(run.samples().state[[0, -1], 0]) == ["slip+", "stick"]


def test_a_model_that_grows_by_itself_may_grow():
    m = ss.Model("unstable")
    x = m.coordinate("x", inertia=1.0, displacement=1e-3)
    m.connect(x, ss.Linear(stiffness=1.0, damping=-0.2), name="drives")
    for options in ({"step": 1e-4}, {"step": 1e-2, "scheme": "theta", "theta": 0.5}):
        s = go(m, 20.0, samples=2, **options).samples()
        w = math.sqrt(0.99)
        exact = 1e-3 * math.exp(2.0) * (math.cos(20.0 * w) - 0.1 / w * math.sin(20.0 * w))
        assert s.displacement[-1, 0] == pytest.approx(exact, rel=5e-3)
