"""Variables of an exported model: inputs, parameters and outputs with their value references."""

from __future__ import annotations

from typing import NamedTuple

from slipstick.fmu.parameter_program import OfferedParameter
from slipstick.laws.parameters import Spec
from slipstick.transient.exact.packed_model import PackedModel

RESTING_STATES = ("stick", "free")  # the state with number 0, where a law has one


class Variable(NamedTuple):
    """One variable; its place in the list is its value reference.

    causality : "independent", "input", "parameter" or "output".   variability : as of FMI.
    """

    name: str
    causality: str
    variability: str
    start: float | None
    description: str
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
        self.all = [Variable("time", "independent", "continuous", None, "time [s]")]
        names = [c.name for c in system.coordinates]
        free = [names[i] for i in a.free]
        self.first_load = len(self.all)
        for name in free:
            self._input(f"load.{name}", 0.0, f"force on {name}, beside the loads of the model, at the begin of a step")
            self._input(f"load.{name}.slope", 0.0, f"rate of the force on {name} within a step")
        self.first_drive = len(self.all)
        for i in a.prescribed:
            words = f"velocity of {names[i]}, beside its motion in the model, constant within a step"
            self._input(f"speed.{names[i]}", 0.0, words)
        self.frequency = -1
        if frequency is not None:
            self.frequency = len(self.all)
            self._input("frequency", frequency, "base frequency of loads and motions with an order [rad/s]")
            self._input("frequency.slope", 0.0, "rate of the base frequency within a step [rad/s^2]")
        self.references = {}
        for p in parameters:
            self.references[p.symbol] = len(self.all)
            kind = "tunable" if p.tunable else "fixed"
            self.all.append(Variable(p.name, "parameter", kind, p.value, "in SI units", p.bounds))
        self.first_start = len(self.all) if starts else -1
        for name, value in zip(
            [f"{q}.start_displacement" for q in free] + [f"{q}.start_velocity" for q in free], starts
        ):
            self.all.append(Variable(name, "parameter", "fixed", value, "at the start"))
        self._outputs(packed, names)

    def _input(self, name: str, start: float, description: str) -> None:
        self.all.append(Variable(name, "input", "continuous", start, description))

    def _output(self, name: str, description: str, integer: bool = False) -> None:
        kind = "discrete" if integer else "continuous"
        self.all.append(Variable(name, "output", kind, None, description, integer=integer))

    def _outputs(self, packed: PackedModel, names: list[str]) -> None:
        connections = packed.problem.system.connections
        self.first_coordinate = len(self.all)
        for name in names:
            self._output(f"{name}.displacement", f"displacement of {name}")
            self._output(f"{name}.velocity", f"velocity of {name}")
        self.first_connection = len(self.all)
        for connection in connections:
            self._output(f"{connection.name}.deflection", f"deflection of {connection.name}")
            self._output(
                f"{connection.name}.force", f"force of {connection.name}; positive resists positive deflection"
            )
        self.first_piece = len(self.all)
        elements = packed.problem.elements
        owners = [connections[elements[unit.elements[0]].connection].name for unit in packed.units]
        for j, unit in enumerate(packed.units):
            own = [k for k, owner in enumerate(owners) if owner == owners[j]]
            name = f"{owners[j]}.state" if len(own) == 1 else f"{owners[j]}.{own.index(j)}.state"
            self._output(name, ", ".join(f"{k}: {word}" for word, k in state_codes(unit.pieces).items()), True)


def state_codes(pieces: tuple[str, ...]) -> dict[str, int]:
    """The number of each state by name: 0 at rest, negative and positive ones on both sides."""
    names = [*dict.fromkeys(pieces)]
    zero = next((names.index(word) for word in RESTING_STATES if word in names), 0)
    return {name: k - zero for k, name in enumerate(names)}
