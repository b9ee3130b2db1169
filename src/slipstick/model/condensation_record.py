"""`Condensation`: the record of a condensed model, from which its truncation error can be estimated.

It holds the modes that were kept, the next modes, and shapes that correct static deflections: under loads, under the
inertia and damping of the inside, and at the start. The matrices of all of them are small, so the larger model is not
needed any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message
from slipstick.model.linear_forms import Form
from slipstick.model.system import Matrices, System

MAX_LISTED_NAMES = 6  # names that are listed one by one


@dataclass(frozen=True, eq=False, repr=False)
class Condensation:
    """How a condensed model came from a larger one.

    kept, inside : names.   modes : how many shapes of the inside were taken, its lowest modes.
    frequencies : (shapes,) [rad/s] of every shape with the kept coordinates held: of modes taken, then of the others.
    wide : mass, damping and stiffness of the kept coordinates and all shapes, those that were taken first.
    basis : (inside, kept + shapes) displacements inside, from those of ``wide``.
    loads : (loads, kept + shapes) what each load of the larger model does to the coordinates of ``wide``.
    starts : (2, shapes) displacement and velocity of each shape at the start.
    dropped : [m or rad, and per s] the largest displacement and velocity of the start that the modes cannot show.
    columns : names of all coordinates of the condensed model, when it was made.
    automatic : the model was condensed because it is large, and not on request.
    """

    kept: tuple[str, ...]
    inside: tuple[str, ...]
    modes: int
    frequencies: Array
    wide: Matrices
    basis: Array
    loads: Array
    starts: Array
    dropped: tuple[float, float]
    columns: tuple[str, ...]
    automatic: bool = False

    def __repr__(self) -> str:
        kept = ", ".join(self.kept[:MAX_LISTED_NAMES]) + (
            f" and {len(self.kept) - MAX_LISTED_NAMES} more" if len(self.kept) > MAX_LISTED_NAMES else ""
        )
        words = f"{len(self.inside)} coordinates inside as {self.modes} mode{'s' * (self.modes != 1)}"
        after = self.next_frequency / (2.0 * np.pi)
        rest = f"the next is at {after:.4g} Hz" if np.isfinite(after) else "none is left out"
        return f"Condensation(kept {kept}; {words}; {rest})"

    @property
    def notes(self) -> list[str]:
        """The note of a result about an automatic condensation."""
        if not self.automatic:
            return []
        size = f"{len(self.kept) + len(self.inside)} coordinates became {len(self.kept)} and {self.modes} modes"
        way = Advice("{condense} chooses others, and model.condensation.inner(...) gives the rest")
        return [Message(f"condensed automatically: {size}", advice=[way])]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the kept coordinates and of the modes."""
        return self.wide.names[: len(self.kept) + self.modes]

    @property
    def mode_names(self) -> tuple[str, ...]:
        """Of the coordinates that are modes of the inside."""
        return self.names[len(self.kept) :]

    @property
    def next_frequency(self) -> float:
        """[rad/s] of the first mode that was left out; infinite if there is none."""
        return float(self.frequencies[self.modes :].min(initial=np.inf))

    @property
    def is_whole(self) -> bool:
        """True if nothing was left out."""
        return self.frequencies.size == self.modes

    @property
    def more(self) -> list[int]:
        """Numbers of further shapes that estimate the truncation error: all known ones, then fewer."""
        known = self.frequencies.size - self.modes
        return list(dict.fromkeys(min(max(count, 1), known) for count in (known, known // 2, known // 4)))

    def finer(self, system: System, more: int) -> System:
        """A condensed model with ``more`` further shapes, the slowest first.

        system : the present condensed model, whose laws, loads and starts are kept.
        """
        first = len(self.names)
        others = first + np.argsort(self.frequencies[self.modes :], kind="stable")[:more]
        at = np.concatenate([np.arange(first), others])
        names = [self.wide.names[i] for i in at]
        new = type(system)(system.name, system.frequency)
        new.stated_units = system.units
        entries = (getattr(self.wide, role)[np.ix_(at, at)] for role in ("mass", "damping", "stiffness"))
        new.matrices = Matrices(tuple(names), *entries)
        for c in system.coordinates:
            new.coordinate(c.name, inertia=c.inertia, displacement=c.displacement, velocity=c.velocity, motion=c.motion)
        for i in others:
            place, rate = self.starts[:, i - len(self.kept)].tolist()
            new.coordinate(self.wide.names[i], displacement=place, velocity=rate)
        copy_connections(new, system)
        for load in system.loads:
            further = dict(zip(names[first:], self.load_row(load.form)[others].tolist(), strict=True))
            new.load(load.form + Form(further), load.function, name=load.name or None)
        return new

    def whole(self, system: System) -> System:
        """A condensed model with all shapes that are known."""
        return self.finer(system, self.frequencies.size - self.modes)

    def load_row(self, form: Form) -> Array:
        """(kept + shapes,) factors of a load of the condensed model on the coordinates of ``wide``."""
        count = len(self.names)
        own = np.array([float(form.factor(name)) for name in self.names])
        for row in self.loads:
            if np.array_equal(row[:count], own):
                return np.asarray(row)
        return np.concatenate([own, np.zeros(self.frequencies.size - self.modes)])

    def inner(self, displacement: Any) -> Array:
        """(samples, inside) displacements inside, in the order of ``inside``.

        displacement : (samples, coordinates) of the condensed model, such as ``run.data["displacement"]``, or an array
            of the same.
        """
        names = list(self.names)
        if hasattr(displacement, "sel"):
            found = displacement.sel(coordinate=names).transpose(..., "coordinate").values
        else:
            found = np.asarray(displacement, dtype=float)
            width = found.shape[-1] if found.ndim else 0
            if width != len(names):
                if width < len(self.columns):
                    raise InvalidInput(
                        f"displacements of {len(self.columns)} coordinates are needed, got {width}; give "
                        'run.data["displacement"]',
                        owner="inner",
                    )
                found = found[..., [self.columns.index(name) for name in names]]
        return np.asarray(found @ self.basis[:, : len(names)].T)


def copy_connections(new: System, system: System) -> None:
    """Give a system the connections of another."""
    for link in system.connections:
        new.connect(link.deflection, link.law, name=link.name, along=None if link.is_conjugate else link.along)
