"""`reduce`: a smaller model from a redundant one, with its equations, its steps and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.model.linear_forms import Form
from slipstick.model.system import System
from slipstick.name_hints import did_you_mean
from slipstick.reduction.neglected_parts import NeglectedParts
from slipstick.reduction.reduced_model import build_reduced_model
from slipstick.reduction.reduction_steps import ReductionState, ReductionStep
from slipstick.reduction.step_order import reduce_network

if TYPE_CHECKING:
    import xarray as xr

    from slipstick.model.equations import Equations
    from slipstick.results.comparison import Comparison
    from slipstick.results.run import Run


@dataclass(frozen=True, repr=False, eq=False)
class Reduction:
    """A reduced model with its equations, its steps and the way back.

    primary : the model it began with.   model : the reduced one, an ordinary model.
    neglected : the names given, by the word of the argument.
    """

    primary: System
    model: Any
    neglected: NeglectedParts
    taken: ReductionState

    @cached_property
    def steps(self) -> tuple[ReductionStep, ...]:
        """The steps: each rule, its assumption, and the resulting formulas in symbols."""
        from slipstick.reduction.symbolic_report import steps_in_symbols

        return steps_in_symbols(self.taken)

    @cached_property
    def equations(self) -> Equations:
        """The reduced equations of motion, with the formulas of derived numbers."""
        from slipstick.reduction.symbolic_report import reduced_equations

        return reduced_equations(self.taken, self.primary)

    def latex(self) -> str:
        """The reduced equations in LaTeX."""
        return self.equations.latex()

    def recover(self, run: Run) -> xr.Dataset:
        """All coordinates and spring forces of the primary model from a run of the reduced one.

        run : of the reduced model, or one of its orbits: ``red.model.periodic(...)``, ``curve.orbit(i)``.
        """
        from slipstick.reduction.recovery import recover_primary

        return recover_primary(self, run)

    def compare(
        self,
        until: float,
        scales: Sequence[float] = (1.0, 0.1, 0.01, 0.001),
        frequency: float | None = None,
        samples: int = 400,
    ) -> Comparison:
        """Runs of the primary model with ever smaller neglected parts, and a run of the reduced model.

        until : [s].   scales : of the neglected parts.   frequency : base frequency [rad/s] of loads with an order.
        samples : at how many times the runs are compared.
        """
        from slipstick.reduction.limit_comparison import compare_with_limit

        return compare_with_limit(self, until, scales, frequency, samples)

    def __repr__(self) -> str:
        lines = [f"{self.primary.name}: {describe_size(self.primary)} become {describe_size(self.model)}"]
        lines += [f"{i}. {step}" for i, step in enumerate(self.steps, start=1)]
        return "\n".join(lines)


def describe_size(system: System) -> str:
    """How large a system is, in words."""
    return f"{_count_phrase(system.coordinates, 'coordinate')} and {_count_phrase(system.connections, 'connection')}"


def reduce(system: System, massless: Any, frictionless: Any, rigid: Any, no_gap: Any, no_limit: Any) -> Reduction:
    """See `Model.reduce`."""
    gone = NeglectedParts(
        massless=_names_of(system, massless, "coordinate", "reduce: massless"),
        frictionless=_names_of(system, frictionless, "coordinate", "reduce: frictionless"),
        rigid=_names_of(system, rigid, "connection", "reduce: rigid"),
        no_gap=_names_of(system, no_gap, "connection", "reduce: no_gap"),
        no_limit=_names_of(system, no_limit, "connection", "reduce: no_limit"),
    )
    if gone == NeglectedParts():
        raise InvalidInput("name what is negligible: massless, frictionless, rigid, no_gap or no_limit", owner="reduce")
    for name in (*gone.massless, *gone.frictionless):
        if system.matrices is not None and name in system.matrices.names:
            raise InvalidInput(
                f'"{name}" belongs to the given matrices, which have no luz/tar form',
                owner="reduce",
                advice=[Advice("{condense} reduces a large linear part")],
            )
    for c in system.connections:
        if c.law.kernel_law.directions:
            raise InvalidInput(
                f'"{c.name}" has a law with several deflections, which the luz/tar algebra does not have',
                owner="reduce",
                advice=["reduce the model without it, then connect it to coordinates that stay"],
            )
    taken = reduce_network(system, gone)
    if not taken.network.inertias:
        raise InvalidInput("no coordinate would be left; neglect less, so that something can move", owner="reduce")
    return Reduction(system.snapshot(), build_reduced_model(taken, system), gone, taken)


def _names_of(system: System, given: Any, kind: str, where: str) -> tuple[str, ...]:
    """Names of coordinates or connections, given as names or objects; each once, in the model's order.

    kind : "coordinate" or "connection".   where : the verb and the argument, as in "reduce: massless".
    """
    argument = where.rpartition(": ")[2]
    things = system.coordinates if kind == "coordinate" else system.connections
    known = [thing.name for thing in things]
    if given is None:
        return ()
    if isinstance(given, (str, Form)) or hasattr(given, "name"):
        given = [given]
    if not isinstance(given, Iterable):
        raise InvalidInput(f"{where} is a list of names, got {short_repr(given)}").about(argument)
    found = set()
    for one in given:
        name = getattr(one, "name", one)
        if not isinstance(name, str) or name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"no {kind} {short_repr(name)}{hint}", owner=where).about(argument)
        found.add(name)
    return tuple(name for name in known if name in found)


def _count_phrase(things: Sized, word: str) -> str:
    """``2 coordinates``, ``1 coordinate``."""
    return f"{len(things)} {word}{'s' * (len(things) != 1)}"
