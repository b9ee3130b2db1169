"""`Equilibrium`: a static equilibrium of a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """A static equilibrium.

    displacement : by coordinate [m or rad].
    force : by connection [N or N m]; positive resists positive deflection.
    residual : largest unbalanced force at a coordinate [N or N m].
    margin : by connection with dry friction, additional force before it slides [N or N m].
    notes : on friction bands, memory and unconstrained directions.
    """

    displacement: dict[str, float]
    force: dict[str, float]
    residual: float
    margin: dict[str, float]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [f"Equilibrium, largest unbalanced force {self.residual:.2g}"]
        lines += _table("displacement", self.displacement) + _table("force", self.force)
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def _table(title: str, values: dict[str, float]) -> list[str]:
    if not values:
        return []
    width = max(len(name) for name in values)
    return [f"{title}:", *(f"  {name:<{width}}  {value: .9g}" for name, value in values.items())]
