"""Steps of a reduction: in words and formulas for a reader, as records for the way back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from slipstick.model.forms import Form
from slipstick.reduce.network import Network, Spring


@dataclass(frozen=True)
class Step:
    """One rule at work.

    rule : its name.   on : the coordinates or connections it was applied to.
    assumed : what was neglected, or why it is allowed.
    says : what came out, in words.
    formulas : by the name of a new quantity, its value: a number, or an expression of the model's own symbols.
    """

    rule: str
    on: tuple[str, ...]
    assumed: str
    says: str
    formulas: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{self.rule} ({', '.join(self.on)}): {self.says}", f"    assumed: {self.assumed}"]
        lines += [f"    {name} = {value}" for name, value in self.formulas.items()]
        return "\n".join(lines)


@dataclass(frozen=True)
class InSeries:
    """A node was eliminated between two springs; the force of ``merged`` is ``scale`` times that of ``first``."""

    node: str
    first: Spring
    second: Spring
    merged: Spring
    scale: Any


@dataclass(frozen=True)
class Loose:
    """A node hung on one spring, which carries nothing."""

    node: str
    spring: Spring


@dataclass(frozen=True)
class InStar:
    """A node was eliminated among springs without gaps."""

    node: str
    springs: tuple[Spring, ...]
    merged: tuple[Spring, ...]


@dataclass(frozen=True)
class SideBySide:
    """Springs of one form and gap became ``merged``; ``scales`` are those at which each was seen."""

    springs: tuple[Spring, ...]
    scales: tuple[Any, ...]
    merged: Spring


@dataclass(frozen=True)
class Bound:
    """A coordinate became a form of others, through a rigid spring."""

    node: str
    by: Form
    spring: Spring


Record = InSeries | Loose | InStar | SideBySide | Bound


@dataclass(frozen=True)
class Reduced:
    """A network after some steps, with the way it came."""

    network: Network
    steps: tuple[Step, ...] = ()
    records: tuple[Record, ...] = ()

    def then(self, network: Network, step: Step | None = None, record: Record | None = None) -> Reduced:
        return Reduced(
            network,
            self.steps + ((step,) if step else ()),
            self.records + ((record,) if record else ()),
        )
