"""Steps of a reduction: in words and formulas for a reader, and as records for the recovery."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from slipstick.model.linear_forms import Form
from slipstick.reduction.formula_numbers import FormulaNumber
from slipstick.reduction.network import Network, Spring


class DerivedNumber(NamedTuple):
    """A number derived by a step: the letter of its symbol, its owner, and its value."""

    letter: str
    of: str
    number: FormulaNumber


@dataclass(frozen=True)
class ReductionStep:
    """One rule at work.

    rule : its name.   on : the coordinates or connections it was applied to.
    assumed : the neglected part, or why the step is exact.
    says : what came out, in words.
    formulas : of new quantities by symbol, in symbols of the primary model.
    """

    rule: str
    on: tuple[str, ...]
    assumed: str
    says: str
    derived: tuple[DerivedNumber, ...] = field(default=(), repr=False, compare=False)
    formulas: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{self.rule} ({', '.join(self.on)}): {self.says}", f"    assumed: {self.assumed}"]
        if self.formulas:
            from slipstick.model.equation_printing import MODEL_TERM_ORDER, TerminalPrinter

            say = TerminalPrinter(MODEL_TERM_ORDER).doprint
            lines += [f"    {name} = {say(value)}" for name, value in self.formulas.items()]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class SeriesRecord:
    """A node was eliminated between two springs; the force of ``merged`` is ``scale`` times that of ``first``."""

    node: str
    first: Spring
    second: Spring
    merged: Spring
    scale: Any


@dataclass(frozen=True, eq=False)
class LooseEndRecord:
    """A node hung on springs that all lead to one place, and carry nothing."""

    node: str
    springs: tuple[Spring, ...]


@dataclass(frozen=True, eq=False)
class StarRecord:
    """A node was eliminated among springs without gaps.

    pairs : (i, j, merged, scale): ``merged`` took the place of springs i and j; its force is ``scale`` times the share
    of spring i that is passed to spring j.
    """

    node: str
    springs: tuple[Spring, ...]
    pairs: tuple[tuple[int, int, Spring, Any], ...]


@dataclass(frozen=True, eq=False)
class ParallelRecord:
    """Springs of one form and gap became ``merged``; ``scales`` are those at which each was seen."""

    springs: tuple[Spring, ...]
    scales: tuple[Any, ...]
    merged: Spring


@dataclass(frozen=True, eq=False)
class RigidRecord:
    """A coordinate became a form of others, through a rigid spring.

    balance : the other springs on it, where nothing else acts there, so that they determine its force; None otherwise.
    idle : springs that nothing can stretch any more.
    """

    node: str
    by: Form
    spring: Spring
    balance: tuple[Spring, ...] | None
    idle: tuple[Spring, ...]


StepRecord = SeriesRecord | LooseEndRecord | StarRecord | ParallelRecord | RigidRecord


@dataclass(frozen=True)
class ReductionState:
    """A network after some steps, with the way it came from the one it began with."""

    primary: Network
    network: Network
    steps: tuple[ReductionStep, ...] = ()
    records: tuple[StepRecord, ...] = ()

    def then(
        self, network: Network, step: ReductionStep | None = None, record: StepRecord | None = None
    ) -> ReductionState:
        return ReductionState(
            self.primary,
            network,
            self.steps + ((step,) if step else ()),
            self.records + ((record,) if record else ()),
        )
