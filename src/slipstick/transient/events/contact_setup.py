"""Set-valued friction contacts as records of the stick-slip decision that `exact` uses too."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.base import Law
from slipstick.transient.exact.flow_storage import new_state
from slipstick.transient.exact.packed_model import TINY_LIMIT
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.problem import Problem


class Contacts(NamedTuple):
    """Friction contacts of a problem, c of them.

    elements : (c,) their numbers among the elements.   model : deflections, compliances and static ratios.
    limits : (c,) sliding force at the smallest rates, before factors in time.
    """

    elements: list[int]
    model: FlowModel
    limits: list[float]

    def workspace(self) -> State:
        """A new state of all contacts."""
        return new_state(self.model)


def is_rigid(law: Law) -> bool:
    """True for set-valued friction with a limit that is not zero."""
    friction = law.rigid_friction
    return friction is not None and max(friction.limit, friction.static_limit or 0.0) > 0.0


def find_contacts(problem: Problem, inertia: Array) -> Contacts:
    """The contacts of a problem.   inertia : (n, n) inverse of the mass matrix."""
    elements = [e for e, own in enumerate(problem.elements) if is_rigid(own.law)]
    bounds = [_limits(problem.elements[e].law) for e in elements]
    n, c = problem.n, len(elements)
    deflections = problem.deflections[elements]
    pushes = np.array([problem.elements[e].force * problem.elements[e].along for e in elements]).reshape(c, n)
    sections = dict.fromkeys(FlowModel._sections, 0)
    begins = np.concatenate([[0], np.cumsum((deflections != 0.0).sum(axis=1))])
    given = {
        "unit_begin": begins,
        "unit_coordinate": np.nonzero(deflections)[1],
        "deflection": deflections[deflections != 0.0],
        "contact_of": np.arange(c),
        "unit_of": np.arange(c),
        "delassus": deflections @ inertia @ pushes.T,
        "inverse_mass": inertia,
        "inverse_mass_along": inertia @ pushes.T,
        "static_ratio": [ratio for _, ratio in bounds],
        "limit_varies": np.zeros(c),
        "driven": np.zeros(c),
        "stop": np.zeros(c),
        "normal_of": np.full(c, -1.0),
        "tangential_of": np.full(c, -1.0),
    }
    arrays = {name: np.asarray(values, dtype=float).ravel() for name, values in given.items()}
    sections.update({name: values.size for name, values in arrays.items()})
    model = FlowModel(
        sections, coordinate_count=n, unit_count=c, contact_count=c, regular=True, full_mass=True, **arrays
    )
    return Contacts(elements, model, [limit for limit, _ in bounds])


def _limits(law: Law) -> tuple[float, float]:
    """The sliding force at the smallest rates, and the force to break away over it."""
    friction = law.rigid_friction
    assert friction is not None
    static = friction.limit if friction.static_limit is None else friction.static_limit
    slides, _ = law.update(0.0, 0.0, (0.0, 1.0))  # in the direction in its memory
    if slides <= 0.0:
        return TINY_LIMIT * static, 1.0 / TINY_LIMIT
    ratio = static / slides
    return float(slides), 1.0 if math.isclose(ratio, 1.0, rel_tol=1e-12) else float(ratio)
