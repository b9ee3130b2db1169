"""The front door: what is asked is checked, the method is picked in words, nothing is ignored."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from results.recorded_trajectories import trajectory
from scipy.sparse import csr_array

import slipstick as ss
from slipstick.results.run import Run
from slipstick.transient.exact.engine import engine_of
from slipstick.transient.methods import choose
from slipstick.transient.problem import pose
from slipstick.transient.simulate import cached_problem

pytestmark = pytest.mark.usefixtures("asked")  # no solver runs here


def block(*laws, **options):
    """A mass with laws against the ground."""
    m = ss.Model("block", **options)
    x = m.coordinate("x", inertia=1.0)
    for i, law in enumerate(laws or (ss.Linear(stiffness=1.0),)):
        m.connect(x, law, name=f"c{i}")
    return m


@pytest.fixture
def asked(monkeypatch):
    """All methods replaced by one that only writes down what it was asked."""
    found = SimpleNamespace(problem=None, request=None, options=None, raises=None)

    def run(problem, request, *, theta=1.0, order=8):
        found.problem, found.request, found.options = problem, request, {"theta": theta, "order": order}
        if found.raises:
            raise found.raises
        return trajectory(problem.system, request.times)

    for name in ("exact", "events", "inclusion", "newmark", "taylor"):
        monkeypatch.setitem(sys.modules, f"slipstick.transient.{name}", SimpleNamespace(run=run))
    return found


# ---- the contract


def test_the_arguments_are_those_of_the_contract():
    plain = [p.replace(annotation=p.empty) for p in inspect.signature(ss.Model.simulate).parameters.values()]
    assert str(inspect.Signature(plain)) == (
        "(self, until, start=0.0, frequency=None, method='auto', step=None, tolerance=None, samples=2000, "
        "progress=None, speed=None, **options)"
    )


def test_a_run_loads_nothing_heavy_before_its_data_are_looked_at():
    code = """
