"""Linear modes: closed forms, constraints, massless coordinates, large models, the belt tensioner."""

from __future__ import annotations

import math

import models
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import one_mass
from scipy.linalg import eig, null_space
from scipy.sparse import csr_array, diags_array

import slipstick as ss
from slipstick.model.modal_algebra import null_basis


def oscillator(law, mass=2.0, **start):
    return one_mass({"mount": law}, inertia=mass, **start)


def chain(n, fixed=True):
    return models.chain(n, ss.Linear(stiffness=100.0), fixed=fixed)


def chain_frequencies(n, k=100.0, mass=1.0):
    """Of a chain held at one end: 2 sqrt(k/m) sin((2 i - 1) pi/(4 n + 2))."""
    i = np.arange(1, n + 1)
    return 2.0 * math.sqrt(k / mass) * np.sin((2 * i - 1) * math.pi / (4 * n + 2))


def test_damped_oscillator_has_its_textbook_mode():
    k, c, mass = 800.0, 6.0, 2.0
    modes = oscillator(ss.Linear(stiffness=k, damping=c), mass).modes()
    w, zeta = math.sqrt(k / mass), c / (2.0 * math.sqrt(k * mass))
    assert modes.magnitude == pytest.approx([w], rel=1e-14)
    assert modes.damping_ratio == pytest.approx([zeta], rel=1e-13)
    assert modes.damped_frequency == pytest.approx([w * math.sqrt(1.0 - zeta**2)], rel=1e-14)
    assert modes.kind == ("oscillating",)
    assert modes[0].shape == {"x": 1.0}


def test_over_damped_pair_stands_as_two_real_eigenvalues():
    modes = oscillator(ss.Linear(stiffness=6.0, damping=5.0), mass=1.0).modes()
    assert modes.eigenvalues == pytest.approx([-2.0, -3.0])
    assert modes.kind == ("over-damped", "over-damped")
    np.testing.assert_array_equal(modes.damped_frequency, [0.0, 0.0])
    np.testing.assert_array_equal(modes.damping_ratio, [1.0, 1.0])


def test_far_apart_real_eigenvalues_lose_no_digits():
    modes = oscillator(ss.Linear(stiffness=1.0, damping=1e8), mass=1.0).modes()
    assert modes.magnitude == pytest.approx([1e-8, 1e8], rel=1e-14)


def test_critically_damped_oscillator_has_a_double_eigenvalue():
    modes = oscillator(ss.Linear(stiffness=4.0, damping=4.0), mass=1.0).modes()
    assert modes.eigenvalues == pytest.approx([-2.0, -2.0])


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_chain_of_masses_has_its_closed_form(n):
    assert chain(n).modes().magnitude == pytest.approx(chain_frequencies(n), rel=1e-11)


def test_shape_of_a_chain_is_a_sine_with_largest_component_one():
    n = 5
    mode = chain(n).modes()[1]
    wave = np.sin(3.0 * math.pi / (2 * n + 1) * np.arange(1, n + 1))
    expected = wave / wave[np.argmax(np.abs(wave))]
    assert list(mode.shape.values()) == pytest.approx(expected, rel=1e-12)
    assert all(isinstance(x, float) for x in mode.shape.values())


def test_free_chain_has_one_rigid_mode_that_stands_once():
    modes = chain(4, fixed=False).modes()
    assert modes.kind == ("rigid", "oscillating", "oscillating", "oscillating")
    assert modes[0].eigenvalue == 0.0
    assert list(modes[0].shape.values()) == pytest.approx([1.0] * 4)


def test_free_chain_with_an_inner_damper_keeps_its_rigid_mode():
    m = chain(3, fixed=False)
    m.connect(m["x3"] - m["x1"], ss.Linear(damping=2.0))
    m.connect(m["x2"] - m["x1"], ss.Linear(damping=1.0))
    modes = m.modes()
    assert modes.kind == ("rigid", "oscillating", "oscillating")
    assert modes.magnitude[0] == 0.0


