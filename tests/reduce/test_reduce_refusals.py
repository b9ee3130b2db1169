"""What cannot be reduced is refused in one line that says why and what to do."""

from __future__ import annotations

from typing import Any

import pytest

import slipstick as ss


def pair(**options: Any) -> ss.Model:
    """x, a light node with a bearing, y: two springs with gaps."""
    m = ss.Model("pair")
    x, node, y = m.coordinate("x", inertia=1.0), m.coordinate("node", inertia=0.1), m.coordinate("y", inertia=1.0)
    m.connect(x - node, ss.Freeplay(stiffness=3.0, half_gap=0.2), name="one")
    m.connect(node - y, options.get("law", ss.Freeplay(stiffness=3.0, half_gap=0.2)), name="two")
    if options.get("bearing", True):
        m.connect(node, ss.DryFriction(limit=0.1, damping=0.1), name="bearing")
    return m


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        ("", {}, "name what is negligible"),
        ("", {"massless": ["nod"]}, 'did you mean "node"'),
        ("", {"rigid": ["three"]}, "no connection"),
        ("", {"massless": 3}, "list of names"),
        ("no bearing", {"massless": ["node"]}, "no friction, so with ever less inertia it rattles"),
        ("", {"frictionless": ["x"]}, 'no friction acts on "x"'),
        ("load", {"massless": ["node"], "frictionless": ["node"]}, "a load acts on it"),
        ("third", {"massless": ["node"], "frictionless": ["node"]}, "has 3 springs"),
        ("opaque", {"massless": ["node"], "frictionless": ["node"]}, "no luz/tar form"),
        ("", {"rigid": ["one"]}, "rigid stop with a gap"),
        ("", {"rigid": ["bearing"]}, "no spring that could be rigid"),
        ("", {"no_gap": ["bearing"]}, "no spring with a gap"),
        ("", {"no_limit": ["one"]}, "no dry friction"),
        ("start", {"rigid": ["one"], "no_gap": ["one"]}, "initial displacement"),
        ("motion", {"massless": ["node"]}, "prescribed motion"),
        ("lonely", {"massless": ["lonely"]}, "held by no spring"),
    ],
)
def test_a_reduction_that_cannot_be_done_says_why(change: str, arguments: dict[str, Any], words: str) -> None:
    law = ss.Jenkins(stiffness=1.0, limit=2.0) if change == "opaque" else ss.Freeplay(stiffness=3.0, half_gap=0.2)
    m = pair(bearing=change not in ("no bearing", "motion"), law=law)
    if change == "load":
        m.load(m["node"], ss.Cosine(1.0, frequency=1.0))
    if change == "third":
        m.connect(m["node"], ss.Freeplay(stiffness=1.0, half_gap=0.5), name="third")
    if change == "start":
        m["node"].displacement = 0.1
    if change == "motion":
        m["node"].motion = ss.Sine(1.0, frequency=1.0)
    if change == "lonely":
        m.coordinate("lonely")
    with pytest.raises(ss.InvalidInput, match=words) as told:
        m.reduce(**arguments)
    assert "\n" not in str(told.value)


def test_a_reduction_that_leaves_nothing_is_refused() -> None:
    m = ss.Model("one")
    m.connect(m.coordinate("x", inertia=1.0), ss.Linear(stiffness=1.0), name="spring")
    with pytest.raises(ss.InvalidInput, match="no coordinate would be left"):
        m.reduce(rigid=["spring"])


def test_a_number_that_cannot_be_a_symbol_is_told() -> None:
    import sympy as sp

    k = sp.Symbol("k", positive=True)
    with pytest.raises(ss.InvalidInput, match="symbols are for laws"):
        ss.Jenkins(stiffness=k, limit=1.0)
    with pytest.raises(ss.InvalidInput, match=">= 0"):
        ss.Freeplay(stiffness=-k, half_gap=0.0)
