"""Compiled loops of the methods: made once on first use, and the laws and functions of time they read.

A law is packed once and read where it lies: the table of a modified Dahl law is 94,000 numbers long.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from inspect import getsource, isfunction
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.base import Law
from slipstick.laws.program import pack_parameters
from slipstick.native import Native, compile_entries
from slipstick.signals import TimeFunction
from slipstick.transient.problem import Element

Array = NDArray[np.float64]

_lock = threading.Lock()
_done: dict[tuple[Any, ...], dict[str, Native]] = {}


def modules_loop(
    modules: Sequence[ModuleType], helpers: Sequence[Callable[..., Any]], entry: str, arguments: tuple[str, ...]
) -> Native:
    """One entry of the functions of some modules; see `modules_loops`."""
    return modules_loops(modules, helpers, {entry: arguments})[entry]


def modules_loops(
    modules: Sequence[ModuleType], helpers: Sequence[Callable[..., Any]], entries: Mapping[str, tuple[str, ...]]
) -> dict[str, Native]:
    """The functions of some modules; compiled once and kept.

    Their constants, names in capitals (also as ``at.NAME`` or ``to.NAME``, of modules of places among them), are
    written out as numbers.
    """
    key = (tuple(modules), tuple(helpers), tuple(entries.items()))
    found = _done.get(key)
    if found is None:
        with _lock:
            if key not in _done:
                _done[key] = compile_entries(_text(modules, helpers), entries)
            found = _done[key]
    return found


def _text(modules: Sequence[ModuleType], helpers: Sequence[Callable[..., Any]]) -> str:
    own: list[Any] = [f for m in modules for f in vars(m).values() if isfunction(f) and f.__module__ == m.__name__]
    constants = _constants(modules)
    text = "\n\n".join(getsource(function) for function in (*helpers, *own))
    return re.sub(r"\b(?:(?:at|to)\.)?([A-Z][A-Z0-9_]*)\b", lambda word: constants.get(word[1], word[0]), text)


def _constants(modules: Sequence[ModuleType]) -> dict[str, str]:
    """Names in capitals and their values as text; two modules must not mean different things by one name."""
    found: dict[str, tuple[str, str]] = {}
    for module in modules:
        for name, value in vars(module).items():
            if name.isupper():
                first, text = found.setdefault(name, (module.__name__, repr(value)))
                if text != repr(value):
                    raise ValueError(
                        f"the constant {name} is {text} in {first} and {value!r} in {module.__name__}; "
                        "what is compiled together has one meaning a name: give one of them another"
                    )
    return {name: text for name, (_, text) in found.items()}


@lru_cache(maxsize=64)
def parameters_of(law: Law) -> Array:
    """The packed parameters of a law, kept: loops hold their address."""
    numbers = pack_parameters(law)
    numbers.setflags(write=False)
    return numbers


@dataclass(frozen=True, eq=False)
class Acting:
    """Elements without memory as loops read them.

    numbers : three for each: address of the kernel, address of the parameters, where its modulation stands in
        ``numbers``; then the modulations, as `slipstick.laws.loops.modulation` reads them.
    kept : what lies behind the addresses.
    """

    numbers: Array
    kept: tuple[Any, ...]


def act(elements: Sequence[Element], frequency: float | None) -> Acting:
    """Pack elements that remember nothing."""
    from slipstick.laws.compile import value_kernel

    heads: list[float] = []
    tail: list[float] = []
    kept = []
    for element in elements:
        own = parameters_of(element.law)
        kept.append(own)
        at = 3 * len(elements) + len(tail)
        heads += [float(value_kernel(type(element.law)).address), float(own.ctypes.data), float(at)]
        tail += modulation_numbers(element.modulation, frequency)
    return Acting(np.array([*heads, *tail, 0.0]), tuple(kept))


def modulation_numbers(modulation: tuple[tuple[TimeFunction, bool], ...], frequency: float | None) -> list[float]:
    """For `slipstick.laws.loops.modulation`: how many; of each: cut below zero, mean, harmonics."""
    numbers = [float(len(modulation))]
    for function, cut in modulation:
        harmonics = function.harmonics_at(frequency)
        numbers += [float(cut), function.parts().constant, float(len(harmonics))]
        numbers += [x for h in harmonics for x in h]
    return numbers