def test_mass_on_a_damper_alone_drifts_and_decays():
    modes = oscillator(ss.Linear(damping=6.0), mass=2.0).modes()
    assert modes.kind == ("rigid", "over-damped")
    assert modes.magnitude == pytest.approx([0.0, 3.0])


def test_negative_stiffness_and_negative_damping_are_called_unstable():
    assert oscillator(ss.Linear(stiffness=-8.0), mass=2.0).modes().kind == ("over-damped", "unstable")
    growing = oscillator(ss.Linear(stiffness=8.0, damping=-0.1), mass=2.0).modes()
    assert growing.kind == ("unstable",)
    assert growing.damping_ratio[0] < 0.0


# ---- states


def test_stick_and_slip_of_the_belt_tensioner():
    m = ss.systems.tensioner(frequency=73.15)
    assert m.modes(state={"tensioner": "stick"}).magnitude[0] == pytest.approx(65.61, abs=0.005)
    assert m.modes(state={"tensioner": "slip"}).magnitude[0] == pytest.approx(48.50, abs=0.005)


def test_undamped_modes_of_the_belt_tensioner():
    m = ss.systems.tensioner(belt_damping=0.0, damping=0.0)
    assert m.modes(state={"tensioner": "stick"}).magnitude[0] == pytest.approx(65.26, abs=0.005)
    assert m.modes(state={"tensioner": "slip"}).magnitude[0] == pytest.approx(47.25, abs=0.005)


def test_without_a_state_each_law_is_in_the_one_at_rest():
    m = oscillator(ss.Masing(stiffness=30.0, limit=1.0, parallel_stiffness=2.0), mass=2.0)
    assert m.modes().magnitude == pytest.approx([4.0])
    inside, beyond = (oscillator(ss.Freeplay(stiffness=8.0, half_gap=0.1), displacement=x) for x in (0.05, 0.15))
    assert inside.modes().kind == ("rigid",)
    assert beyond.modes().magnitude == pytest.approx([2.0])
    assert inside.modes(state={"mount": "contact"}).magnitude == pytest.approx([2.0])


def test_modes_about_another_place():
    m = oscillator(ss.Freeplay(stiffness=8.0, half_gap=0.1))
    m.load(m["x"], 1.0)
    assert m.modes(at=m.equilibrium().displacement).magnitude == pytest.approx([2.0])


def test_modes_about_a_place_on_a_hardening_spring():
    pytest.importorskip("slipstick.laws.law_kernels")
    m = oscillator(ss.Polynomial(coefficients=(0.0, 8.0, 0.0, 5.0)))
    assert m.modes(at={"x": 0.4}).magnitude == pytest.approx([math.sqrt((8.0 + 15.0 * 0.16) / 2.0)])


def test_sticking_friction_ties_two_masses_together():
    m = ss.Model("pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=3.0)
    m.connect(x, ss.Linear(stiffness=100.0))
    m.connect(x - y, ss.DryFriction(limit=5.0, damping=2.0), name="joint")
    stuck, sliding = m.modes(), m.modes(state={"joint": "slip"})
    assert stuck.magnitude == pytest.approx([5.0])
    assert list(stuck[0].shape.values()) == pytest.approx([1.0, 1.0])
    assert any("joint" in note for note in stuck.notes)
    assert sliding.kind[0] == "rigid"


def test_redundant_sticking_contacts_are_one_constraint():
    m = ss.Model("redundant")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=3.0)
    m.connect(x, ss.Linear(stiffness=100.0))
    for factor in (1.0, 2.0, -3.0):
        m.connect(factor * (x - y), ss.DryFriction(limit=1.0))
    assert m.modes().magnitude == pytest.approx([5.0])


def test_friction_through_a_gear_ratio_adds_the_inertia_with_its_square():
    m = ss.Model("geared")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=2.0)
    m.connect(x, ss.Linear(stiffness=90.0))
    m.connect(x - 0.5 * y, ss.DryFriction(limit=1.0))
    assert m.modes().magnitude == pytest.approx([math.sqrt(90.0 / (1.0 + 2.0 * 4.0))])


