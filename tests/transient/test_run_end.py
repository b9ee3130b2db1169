"""Runs that go on from where another one ended."""

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import InvalidInput
from slipstick.results.run_end import RunEnd

LAWS = {
    "gap": ss.Freeplay(stiffness=300.0, half_gap=0.01),
    "slider": ss.Jenkins(stiffness=80.0, limit=0.6),
    "friction": ss.DryFriction(limit=0.3),
    "static": ss.DryFriction(limit=0.3, static_limit=0.45),
    "varying": ss.DryFriction(limit=ss.Fourier(0.3, cos=[0.2], frequency=5.0)),
    "series": ss.Series(ss.Freeplay(stiffness=200.0, half_gap=0.01), ss.Jenkins(stiffness=90.0, limit=0.4)),
    "masing": ss.Masing(stiffness=80.0, limit=0.6),
    "boucwen": ss.BoucWen(stiffness=80.0, ratio=0.2, A=1.0, beta=60.0, gamma=40.0, exponent=1.0),
    "dynamic": ss.DynamicHysteresis(stiffness=80.0, limit=0.6),
    "dahl": ss.Dahl(stiffness=80.0, limit=0.6),
}
EXACT = ("gap", "slider", "friction", "static", "varying", "series", "masing")
ADAPTIVE = ("dynamic", "boucwen", "dahl")


def chain(law):
    m = ss.Model("chain")
    x, y = m.coordinate("x", inertia=1.0, velocity=0.3), m.coordinate("y", inertia=0.6)
    m.connect(x, ss.Linear(stiffness=100.0, damping=0.5), name="ground")
    m.connect(y - x, ss.Linear(stiffness=60.0, damping=0.2), name="spring")
    m.connect(y - x, law, name="joint")
    m.load(y, ss.Cosine(1.0, frequency=6.0) + ss.Signal([0.0, 1.3, 2.9], [0.0, 0.4, -0.1]))
    return m


@pytest.mark.parametrize("stops", [(1.0,), (0.7, 1.3, 2.2)])
@pytest.mark.parametrize("name", EXACT)
def test_exact_runs_go_on_to_rounding(name, stops):
    whole = chain(LAWS[name]).simulate(4.0)
    run = chain(LAWS[name]).simulate(stops[0])
    events = [*run.events["time"].tolist()]
    for until in (*stops[1:], 4.0):
        run = chain(LAWS[name]).simulate(until, start=run.end)
        events += run.events["time"].tolist()
    assert len(events) == len(whole.events) > 3
    np.testing.assert_allclose(events, whole.events["time"], rtol=1e-12)
    last = [r.data.isel(time=-1) for r in (run, whole)]
    for quantity in ("displacement", "velocity", "force"):
        np.testing.assert_allclose(last[0][quantity], last[1][quantity], rtol=0, atol=1e-12)
    assert list(last[0].state.values) == list(last[1].state.values)
    assert run.certificate.passed


@pytest.mark.parametrize("name", ADAPTIVE)
def test_adaptive_runs_go_on_within_their_tolerance(name):
    whole = chain(LAWS[name]).simulate(4.0, tolerance=1e-9)
    first = chain(LAWS[name]).simulate(1.7, tolerance=1e-9)
    rest = chain(LAWS[name]).simulate(4.0, start=first.end, tolerance=1e-9)
    assert whole.stats.method == rest.stats.method == "events"
    scale = np.abs(whole.data.displacement.values).max()
    ends = [r.data.displacement.values[-1] for r in (rest, whole)]
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-6 * scale)
    virgin = chain(LAWS[name]).simulate(4.0, start=1.7, tolerance=1e-9)
    assert np.abs(virgin.data.displacement.values[-1] - ends[1]).max() > 1e-3 * scale


@pytest.mark.parametrize("method", ["newmark", "inclusion"])
def test_fixed_steps_go_on_step_by_step(method):
    m = chain(LAWS["slider"])
    whole = m.simulate(2.0, method=method, step=1e-3)
    first = m.simulate(1.0, method=method, step=1e-3)
    rest = m.simulate(2.0, start=first.end, method=method, step=1e-3)
    ends = [r.data.displacement.values[-1] for r in (rest, whole)]
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-5 * np.abs(whole.data.displacement.values).max())


METHODS = {
    "exact": ("slider", {}),
    "events": ("slider", {"tolerance": 1e-9}),
    "newmark": ("slider", {"step": 1e-3}),
    "inclusion": ("friction", {"step": 1e-4}),
}


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_end_lies_where_the_run_ended_whatever_its_samples(method):
    name, options = METHODS[method]
    m = chain(LAWS[name])
    many, few = (m.simulate(2.0, samples=given, method=method, **options).end for given in (201, [0.5, 1.0]))
    assert few.time == pytest.approx(2.0, rel=1e-12)
    assert list(few.displacement.values()) == pytest.approx(list(many.displacement.values()), rel=1e-9)
    assert few.memory == many.memory


