"""Values as bytes, for processes that cannot import all modules of this one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any


def packed(value: Any, defined: Iterable[Any]) -> bytes:
    """The pickled value; functions and classes of scripts, prompts, notebooks and unimportable modules go by value.

    defined : the functions and classes in it that a user may have written.
    """
    import cloudpickle

    with ExitStack() as stack:
        for module in {id(m): m for m in map(_module_of, defined) if m is not None}.values():
            stack.enter_context(_pickle_by_value(module))
        return bytes(cloudpickle.dumps(value))


def _module_of(function: Any) -> ModuleType | None:
    """The module of a function, if other processes cannot import it; cloudpickle handles __main__."""
    name = getattr(function, "__module__", None)
    module = sys.modules.get(name) if isinstance(name, str) and name != "__main__" else None
    return module if module is not None and getattr(module, "__spec__", None) is None else None


@contextmanager
def _pickle_by_value(module: ModuleType) -> Iterator[None]:
    import cloudpickle

    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)
