"""`reduce`: a smaller model from a redundant one, with its equations, its steps and the way back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.model.equations import Equations
from slipstick.model.forms import Form
from slipstick.model.system import Connection, Coordinate, System
from slipstick.reduce.building import model_of
from slipstick.reduce.order import take
from slipstick.reduce.steps import Reduced, Step

if TYPE_CHECKING:
    from slipstick.results.comparison import Comparison


@dataclass(frozen=True, repr=False, eq=False)
class Reduction:
    """What `reduce` gives.

    primary : the model it began with.   model : the reduced one, an ordinary model.
    neglected : the names given, by the word of the argument.
    """

    primary: System
    model: Any
    neglected: dict[str, tuple[str, ...]]
    taken: Reduced

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Each rule used, what it assumed, and the formulas that came out, in symbols."""
        return self._in_symbols.steps

    @cached_property
    def _in_symbols(self) -> Reduced:
        from slipstick.reduce.twin import twin

        return take(twin(self.primary), **{word: list(names) for word, names in self.neglected.items()})

    @cached_property
    def equations(self) -> Equations:
        """The reduced equations of motion, with the formulas of what was derived."""
        from slipstick.reduce.twin import reduced_equations

        return reduced_equations(self)

    def latex(self) -> str:
        """The reduced equations in LaTeX."""
        return self.equations.latex()

    def recover(self, run: Any) -> Any:
        """All coordinates and spring forces of the primary model from a run of the reduced one."""
        from slipstick.reduce.recovering import recover

        return recover(self, run)

    def compare(self, until: float, **options: Any) -> Comparison:
        """Runs of the primary model with less and less of what was neglected, beside one of the reduced model."""
        from slipstick.reduce.comparing import compare

        return compare(self, until, **options)

    def __repr__(self) -> str:
        before, after = self.primary, self.model
        lines = [
            f"{before.name}: {len(before.coordinates)} coordinates and {len(before.connections)} connections "
            f"become {len(after.coordinates)} and {len(after.connections)}"
        ]
        lines += [f"{i}. {step}" for i, step in enumerate(self.steps, start=1)]
        return "\n".join(lines)


def reduce(system: System, massless: Any, frictionless: Any, rigid: Any, no_gap: Any, no_limit: Any) -> Reduction:
    """See `Model.reduce`."""
    coordinates = [c.name for c in system.coordinates]
    connections = [c.name for c in system.connections]
    neglected = {
        "massless": _names("massless", massless, coordinates),
        "frictionless": _names("frictionless", frictionless, coordinates),
        "rigid": _names("rigid", rigid, connections),
        "no_gap": _names("no_gap", no_gap, connections),
        "no_limit": _names("no_limit", no_limit, connections),
    }
    if not any(neglected.values()):
        raise InvalidInput("reduce: name what is negligible: massless, frictionless, rigid, no_gap or no_limit")
    if system.matrices is not None:
        for name in (*neglected["massless"], *neglected["frictionless"]):
            if name in system.matrices.names:
                raise InvalidInput(
                    f'reduce: "{name}" belongs to the given matrices, which have no luz/tar form; condense(keep=...) '
                    "reduces a large linear part"
                )
    taken = take(system, **{word: list(names) for word, names in neglected.items()})
    if not taken.network.inertias:
        raise InvalidInput("reduce: no coordinate would be left; neglect less, so that something can move")
    return Reduction(system.snapshot(), model_of(taken.network, system), neglected, taken)


def _names(word: str, given: Any, known: list[str]) -> tuple[str, ...]:
    """Names of coordinates or connections, from names or from themselves; each once, in the model's order."""
    if given is None:
        return ()
    if isinstance(given, (str, Form, Connection)):
        given = [given]
    if not isinstance(given, Iterable):
        raise InvalidInput(f"reduce: {word} is a list of names, got {shown(given)}").about(word)
    found = []
    for one in given:
        name = one.name if isinstance(one, (Coordinate, Connection)) else one
        if not isinstance(name, str) or name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            what = "coordinate" if word in ("massless", "frictionless") else "connection"
            raise InvalidInput(f"reduce: {word}: no {what} {shown(name)}{hint}").about(word)
        found.append(name)
    return tuple(name for name in known if name in found)
