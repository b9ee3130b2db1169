"""Random oscillators with friction, freeplay and stops, their parameters, and central differences at high accuracy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np

import slipstick as ss

FREQUENCY = 1.1


def build(kind: str, values: Mapping[str, float]) -> ss.Model:
    """Two masses with the law of a kind between them; values of all parameters by name."""
    m = ss.Model("pair", frequency=FREQUENCY)
    x = m.coordinate("x", inertia=values["x.inertia"], displacement=values.get("x.displacement", 0.0))
    y = m.coordinate("y", inertia=values["y.inertia"], velocity=values.get("y.velocity", 0.0))
    m.connect(x, ss.Linear(stiffness=values["ground.stiffness"], damping=values["ground.damping"]), name="ground")
    m.connect(y - x, ss.Linear(stiffness=values["link.stiffness"], damping=values["link.damping"]), name="link")
    law = {name.partition(".")[2]: value for name, value in values.items() if name.startswith("joint.")}
    laws = {"jenkins": ss.Jenkins, "masing": ss.Masing, "freeplay": ss.Freeplay, "friction": ss.DryFriction}
    m.connect(y, laws[kind](**law), name="joint")
    m.load(x, ss.Cosine(values["shaker.amplitude"], order=1, phase=values["shaker.phase"]), name="shaker")
    return m


def random_values(kind: str, rng: np.random.Generator) -> dict[str, float]:
    """Parameters of a model whose joint changes its state during a period of the load."""

    def near(value: float) -> float:
        return float(value * rng.uniform(0.8, 1.25))

    joint = {
        "jenkins": {"stiffness": near(1.0), "limit": near(0.35)},
        "masing": {"stiffness": near(1.0), "limit": near(0.3), "parallel_stiffness": near(0.2), "damping": near(0.02)},
        "freeplay": {"stiffness": near(2.0), "half_gap": near(0.25)},
        "friction": {"limit": near(0.2)},
    }[kind]
    values = {
        "x.inertia": near(1.0), "y.inertia": near(0.6), "ground.stiffness": near(1.0), "ground.damping": near(0.15),
        "link.stiffness": near(1.5), "link.damping": near(0.05), "shaker.amplitude": near(1.0),
        "shaker.phase": near(0.3),
    }  # fmt: skip
    return values | {f"joint.{name}": value for name, value in joint.items()}


def central_difference(function: Callable[[float], float], value: float, step: float = 1e-3) -> float:
    """The derivative of a function by central differences of three steps, extrapolated."""
    h = step * abs(value)
    slopes = [(function(value + s) - function(value - s)) / (2.0 * s) for s in (h, h / 2.0, h / 4.0)]
    first = [(4.0 * b - a) / 3.0 for a, b in itertools.pairwise(slopes)]
    return (16.0 * first[1] - first[0]) / 15.0
