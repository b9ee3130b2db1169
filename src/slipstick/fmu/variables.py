"""Variables of an exported model: inputs, parameters and outputs with their value references."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slipstick.fmu.parameter_program import OfferedParameter
from slipstick.laws.parameters import Spec
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.transient.exact.packed_model import ModelUnit, PackedModel
from slipstick.units.axes import kind_of_unit
from slipstick.units.dimensions import DEFLECTION, FORCE, Dimension, unit_name

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.transient.problem import Problem

RATE, FORCE_RATE = (0, 1, -1), (1, 0, -1)  # powers of force, deflection and time

RESTING_STATES = ("stick", "free")  # the state with number 0, where a law has one


class Variable(NamedTuple):
    """One variable; its place in the list is its value reference.

    causality : "independent", "input", "parameter" or "output".   variability : as of FMI.
    unit : in SI; empty where the model does not say what kind of motion a coordinate has.
    """

    name: str
    causality: str
    variability: str
    start: float | None
    description: str
    unit: str = ""
    bounds: Spec = Spec()
    integer: bool = False


class VariableList:
    """All variables, and the references at which each kind begins."""

    def __init__(
        self, packed: PackedModel, parameters: list[OfferedParameter], starts: list[float], frequency: float | None
    ) -> None:
        """starts : displacements, then velocities of free coordinates; empty: not offered.

        frequency : the base frequency, where loads follow it.
        """
        system, a = packed.problem.system, packed.problem.assembly
        self._units = stated_system(packed.problem).units
        self.all = [Variable("time", "independent", "continuous", None, "time", "s")]
        names = [c.name for c in system.coordinates]
        free = [names[i] for i in a.free if i < len(stated_system(packed.problem).coordinates)]  # without joints
        self.load_count = len(free)
        self._inputs(free, [names[i] for i in a.prescribed], frequency)
        self.references = {}
        for p in parameters:
            self.references[p.symbol] = len(self.all)
            kind, unit = "tunable" if p.tunable else "fixed", parameter_unit(system, p.name)
            self.all.append(Variable(p.name, "parameter", kind, p.value, p.bounds.doc, unit, p.bounds))
        self.first_start = len(self.all) if starts else -1
        first = [(f"{q}.start_displacement", q, DEFLECTION) for q in free]
        first += [(f"{q}.start_velocity", q, RATE) for q in free]
        for (name, q, dimension), value in zip(first, starts):
            self.all.append(Variable(name, "parameter", "fixed", value, "at the start", self._unit(q, dimension)))
        self._outputs(packed, names)

    def _unit(self, owner: str, dimension: Dimension) -> str:
        """The SI unit of a number of a coordinate or connection."""
        kind = kind_of_unit(self._units.coordinates.get(owner, self._units.connections.get(owner, "")))
        return "" if kind is None else unit_name(dimension, kind)

    def _inputs(self, free: list[str], prescribed: list[str], frequency: float | None) -> None:
        self.first_load = len(self.all)
        for name in free:
            words = f"force on {name}, added to the loads of the model, at the start of a step"
            self._input(f"load.{name}", 0.0, words, self._unit(name, FORCE))
            words = f"rate of the force on {name} within a step"
            self._input(f"load.{name}.slope", 0.0, words, self._unit(name, FORCE_RATE))
        self.first_drive = len(self.all)
        for name in prescribed:
            words = f"velocity of {name}, added to its motion in the model, constant within a step"
            self._input(f"speed.{name}", 0.0, words, self._unit(name, RATE))
        self.frequency = -1
        if frequency is not None:
            self.frequency = len(self.all)
            self._input("frequency", frequency, "base frequency of loads and motions with an order", "rad/s")
            self._input("frequency.slope", 0.0, "rate of the base frequency within a step", "rad/s^2")

    def _input(self, name: str, start: float, description: str, unit: str) -> None:
        self.all.append(Variable(name, "input", "continuous", start, description, unit))

    def _output(self, name: str, description: str, unit: str) -> None:
        self.all.append(Variable(name, "output", "continuous", None, description, unit))

    def _outputs(self, packed: PackedModel, names: list[str]) -> None:
        connections = stated_system(packed.problem).connections
        self.first_coordinate = len(self.all)
        for name in names:
            self._output(f"{name}.displacement", f"displacement of {name}", self._unit(name, DEFLECTION))
            self._output(f"{name}.velocity", f"velocity of {name}", self._unit(name, RATE))
        self.first_connection = len(self.all)
        for name in [connection.name for connection in connections]:
            self._output(f"{name}.deflection", f"deflection of {name}", self._unit(name, DEFLECTION))
            words = f"force of {name}; positive resists positive deflection"
            self._output(f"{name}.force", words, self._unit(name, FORCE))
        self.first_piece = len(self.all)
        elements, owner_of = packed.problem.elements, stated_connections(packed.problem)[0]
        owners = [connections[owner_of[elements[unit.elements[0]].connection]].name for unit in packed.units]
        for j, unit in enumerate(packed.units):
            own = [k for k, owner in enumerate(owners) if owner == owners[j]]
            name = f"{owners[j]}.state" if len(own) == 1 else f"{owners[j]}.{own.index(j)}.state"
            words = ", ".join(f"{k}: {word}" for word, k in state_codes(state_names(unit)).items())
            self.all.append(Variable(name, "output", "discrete", None, words, integer=True))


def stated_system(problem: Problem) -> System:
    """The system without joints between laws in series."""
    joints = problem.system.joints
    return problem.system if joints is None else joints.system


def stated_connections(problem: Problem) -> tuple[list[int], list[int]]:
    """Of each connection of a problem, the connection of the model that it is part of, and that whose force it carries.

    The second is -1 for a part of a series whose force another one has already.
    """
    joints, count = problem.system.joints, len(problem.system.connections)
    if joints is None:
        return [*range(count)], [*range(count)]
    owner, carries = [-1] * count, [-1] * count
    for found, groups in ((owner, joints.members), (carries, joints.carriers)):
        for stated, parts in enumerate(groups):
            for k in parts:
                found[k] = stated
    return owner, carries


def state_names(unit: ModelUnit) -> tuple[str, ...]:
    """The names of the states of a unit, in the order of its packed pieces, with the direction of slip."""
    return tuple(piece.name for piece in unit.described) or unit.pieces


def state_codes(names: tuple[str, ...]) -> dict[str, int]:
    """The number of each state: 0 at rest, -1, -2, ... for those that end in "-", positive for others, "+" first."""
    words = [*dict.fromkeys(names)]
    zero = next((word for word in RESTING_STATES if word in words), words[0])
    down = [word for word in words if word.endswith("-") and word != zero]
    up = sorted((word for word in words if word not in (*down, zero)), key=lambda word: not word.endswith("+"))
    ordered = [*down, zero, *up]
    return {word: ordered.index(word) - len(down) for word in ordered}
