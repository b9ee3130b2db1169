"""Linear modes of a model in a chosen state of its connections."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.results import tolerances as tol
from slipstick.results.table_result import TableResult

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class Mode:
    """One mode: q = shape * exp(eigenvalue * t).

    kind : "oscillating", "over-damped" (a real eigenvalue; they come in pairs), "rigid" (zero), "unstable".
    shape : by coordinate, the largest component 1; complex where the coordinates are out of phase.
    """

    magnitude: float
    damped_frequency: float
    damping_ratio: float
    eigenvalue: complex
    kind: str
    shape: dict[str, complex] | dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Modes(TableResult):
    """Modes in order of |lambda|. Arrays run over modes; ``modes[0]`` is one of them, with its shape by name.

    eigenvalues : (modes,) lambda [1/s]; of a conjugate pair the one with positive imaginary part.
    shape : (modes, coordinates), the largest component of each 1; real if possible.
    state : the given states, by connection.
    """

    coordinates: tuple[str, ...]
    eigenvalues: NDArray[np.complex128]
    shape: Array | NDArray[np.complex128]
    state: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def magnitude(self) -> Array:
        """|lambda| [rad/s]: the undamped frequency for proportional damping."""
        return np.abs(self.eigenvalues)

    @property
    def damped_frequency(self) -> Array:
        """The frequency of free decay [rad/s]; 0 for rigid and over-damped modes."""
        return np.abs(self.eigenvalues.imag)

    @property
    def damping_ratio(self) -> Array:
        """-Re(lambda)/|lambda|: 1 for over-damped modes, 0 for rigid ones, negative for growing ones."""
        size = self.magnitude
        return np.where(size > 0.0, -self.eigenvalues.real / np.where(size > 0.0, size, 1.0), 0.0) + 0.0

    @property
    def kind(self) -> tuple[str, ...]:
        """ "oscillating", "over-damped", "rigid" or "unstable", for each mode."""
        return tuple(_kind(complex(value)) for value in self.eigenvalues)

    @property
    def data(self) -> xarray.Dataset:
        """Along "mode": magnitude, damped_frequency [rad/s], damping_ratio, kind, and real and imaginary parts of the
        shape by coordinate."""
        import xarray

        columns = {name: ("mode", getattr(self, name)) for name in ("magnitude", "damped_frequency", "damping_ratio")}
        shapes = {name: (("mode", "coordinate"), getattr(self.shape, part)) for name, part in _SHAPE_PARTS.items()}
        labels = {"mode": np.arange(1, len(self) + 1), "coordinate": np.array(self.coordinates, dtype=np.str_)}
        return xarray.Dataset({**columns, "kind": ("mode", np.array(self.kind)), **shapes}, coords=labels)

    def __len__(self) -> int:
        return int(self.eigenvalues.size)

    def __getitem__(self, i: int) -> Mode:
        return Mode(
            float(self.magnitude[i]),
            float(self.damped_frequency[i]),
            float(self.damping_ratio[i]),
            complex(self.eigenvalues[i]),
            self.kind[i],
            dict(zip(self.coordinates, self.shape[i].tolist(), strict=True)),
        )

    def __iter__(self) -> Iterator[Mode]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        lines = [f"{len(self)} mode{'' if len(self) == 1 else 's'}{_words(self.state)}"]
        lines.append("mode  |lambda| rad/s         Hz  damped rad/s      damping  largest in")
        lines += [f"{i:4d}  {_row(mode)}" for i, mode in enumerate(self, start=1)]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


_SHAPE_PARTS = {"shape": "real", "shape_imaginary": "imag"}


def _row(mode: Mode) -> str:
    ratio = f"{100.0 * mode.damping_ratio:.3f} %" if mode.damped_frequency else mode.kind
    hertz = f"{mode.magnitude / (2.0 * math.pi):10.5g}" if mode.damped_frequency else f"{'-':>10}"
    return f"{mode.magnitude:14.6g} {hertz}  {mode.damped_frequency:12.6g}  {ratio:>11}  {_leaders(mode)}"


def _kind(value: complex) -> str:
    if value == 0.0:
        return "rigid"
    if value.real > tol.UNSTABLE_EIGENVALUE_REL * abs(value):
        return "unstable"
    return "oscillating" if value.imag != 0.0 else "over-damped"


def _words(state: dict[str, str]) -> str:
    return f" with {', '.join(f'{name} in {which}' for name, which in state.items())}" if state else ""


def _leaders(mode: Mode) -> str:
    """The coordinates that move most, up to three."""
    sizes = sorted(((abs(x), name) for name, x in mode.shape.items()), key=lambda pair: -pair[0])
    return ", ".join(name for size, name in sizes[:3] if size > 0.3)