@pytest.mark.parametrize("method", ["events", "inclusion", "newmark"])
def test_a_run_goes_on_after_it_was_stopped(method):
    name, options = METHODS[method]
    m = chain(LAWS[name])

    def stop(part):
        if part > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(ss.NotConverged) as stopped:
        m.simulate(8.0, method=method, progress=stop, **options)
    run = stopped.value.partial
    assert run.end.time == run.stats.reached < 8.0
    rest = m.simulate(8.0, start=run.end, samples=[8.0], method=method, **options)
    whole = m.simulate(8.0, samples=[8.0], method=method, **options)
    np.testing.assert_allclose(rest.data.displacement, whole.data.displacement, rtol=1e-3)


@pytest.mark.parametrize("method", ["exact", "events", "newmark"])
@pytest.mark.parametrize(("stiffness", "limit"), [(80.0, 0.6), (40.0, 0.6), (80.0, 0.3)])
def test_an_asymmetric_slider_keeps_its_place_where_the_next_run_has_other_numbers(method, stiffness, limit):
    """The force of the slider that sticks is k (u - s), and s is where the first run left it."""
    options = {} if method == "exact" else {"step": 1e-3}
    first = chain(ss.Masing(stiffness=80.0, limit=0.6, reverse_limit=0.2)).simulate(1.25, method=method, **options)
    force, u = (float(first.data[name].sel(connection="joint")[-1]) for name in ("force", "deflection"))
    assert 0.01 < force < 0.29  # it sticks, in the next run too
    place = u - force / 80.0
    m = chain(ss.Masing(stiffness=stiffness, limit=limit, reverse_limit=0.2))
    rest = m.simulate(2.0, start=first.end, method=method, **options)
    assert float(rest.data.force.sel(connection="joint")[0]) == pytest.approx(stiffness * (u - place), rel=1e-9)


def test_a_block_held_by_static_friction_stays_held():
    """The load lies between the sliding and the static limit: what sticks must not be let loose by going on."""
    m = ss.Model("held")
    x = m.coordinate("x", inertia=1.0, velocity=2.0)
    m.connect(x, ss.DryFriction(limit=1.0, static_limit=2.0), name="floor")
    m.load(x, ss.Constant(-1.0) + ss.Signal([0.0, 2.0, 3.0], [0.0, 0.0, 2.5]))
    run = m.simulate(2.0)
    assert run.data.state.values[-1, 0] == "stick"
    for until in (2.3, 2.6, 2.9):
        run = m.simulate(until, start=run.end)
        assert len(run.events) == 0
        assert np.all(run.data.velocity.values == 0.0)


def test_ends_are_saved_and_opened(tmp_path):
    m = chain(LAWS["slider"])
    run = m.simulate(1.0)
    run.save(tmp_path / "run.nc")
    opened = ss.open(tmp_path / "run.nc")
    assert opened.end == run.end
    here, there = (m.simulate(2.0, start=end) for end in (run.end, opened.end))
    np.testing.assert_array_equal(here.data.displacement.values, there.data.displacement.values)


def test_another_load_may_act_from_the_end_on():
    """The state is that of the first run, the model may be changed: a step load on an oscillator in free decay."""
    m = ss.Model("step")
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=100.0), name="spring")
    first = m.simulate(0.8)
    m.load(x, ss.Constant(5.0))
    rest = m.simulate(2.0, start=first.end)
    q, v = 0.1 * math.cos(8.0), -math.sin(8.0)
    t = rest.data.time.values - 0.8
    expected = 0.05 + (q - 0.05) * np.cos(10.0 * t) + 0.1 * v * np.sin(10.0 * t)
    np.testing.assert_allclose(rest.data.displacement.values[:, 0], expected, rtol=0, atol=1e-14)


def test_the_end_of_another_model_is_refused():
    end = chain(LAWS["slider"]).simulate(1.0).end
    m = ss.Model("other")
    z = m.coordinate("z", inertia=1.0)
    m.connect(z, ss.Linear(stiffness=10.0), name="spring")
    with pytest.raises(InvalidInput, match="another model"):
        m.simulate(2.0, start=end)
    with pytest.raises(InvalidInput, match="must be after start"):
        chain(LAWS["slider"]).simulate(0.5, start=end)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"time": 1}', "nan"])
def test_damaged_ends_are_refused(text):
    with pytest.raises(InvalidInput, match="damaged"):
        RunEnd.decoded(text)


def test_ends_with_infinite_numbers_are_refused():
    end = chain(LAWS["slider"]).simulate(1.0).end
    with pytest.raises(InvalidInput, match="not finite"):
        RunEnd.decoded(end.encoded().replace(str(end.time), "1e999", 1))