def test_nothing_moves_if_all_stick():
    with pytest.raises(ss.InvalidInput, match="nothing can move while mount"):
        oscillator(ss.DryFriction(limit=1.0)).modes()


def test_prescribed_coordinates_are_held():
    m = ss.Model("shaker")
    base = m.coordinate("base", motion=ss.Sine(0.1, order=1))
    x = m.coordinate("x", inertia=2.0)
    m.connect(x - base, ss.Linear(stiffness=8.0))
    modes = m.modes()
    assert modes.magnitude == pytest.approx([2.0])
    assert modes[0].shape == {"base": 0.0, "x": 1.0}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_elimination_of_sticks_agrees_with_a_dense_reference(seed):
    rng = np.random.default_rng(seed)
    n, held = 5, int(rng.integers(1, 4))
    root = rng.standard_normal((n, n))
    mass, stiffness = root @ root.T + n * np.eye(n), np.diag(rng.uniform(1.0, 50.0, n))
    damping = rng.uniform(0.0, 0.3) * stiffness + np.diag(rng.uniform(0.0, 2.0, n))
    columns = rng.integers(-2, 3, (n, held)).astype(float)
    columns[0] += ~columns.any(axis=0)  # no empty deflection
    m = ss.Model.from_matrices(mass, damping, stiffness)
    for j in range(held):
        form = sum(factor * m[f"q{i + 1}"] for i, factor in enumerate(columns[:, j]))
        m.connect(form, ss.DryFriction(limit=1.0))
    basis = null_space(columns.T)
    mr, cr, kr = (basis.T @ a @ basis for a in (mass, damping, stiffness))
    eye, zero = np.eye(len(mr)), np.zeros_like(mr)
    expected = eig(np.block([[zero, eye], [-kr, -cr]]), np.block([[eye, zero], [zero, mr]]), right=False)
    expected = expected[expected.imag >= 0.0]
    found = m.modes()
    np.testing.assert_allclose(np.sort(found.magnitude), np.sort(np.abs(expected)), rtol=1e-8)
    np.testing.assert_allclose(found.shape @ columns, 0.0, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_null_basis_is_orthonormal_and_complete(seed):
    rng = np.random.default_rng(seed)
    n, rank = 8, int(rng.integers(0, 5))
    columns = np.zeros((n, 6))
    columns[2:7] = rng.standard_normal((5, rank)) @ rng.standard_normal((rank, 6)) * 10.0 ** rng.integers(-6, 6, 6)
    for given_columns in (columns, csr_array(columns)):
        basis = null_basis(given_columns)
        basis = basis.toarray() if hasattr(basis, "toarray") else basis
        assert basis.shape == (n, n - rank)
        np.testing.assert_allclose(basis.T @ basis, np.eye(n - rank), atol=1e-12)
        np.testing.assert_allclose(basis.T @ columns / np.maximum(np.abs(columns).max(axis=0), 1e-300), 0.0, atol=1e-10)


# ---- unsymmetric, massless


def test_forces_along_another_form_make_the_matrices_unsymmetric():
    m = ss.Model("follower")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=10.0))
    m.connect(y, ss.Linear(stiffness=20.0))
    m.connect(y, ss.Linear(stiffness=6.0), along=x)
    m.connect(x, ss.Linear(stiffness=-4.0), along=y)
    # w^2 are the eigenvalues of [[10, 6], [-4, 20]]: 15 +- 1
    assert m.modes().magnitude == pytest.approx([math.sqrt(14.0), 4.0])


def test_flutter_gives_an_unstable_mode_and_complex_shapes():
    m = ss.Model("flutter")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=10.0))
    m.connect(y, ss.Linear(stiffness=10.0))
    m.connect(y, ss.Linear(stiffness=3.0), along=x)
    m.connect(x, ss.Linear(stiffness=-3.0), along=y)
    modes = m.modes()
    assert sorted(modes.kind) == ["oscillating", "unstable"]
    assert np.iscomplexobj(modes.shape)
    assert modes.magnitude == pytest.approx([109.0**0.25] * 2)


