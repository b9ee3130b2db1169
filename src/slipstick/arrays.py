"""Types of NumPy arrays."""

from __future__ import annotations

from typing import Any, get_origin

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Flags = NDArray[np.bool_]


def is_array_type(hint: Any) -> bool:
    """True for the annotation of an array; from NumPy 2.5 on, ``NDArray`` is an alias of its own."""
    return get_origin(hint) in (np.ndarray, NDArray)
