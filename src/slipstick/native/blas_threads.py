"""One BLAS thread inside compiled loops.

Their matrices are small: threads of OpenBLAS wait for each other longer than they compute (measured: 20 times slower on
busy cores). The number of threads is a setting of the library, so it is restored afterwards.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads")
LIBRARY_FOLDERS = ("{}.libs", "{}/.dylibs")  # where wheels of NumPy and SciPy keep their libraries

ThreadSetting = tuple[Callable[[], int], Callable[[int], object]]


class _ThreadLimit:
    """Number of open blocks in all Python threads, and the settings to restore after the last."""

    lock = threading.Lock()
    depth = 0
    before: tuple[tuple[Callable[[int], object], int], ...] = ()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit OpenBLAS to one thread; does nothing for other libraries."""
    with _ThreadLimit.lock:
        _ThreadLimit.depth += 1
        if _ThreadLimit.depth == 1:
            settings = _settings("scipy.linalg" in sys.modules)
            _ThreadLimit.before = tuple((setter, int(getter())) for getter, setter in settings)
            for setter, _ in _ThreadLimit.before:
                setter(1)
    try:
        yield
    finally:
        with _ThreadLimit.lock:
            _ThreadLimit.depth -= 1
            if not _ThreadLimit.depth:
                for setter, count in _ThreadLimit.before:
                    setter(count)


@cache
def _settings(with_scipy: bool) -> tuple[ThreadSetting, ...]:
    """Functions that read and set the number of threads of each OpenBLAS in this process.

    with_scipy : SciPy has loaded its own library.
    """
    found = list[ThreadSetting]()
    packages = ("numpy", "scipy") if with_scipy else ("numpy",)
    site = Path(np.__file__).parent.parent
    folders = [site / pattern.format(package) for package in packages for pattern in LIBRARY_FOLDERS]
    for path in (path for folder in folders for path in sorted(folder.glob("*openblas*"))):
        try:
            library = ctypes.CDLL(str(path), mode=getattr(os, "RTLD_NOLOAD", 0) | getattr(os, "RTLD_LAZY", 0))
        except OSError:  # not loaded
            continue
        for name in NAMES:
            getter, setter = (getattr(library, name.format(verb), None) for verb in ("get", "set"))
            if getter is not None and setter is not None:
                setter.argtypes = [ctypes.c_int]
                found.append((getter, setter))
                break
    return tuple(found)
