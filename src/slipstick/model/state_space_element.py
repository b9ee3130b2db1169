"""`StateSpace`: a linear controller or filter as an element of a model.

dz/dt = A z + B w,  f = C z + D w,  with w the deflection or its rate. Each state becomes a coordinate without inertia
whose equation has a damper of coefficient 1, so every method takes the element, and `exact` exactly:

    dz_i/dt - A_ii z_i                     connection "name z1", along z_i
    - sum of A_ij z_j (j != i) - B_i w     connection "name z1 input", along z_i
    sum of C_j z_j + D w                   connection "name", along the deflection
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slipstick.errors import InvalidInput, short_repr
from slipstick.laws.elastic import Linear
from slipstick.model.linear_forms import Form
from slipstick.name_hints import did_you_mean

if TYPE_CHECKING:
    from slipstick.model.system import Connection, System

INPUTS = ("deflection", "rate")
SHAPES = {"A": "(n, n)", "B": "(n,) or (n, 1)", "C": "(n,) or (1, n)", "D": "a number"}


@dataclass(frozen=True, init=False, eq=False)
class StateSpace:
    """A linear system with one input and one output: dz/dt = A z + B w, force = C z + D w.

    A : (n, n).   B : (n,) or (n, 1).   C : (n,) or (1, n).   D : a number.
    input : w is the "deflection" (default) or the "rate".
    ``m.connect(deflection, ss.StateSpace(A, B, C, D))`` adds it; a positive force resists a positive deflection. All
    states are zero at the start.
    """

    A: NDArray[np.float64]
    B: NDArray[np.float64]
    C: NDArray[np.float64]
    D: float
    input: str

    def __init__(self, A: ArrayLike, B: ArrayLike, C: ArrayLike, D: ArrayLike = 0.0, *, input: str = "deflection"):
        given = {name: _numbers(name, value) for name, value in (("A", A), ("B", B), ("C", C), ("D", D))}
        count = given["A"].shape[0] if given["A"].ndim == 2 else 0
        sizes = {"A": count * count, "B": count, "C": count, "D": 1}
        for name, values in given.items():
            square = name != "A" or (count > 0 and values.shape == (count, count))
            if not square or values.size != sizes[name]:
                words = f"must be {SHAPES[name]} with one n, one input and one output, got the shape {values.shape}"
                raise InvalidInput(words, owner="StateSpace", subject=name)
        if input not in INPUTS:
            words = f'must be "deflection" or "rate", got {short_repr(input)}{did_you_mean(str(input), INPUTS)}'
            raise InvalidInput(words, owner="StateSpace", subject="input")
        for name, value in (
            *((name, given[name].reshape(sizes[name])) for name in "BC"),
            ("A", given["A"]),
            ("D", given["D"].item()),
            ("input", input),
        ):
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StateSpace) and all(np.array_equal(a, b) for a, b in zip(self._data, other._data))

    __hash__ = None  # type: ignore[assignment]

    @property
    def _data(self) -> tuple[Any, ...]:
        return self.A, self.B, self.C, self.D, self.input

    def __repr__(self) -> str:
        count = self.B.size
        return f"<StateSpace of {count} state{'' if count == 1 else 's'}, from {self.input} to force>"


def _numbers(name: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        values = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"must be numbers, got {short_repr(value)}", owner="StateSpace", subject=name) from None
    if not np.all(np.isfinite(values)):
        raise InvalidInput("must be finite", owner="StateSpace", subject=name)
    return values


def connect_state_space(
    system: System, deflection: Form, element: StateSpace, name: str, along: Form | None
) -> Connection:
    """Add the states and connections of an element; the connection of its force."""
    if not element.C.any() and not element.D:
        raise InvalidInput("has C = 0 and D = 0, and so no force", owner="StateSpace")
    prefix = re.sub(r"\W", "_", name)
    prefix = prefix if prefix[:1].isalpha() or prefix[:1] == "_" else f"_{prefix}"
    count = element.B.size
    states = [f"{prefix}_z{i + 1}" for i in range(count)]
    clash = next((each.name for each in system.coordinates if each.name in states), None)
    if clash:
        words = f'its states take the names {states[0]} to {states[-1]}, but there is a coordinate "{clash}" already'
        raise InvalidInput(words, advice=["choose another name"], owner=f'connection "{name}"')
    for connection in system.connections:
        if connection.name.startswith(f"{name} ") or connection.name == name:
            words = f'its connections are called "{name} z1" and so on, and there is "{connection.name}" already'
            raise InvalidInput(words, advice=["choose another name"], owner=f'connection "{name}"')
    for state in states:
        system.coordinate(state)
    owners = frozenset([system.mark])
    z = [Form({state: 1.0}, owners) for state in states]

    unit = Linear(stiffness=1.0) if element.input == "deflection" else Linear(damping=1.0)

    def state_sum(factors: Mapping[int, float]) -> Form | None:
        terms = {states[j]: float(value) for j, value in factors.items() if value != 0.0}
        return Form(terms, owners) if terms else None

    for i in range(count):
        system.connect(z[i], Linear(stiffness=0.0 - element.A[i, i], damping=1.0), name=f"{name} z{i + 1}")
        others = state_sum({j: -element.A[i, j] for j in range(count) if j != i})
        driving = (-float(element.B[i])) * deflection if element.B[i] != 0.0 else None
        for form, law, words in _merged(others, driving, unit):
            system.connect(form, law, name=f"{name} z{i + 1} {words}", along=z[i])
    output = along or deflection
    forces = _merged(state_sum(dict(enumerate(element.C))), element.D * deflection if element.D else None, unit)
    made: list[Connection] = [
        system.connect(form, law, name=name if k == 0 else f"{name} {words}", along=output)
        for k, (form, law, words) in enumerate(forces)
    ]
    return made[0]


def _merged(states: Form | None, driven: Form | None, law: Linear) -> list[tuple[Form, Linear, str]]:
    """The connections for a sum over states and the input: one where both act by their value."""
    if states is not None and driven is not None and law.stiffness:
        return [(states + driven, law, "input")]
    unit = Linear(stiffness=1.0)
    pairs = ((states, unit, "states"), (driven, law, "input"))
    return [(form, own, words) for form, own, words in pairs if form is not None]
