"""Static equilibrium: closed forms first, then random models against the conditions of rest."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import one_mass
from scipy.sparse import csr_array

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.model.assembly import assemble
from slipstick.model.statics import minimum_over_period, static_problem


def block(*laws, load=0.0, mass=1.0, displacement=0.0):
    """One mass x; laws are named a, b, ... and act on x."""
    by_name = dict(zip("abcdef", laws))
    return one_mass(by_name, ss.Constant(load) if load else None, inertia=mass, displacement=displacement)


def rests_at(model, name="x"):
    return model.equilibrium().displacement[name]


# ---- springs


def test_hanging_mass_stretches_its_spring_by_mg_over_k():
    e = block(ss.Linear(stiffness=250.0, damping=3.0), load=2.0 * 9.81).equilibrium()
    assert e.displacement == pytest.approx({"x": 2.0 * 9.81 / 250.0}, rel=1e-14)
    assert e.force == pytest.approx({"a": 2.0 * 9.81}, rel=1e-14)
    assert e.residual < 1e-13
    assert e.notes == ()


def test_two_springs_in_series_share_the_force():
    m = ss.Model("series")
    node, x = m.coordinate("node"), m.coordinate("x", inertia=1.0)
    m.connect(node, ss.Linear(stiffness=200.0), name="lower")
    m.connect(x - node, ss.Linear(stiffness=300.0), name="upper")
    m.load(x, 12.0)
    e = m.equilibrium()
    assert e.displacement == pytest.approx({"node": 12.0 / 200.0, "x": 12.0 / 200.0 + 12.0 / 300.0}, rel=1e-13)
    assert e.force == pytest.approx({"lower": 12.0, "upper": 12.0}, rel=1e-12)


def test_preload_moves_the_rest_position():
    assert rests_at(block(ss.Linear(stiffness=50.0, preload=-10.0))) == pytest.approx(0.2, rel=1e-13)


def test_mass_in_a_gap_falls_to_the_side_it_is_pushed_to():
    for side in (1.0, -1.0):
        law = ss.Freeplay(stiffness=1e6, half_gap=0.01)
        assert rests_at(block(law, load=side * 9.81)) == pytest.approx(side * (0.01 + 9.81e-6), rel=1e-12)


def test_unloaded_mass_in_a_gap_stays_where_it_is_and_that_is_said():
    e = block(ss.Freeplay(stiffness=1e6, half_gap=0.01), displacement=0.004).equilibrium()
    assert e.displacement == {"x": 0.004}
    assert any("no force holds x" in note for note in e.notes)


def test_mass_outside_its_gap_comes_back_to_the_nearer_edge():
    assert rests_at(block(ss.Freeplay(stiffness=1e6, half_gap=0.01), displacement=-0.5)) == pytest.approx(-0.01)


def test_one_sided_contact_holds_a_weight():
    law = ss.Contact(stiffness=1e5, gap=0.02, damping=10.0)
    assert rests_at(block(law, load=50.0)) == pytest.approx(0.02 + 50.0 / 1e5, rel=1e-12)


def test_two_stage_spring_goes_through_its_corner():
    k, r, b = 1000.0, 0.2, 0.05
    law = ss.TwoStage(stiffness=k, inner_ratio=r, half_gap=b)
    assert rests_at(block(law, load=8.0)) == pytest.approx(8.0 / (r * k), rel=1e-12)
    assert rests_at(block(law, load=30.0)) == pytest.approx(b + (30.0 - r * k * b) / k, rel=1e-12)


def test_hardening_polynomial_has_its_cubic_root():
    # 10 x + 1000 x^3 = 10 at x = 0.2
    law = ss.Polynomial(coefficients=(0.0, 10.0, 0.0, 1000.0))
    assert rests_at(block(law, load=10.0)) == pytest.approx(0.2, rel=1e-11)


def test_bistable_spring_falls_into_the_well_of_its_side():
    law = ss.Polynomial(coefficients=(0.0, -10.0, 0.0, 1000.0))
    for side in (1.0, -1.0):
        assert rests_at(block(law, displacement=0.01 * side)) == pytest.approx(0.1 * side, rel=1e-9)


def test_rest_on_top_of_a_hill_is_called_unstable():
    e = block(ss.Polynomial(coefficients=(0.0, -10.0, 0.0, 1000.0))).equilibrium()
    assert e.displacement == {"x": 0.0}
    assert any("unstable" in note for note in e.notes)


def test_train_of_wagons_with_slack_couplings_is_pulled_tight():
    m = ss.Model("train")
    wagons = [m.coordinate(f"x{i}", inertia=1.0) for i in range(5)]
    for a, b in itertools.pairwise(wagons):
        m.connect(b - a, ss.Freeplay(stiffness=1e4, half_gap=0.1))
    m.connect(wagons[0], ss.Linear(stiffness=100.0))
    m.load(wagons[-1], 7.0)
    steps = np.diff(list(m.equilibrium().displacement.values()), prepend=0.0)
    assert steps == pytest.approx([7.0 / 100.0, *[0.1 + 7.0 / 1e4] * 4], rel=1e-9)


# ---- hysteresis: the virgin curve


def test_masing_model_follows_its_virgin_curve():
    law = ss.Masing(stiffness=100.0, limit=3.0, parallel_stiffness=50.0, preload=1.0)
    # sticking: 150 x + 1 = load; slipping beyond x = 0.03: 3 + 50 x + 1 = load
    assert rests_at(block(law, load=4.0)) == pytest.approx(0.02, rel=1e-10)
    e = block(law, load=10.0).equilibrium()
    assert e.displacement["x"] == pytest.approx(0.12, rel=1e-10)
    assert any('"a" has memory' in note for note in e.notes)


def test_dahl_friction_follows_its_exponential():
    # limit (1 - exp(-sigma x/limit)) = load
    sigma, limit, load = 1e3, 20.0, 15.0
    expected = -limit / sigma * np.log(1.0 - load / limit)
    for side in (1.0, -1.0):
        assert rests_at(block(ss.Dahl(stiffness=sigma, limit=limit), load=side * load)) == pytest.approx(
            side * expected
        )


def test_slider_spring_beyond_its_limit_has_no_equilibrium():
    with pytest.raises(ss.NotConverged, match='nothing balances a force of 7 on "x"'):
        block(ss.Jenkins(stiffness=100.0, limit=3.0), load=10.0).equilibrium()


# ---- dry friction: a band of rest


def test_friction_holds_a_block_where_it_is():
    e = block(ss.Linear(stiffness=100.0), ss.DryFriction(limit=30.0), load=10.0, displacement=0.05).equilibrium()
    assert e.displacement == {"x": 0.05}
    assert e.force == pytest.approx({"a": 5.0, "b": 5.0})
    assert e.margin == pytest.approx({"b": 25.0})
    assert any('"b" holds 5 of +-30' in note and "margin 25" in note for note in e.notes)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_block_slides_until_spring_and_friction_hold_the_load(sign):
    e = block(ss.Linear(stiffness=100.0), ss.DryFriction(limit=3.0), load=sign * 10.0).equilibrium()
    assert e.displacement["x"] == pytest.approx(sign * (10.0 - 3.0) / 100.0, rel=1e-12)
    assert e.force == pytest.approx({"a": sign * 7.0, "b": sign * 3.0})
    assert e.margin == {"b": 0.0}
    assert any("slid by" in note and "limit 3" in note for note in e.notes)


def test_stretched_block_slides_back_and_friction_keeps_part_of_the_stretch():
    assert rests_at(block(ss.Linear(stiffness=100.0), ss.DryFriction(limit=3.0), displacement=0.2)) == pytest.approx(
        0.03
    )


def test_static_limit_holds_until_it_breaks_and_then_the_sliding_limit_counts():
    spring = ss.Linear(stiffness=100.0)
    friction = ss.DryFriction(limit=3.0, static_limit=9.0)
    held = block(spring, friction, load=8.9).equilibrium()
    assert held.displacement == {"x": 0.0}
    assert held.margin["b"] == pytest.approx(0.1)
    assert rests_at(block(spring, friction, load=9.1)) == pytest.approx((9.1 - 3.0) / 100.0, rel=1e-10)


def test_a_contact_that_breaks_away_can_pull_the_next_one_along():
    m = ss.Model("two blocks")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.DryFriction(limit=1.0, static_limit=5.0), name="first")
    m.connect(y, ss.DryFriction(limit=1.0, static_limit=5.0), name="second")
    m.connect(y - x, ss.Linear(stiffness=100.0))
    m.connect(x, ss.Linear(stiffness=10.0))
    m.load(x, 6.0)
    # x breaks away (6 > 5) and slides: 10 x + 100 (x - y) + 1 = 6; y holds, for 100 x <= 5
    e = m.equilibrium()
    assert e.displacement == pytest.approx({"x": 5.0 / 110.0, "y": 0.0}, rel=1e-9)
    assert e.force["second"] == pytest.approx(100.0 * 5.0 / 110.0)


def test_block_on_friction_alone_holds_or_runs_away():
    assert rests_at(block(ss.DryFriction(limit=11.0), load=10.0)) == 0.0
    with pytest.raises(ss.NotConverged, match='nothing balances a force of 7 on "x"') as caught:
        block(ss.DryFriction(limit=3.0), load=10.0).equilibrium()
    assert "\n" not in str(caught.value)
    assert caught.value.partial.force["a"] == pytest.approx(3.0)


def test_friction_and_spring_in_one_connection():
    law = ss.Linear(stiffness=100.0) + ss.DryFriction(limit=3.0)
    e = block(law, load=10.0).equilibrium()
    assert e.displacement["x"] == pytest.approx(0.07)
    assert e.force["a"] == pytest.approx(10.0)


def test_scaled_friction_has_a_scaled_limit():
    law = ss.DryFriction(limit=1.5).scaled(force=2.0, deflection=-4.0).scaled(force=1.0, deflection=-1.0)
    assert rests_at(block(ss.Linear(stiffness=100.0), law, load=10.0)) == pytest.approx(0.07)


def test_friction_with_a_negative_factor_is_refused():
    with pytest.raises(ss.InvalidInput, match=r'connection "a".*would drive the motion'):
        block(ss.DryFriction(limit=1.0).scaled(force=-1.0), load=1.0).equilibrium()


def test_varying_normal_load_holds_what_it_holds_at_its_least():
    law = ss.DryFriction(limit=ss.Fourier(mean=5.0, cos=(2.0,)))
    assert rests_at(block(ss.Linear(stiffness=100.0), law, load=10.0)) == pytest.approx(0.07)


def test_lowest_value_of_a_periodic_function():
    assert minimum_over_period(ss.Constant(2.0), None) == 2.0
    assert minimum_over_period(ss.Fourier(mean=1.0, cos=(3.0,), sin=(4.0,)), None) == pytest.approx(-4.0)
    t = np.linspace(0.0, 2.0 * np.pi, 100_001)
    two = ss.Fourier(mean=1.0, cos=(1.0, 0.7))
    assert minimum_over_period(two, None) == pytest.approx(two.at(t, 1.0).min(), abs=1e-5)
    assert minimum_over_period(ss.Cosine(1.0, frequency=1.0) + ss.Cosine(2.0, frequency=np.sqrt(2.0)), None) == -3.0


def test_redundant_contacts_hold_together_and_the_split_is_called_uncertain():
    e = block(ss.Linear(stiffness=100.0), ss.DryFriction(limit=3.0), ss.DryFriction(limit=9.0), load=10.0).equilibrium()
    assert e.displacement == {"x": 0.0}
    assert e.force["b"] + e.force["c"] == pytest.approx(10.0)
    assert any("split is not" in note for note in e.notes)


def test_stacked_blocks_lower_one_held_by_both_frictions():
    # the upper block is pulled with 4, its friction on the lower one passes on at most 2, the floor holds that
    m = ss.Model("stack")
    upper, lower = m.coordinate("upper", inertia=1.0), m.coordinate("lower", inertia=5.0)
    m.connect(upper - lower, ss.DryFriction(limit=2.0), name="between")
    m.connect(lower, ss.DryFriction(limit=3.0), name="floor")
    m.connect(upper, ss.Linear(stiffness=50.0))
    m.load(upper, 4.0)
    e = m.equilibrium()
    assert e.displacement == pytest.approx({"upper": 2.0 / 50.0, "lower": 0.0})
    assert e.force["floor"] == pytest.approx(2.0)
    assert e.margin == pytest.approx({"between": 0.0, "floor": 1.0})


# ---- rigid modes, prescribed coordinates, loads


def test_free_body_keeps_its_centre_of_mass():
    m = ss.Model("free")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=3.0)
    m.connect(y - x, ss.Linear(stiffness=50.0))
    m.load(y - x, 10.0)
    e = m.equilibrium()
    assert e.displacement == pytest.approx({"x": -0.15, "y": 0.05}, rel=1e-9)
    assert any("no force holds x, y" in note for note in e.notes)


def test_load_on_a_free_body_has_no_equilibrium_and_names_it():
    m = ss.Model("free")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=3.0)
    m.connect(y - x, ss.Linear(stiffness=50.0))
    m.load(y, 10.0)
    with pytest.raises(ss.NotConverged, match='force of 10 on "x", "y"; add a spring') as caught:
        m.equilibrium()
    assert "\n" not in str(caught.value)


def test_soft_ground_under_a_stiff_chain_is_not_mistaken_for_none():
    m = ss.Model("soft")
    bodies = [m.coordinate(f"x{i}", inertia=1.0) for i in range(20)]
    for a, b in itertools.pairwise(bodies):
        m.connect(b - a, ss.Linear(stiffness=1e6))
    m.connect(bodies[0], ss.Linear(stiffness=0.1))
    m.load(bodies[-1], 1.0)
    found = m.equilibrium().displacement
    assert found["x0"] == pytest.approx(10.0, rel=1e-6)
    assert found["x19"] == pytest.approx(10.0 + 19e-6, rel=1e-6)


def test_prescribed_coordinate_stands_at_the_mean_of_its_motion():
    m = ss.Model("base")
    base = m.coordinate("base", motion=ss.Constant(0.3) + ss.Sine(0.1, order=1))
    x = m.coordinate("x", inertia=1.0)
    m.connect(x - base, ss.Linear(stiffness=100.0), name="mount")
    m.connect(x, ss.Linear(stiffness=50.0))
    e = m.equilibrium()
    assert e.displacement == pytest.approx({"base": 0.3, "x": 0.2})
    assert any("means" in note for note in e.notes)


def test_prescribed_coordinate_of_given_matrices_pulls_through_the_stiffness():
    k = np.array([[2.0, -1.0], [-1.0, 1.0]])
    m = ss.Model.from_matrices(np.eye(2), None, k, names=["a", "b"])
    m.coordinates[1].motion = ss.Constant(3.0)
    assert m.equilibrium().displacement == pytest.approx({"a": 1.5, "b": 3.0})


def test_periodic_loads_act_with_their_mean():
    m = block(ss.Linear(stiffness=100.0))
    m.load(m["x"], ss.Fourier(mean=4.0, cos=(100.0,)))
    assert rests_at(m) == pytest.approx(0.04)


@pytest.mark.parametrize(("function", "word"), [(ss.Ramp(1.0), "ramp"), (ss.Signal((0, 1), (0, 1)), "sampled signal")])
def test_loads_and_motions_that_drift_are_refused(function, word):
    m = block(ss.Linear(stiffness=1.0))
    m.load(m["x"], function)
    with pytest.raises(ss.InvalidInput, match=f"the load on x has a {word}"):
        m.equilibrium()
    m = block(ss.Linear(stiffness=1.0))
    m.coordinate("base", motion=function)
    with pytest.raises(ss.InvalidInput, match=f'the motion of "base" has a {word}'):
        m.equilibrium()


def test_model_without_coordinates_is_refused():
    with pytest.raises(ss.InvalidInput, match="at least one coordinate"):
        ss.Model("empty").equilibrium()


def test_model_of_prescribed_coordinates_only_rests_where_they_are():
    m = ss.Model("driven")
    x = m.coordinate("x", motion=ss.Constant(0.2))
    m.connect(x, ss.Linear(stiffness=10.0), name="spring")
    e = m.equilibrium()
    assert e.displacement == {"x": 0.2}
    assert e.force == pytest.approx({"spring": 2.0})


# ---- unsymmetric and large


def test_forces_along_another_form_balance_too():
    m = ss.Model("follower")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=10.0))
    m.connect(y, ss.Linear(stiffness=20.0))
    m.connect(y, ss.TwoStage(stiffness=6.0, inner_ratio=0.5, half_gap=0.01), along=x, name="odd")
    m.connect(x, ss.DryFriction(limit=1.0), name="rub")
    m.load(x, 10.0)
    m.load(y, 4.0)
    # y = 0.2, odd force 6 (0.19) + 3 (0.01) = 1.17 on x: 10 x = 10 - 1.17 - 1
    assert m.equilibrium().displacement == pytest.approx({"x": 0.783, "y": 0.2}, rel=1e-9)


def test_sparse_and_dense_models_rest_alike():
    n = 60
    k = 1e4 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    found = []
    for kind in (np.array, csr_array):
        m = ss.Model.from_matrices(kind(np.eye(n)), None, kind(k))
        m.connect(m["q20"], ss.DryFriction(limit=2.0), name="rub")
        m.connect(m["q40"] - m["q20"], ss.Freeplay(stiffness=1e6, half_gap=1e-3), name="stop")
        m.load(m["q40"], 30.0)
        found.append(m.equilibrium())
    assert found[0].displacement == pytest.approx(found[1].displacement, rel=1e-8, abs=1e-12)
    assert found[0].force == pytest.approx(found[1].force, rel=1e-8)
    assert found[0].margin["rub"] == 0.0


# ---- random models


def random_model(seed):
    """Up to five grounded masses, any springs and frictions between them, in units from 1 to 1e6."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    m = ss.Model("random")
    xs = [
        m.coordinate(
            f"x{i}", inertia=float(rng.choice([0, 0.01, 1, 50])), displacement=0.1 * float(rng.standard_normal())
        )
        for i in range(n)
    ]

    def form():
        i, j = rng.integers(0, n, 2)
        return xs[i] if i == j else xs[i] - float(rng.choice([1.0, 2.0, -0.5])) * xs[j]

    for x in xs:
        m.connect(x, ss.Linear(stiffness=float(10.0 ** rng.integers(0, 5))))
        m.load(x, float(10.0 * rng.standard_normal()))
    for _ in range(int(rng.integers(0, 2 * n + 1))):
        k = float(10.0 ** rng.integers(0, 7))
        laws = (
            ss.Freeplay(stiffness=k, half_gap=0.05),
            ss.Contact(stiffness=k, gap=0.02),
            ss.TwoStage(stiffness=k, inner_ratio=0.1, half_gap=0.03),
            ss.Polynomial(coefficients=(0.0, k, 0.0, k)),
            ss.Masing(stiffness=k, limit=5.0, parallel_stiffness=0.1 * k),
        )
        m.connect(form(), laws[rng.integers(len(laws))])
    for _ in range(int(rng.integers(0, 2 * n + 1))):
        m.connect(form(), ss.DryFriction(limit=float(rng.choice([0.5, 3.0, 20.0]))))
    return m


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 1_000_000))
def test_random_models_rest_where_friction_and_balance_agree(seed):
    m = random_model(seed)
    e = m.equilibrium()
    problem = static_problem(assemble(m))
    q = np.array(list(e.displacement.values()))
    friction = np.array([e.force[c.name] for c in m.connections]) - problem.law_forces(q)
    scale = problem.force_scale(q, friction)
    assert np.all(np.abs(problem.unbalanced(q, friction)) <= 1e-8 * scale)
    assert np.all(np.abs(friction) <= problem.limit * (1.0 + 1e-9) + 1e-9 * scale)
    # a contact that has moved resists with its limit, in the direction it went
    slid = problem.slid(q)
    moved = (problem.limit > 0.0) & (np.abs(slid) > 1e-8 * scale / problem.steepest.min())
    np.testing.assert_allclose(friction[moved], (problem.limit * np.sign(slid))[moved], atol=1e-7 * scale)


def test_words_of_an_equilibrium():
    text = repr(block(ss.Linear(stiffness=100.0), ss.DryFriction(limit=3.0), load=10.0).equilibrium())
    assert text.splitlines()[:3] == [text.splitlines()[0], "displacement:", "  x   0.07"]
    assert text.splitlines()[0].startswith("Equilibrium, largest unbalanced force")
    assert "note: " in text


def test_a_search_that_runs_away_is_no_equilibrium(refused):
    """u - u^3 from 0.5: Newton's step leads onto the hill at -1 and beyond; 4e155 m were returned, with a warning."""
    m = ss.Model("softening")
    x = m.coordinate("x", inertia=1.0, displacement=0.5)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, -1.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with refused('no equilibrium found: "x" runs away', "start nearer to one", error=NotConverged):
            m.equilibrium()