def test_gyroscopic_damping_splits_a_pair_of_whirling_modes():
    spin = 3.0
    c = np.array([[0.0, spin], [-spin, 0.0]])
    modes = ss.Model.from_matrices(np.eye(2), c, 16.0 * np.eye(2)).modes()
    half = 0.5 * spin
    assert modes.magnitude == pytest.approx([math.hypot(half, 4.0) - half, math.hypot(half, 4.0) + half])
    assert modes.damping_ratio == pytest.approx([0.0, 0.0], abs=1e-12)


def test_non_conjugate_stick_reacts_along_its_own_form():
    m = ss.Model("odd")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=4.0)
    m.connect(x, ss.Linear(stiffness=1000.0))
    m.connect(y, ss.Linear(stiffness=36.0))
    m.connect(x - y, ss.DryFriction(limit=1.0), along=x)
    # the reaction drags x along with y and never acts on y, which does not feel the mass and spring of x
    modes = m.modes()
    assert modes.magnitude == pytest.approx([3.0])
    assert modes[0].shape == pytest.approx({"x": 1.0, "y": 1.0})


def test_non_conjugate_stick_may_leave_no_motion_at_all():
    m = ss.Model("locked")
    x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
    m.connect(z, ss.Linear(stiffness=9.0))
    m.connect(x - z, ss.Linear(stiffness=5.0))
    m.connect(y - z, ss.Linear(stiffness=7.0))
    m.connect(x, ss.DryFriction(limit=1.0), along=y)
    # x = 0 without a reaction on x needs z = 0, and z = 0 needs y = 0
    assert len(m.modes()) == 0


def test_massless_node_between_springs_follows_statically():
    m = ss.Model("series")
    x, node = m.coordinate("x", inertia=2.0), m.coordinate("node")
    m.connect(x - node, ss.Linear(stiffness=30.0))
    m.connect(node, ss.Linear(stiffness=60.0))
    modes = m.modes()
    assert modes.magnitude == pytest.approx([math.sqrt(20.0 / 2.0)])
    assert modes[0].shape == pytest.approx({"x": 1.0, "node": 1.0 / 3.0})
    assert any("massless" in note for note in modes.notes)


def test_maxwell_element_adds_one_real_eigenvalue():
    mass, k, k1, c = 2.0, 50.0, 30.0, 4.0
    m = ss.Model("maxwell")
    x, node = m.coordinate("x", inertia=mass), m.coordinate("node")
    m.connect(x, ss.Linear(stiffness=k))
    m.connect(x - node, ss.Linear(stiffness=k1))
    m.connect(node, ss.Linear(damping=c))
    # (m s^2 + k + k1) (c s + k1) - k1^2 = 0
    roots = np.roots(np.polyadd(np.polymul([mass, 0.0, k + k1], [c, k1]), [-(k1**2)]))
    expected = sorted(roots[roots.imag >= 0.0], key=abs)
    assert m.modes().eigenvalues == pytest.approx(np.array(expected), rel=1e-10)


def test_singular_mass_matrix_has_fewer_modes():
    mass = np.array([[1.0, 1.0], [1.0, 1.0]])  # only x + y is inert
    modes = ss.Model.from_matrices(mass, None, np.diag([2.0, 2.0])).modes()
    assert modes.magnitude == pytest.approx([1.0])


def test_massless_node_that_nothing_holds_is_left_at_rest_and_named():
    m = oscillator(ss.Linear(stiffness=8.0))
    m.coordinate("loose")
    modes = m.modes()
    assert modes.magnitude == pytest.approx([2.0])
    assert any("held by nothing" in note for note in modes.notes)


# ---- large models