import sys
import slipstick as ss
m = ss.systems.tensioner()
run = m.simulate(until=0.1, method="newmark", samples=0)
heavy = ["xarray", "pandas", "matplotlib", "pydantic", "sympy", "pint", "ruamel.yaml", "numba"]
print(*(name for name in heavy if name in sys.modules))
run.data
print("xarray" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["", "True"]


# ---- what a method is asked


def test_a_count_of_samples_has_both_ends(asked):
    block().simulate(until=3.0, start=1.0, samples=5)
    assert asked.request.times.tolist() == [1.0, 1.5, 2.0, 2.5, 3.0]
    assert not asked.request.with_events
    assert asked.problem.start == 1.0
    assert asked.request.until == 3.0


def test_no_samples_are_the_events_and_the_end(asked):
    block().simulate(until=3.0, samples=0)
    assert asked.request.times.tolist() == [3.0]
    assert asked.request.with_events


def test_samples_may_be_times(asked):
    block().simulate(until=1.0, samples=[0.1, 0.35, 1.0])
    assert asked.request.times.tolist() == [0.1, 0.35, 1.0]


def test_a_last_sample_that_rounding_put_behind_the_end_is_the_end(asked):
    times = np.append(np.arange(0.0, 0.95, 0.1), np.nextafter(1.0, 2.0))
    block().simulate(until=1.0, samples=times)
    assert asked.request.times[-1] == 1.0


def test_options_and_common_arguments_reach_the_method(asked):
    seen = []
    block().simulate(until=1, method="inclusion", step=1e-3, theta=0.5, progress=seen.append)
    assert asked.options == {"theta": 0.5, "order": 8}
    assert asked.request.step == 1e-3
    assert asked.request.progress == seen.append


def test_the_base_frequency_is_the_one_given_or_the_models_own(asked):
    m = block(frequency=2.0)
    m.load(m["x"], ss.Cosine(1.0, order=3))
    m.simulate(until=1.0)
    assert asked.problem.forcing.omega.tolist() == [6.0]
    m.simulate(until=1.0, frequency=5.0)
    assert asked.problem.forcing.omega.tolist() == [15.0]


def test_the_reason_and_the_seconds_stand_in_the_statistics():
    run = block().simulate(until=1.0)
    assert run.stats.reason == "every law is piecewise linear"
    assert run.stats.seconds > 0.0
    assert block().simulate(until=1.0, method="newmark").stats.reason == ""


# ---- bad input

REFUSED = [
    ({"until": 0.0}, "until must be after start (0 s), got 0 s"),
    ({"until": 1.0, "start": 2.0}, "until must be after start (2 s), got 1 s"),
    ({"until": math.inf}, "until must be finite"),
    ({"until": math.nan}, "until must be finite"),
    ({"until": "5 s"}, "until must be a number"),
    ({"until": None}, "until must be a number"),
    ({"until": True}, "until must be a number"),
    ({"start": -math.inf}, "start must be finite"),
    ({"step": 0.0, "method": "newmark"}, "step must be > 0, got 0.0"),
    ({"step": -1e-3, "method": "newmark"}, "step must be > 0, got -0.001"),
    ({"step": math.nan, "method": "newmark"}, "step must be finite"),
    ({"step": "fine", "method": "newmark"}, "step must be a number"),
    (
        {"step": 1e-3, "method": "exact"},
        "chooses its steps itself; leave step= out; methods with a step: events, inclusion, newmark, taylor",
    ),
    ({"step": 1e-3}, 'method "exact" (picked by "auto") chooses its steps itself'),
    ({"tolerance": 1e-6, "method": "exact"}, "has no error to control; leave tolerance= out"),
    ({"tolerance": 0.0, "method": "events"}, "tolerance must be > 0"),
    ({"frequency": 0.0}, "frequency must be > 0"),
    ({"frequency": -1.0}, "frequency must be > 0"),
    ({"samples": 1}, "samples must be 0 (events and end only) or from 2 to 10000000, got 1"),
    ({"samples": -5}, "got -5"),
    ({"samples": 10**12}, "got 1000000000000"),
    ({"samples": 2000.0}, "samples must be a whole number, a list of times, or 0, got 2000.0"),
    ({"samples": "all"}, "got 'all'"),
    ({"samples": None}, "got None"),
    ({"samples": True}, "got True"),
    ({"samples": []}, "at least one"),
    ({"samples": [[0.1, 0.2]]}, "got shape (1, 2)"),
    ({"samples": [0.0, 0.5, 0.5]}, "samples must increase, got 0.5 s after 0.5 s"),
    ({"samples": [0.5, 0.2]}, "samples must increase, got 0.2 s after 0.5 s"),
    ({"samples": [0.5, 1.2]}, "within the run, 0 to 1 s, got 1.2 s"),
    ({"samples": [-0.5, 0.2]}, "within the run, 0 to 1 s, got -0.5 s"),
    ({"samples": [0.1, math.nan]}, "samples must be finite times, got nan"),
    ({"samples": ["a", "b"]}, "samples must be times in seconds"),
    ({"progress": 5}, "progress must be a function"),
    ({"method": "exakt"}, "unknown method 'exakt' (did you mean \"exact\"?); methods: auto, exact"),
    ({"method": "RK45"}, "unknown method 'RK45' (did you mean \"events\"?); methods: auto, exact, events"),
    ({"method": None}, "unknown method None; methods: auto"),
    ({"method": 3}, "unknown method 3"),
    ({"method": ["exact"]}, "unknown method ['exact']"),
    (
        {"thetta": 0.5},
        'method "exact" (picked by "auto") has no option "thetta" (did you mean "theta"?); its options: ',
    ),
    ({"smaples": 10}, 'no option "smaples" (did you mean "samples"?)'),
    ({"initail": [1.0]}, 'has no option "initail"; set the initial state in the model: m["x"].displacement'),
    ({"zzz": 10}, 'has no option "zzz"; its options: theta, order'),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=[str(a) for a, _ in REFUSED])
def test_bad_input_is_one_line_before_anything_runs(arguments, words, asked):
    with pytest.raises(ss.SlipstickError) as refused:
        block().simulate(**{"until": 1.0, **arguments})
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, (ValueError, TypeError))
    assert asked.problem is None


def test_a_missing_or_misspelt_until_is_named():
    with pytest.raises(ss.WrongArguments, match='no argument "untill" \\(did you mean "until"'):
        block().simulate(untill=3.0)
    with pytest.raises(ss.WrongArguments, match="missing a required argument: 'until'"):
        block().simulate()


def test_orders_need_a_frequency():
    m = block()
    m.load(m["x"], ss.Cosine(1.0, order=1))
    with pytest.raises(ss.InvalidInput, match="has an order and needs a base frequency; pass frequency="):
        m.simulate(until=1.0)
    limit = block(ss.DryFriction(limit=ss.Fourier(mean=1.0, cos=(0.3,))))
    with pytest.raises(ss.InvalidInput, match="needs a base frequency"):
        limit.simulate(until=1.0)


