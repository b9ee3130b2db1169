"""Compile the kernels of all laws once, and measure the time.

This shows that the machine can compile every law, so nothing is read from the object cache
(`slipstick.native.object_cache`); results are written to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from slipstick.laws import LAWS, law_class
from slipstick.laws.base import Law
from slipstick.laws.law_kernels import tangent_kernel, value_kernel
from slipstick.laws.trace_loop import trace_kernel
from slipstick.native import object_cache

Progress = Callable[[str, int, int], None]


def elementary_laws() -> list[type[Law]]:
    """Every law of the package that has a kernel of its own."""
    from slipstick.laws.nonlocal_memory import OvershootHysteresis

    return [law for name in LAWS if (law := law_class(name)).compiled] + [OvershootHysteresis]


def warmup_jobs() -> list[tuple[str, Callable[[], Any]]]:
    """The kernels to compile, by name; a set-valued law has no derivatives."""
    found: list[tuple[str, Callable[[], Any]]] = [("loops", trace_kernel)]
    for law in elementary_laws():
        found.append((law.__name__, lambda law=law: value_kernel(law)))  # type: ignore[misc]
        if law.compiled != "slide":
            found.append((f"{law.__name__}, derivatives", lambda law=law: tangent_kernel(law)))  # type: ignore[misc]
    return found


def compile_all_kernels(progress: Progress | None = None) -> float:
    """Compile all kernels and return the seconds it took. ``progress(what, done, total)`` is called before each."""
    began = time.perf_counter()
    every = warmup_jobs()
    with object_cache.unread():
        for done, (what, job) in enumerate(every):
            if progress:
                progress(what, done, len(every))
            job()
    if progress:
        progress("done", len(every), len(every))
    return time.perf_counter() - began
