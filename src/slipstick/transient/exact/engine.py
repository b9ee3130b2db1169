"""The compiled flow: the functions of `series`, `contacts`, `decide`, `roots`, `modal`, `taylor_step` and `flow` as one."""

from __future__ import annotations

import ast
import inspect
import re
import threading
from types import ModuleType

from slipstick.native import Native, compile_entries
from slipstick.transient.exact import contacts, decide, flow, modal, places, roots, sampling, series, taylor_step

_MODULES = (series, contacts, decide, roots, modal, taylor_step, flow, sampling)
_ARGUMENTS = {
    "advance": ("list",) * 5,
    "begin": ("list",) * 4,
    "sample": ("list", "list", "list", "list", "integer", "list", "integer", "list"),
}
_lock = threading.Lock()
_compiled: dict[str, Native] = {}


def kernel(name: str) -> Native:
    """A compiled entry of the flow; compiled once and kept."""
    with _lock:
        if not _compiled:
            _compiled.update(compile_entries(_text(), _ARGUMENTS))
        return _compiled[name]


def _text() -> str:
    """The source of all functions, constants written out as numbers."""
    constants = {}
    for module in (places, *_MODULES):
        for name, value in vars(module).items():
            if re.fullmatch(r"[A-Z][A-Z0-9_]*", name) and isinstance(value, (int, float)):
                constants[name] = repr(value)
    source = "\n\n".join(_functions(module) for module in _MODULES)
    return re.sub(r"\b[A-Z][A-Z0-9_]*\b", lambda found: constants.get(found.group(), found.group()), source)


def _functions(module: ModuleType) -> str:
    """The functions that a module defines, without what they say of themselves."""
    tree = ast.parse(inspect.getsource(module))
    kept = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
            kept.append(ast.unparse(node))
    return "\n\n".join(kept)
