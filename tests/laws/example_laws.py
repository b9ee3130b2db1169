"""One law of every kind, with parameters near 1, for the tests that go through all of them."""

from __future__ import annotations

import numpy as np

import slipstick as ss
from slipstick.laws import LAWS, envelopes, law_class
from slipstick.laws.base import Law

RELAXING = ("maxwell", "zener")  # a model gives them a coordinate of their own


def every_law() -> dict[str, Law]:
    """Name -> law; each with all its parameters away from their defaults at least once.

    A law that is not listed is there with the example of its own words, scaled to deflections and forces near 1.
    """
    overshoot = {"stiffness": 2.0, "limit": 1.0, "overshoot_limit": 0.4, "ratio": 0.3}
    friction = ss.DryFriction(limit=0.7, damping=0.2)
    stribeck = ss.DryFriction(limit=0.7, damping=0.2, static_limit=1.1, stribeck_velocity=0.5)
    listed: dict[str, Law] = {
        "linear": ss.Linear(stiffness=2.0, damping=0.3, preload=0.4),
        "polynomial": ss.Polynomial(coefficients=(0.1, 1.0, -0.3, 0.5), damping=0.2),
        "freeplay": ss.Freeplay(stiffness=3.0, half_gap=0.4),
        "freeplay damped": ss.Freeplay(stiffness=3.0, half_gap=0.4, damping=0.5),
        "two-stage": ss.TwoStage(stiffness=3.0, inner_ratio=0.2, half_gap=0.4, damping=0.1),
        "piecewise-linear": ss.PiecewiseLinear(
            breaks=(-0.5, 0.2, 0.9), slopes=(1.0, 3.0, 0.5, 2.0), value_at=(0.1, 0.3)
        ),
        "contact": ss.Contact(stiffness=2.0, gap=0.3),
        "contact damped": ss.Contact(stiffness=2.0, gap=0.3, damping=0.4),
        "maxwell": ss.Maxwell(stiffness=2.0, damping=1.5),
        "zener": ss.Zener(stiffness=2.0, damping=1.5, parallel_stiffness=0.5),
        "power-damper": ss.PowerDamper(coefficient=0.7, exponent=0.6, reverse_coefficient=0.4),
        "damper-table": ss.DamperTable(rates=(-1.0, -0.3, 0.0, 0.5, 1.2), forces=(-0.5, -0.3, 0.0, 0.4, 0.7)),
        "dry-friction": ss.DryFriction(limit=0.7),
        "dry-friction viscous": friction,
        "impact": ss.Impact(gap=9.0, restitution=0.6),  # beyond the deflections of all tests: nothing imposes more
        "jenkins": ss.Jenkins(stiffness=2.0, limit=0.6),
        "masing": ss.Masing(stiffness=2.0, limit=0.6, parallel_stiffness=0.5, damping=0.1, preload=0.2),
        "iwan4": ss.Iwan4(stiffness=2.0, limit=0.8, chi=-0.4, beta=0.5),
        "iwan": ss.Iwan(stiffnesses=(1.0, 2.0, 0.5), limits=(0.2, 0.7, 0.4), parallel_stiffness=0.1),
        "dahl": ss.Dahl(stiffness=3.0, limit=0.8),
        "dahl 0.6": ss.Dahl(stiffness=3.0, limit=0.8, exponent=0.6),
        "dahl 2": ss.Dahl(stiffness=3.0, limit=0.8, exponent=2.0),
        "duhem": ss.Duhem(rate=3.0, upper=(1.0, 0.4), lower=(-0.8, 0.3)),
        "modified-dahl": ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=(1.0, 0.4), lower=(-0.8, 0.3)),
        "modified-dahl falling": ss.ModifiedDahl(rate=2.0, exponent=1.7, upper=(1.0, -0.2), lower=(-0.8, 0.0)),
        "modified-dahl curved": ss.ModifiedDahl(rate=2.0, exponent=1.0, upper=(1.0, 0.3, 0.1), lower=(-1.0, 0.2, -0.1)),
        "generalised-dahl": ss.GeneralisedDahl(rate=2.0, envelope=envelopes.dynamic_hysteresis(0.8)),
        "dynamic-hysteresis": ss.DynamicHysteresis(stiffness=1.5, limit=0.8),
        "dynamic-hysteresis 0.5": ss.DynamicHysteresis(stiffness=1.5, limit=0.8, exponent=0.5, virgin="printed"),
        "bliman-sorine": ss.BlimanSorine(**overshoot),
        "bliman-sorine printed": ss.BlimanSorine(**overshoot, virgin="printed"),
        "bliman-sorine original": ss.BlimanSorine(**overshoot, memory=False),
        "fibre-shear": ss.FibreShear(stiffness=1.5, limit=0.8, linear=0.4, cubic=0.3, overshoot=0.9, ratio=0.4),
        "bouc-wen": ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=0.3),
        "bouc-wen 2.5": ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=-0.3, exponent=2.5, A=1.3),
        "bouc-wen-baber-noori": ss.BoucWenBaberNoori(
            stiffness=2.0, ratio=0.1, beta=0.8, gamma=0.4, exponent=1.5, strength_degradation=0.05,
            stiffness_degradation=0.1, pinching=0.8, pinching_rate=0.5, pinching_level=0.1, pinching_width=0.8,
            pinching_coupling=0.5,
        ),
        "lugre": ss.LuGre(
            bristle_stiffness=20.0, bristle_damping=0.3, viscous=0.1, coulomb=0.6, static=0.9, stribeck_velocity=0.5
        ),
        "series": ss.Series(
            ss.Freeplay(stiffness=5.0, half_gap=0.2), ss.Masing(stiffness=3.0, limit=0.6, parallel_stiffness=1.0)
        ),
        "sqrt-stage": ss.TwoStage(stiffness=3.0, inner_ratio=0.2, half_gap=0.4).regularised("sqrt", rounding=0.05),
        "tanh-stage": ss.Freeplay(stiffness=3.0, half_gap=0.4).regularised("tanh", sharpness=8.0),
        "sqrt-friction": friction.regularised("sqrt", rounding=0.02, width=0.1),
        "tanh-friction": friction.regularised("tanh", sharpness=5.0),
        "sqrt-stribeck": stribeck.regularised("sqrt", rounding=0.02, width=0.1),
        "tanh-stribeck": stribeck.regularised("tanh", sharpness=5.0),
        "dry-friction stribeck": stribeck,
        "sum": ss.Dahl(stiffness=3.0, limit=0.8) + ss.Polynomial(coefficients=(0.0, 0.5, 0.0, 0.2)),
        "scaled": ss.DynamicHysteresis(stiffness=1.5, limit=0.8).scaled(deflection=2.0, force=0.5),
    }  # fmt: skip
    others = {name for name in LAWS if not any(example.split(" ")[0] == name for example in listed)}
    others = {name for name in others if not law_class(name).directions}  # see test_friction_contact
    return listed | {name: _scaled_example(name) for name in sorted(others)}


def _scaled_example(name: str) -> Law:
    kind = law_class(name)
    assert kind.words is not None
    law, size = kind(**kind.words.example_values), kind.words.amplitude
    t = np.linspace(0.0, 1.0, 101)
    return law.scaled(deflection=size, force=1.0 / float(np.ptp(law.trace(size * np.sin(2.0 * np.pi * t), t))))
