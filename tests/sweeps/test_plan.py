"""Plans: what a sweep goes over."""

import numpy as np
import pytest

import slipstick as ss
from slipstick import plans
from slipstick.errors import InvalidInput
from slipstick.sweeps.plan import plan_of


def test_a_mapping_is_a_grid_whose_last_axis_runs_fastest():
    plan = plan_of({"a": [1.0, 2.0], "b": ["x", "y", "z"]})
    assert plan.shape == (2, 3)
    assert [plan.parameters(i)["b"] for i in range(3)] == ["x", "y", "z"]
    assert plan.parameters(3) == {"a": 2.0, "b": "x"}


def test_whole_numbers_words_and_flags_keep_their_kind():
    point = plan_of({"n": [1, 2], "word": ["x"], "flag": [True]}).parameters(1)
    assert (type(point["n"]), type(point["word"]), type(point["flag"])) == (int, str, bool)


def test_a_list_of_points_is_one_dimension():
    plan = plan_of([{"a": 1.0, "b": 2.0}, {"b": 5.0, "a": 4.0}])
    assert plan.shape == (2,)
    assert plan.parameters(1) == {"a": 4.0, "b": 5.0}


def test_plans_are_multiplied_point_by_point():
    plan = plans.points([{"a": 1}, {"a": 2}]) * plans.grid(b=[10, 20, 30])
    assert len(plan) == 6
    assert plan.parameters(4) == {"a": 2, "b": 20}


def test_a_latin_hypercube_has_one_point_in_each_part_of_every_number():
    plan = plans.latin_hypercube(50, seed=3, a=(0.0, 50.0), b=plans.log(1.0, np.exp(50.0)))
    for name, share in (("a", lambda x: x), ("b", np.log)):
        parts = np.floor(share(plan.dimensions[0].columns[name])).astype(int)
        assert sorted(parts) == list(range(50))


def test_random_points_are_the_same_for_the_same_seed_alone():
    first, second, other = (plans.random(20, seed=s, a=(0, 1)) for s in (1, 1, 2))
    assert np.array_equal(first.dimensions[0].columns["a"], second.dimensions[0].columns["a"])
    assert not np.array_equal(first.dimensions[0].columns["a"], other.dimensions[0].columns["a"])


def test_a_distribution_of_scipy_is_drawn_from():
    from scipy import stats

    drawn = plans.latin_hypercube(2000, seed=0, a=stats.norm(5.0, 2.0)).dimensions[0].columns["a"]
    assert abs(drawn.mean() - 5.0) < 0.02
    assert abs(drawn.std() - 2.0) < 0.05


def test_laws_are_handed_over_and_shown_by_their_repr():
    laws = [ss.Jenkins(stiffness=1.0, limit=2.0), ss.Jenkins(stiffness=3.0, limit=4.0)]
    plan = plan_of({"law": laws})
    assert plan.arguments(1)["law"] is laws[1]
    assert plan.parameters(1)["law"] == repr(laws[1])


def test_samples_of_a_fit_are_handed_over_as_laws_with_their_numbers():
    law = ss.Masing(stiffness=100.0, limit=5.0)
    u = 0.2 * np.sin(np.linspace(0.0, 4.0 * np.pi, 400))
    noise = np.random.default_rng(1).normal(0.0, 0.05, u.size)
    fit = ss.identify(ss.Loop(u, law.trace(u) + noise), ss.Masing, fixed={"damping": 0.0, "preload": 0.0})
    plan = plans.samples(fit, 5, seed=2)
    drawn = fit.sample(5, 2)
    assert [plan.arguments(i)["law"] for i in range(5)] == drawn
    assert [plan.parameters(i)["law.limit"] for i in range(5)] == [each.limit for each in drawn]


def test_a_million_points_take_hardly_any_memory():
    import sys

    plan = plan_of({"a": np.arange(1000.0), "b": np.arange(1000.0)})
    held = sum(sys.getsizeof(d.columns[d.name]) for d in plan.dimensions)
    assert len(plan) == 10**6
    assert held < 20_000
    assert plan.parameters(999_999) == {"a": 999.0, "b": 999.0}


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({}, "no axes"),
        ({"a": []}, "axis a is empty"),
        ({"a": [1.0, float("nan")]}, "finite"),
        ({"a": np.zeros((2, 2))}, "shape"),
        ({"a": 5 + 1j}, "list of values"),
        ({1: [1.0]}, "must be a word"),
        ("a", "axes by name"),
        (7, "axes by name"),
        ([], "list of points"),
        ([{"a": 1}, {"b": 1}], "point 1"),
        ({"a": {1.0, 2.0}}, "list of values"),
        ({"a": {"x": 1.0}}, "list of values"),
        ({"a": ["x", float("inf")]}, "finite"),
        ({"a": [1.0, 2j]}, "real numbers"),
        ({"a": [object()]}, "look the same"),
        ({"state": [1.0]}, "the name state is reserved"),
    ],
)
def test_what_is_no_plan_is_refused_in_words(over, words):
    with pytest.raises(InvalidInput, match=words):
        plan_of(over)


@pytest.mark.parametrize("given", [(2.0, 1.0), (1.0,), "x", (1.0, "2"), 5.0])
def test_what_is_no_range_is_refused(given):
    with pytest.raises(InvalidInput, match="range of a"):
        plans.random(3, a=given)


def test_a_number_that_is_in_two_parts_of_a_plan_is_refused():
    with pytest.raises(InvalidInput, match="twice"):
        plans.grid(a=[1]) * plans.grid(a=[2])


def test_two_drawn_plans_are_shown_how_to_get_another_name():
    with pytest.raises(InvalidInput, match='name="sample_2"'):
        plans.random(3, a=(0, 1)) * plans.random(3, b=(0, 1))
    plan = plans.random(3, a=(0, 1)) * plans.random(2, name="other", b=(0, 1))
    assert plan.shape == (3, 2)


@pytest.mark.parametrize(
    "values",
    [
        [2**53 + 1, 0.5],
        [2**53 + 1, 2**53 + 2],
        [2**70, 1],
        [True, 2],
        ["a", 1],
        [None, 7],
        ["1", 1],
        np.array([2**64 - 1], dtype=np.uint64),
        [np.longdouble(1) / 3],
    ],
)
def test_values_are_handed_over_exactly_and_with_their_kind(values):
    plan = plan_of({"a": values})
    handed = [plan.arguments(i)["a"] for i in range(len(values))]
    assert handed == list(values)
    assert [type(value) for value in handed if not isinstance(value, int | float)] == [
        type(value) for value in values if not isinstance(value, int | float | np.integer)
    ]
    assert [isinstance(value, bool) for value in handed] == [isinstance(value, bool) for value in values]


def test_whole_numbers_beyond_those_of_floats_stay_whole():
    plan = plan_of({"a": [2**53 + 1, 2**62]})
    assert [plan.parameters(i)["a"] for i in range(2)] == [2**53 + 1, 2**62]


@pytest.mark.parametrize("kind", ["uint8", "float16", "float32", "int32"])
def test_arrays_of_every_kind_of_number_are_numbers(kind):
    point = plan_of({"a": np.array([1, 2], dtype=kind)}).parameters(1)
    assert point == {"a": 2}
    assert type(point["a"]) is (float if "float" in kind else int)


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(InvalidInput, match="seed must be"):
        plans.random(3, seed=seed, a=(0, 1))


def test_samples_of_something_else_than_a_fit_are_refused():
    with pytest.raises(InvalidInput, match=r"a fit of ss\.identify"):
        plans.samples(5, 3)
