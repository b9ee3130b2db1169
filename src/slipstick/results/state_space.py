"""`LinearStateSpace`: a linearised model as matrices of first order, for control and signal processing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class LinearStateSpace:
    """dz/dt = A z + B f,  y = C z + D f, about a state of all connections.

    A : (s, s).   B : (s, n).   C : (n, s).   D : (n, n); n free coordinates, s states: displacements of all degrees of
        freedom, then rates of those with inertia.
    inputs : the coordinates that forces f act on [N or N m].   outputs : "x.displacement" and so on.
    notes : what is held or stuck, in words.

    Unpacks as ``A, B, C, D = m.state_space()``, which scipy.signal and the control package take.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Any:
        return iter((self.A, self.B, self.C, self.D))

    def frequency_response(self, frequency: ArrayLike) -> NDArray[np.complex128]:
        """(k, outputs, inputs) amplitude ratios at frequencies (k,) [rad/s]; raises at an undamped resonance."""
        omega = np.atleast_1d(np.asarray(frequency, dtype=float))
        if omega.ndim != 1 or not np.all(np.isfinite(omega)):
            raise InvalidInput("frequency must be finite numbers [rad/s]").about("frequency")
        unit = np.eye(self.A.shape[0])
        try:
            ratios = [self.C @ np.linalg.solve(1j * each * unit - self.A, self.B) + self.D for each in omega]
        except np.linalg.LinAlgError:
            words = "a frequency is that of an undamped mode, where the response is infinite; choose another"
            raise InvalidInput(words).about("frequency") from None
        return np.array(ratios)

    def __repr__(self) -> str:
        size, count = self.A.shape[0], len(self.inputs)
        return f"<LinearStateSpace of {size} states, {count} inputs, {len(self.outputs)} outputs>"
