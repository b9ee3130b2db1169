"""Parsed source of plain functions, with name clashes resolved and unset variables found."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, MutableSequence
from functools import cache
from typing import Any, TypeVar

from slipstick.errors import SlipstickError

Buffer = MutableSequence[float]  # an argument that is written to, and differentiated


class CannotTranslate(SlipstickError, TypeError):
    """The source of a law cannot be compiled, or is not available."""


MUST_COMPILE = "all methods need the law compiled, and only trace() runs it in Python"

derivative_rules: dict[Any, Callable[..., Any]] = {}

PlainT = TypeVar("PlainT", bound=Callable[..., Any])


def with_derivative(rule: Callable[..., Any]) -> Callable[[PlainT], PlainT]:
    """Attach a derivative to a plain function: rule(x, x_d, y, y_d, ..., lists) -> (value, derivative)."""

    def mark(function: PlainT) -> PlainT:
        derivative_rules[function] = rule
        return function

    return mark


@cache
def parse_function(function: Any) -> ast.FunctionDef:
    if hasattr(function, "__wrapped__"):  # inspect would return the source of the wrapped function
        raise CannotTranslate(f"{function.__qualname__} is wrapped by a decorator: what that does cannot be compiled")
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise CannotTranslate(
            f"the source of {getattr(function, '__qualname__', function)} is not available "
            "(typed at a prompt or piped in); save it in a .py file to have it compiled"
        ) from None
    node = ast.parse(source).body[0]
    if not isinstance(node, ast.FunctionDef):
        raise CannotTranslate(f"{function.__qualname__} must be a plain function, defined with def")
    rename_clashes(node)
    return node


def rename_clashes(tree: ast.FunctionDef) -> None:
    """Rename variables that could clash with generated names: x_d beside x, p_, self_k, helper_0."""
    nodes: list[Any] = [n for n in ast.walk(tree) if isinstance(n, (ast.Name, ast.arg))]
    taken = {n.id if isinstance(n, ast.Name) else n.arg for n in nodes}
    own = {n.arg for n in nodes if isinstance(n, ast.arg)}
    own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    new = {}
    for name in own:
        if re.search(r"^self_|_d$|_$|_[0-9]+$", name):
            new[name] = name + "own"
            while new[name] in taken:
                new[name] += "own"
    for n in nodes:
        field = "id" if isinstance(n, ast.Name) else "arg"
        setattr(n, field, new.get(getattr(n, field), getattr(n, field)))


def unset_names(tree: ast.FunctionDef) -> list[ast.Name]:
    """Variables that may be read before they have a value, which compiled code would not notice."""
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    found: list[ast.Name] = []

    def read(node: ast.AST | None, known: set[str]) -> None:
        for n in ast.walk(node) if node else ():
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in own - known:
                found.append(n)

    def follow(body: list[ast.stmt], known: set[str]) -> set[str]:
        """The variables with a value after ``body``; all of them if it never ends normally."""
        for node in body:
            match node:
                case ast.If(test=test, body=one, orelse=other):
                    read(test, known)
                    known = follow(one, known) & follow(other, known)
                case ast.While(test=test, body=inner):
                    read(test, known)
                    follow(inner, known)
                case ast.For(target=ast.Name(id=i), iter=loop, body=inner):
                    read(loop, known)
                    follow(inner, known | {i})
                case ast.Return() | ast.Break() | ast.Continue():
                    read(node, known)
                    return own
                case ast.AugAssign(target=target, value=value):
                    read(value, known)
                    read(ast.parse(ast.unparse(target), mode="eval"), known)
                case _:
                    read(node, known)
                    known = known | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return known

    follow(tree.body, {a.arg for a in tree.args.args})
    return found


def annotation(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation else "float"
