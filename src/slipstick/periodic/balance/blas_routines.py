"""Addresses of BLAS and LAPACK routines for compiled loops: those that SciPy brings for Cython."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np


@cache
def routine_address(name: str) -> int:
    """The address of a routine such as "dgemm" or "dgetrf"; every argument is a pointer."""
    from scipy.linalg import cython_blas, cython_lapack

    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    for module in (cython_blas, cython_lapack):
        capsule = module.__pyx_capi__.get(name)
        if capsule is not None:
            return int(api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule)))
    raise LookupError(f"SciPy has no routine {name}")


# what routines are given by address: whole numbers (as 64 bits, of which they may read 32), letters, one and zero
BLAS_LETTERS = np.frombuffer(b"N".ljust(8, b"\0") + b"T".ljust(8, b"\0"), dtype=np.int64).copy()
BLAS_ONE_ZERO = np.array([1.0, 0.0])


@cache
def blas_integers(most: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """0, 1, ... most."""
    return np.arange(most + 1, dtype=np.int64)
