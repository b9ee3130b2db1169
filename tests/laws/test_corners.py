"""Where the force of a law has its next corner, and the memory of laws that are integrated."""

from __future__ import annotations

import numpy as np
import pytest
from laws.example_laws import every_law

import slipstick as ss
from slipstick.laws import envelopes
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law
from slipstick.laws.faces import Face
from slipstick.laws.law_kernels import method_kernel, pointer
from slipstick.laws.law_packing import pack_parameters

LEAVES = {
    f"{name} {i}": leaf.law
    for name, law in every_law().items()
    for i, leaf in enumerate(law.leaves())
    if Face.VALUE in leaf.law.faces
}


LUGRE = ss.LuGre(bristle_stiffness=20, bristle_damping=0.3, viscous=0.1, coulomb=0.6, static=0.9, stribeck_velocity=0.5)


def corner(law, u, s, memory):
    """From the compiled kernel."""
    kernel = method_kernel(type(law), "corner", 2)
    return kernel.call(pointer(pack_parameters(law)), u, s, pointer(np.append(law.pack_memory(memory, 2), 0.0)))


def slope(law, u, s, memory, d=1e-7):
    return s * (law.update(u + s * d, s, memory)[0] - law.update(u, s, memory)[0]) / d


@pytest.mark.parametrize("name", [n for n, law in LEAVES.items() if type(law).corner is not Law.corner])
def test_slope_changes_at_the_corner_and_not_before(name):
    law = LEAVES[name]
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(40):
        memory = law.start(0.0)
        for u in rng.uniform(-1.5, 1.5, int(rng.integers(1, 5))):
            memory = law.update(float(u), 0.0, memory)[1]
        u = float(u)
        for s in (1.0, -1.0):
            place = corner(law, u, s, memory)
            assert (place - u) * s > 0.0
            if abs(place) == UNREACHABLE_DEFLECTION or abs(place - u) > 4.0 or abs(place - u) < 1e-3:
                continue
            found += 1
            before, after = (slope(law, place + e * s, s, memory) for e in (-2e-7, 1e-7))
            second = slope(law, place - 4e-7 * s, s, memory)
            assert abs(after - before) > 20.0 * abs(before - second) - 1e-9 or abs(after - before) < 1e-5
    level = isinstance(law, ss.ModifiedDahl) and len(law.upper) == 1 and law.exponent < 1.0
    assert found or (isinstance(law, ss.ModifiedDahl) and not level)  # no other envelope is reached within a finite way


@pytest.mark.parametrize("name", ["freeplay damped", "contact damped"])
def test_damped_contact_lets_go_where_its_edge_changes_sign(name):
    law = every_law()[name]
    for u in (0.5, 0.9) if name.startswith("contact") else (0.5, 0.9, -0.6):
        rates = np.linspace(-9.0, 9.0, 6002)
        edges = np.array([law.edge(u, float(v)) for v in rates])
        forces = np.array([law.update(u, float(v), ())[0] for v in rates])
        assert ((edges < 0.0) == (forces == 0.0)).all()
        assert (edges < 0.0).any()
    assert law.edge(0.1, -5.0) == 1.0  # within the gap there is none


def test_jenkins_yields_where_its_stretch_is_spent():
    law = ss.Jenkins(stiffness=2.0, limit=0.6)
    assert corner(law, 0.1, 1.0, (0.05,)) == pytest.approx(0.35)
    assert corner(law, 0.1, -1.0, (0.05,)) == pytest.approx(-0.25)
    assert corner(law, 0.35, 1.0, (0.05,)) == UNREACHABLE_DEFLECTION  # it slides already


def test_piecewise_laws_have_their_breaks():
    law = ss.PiecewiseLinear(breaks=(-0.5, 0.2, 0.9), slopes=(1.0, 3.0, 0.5, 2.0), value_at=(0.1, 0.3))
    assert [corner(law, u, 1.0, ()) for u in (-2.0, 0.0, 0.2, 0.9)] == [-0.5, 0.2, 0.9, UNREACHABLE_DEFLECTION]
    assert [corner(law, u, -1.0, ()) for u in (2.0, 0.0, -0.5)] == [0.9, -0.5, -UNREACHABLE_DEFLECTION]


@pytest.mark.parametrize(
    "law",
    [
        ss.ModifiedDahl(rate=2.0, exponent=1.0, upper=(1.0, 0.3, 0.1), lower=(-1.0, 0.2)),
        ss.GeneralisedDahl(rate=2.0, envelope=envelopes.dynamic_hysteresis(0.8)),
        ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=0.3),
        ss.LuGre(
            bristle_stiffness=20, bristle_damping=0.3, viscous=0.1, coulomb=0.6, static=0.9, stribeck_velocity=0.5
        ),
    ],
)
def test_settled_is_the_memory_an_update_leaves(law):
    memory = law.start(0.0)
    for u in (0.3, -0.2):
        memory = law.update(u, 1.0, memory)[1]
    force, new = law.update(0.1, 0.7, memory)
    branch = law.turned(memory)
    kernel = method_kernel(type(law), "settled", 3)
    packed = np.append(law.pack_memory(branch, 0), 0.0)
    kernel.call(pointer(pack_parameters(law)), 0.1, 0.7, law.inner_state(new), pointer(packed))
    assert law.inner_force(0.1, 0.7, law.inner_state(new)) == pytest.approx(force)
    settled = tuple(packed[:-1])
    for u in (0.25, -0.4):
        got, want = (law.update(u, 0.7 if u > 0 else -0.7, m)[0] for m in (settled, new))
        assert got == pytest.approx(want, rel=1e-10)
