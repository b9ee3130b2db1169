"""The functions that compiled functions call, found through their modules' names.

A function of the compiled language calls functions of its own module and of others, and reads their constants. The
linker follows these names from the entries on. Constants are written out as numbers; two functions of one name in
different modules stay apart.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any, cast

from slipstick.native.types import CannotCompile, is_record

Function = Callable[..., Any]

INTRINSICS = "slipstick.native.intrinsics"  # module of the built-in functions


def depends_on(function: Function) -> Iterator[tuple[str, Any]]:
    """Names that a function finds in its module (``name``) and in modules that this one imports (``module.name``)."""
    code, known = function.__code__, function.__globals__
    for name in code.co_names:
        value = known.get(name)
        if isinstance(value, ModuleType):
            for inner in code.co_names:
                if inner in vars(value):
                    yield f"{name}.{inner}", vars(value)[inner]
        elif value is not None:
            yield name, value


def is_compiled(value: Any) -> bool:
    """True for a plain function, not for a built-in one."""
    return isinstance(value, FunctionType) and value.__module__ != INTRINSICS


class Linked(Mapping[str, ast.FunctionDef]):
    """The syntax trees of some entries and of all functions they may call, by unique names.

    Each is parsed on first use.   replaced : functions that take the place of others.
    """

    def __init__(self, entries: Sequence[Function], replaced: Mapping[Function, Function]) -> None:
        self.replaced = replaced
        self.names: dict[Function, str] = {function: function.__name__ for function in entries}
        if len(set(self.names.values())) != len(entries):
            raise CannotCompile("two entries have one name")
        self.functions = {name: function for function, name in self.names.items()}
        todo = list(entries)
        while todo:
            for _, value in depends_on(todo.pop()):
                function = replaced.get(value, value) if is_compiled(value) else None
                if function is not None and function not in self.names:
                    short = function.__name__
                    name = f"{function.__module__}.{short}" if short in self.functions else short
                    self.names[function], self.functions[name] = name, function
                    todo.append(function)

    def digest(self) -> str:
        """A digest of all code and all constants; no source is read for it."""
        total = hashlib.sha256(sys.version.encode())
        for name, function in self.functions.items():
            code = function.__code__
            own = [name, function.__module__, code.co_code.hex(), code.co_names, code.co_varnames]
            own += [repr(constant) for constant in code.co_consts]
            own += [f"{name}={value!r}" for name, value in depends_on(function) if isinstance(value, (int, float))]
            own += [value.layout() for _, value in depends_on(function) if is_record(value)]
            total.update(repr(own).encode())
        return total.hexdigest()

    def __getitem__(self, name: str) -> ast.FunctionDef:
        function = self.functions[name]
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise CannotCompile(f"{name} must be a plain function, defined with def")
        resolved = _Resolved(self, function, tree)
        tree.body = [resolved.visit(node) for node in tree.body]
        return tree

    def __contains__(self, name: object) -> bool:
        return name in self.functions

    def __iter__(self) -> Iterator[str]:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self.functions)


class _Resolved(ast.NodeTransformer):
    """Global names replaced: functions by their unique names, constants by their values."""

    def __init__(self, linked: Linked, function: Function, tree: ast.FunctionDef) -> None:
        self.linked, self.known = linked, function.__globals__
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.local = stored | {a.arg for a in tree.args.args}

    def resolved(self, node: ast.expr, value: Any) -> ast.expr:
        if isinstance(value, (bool, int, float)):
            return ast.Constant(value)
        if is_record(value):
            return ast.Constant(cast(Any, value))  # as in Run.over(numbers)
        if is_compiled(value):
            return ast.Name(self.linked.names[self.linked.replaced.get(value, value)], ast.Load())
        if isinstance(value, FunctionType):
            return ast.Name(value.__name__, ast.Load())
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.local or node.id not in self.known:
            return node
        return self.resolved(node, self.known[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id not in self.local:
            module = self.known.get(node.value.id)
            if isinstance(module, ModuleType):
                return node if module.__name__ == "math" else self.resolved(node, getattr(module, node.attr))
        node.value = self.visit(node.value)
        return node
