"""What a condensed model has left out, in the .npz file of its matrices: ``condensed_`` before every name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.model.condensation_record import Condensation
from slipstick.model.system import Matrices

PLAIN_ARRAYS = ("frequencies", "basis", "loads", "starts", "dropped")
NAME_ARRAYS = ("kept", "inside", "columns")
MATRIX_ROLES = ("mass", "damping", "stiffness")
ARRAY_PREFIX = "condensed_"


def encode_condensation(how: Condensation | None) -> dict[str, Any]:
    """Arrays of a condensation; empty for a model that was not condensed."""
    if how is None:
        return {}
    found: dict[str, Any] = {key: np.asarray(getattr(how, key), dtype=float) for key in PLAIN_ARRAYS}
    found |= {key: np.array(getattr(how, key), dtype=np.str_) for key in NAME_ARRAYS}
    found |= {key: getattr(how.wide, key) for key in MATRIX_ROLES}
    found |= {"names": np.array(how.wide.names, dtype=np.str_), "modes": np.array([how.modes])}
    return {ARRAY_PREFIX + key: value for key, value in found.items()}


def decode_condensation(held: Mapping[str, Any], name: str, matrices: Matrices) -> Condensation | None:
    """From the arrays of a file; None without a condensation.   matrices : of the model.   name : of the file."""
    if not any(key.startswith(ARRAY_PREFIX) for key in held):
        return None
    keys = (*PLAIN_ARRAYS, *NAME_ARRAYS, *MATRIX_ROLES, "names", "modes")
    missing = [key for key in keys if ARRAY_PREFIX + key not in held]
    if missing:
        raise _damaged_error(name, f"{ARRAY_PREFIX}{missing[0]} is missing")
    own = {key: held[ARRAY_PREFIX + key] for key in keys}
    kept, inside, columns, names = (tuple(str(n) for n in np.ravel(own[key])) for key in (*NAME_ARRAYS, "names"))
    modes, wide, shapes = int(_numbers(own["modes"], name, "modes", (1,))[0]), len(names), len(names) - len(kept)
    if not (0 <= modes <= shapes and names[: len(kept) + modes] == matrices.names and kept == names[: len(kept)]):
        raise _damaged_error(name, "its names differ from those of the matrices")
    sizes: dict[str, tuple[int, ...]] = {
        "frequencies": (shapes,), "basis": (len(inside), wide), "starts": (2, shapes), "dropped": (2,),
        "loads": (*own["loads"].shape[:1], wide), **dict.fromkeys(MATRIX_ROLES, (wide, wide)),
    }  # fmt: skip
    numbers = {key: _numbers(own[key], name, key, size) for key, size in sizes.items()}
    return Condensation(
        kept=kept, inside=inside, modes=modes, columns=columns, wide=Matrices(names,
        *(numbers[r] for r in MATRIX_ROLES)),
        frequencies=numbers["frequencies"], basis=numbers["basis"], loads=numbers["loads"], starts=numbers["starts"],
        dropped=(float(numbers["dropped"][0]), float(numbers["dropped"][1])),
    )  # fmt: skip


def _numbers(array: Any, name: str, key: str, size: tuple[int, ...]) -> NDArray[np.float64]:
    if array.shape != size or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise _damaged_error(
            name, f"{ARRAY_PREFIX}{key} must be finite numbers of shape {size}, got shape {array.shape}"
        )
    return np.asarray(array, dtype=float)


def _damaged_error(name: str, problem: str) -> InvalidInput:
    return InvalidInput(f"{name}: the truncated modes of the condensed model cannot be read: {problem}; save it again")