def sparse_chain(n, k=1e6):
    diagonal = np.full(n, 2.0)
    diagonal[-1] = 1.0
    stiffness = k * diags_array([diagonal, -np.ones(n - 1), -np.ones(n - 1)], offsets=[0, 1, -1])
    return csr_array(np.eye(n)), csr_array(stiffness)


def test_lowest_modes_of_a_sparse_chain_have_the_closed_form():
    n = 800
    mass, stiffness = sparse_chain(n)
    modes = ss.Model.from_matrices(mass, None, stiffness).modes(count=6)
    assert len(modes) == 6
    assert modes.magnitude == pytest.approx(chain_frequencies(n, 1e6)[:6], rel=1e-9)


def test_without_a_count_a_large_model_gives_twenty_modes_and_says_so():
    mass, stiffness = sparse_chain(600)
    modes = ss.Model.from_matrices(mass, None, stiffness).modes()
    assert len(modes) == 20
    assert any("20 lowest modes of 600" in note for note in modes.notes)


def test_sparse_proportional_damping_has_the_closed_form():
    n, a, b = 700, 0.2, 1e-4
    mass, stiffness = sparse_chain(n)
    modes = ss.Model.from_matrices(mass, a * mass + b * stiffness, stiffness).modes(count=5)
    w = chain_frequencies(n, 1e6)[:5]
    assert modes.magnitude == pytest.approx(w, rel=1e-8)
    assert modes.damping_ratio == pytest.approx(a / (2.0 * w) + b * w / 2.0, rel=1e-7)


@pytest.mark.parametrize("damper", [0.0, 50.0])
def test_sparse_and_dense_agree_with_sticks_and_a_damper(damper):
    n = 520
    mass, stiffness = sparse_chain(n)
    found = []
    for kind in (csr_array, lambda a: a.toarray()):
        m = ss.Model.from_matrices(kind(mass), None, kind(stiffness))
        m.connect(m["q100"] - 2.0 * m["q101"], ss.DryFriction(limit=1.0))
        m.connect(m["q300"], ss.Linear(damping=damper))
        found.append(m.modes(count=5))
    np.testing.assert_allclose(found[0].eigenvalues, found[1].eigenvalues, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(np.abs(found[0].shape), np.abs(found[1].shape), atol=1e-5)


def test_rigid_modes_of_a_sparse_model_are_zero():
    n = 600
    mass, stiffness = sparse_chain(n)
    stiffness = stiffness.tolil()
    stiffness[0, 0] = 1e6
    modes = ss.Model.from_matrices(mass, None, csr_array(stiffness)).modes(count=3)
    assert modes.kind == ("rigid", "oscillating", "oscillating")
    assert modes.magnitude[1] == pytest.approx(2e3 * math.sin(math.pi / (2 * n)), rel=1e-7)


# ---- words


def test_table_reads_well():
    text = repr(ss.systems.tensioner().modes(state={"tensioner": "stick"}))
    lines = text.splitlines()
    assert lines[0] == "3 modes with tensioner in stick"
    assert "rad/s" in lines[1]
    assert "Hz" in lines[1]
    assert lines[2].split() == ["1", "65.6072", "10.442", "65.5106", "5.424", "%", "u1,", "u2"]
    assert "over-damped" in lines[3]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"state": {"muont": "stick"}}, 'no connection "muont" \\(did you mean "mount"\\?\\)'),
        ({"state": {"mount": "stik"}}, 'connection "mount" has no state \'stik\' \\(did you mean "stick"\\?\\)'),
        ({"state": {"mount": 3}}, "is a word such as"),
        ({"state": ["mount"]}, "state is a mapping"),
        ({"at": {"z": 1.0}}, 'no coordinate "z"'),
        ({"at": {"mount": 1.0}}, 'no coordinate "mount"'),
        ({"at": {"x": "a"}}, 'displacement of "x" must be a number'),
        ({"at": 3.0}, "at is displacement by coordinate"),
        ({"count": 0}, "count must be a whole number >= 1, got 0"),
        ({"count": 2.5}, "count must be a whole number"),
    ],
)
def test_bad_questions_are_refused_in_one_line(options, words):
    m = oscillator(ss.Jenkins(stiffness=1.0, limit=1.0))
    with pytest.raises(ss.InvalidInput, match=words) as caught:
        m.modes(**options)
    assert "\n" not in str(caught.value)