def test_a_model_without_coordinates_is_refused():
    with pytest.raises(ss.InvalidInput, match='model "empty" has no coordinates'):
        ss.Model("empty").simulate(until=1.0)


def test_a_model_in_which_nothing_is_free_is_refused():
    m = ss.Model("rig")
    y = m.coordinate("y", motion=ss.Ramp(1.0))
    m.connect(y, ss.Jenkins(stiffness=1.0, limit=1.0))
    with pytest.raises(ss.InvalidInput, match=r"nothing to integrate; law.trace\(u, t\) gives"):
        m.simulate(until=1.0)


# ---- which method

DAHL = ss.Dahl(stiffness=3.0, limit=0.8)
WAVE = ss.Fourier(mean=1.0, cos=(0.3,), frequency=2.0)


@pytest.mark.parametrize(
    ("laws", "method", "reason"),
    [
        ([], "exact", "piecewise linear"),
        ([ss.Masing(stiffness=1.0, limit=1.0, damping=0.1)], "exact", "piecewise linear"),
        ([ss.DryFriction(limit=WAVE, damping=0.1)], "exact", "piecewise linear"),
        ([ss.DryFriction(limit=1.0, static_limit=1.5)], "exact", "piecewise linear"),
        ([ss.Linear(stiffness=1.0), DAHL], "events", 'connection "c1" (ModifiedDahl, in Dahl) has no pieces'),
        ([ss.Linear(stiffness=1.0).modulated(WAVE)], "events", "modulated in time"),
        ([ss.DryFriction(limit=1.0).regularised("tanh", sharpness=5.0)], "events", "(TanhFriction)"),
        (
            [ss.Polynomial(coefficients=(0, 1, 2)), ss.DryFriction(limit=1.0)],
            "events",
            '"c0" (Polynomial) has no pieces',
        ),
        ([ss.DryFriction(limit=1.0, static_limit=2.0, stribeck_velocity=0.1)], "events", "error is controlled"),
    ],
)
def test_auto_picks_a_method_and_says_why(laws, method, reason):
    chosen, words = choose(pose(block(*laws)), "auto")
    assert chosen == method
    assert reason in words


def test_a_law_without_the_face_is_named_with_the_methods_that_work():
    with pytest.raises(ss.MissingFace) as refused:
        choose(pose(block(ss.Linear(stiffness=1.0), DAHL)), "exact")
    assert str(refused.value) == (
        'connection "c1" (ModifiedDahl, in Dahl) has no pieces, which method "exact" needs; '
        "methods that take this model: events, newmark"
    )


def test_dry_friction_has_no_place_in_newmark():
    with pytest.raises(
        ss.MissingFace, match=r'"c0" \(DryFriction\) has no value and tangent.*model: exact, events, inc'
    ):
        choose(pose(block(ss.DryFriction(limit=1.0))), "newmark")


@pytest.mark.parametrize("method", ["auto", "exact", "events"])
def test_friction_beside_hysteresis_without_inertia_has_a_way_out(method):
    m = block(DAHL, ss.DryFriction(limit=1.0))
    m.connect(m.coordinate("light"), ss.Linear(stiffness=1.0))
    with pytest.raises(ss.MissingFace) as refused:
        choose(pose(m), method)
    words = str(refused.value)
    assert "no method takes this model" in words
    assert 'coordinate "light" has no inertia, which events and inclusion need' in words
    assert 'connection "c1" (DryFriction) works with exact' in words
    assert 'replace the friction of "c1" by law.regularised("sqrt", rounding=..., width=...)' in words
    assert "\n" not in words


def test_that_way_out_works():
    m = block(DAHL, ss.DryFriction(limit=1.0).regularised("sqrt", rounding=0.01, width=1e-3))
    m.connect(m.coordinate("light"), ss.Linear(stiffness=1.0))
    assert choose(pose(m), "auto")[0] == "newmark"


def test_the_former_name_of_a_method_is_accepted():
    assert choose(pose(block(DAHL)), "adaptive") == ("events", "")


# ---- what is kept between runs


