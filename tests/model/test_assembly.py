"""Matrices, columns and loads of a system."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array

import slipstick as ss
from slipstick.model.assembly import assemble
from slipstick.model.system import dense


def three_bodies():
    m = ss.Model("three", frequency=2.0)
    x = m.coordinate("x", inertia=1.0, displacement=0.1, velocity=0.2)
    base = m.coordinate("base", motion=ss.Constant(3.0) + ss.Sine(0.5, order=2))
    y = m.coordinate("y", inertia=4.0)
    m.connect(x - 2 * y, ss.Linear(stiffness=5.0), name="mesh")
    m.connect(y - base, ss.Linear(stiffness=7.0), name="mount", along=y)
    m.load(x - y, ss.Cosine(3.0, order=1))
    m.load(x, ss.Constant(10.0))
    return m


def test_columns_hold_the_factors_of_each_form():
    parts = assemble(three_bodies())
    assert parts.names == ("x", "base", "y")
    np.testing.assert_array_equal(parts.deflections, [[1, 0], [0, -1], [-2, 1]])
    np.testing.assert_array_equal(parts.along, [[1, 0], [0, 0], [-2, 1]])
    np.testing.assert_array_equal(parts.mass, np.diag([1.0, 0.0, 4.0]))


def test_prescribed_coordinates_are_distinguished_from_free_ones():
    parts = assemble(three_bodies())
    np.testing.assert_array_equal(parts.free, [0, 2])
    np.testing.assert_array_equal(parts.prescribed, [1])
    np.testing.assert_array_equal(parts.start, [0.1, 0.0, 0.0])
    np.testing.assert_array_equal(parts.start_rate, [0.2, 0.0, 0.0])
    assert parts.motion(0.3, 2.0) == pytest.approx([3.0 + 0.5 * np.sin(4 * 0.3)])
    assert parts.motion(0.3, 2.0, derivative=1) == pytest.approx([2.0 * np.cos(4 * 0.3)])
    assert parts.mean_motion() == pytest.approx([3.0])


def test_loads_act_along_their_forms_and_add_up():
    parts = assemble(three_bodies())
    swing = 3.0 * np.cos(2.0 * 0.7)
    assert parts.load(0.7, 2.0) == pytest.approx([10.0 + swing, 0.0, -swing])
    assert parts.mean_load() == pytest.approx([10.0, 0.0, 0.0])


def test_given_matrices_stand_at_the_places_of_their_names():
    k = np.array([[2.0, -1.0], [-1.0, 1.0]])
    m = ss.Model.from_matrices(np.eye(2), 0.1 * k, k, names=["a", "b"])
    c = m.coordinate("c", inertia=3.0)
    m.connect(m["b"] - c, ss.Linear(stiffness=1.0))
    parts = assemble(m)
    assert not parts.is_sparse
    np.testing.assert_array_equal(parts.mass, np.diag([1.0, 1.0, 3.0]))
    np.testing.assert_array_equal(parts.stiffness, [[2, -1, 0], [-1, 1, 0], [0, 0, 0]])
    np.testing.assert_allclose(parts.damping, [[0.2, -0.1, 0], [-0.1, 0.1, 0], [0, 0, 0]])


def test_sparse_matrices_stay_sparse_and_say_the_same():
    k = np.array([[2.0, -1.0, 0.0], [-1.0, 3.0, -1.0], [0.0, -1.0, 1.0]])
    systems = [ss.Model.from_matrices(kind(np.eye(3)), None, kind(k)) for kind in (np.array, csr_array)]
    for m in systems:
        extra = m.coordinate("extra", inertia=2.0)
        m.connect(m["q1"] - 2 * extra, ss.Linear(stiffness=1.0))
    plain, sparse = (assemble(m) for m in systems)
    assert sparse.is_sparse
    assert not plain.is_sparse
    for name in ("mass", "damping", "stiffness", "deflections", "along"):
        np.testing.assert_array_equal(dense(getattr(sparse, name)), getattr(plain, name))


def test_many_coordinates_are_assembled_sparse():
    m = ss.Model("chain")
    chain = [m.coordinate(f"x{i}", inertia=1.0) for i in range(501)]
    for a, b in itertools.pairwise(chain):
        m.connect(b - a, ss.Linear(stiffness=1.0))
    parts = assemble(m)
    assert parts.is_sparse
    assert parts.deflections.nnz == 1000


def test_a_model_without_connections_or_loads_assembles():
    m = ss.Model("lonely")
    m.coordinate("x", inertia=1.0)
    parts = assemble(m)
    assert parts.deflections.shape == (1, 0)
    np.testing.assert_array_equal(parts.load(0.0), [0.0])
