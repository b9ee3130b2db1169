"""What cannot be reduced is refused in one line that says why; what it says to do works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import slipstick as ss

BEARING = ss.DryFriction(limit=0.1, damping=0.1)
LIGHT = {"massless": ["node"], "frictionless": ["node"]}


def pair(second: ss.Law | None = None, bearing: ss.Law | None = BEARING, **node: Any) -> ss.Model:
    """x, a light node with a bearing, y: two springs with gaps."""
    m = ss.Model("pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    light = m.coordinate("node", **{"inertia": 0.1, **node})
    m.connect(x - light, ss.Freeplay(stiffness=3.0, half_gap=0.2), name="one")
    m.connect(light - y, second or ss.Freeplay(stiffness=3.0, half_gap=0.2), name="two")
    if bearing is not None:
        m.connect(light, bearing, name="bearing")
    return m


def with_load() -> ss.Model:
    m = pair()
    m.load(m["node"], ss.Cosine(1.0, frequency=1.0))
    return m


def with_third(gap: float = 0.5) -> ss.Model:
    m = pair()
    m.connect(m["node"], ss.Freeplay(stiffness=1.0, half_gap=gap), name="third")
    return m


def with_branches() -> ss.Model:
    """Three chains with gaps meet at a hub: what is merged has names that the user never gave."""
    m = ss.Model("branches")
    hub = m.coordinate("hub")
    for i in range(3):
        end, between = m.coordinate(f"end{i}", inertia=1.0), m.coordinate(f"between{i}")
        m.connect(hub - between, ss.Freeplay(stiffness=2.0, half_gap=0.1), name=f"inner{i}")
        m.connect(between - end, ss.Linear(stiffness=3.0), name=f"outer{i}")
    return m


def with_lonely() -> ss.Model:
    m = pair()
    m.coordinate("lonely")
    return m


def differential(light: float = 0.0) -> ss.Model:
    m = ss.Model("differential")
    case, left, right = (m.coordinate(name, inertia=1.0) for name in ("case", "left", "right"))
    m["right"].inertia = light
    m.connect(2.0 * case - left - right, ss.Linear(stiffness=1e4), name="planets")
    for body in (case, left, right):
        m.connect(body, ss.Linear(stiffness=3.0), name=f"spring {body}")
    return m


def between_motions(stiffness: float = 1e3) -> ss.Model:
    m = ss.Model("rig")
    a, b = (m.coordinate(name, motion=ss.Sine(1.0, frequency=2.0)) for name in ("a", "b"))
    x = m.coordinate("x", inertia=1.0)
    m.connect(a - b, ss.Linear(stiffness=stiffness), name="both")
    m.connect(a - x, ss.Freeplay(stiffness=10.0, half_gap=0.1), name="to x")
    return m


def of_matrices() -> ss.Model:
    m = ss.Model.from_matrices(np.eye(2), np.zeros((2, 2)), 100.0 * np.array([[2.0, -1.0], [-1.0, 2.0]]))
    m.connect(m["q1"] - m["q2"], ss.Linear(stiffness=1e3), name="link")
    m.connect(m["q2"], ss.Freeplay(stiffness=50.0, half_gap=0.01), name="stop")
    return m


def pushed(first: float, second: float) -> ss.Model:
    """A massless node between two linear springs."""
    return pair_of(ss.Linear(stiffness=first), ss.Linear(stiffness=second))


def pair_of(first: ss.Law, second: ss.Law, inertia: float = 0.0) -> ss.Model:
    m = ss.Model("node")
    x, node, y = m.coordinate("x", inertia=1.0), m.coordinate("node", inertia=inertia), m.coordinate("y", inertia=1.0)
    m.connect(x - node, first, name="one")
    m.connect(node - y, second, name="two")
    return m


def relative(damping: float = 0.1, ground: bool = False) -> ss.Model:
    """Two light bodies between gaps, with friction between them only."""
    m = ss.Model("relative")
    x, d, g, y = (m.coordinate(name, inertia=i) for name, i in (("x", 1.0), ("d", 0.01), ("g", 0.01), ("y", 1.0)))
    m.connect(x - d, ss.Freeplay(stiffness=100.0, half_gap=0.1), name="a")
    m.connect(d - g, ss.Linear(stiffness=100.0, damping=damping), name="b")
    m.connect(g - y, ss.Freeplay(stiffness=100.0, half_gap=0.1), name="c")
    if ground:
        m.connect(d, BEARING, name="bearing")
    return m


def cubic_across(along: bool) -> ss.Model:
    m = ss.Model("printed")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x - y, ss.Linear(stiffness=1e4), name="link")
    law = ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 5.0))
    m.connect(x - y, law, name="cubic", along=x if along else None)
    return m


Build = Callable[[], ss.Model]
REFUSALS: list[tuple[str, Build, dict[str, Any], tuple[str, ...], Build, dict[str, Any]]] = [
    # what, a model, arguments, words that the refusal has; a model and arguments as it says
    ("nothing", pair, {}, ("name what is negligible",), pair, LIGHT),
    ("a wrong name", pair, {"massless": ["nod"]}, ('did you mean "node"',), pair, LIGHT),
    ("no connection", pair, {"rigid": ["three"]}, ("rigid: no connection",), pair, LIGHT),
    ("no list", pair, {"massless": 3}, ("list of names",), pair, LIGHT),
    (
        "rattling",
        lambda: pair(bearing=None),
        {"massless": ["node"]},
        ('"node" has no friction, so with less and less inertia it rattles in the gap of "one"', "frictionless too"),
        pair,
        LIGHT,
    ),
    (
        "rattling, without gaps",
        lambda: pair(bearing=None),
        {"massless": ["node"]},
        ("name the gap in no_gap",),
        lambda: pair(bearing=None),
        {"massless": ["node"], "no_gap": ["one", "two"]},
    ),
    (
        "rattling together",
        relative,
        {"massless": ["d", "g"]},
        ('"d" with "g" has no friction', "rattles"),
        lambda: relative(ground=True),
        {"massless": ["d", "g"], "frictionless": ["d", "g"]},
    ),
    (
        "no friction",
        pair,
        {"frictionless": ["x"]},
        ('no friction acts on "x"', "leave it out"),
        pair,
        {"frictionless": ["node"]},
    ),
    (
        "friction that breaks away",
        lambda: pair(bearing=ss.DryFriction(limit=0.1, static_limit=0.2)),
        {"frictionless": ["node"]},
        ('"bearing"', "static_limit has no luz/tar form", "out of frictionless"),
        lambda: pair(bearing=ss.DryFriction(limit=0.1)),
        {"frictionless": ["node"]},
    ),
    ("a load", with_load, LIGHT, ("a load acts on it", "keep its friction"), with_load, {"massless": ["node"]}),
    (
        "three gaps",
        with_third,
        LIGHT,
        ("has 3 springs", '"one", "two", "third" in no_gap'),
        with_third,
        {**LIGHT, "no_gap": ["one", "two", "third"]},
    ),
    (
        "three merged gaps",
        with_branches,
        {"massless": ["hub", "between0", "between1", "between2"]},
        ('"inner0", "inner1", "inner2" in no_gap',),
        with_branches,
        {"massless": ["hub", "between0", "between1", "between2"], "no_gap": ["inner0", "inner1", "inner2"]},
    ),
    (
        "another law",
        lambda: pair(ss.Jenkins(stiffness=1.0, limit=2.0)),
        LIGHT,
        ('"two" acts on it, and Jenkins has no luz/tar form', 'leave "node" out'),
        lambda: pair(ss.Jenkins(stiffness=1.0, limit=2.0)),
        {"no_gap": ["one"]},
    ),
    (
        "damping in contact",
        lambda: pair(ss.Freeplay(stiffness=3.0, half_gap=0.2, damping=0.1)),
        LIGHT,
        ("set damping=0 or use Linear beside it",),
        lambda: pair(ss.Freeplay(stiffness=3.0, half_gap=0.2) + ss.Linear(damping=0.1)),
        LIGHT,
    ),
    (
        "a preload",
        lambda: pair(ss.Linear(stiffness=3.0, preload=1.0)),
        {"rigid": ["two"]},
        ("apply it as a Constant load",),
        lambda: pair(ss.Linear(stiffness=3.0)),
        {"rigid": ["two"]},
    ),
    (
        "a rigid stop",
        pair,
        {"rigid": ["one"]},
        ("rigid stop with a gap", 'Name "one" in no_gap'),
        pair,
        {"rigid": ["one"], "no_gap": ["one"]},
    ),
    (
        "a rigid stop beside a massless node",
        pair,
        {"rigid": ["one"]},
        ("make the node beside it massless and frictionless",),
        pair,
        {"rigid": ["one"], **LIGHT},
    ),
    ("no spring", pair, {"rigid": ["bearing"]}, ("no spring that could be rigid", "leave it out"), pair, LIGHT),
    ("no gap", pair, {"no_gap": ["bearing"]}, ("no spring with a gap", "leave it out"), pair, {"no_gap": ["one"]}),
    (
        "no gap in a spring",
        lambda: pair(ss.Linear(stiffness=1.0)),
        {"no_gap": ["two"]},
        ("no spring with a gap",),
        pair,
        {"no_gap": ["two"]},
    ),
    ("no limit", pair, {"no_limit": ["one"]}, ("no dry friction", "leave it out"), pair, {"no_limit": ["bearing"]}),
    (
        "a start",
        lambda: pair(displacement=0.1),
        {"rigid": ["one"], "no_gap": ["one"]},
        ("initial displacement is 0.1 there against 0", "change one"),
        pair,
        {"rigid": ["one"], "no_gap": ["one"]},
    ),
    (
        "a motion",
        lambda: pair(bearing=None, inertia=0.0, motion=ss.Sine(1.0, frequency=1.0)),
        {"massless": ["node"]},
        ("prescribed motion", "leave it out"),
        lambda: pair(bearing=None, inertia=0.0, motion=ss.Sine(1.0, frequency=1.0)),
        {"no_gap": ["one"]},
    ),
    ("nothing holds it", with_lonely, {"massless": ["lonely"]}, ("held by no spring", "connect it"), pair, LIGHT),
    (
        "coupled inertias",
        lambda: differential(light=1.0),
        {"rigid": ["planets"]},
        ("right = 2*case - left", "couple", 'name "right" in massless too'),
        lambda: differential(light=1.0),
        {"rigid": ["planets"], "massless": ["right"]},
    ),
    (
        "two motions",
        between_motions,
        {"rigid": ["both"]},
        ("all of its ends follow prescribed motions", "out of rigid"),
        between_motions,
        {"no_gap": ["to x"]},
    ),
    (
        "inertia of matrices",
        of_matrices,
        {"massless": ["q1"]},
        ("belongs to the given matrices", "condense"),
        of_matrices,
        {"no_gap": ["stop"]},
    ),
    (
        "coordinates of matrices",
        of_matrices,
        {"rigid": ["link"]},
        ("belongs to the given matrices", "out of rigid"),
        of_matrices,
        {"no_gap": ["stop"]},
    ),
    (
        "a node that is pushed away",
        lambda: pushed(-10.0, 5.0),
        {"massless": ["node"]},
        ("negative stiffness of -5 in all", "out of massless"),
        lambda: pushed(-1.0, 3.0),
        {"massless": ["node"]},
    ),
    (
        "springs that cancel in series",
        lambda: pushed(-1.0, 1.0),
        {"massless": ["node"]},
        ("negative stiffness of 0 in all",),
        lambda: pushed(-1.0, 1.1),
        {"massless": ["node"]},
    ),
    (
        "pushed away in a gap",
        lambda: pair_of(ss.Linear(stiffness=-1.0), ss.Freeplay(stiffness=3.0, half_gap=0.1)),
        {"massless": ["node"]},
        ("pushed away by a negative stiffness in its gap",),
        lambda: pair_of(ss.Linear(stiffness=-1.0), ss.Linear(stiffness=3.0)),
        {"massless": ["node"]},
    ),
    (
        "springs that cancel side by side",
        lambda: pair_of(ss.Linear(stiffness=-1.0) + ss.Linear(stiffness=1.0), ss.Linear(stiffness=1.0)),
        {"massless": ["node"]},
        ("add up to 0",),
        lambda: pushed(1.0, 1.0),
        {"massless": ["node"]},
    ),
    (
        "a force without a deflection",
        lambda: cubic_across(along=True),
        {"rigid": ["link"]},
        ('"cubic" would have no deflection left', "along x"),
        lambda: cubic_across(along=False),
        {"rigid": ["link"]},
    ),
]


@pytest.mark.parametrize(
    ("build", "arguments", "words", "other", "instead"),
    [case[1:] for case in REFUSALS],
    ids=[case[0] for case in REFUSALS],
)
def test_a_refusal_says_why_and_what_it_says_to_do_works(
    refused: Any,
    build: Build,
    arguments: dict[str, Any],
    words: tuple[str, ...],
    other: Build,
    instead: dict[str, Any],
) -> None:
    with refused(*words, error=ss.InvalidInput):
        build().reduce(**arguments)
    red = other().reduce(**instead)
    assert str(red).startswith(red.primary.name)  # steps and equations can be told as well
    assert len(red.equations) >= len(red.model.coordinates) - len([c for c in red.model.coordinates if c.motion])


def test_a_reduction_that_leaves_nothing_is_refused(refused: Any) -> None:
    m = ss.Model("one")
    m.connect(m.coordinate("x", inertia=1.0), ss.Linear(stiffness=1.0), name="spring")
    with refused("no coordinate would be left"):
        m.reduce(rigid=["spring"])


@pytest.mark.parametrize("run", [3, None, "run", {"displacement": [1.0]}])
def test_recover_refuses_what_is_no_run(refused: Any, run: Any) -> None:
    red = pair().reduce(**LIGHT)
    with refused("recover needs a run of the reduced model, with the coordinates x, y"):
        red.recover(run)


def test_recover_and_save_refuse_a_model_in_symbols(refused: Any, tmp_path: Any) -> None:
    k = sp.Symbol("k", positive=True)
    m = pair_of(ss.Linear(stiffness=k), ss.Linear(stiffness=2.0))
    red = m.reduce(massless=["node"])
    with refused("k has no value yet", "with_values"):
        red.recover(None)
    with refused("k has no value yet", "with_values"):
        red.model.save(tmp_path / "model.yaml")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scales": 0.1}, "scales are numbers from 0 to 1"),
        ({"scales": ("a",)}, "scales are numbers from 0 to 1"),
        ({"scales": (2.0,)}, "scales are numbers from 0 to 1"),
        ({"samples": 0}, "samples must be a whole number >= 2"),
    ],
)
def test_compare_refuses_what_it_cannot_use(refused: Any, options: dict[str, Any], words: str) -> None:
    red = pair().reduce(**LIGHT)
    with refused(words):
        red.compare(1.0, **options)


def test_a_number_that_cannot_be_a_symbol_is_reported(refused: Any) -> None:
    k = sp.Symbol("k", positive=True)
    with refused("symbols are for laws"):
        ss.Jenkins(stiffness=k, limit=1.0)
    with refused(">= 0"):
        ss.Freeplay(stiffness=-k, half_gap=0.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"k": "len('abc')"}, "k must be a number"),
        ({"k": sp.Symbol("z")}, "k must be a number"),
        ({"k": 1j}, "k must be a number"),
        ({"k": float("inf")}, "k must be finite"),
        ({"k": -2.0}, "k was made with positive=True, got -2"),
        ({"a": 0.0, "k": 1.0}, "must be a number"),
        ({"q": 1.0}, 'no symbol "q"'),
        ([("k", 1.0)], "dict of numbers by symbol"),
    ],
)
def test_values_that_are_none_are_refused_and_nothing_is_evaluated(refused: Any, values: Any, words: str) -> None:
    m = ss.Model("family")
    k, a = sp.Symbol("k", positive=True), sp.Symbol("a", real=True)
    m.connect(m.coordinate("x", inertia=1.0), ss.Freeplay(stiffness=k, half_gap=1 / a), name="spring")
    with refused(words):
        m.with_values(values)
    assert m.with_values({"k": 3, a: 2}).connections[0].law == ss.Freeplay(stiffness=3.0, half_gap=0.5)