def test_the_problem_is_kept_until_the_model_changes(asked):
    m = block(ss.Jenkins(stiffness=1.0, limit=0.5), frequency=2.0)
    m.simulate(until=1.0)
    first = asked.problem
    m.simulate(until=2.0, samples=0)
    assert asked.problem is first
    changes = [
        lambda: setattr(m["x"], "displacement", 0.1),
        lambda: setattr(m["x"], "inertia", 2.0),
        lambda: m.connect(m["x"], ss.Linear(stiffness=1.0), name="more"),
        lambda: m.connections.pop(),
        lambda: m.load(m["x"], 1.0),
        lambda: setattr(m, "frequency", 3.0),
        lambda: m.coordinate("y", inertia=1.0),
    ]
    for change in changes:
        before = asked.problem
        change()
        m.simulate(until=1.0)
        assert asked.problem is not before
    m.simulate(until=1.0, start=0.5)
    assert asked.problem.start == 0.5


def test_a_matrix_changed_in_place_is_noticed(asked):
    m = ss.Model.from_matrices(np.eye(2), None, np.eye(2))
    m.simulate(until=1.0)
    m.matrices.stiffness[0, 0] = 7.0
    m.simulate(until=1.0)
    assert asked.problem.stiffness[0, 0] == 7.0


def test_an_entry_that_moves_within_a_sparse_matrix_is_noticed(asked):
    m = ss.Model.from_matrices(np.eye(2), None, csr_array(([5.0], ([0], [0])), shape=(2, 2)))
    m.simulate(until=1.0)
    m.matrices.stiffness.indices[0] = 1
    m.simulate(until=1.0)
    assert asked.problem.stiffness[0].tolist() == [0.0, 5.0]


def test_tables_beyond_a_bound_are_not_kept(monkeypatch):
    monkeypatch.setattr("slipstick.transient.problem.MAX_CACHED_BYTES", 8000)
    m = block()
    m.simulate(until=1.0)
    kept = cached_problem(m, 0.0, None).problem.kept
    kept.update(small=np.zeros(999), large=np.zeros(1001))
    m.simulate(until=1.0)
    assert list(kept) == ["small"]


def test_the_tables_of_an_exact_run_say_how_large_they_are():
    engine = engine_of(pose(block(ss.Jenkins(stiffness=1.0, limit=0.5))))
    assert engine.nbytes >= engine.tables.numbers.nbytes > 0


def test_a_run_does_not_see_what_happens_to_its_model_later():
    m = block(ss.Jenkins(stiffness=1.0, limit=0.5))
    run = m.simulate(until=1.0)
    m["x"].inertia = 9.0
    m.connect(m["x"], ss.Linear(stiffness=1.0), name="more")
    m.coordinate("y", inertia=1.0)
    assert [c.name for c in run.model.coordinates] == ["x"]
    assert run.model["x"].inertia == 1.0
    assert [c.name for c in run.model.connections] == ["c0"]
    assert isinstance(run.model, ss.Model)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_of_a_model_makes_its_own_problem(copied):
    m = block()
    m.simulate(until=1.0)
    other = copied(m)
    assert other == m
    assert other.ready is None
    other.simulate(until=1.0)


def test_a_warm_front_door_asks_for_nothing_twice(asked, monkeypatch):
    m = block()
    m.simulate(until=1.0)
    monkeypatch.setattr("slipstick.transient.simulate.pose", None)
    monkeypatch.setattr("slipstick.transient.simulate.choose", None)
    m.simulate(until=1.0)
    assert cached_problem(m, 0.0, None).problem is asked.problem


# ---- failures


def test_what_was_reached_is_a_run(asked):
    m = block()
    asked.raises = ss.NotConverged("the state is not finite at t = 0.5 s", partial=trajectory(m, np.array([0.0, 0.5])))
    with pytest.raises(ss.NotConverged, match=r"t = 0.5 s") as failed:
        m.simulate(until=1.0)
    assert isinstance(failed.value.partial, Run)
    assert failed.value.partial.stats.reason == "every law is piecewise linear"
    assert failed.value.partial.data.time.values.tolist() == [0.0, 0.5]
    assert not failed.value.interrupted


def test_ctrl_c_inside_a_method_is_distinguished_from_failure(monkeypatch):
    m = block()

    def run(*_):
        reached = trajectory(m, np.array([0.0, 0.5]))
        raise ss.NotConverged("stopped at t = 0.5 s", partial=reached, interrupted=True)

    monkeypatch.setitem(sys.modules, "slipstick.transient.exact", SimpleNamespace(run=run))
    with pytest.raises(ss.NotConverged) as failed:
        m.simulate(until=1.0)
    assert failed.value.interrupted
    assert isinstance(failed.value.partial, Run)