def test_a_law_without_states_says_so():
    with pytest.raises(ss.InvalidInput, match="its law has no states; leave it out"):
        oscillator(ss.Linear(stiffness=1.0)).modes(state={"mount": "stick"})


def test_a_model_with_no_free_coordinate_has_no_modes():
    m = ss.Model("driven")
    m.coordinate("x", motion=ss.Constant(0.0))
    with pytest.raises(ss.InvalidInput, match="needs a free coordinate"):
        m.modes()


def test_a_stage_of_a_broken_line_can_be_chosen_by_name():
    law = ss.PiecewiseLinear(breaks=(0.0,), slopes=(8.0, 18.0), value_at=(0.0, 0.0))
    m = oscillator(law)
    assert m.modes(state={"mount": "stage1"}).magnitude == pytest.approx([3.0])
    with pytest.raises(ss.InvalidInput, match="did you mean"):
        m.modes(state={"mount": "stage7"})


def stuck_driveline(n, ratio):
    """Inertias in a row; between all of them a spring with damping beside friction, over gears of that ratio."""
    m = ss.Model("driveline")
    inertias = [m.coordinate(f"x{i}", inertia=0.15 * (i + 1) ** 2) for i in range(n)]
    for i in range(n - 1):
        law = ss.Linear(stiffness=1146.0, damping=0.3) + ss.DryFriction(limit=200.0, damping=0.3)
        m.connect(inertias[i] - ratio * inertias[i + 1], law, name=f"clutch{i}")
    return m


@pytest.mark.parametrize("n", [2, 3, 5, 9])
@pytest.mark.parametrize("ratio", [1.0, 1.3, 3.1])
def test_what_turns_as_one_body_is_rigid_exactly(n, ratio):
    m = stuck_driveline(n, ratio)
    modes = m.modes(state={f"clutch{i}": "stick" for i in range(n - 1)})
    assert modes.eigenvalues.tolist() == [0.0]
    assert modes.kind == ("rigid",)
    free = m.modes(state={"clutch0": "slip"})  # the first can turn against all others: one mode of vibration more
    assert free.kind[0] == "rigid"
    assert len(free) == 2
    assert free.magnitude[1] > 1.0


def test_a_sparse_model_that_sticks_is_rigid_exactly():
    from scipy.sparse import eye_array

    mass = eye_array(3, format="csr")
    m = ss.Model.from_matrices(mass, None, 0.0 * mass)
    q = [m[f"q{i}"] for i in (1, 2, 3)]
    for i, pair in enumerate((q[0] - 1.7 * q[1], q[1] - 0.3 * q[2])):
        m.connect(pair, ss.Linear(stiffness=1e6, damping=0.3) + ss.DryFriction(limit=1.0), name=f"c{i}")
    assert m.modes(state={"c0": "stick", "c1": "stick"}).eigenvalues.tolist() == [0.0]


class RootOfANegativeNumber(ss.Law):
    """Its force is no number around zero."""

    stiffness: float = ss.parameter((1, -1, 0))

    def update(self, u, v, memory):
        return self.stiffness * (abs(u) - 1.0) ** 0.5 * u, ()


def test_a_law_without_a_tangent_is_named():
    m = ss.Model("m")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, RootOfANegativeNumber(stiffness=10.0), name="bad")
    with pytest.raises(ss.InvalidInput, match=r'"bad": RootOfANegativeNumber has no finite tangent .* update\(\)'):
        m.modes()
    with pytest.raises(ss.NotConverged, match=r'force of connection "bad" \(RootOfANegativeNumber\) is not a number'):
        m.simulate(1.0)
