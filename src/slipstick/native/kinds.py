"""Kinds of values, and how the kinds of a function's variables are found.

"number" (double), "integer" (64 bits), "flag", "list" (where it begins, how long it is), "pointer" (a list from
outside, of unknown length), or a tuple of kinds. A variable that is assigned both integers and numbers is a number.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from slipstick.errors import SlipstickError

if TYPE_CHECKING:
    from slipstick.native.functions import Module

Kind = Any  # a word, or a tuple of kinds

DOUBLE, INT, FLAG = ir.DoubleType(), ir.IntType(64), ir.IntType(1)
POINTER = DOUBLE.as_pointer()

LARGEST_INTEGER = 1 << 53  # beyond, a whole number is a float


class CannotCompile(SlipstickError, TypeError):
    """A construct that the small language does not have."""


def llvm_type(kind: Kind) -> Any:
    if isinstance(kind, tuple):
        return ir.LiteralStructType([llvm_type(k) for k in kind])
    plain = {"number": DOUBLE, "integer": INT, "flag": FLAG, "pointer": POINTER}
    return ir.LiteralStructType([POINTER, INT]) if kind == "list" else plain[kind]


def joined(a: Kind, b: Kind) -> Kind:
    """The kind of a variable that holds both."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if {a, b} <= {"number", "integer", "flag"}:
        return "number" if "number" in (a, b) else "integer"
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(joined(x, y) for x, y in zip(a, b, strict=True))
    raise CannotCompile(f"a variable cannot be {a} here and {b} there")


class Kinds:
    """The variables of one function, for one combination of argument kinds."""

    def __init__(self, module: Module, tree: ast.FunctionDef, kinds: tuple[Kind, ...]) -> None:
        self.module, self.tree = module, tree
        self.arguments = [a.arg for a in tree.args.args]
        if len(self.arguments) != len(kinds):
            raise CannotCompile(f"{tree.name} takes {len(self.arguments)} arguments, got {len(kinds)}")
        self.given = kinds
        self.kinds: dict[str, Kind] = dict(zip(self.arguments, kinds, strict=True))
        self.result: Kind = None

    def infer(self) -> None:
        """Go through the assignments until nothing changes."""
        for _ in range(8):
            before = (dict(self.kinds), self.result)
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Assign):
                    self.note(node.targets[0], node.value)
                elif isinstance(node, ast.AugAssign):
                    self.note(node.target, ast.BinOp(as_expression(node.target), node.op, node.value))
                elif isinstance(node, ast.For):
                    self.kinds[node.target.id] = joined(self.kinds.get(node.target.id), "integer")  # type: ignore[attr-defined]
                elif isinstance(node, ast.Return) and node.value is not None:
                    self.result = joined(self.result, self.kind(node.value))
            if before == (self.kinds, self.result):
                return
        raise CannotCompile(f"{self.tree.name}: the kinds of its variables do not settle")

    def note(self, target: ast.expr, value: ast.expr) -> None:
        kind = self.kind(value)
        if kind is None:
            return
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        each = kind if isinstance(target, ast.Tuple) else (kind,)
        for one, own in zip(targets, each, strict=True):
            if isinstance(one, ast.Name):
                # a whole number that multiplies itself up would leave 64 bits; as a float it grows like Python's
                own = "number" if own == "integer" and self.multiplies_itself(one.id, value) else own
                self.kinds[one.id] = joined(self.kinds.get(one.id), own)

    def multiplies_itself(self, name: str, value: ast.expr) -> bool:
        """True if ``name``, or something computed from it, stands in a product within ``value``."""
        products = [n for n in ast.walk(value) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
        todo, seen = [n for product in products for n in names_in(product)], set()
        while todo:
            source = todo.pop()
            if source == name:
                return True
            if source not in seen:
                seen.add(source)
                todo += self.sources.get(source, [])
        return False

    @cached_property
    def sources(self) -> dict[str, list[str]]:
        """The variables that each variable is computed from."""
        found: dict[str, list[str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Assign, ast.AugAssign)):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                # an element of a list is a number of its own: what is stored there does not make the list
                if not isinstance(target, ast.Subscript):
                    for name in names_in(target):
                        found.setdefault(name, []).extend(names_in(node.value))
        return found

    def kind(self, node: ast.expr) -> Kind:
        """The kind of an expression; None while it is not known yet."""
        match node:
            case ast.Constant(value=bool()):
                return "flag"
            case ast.Constant(value=int() as v):
                return "integer" if abs(v) < LARGEST_INTEGER else "number"
            case ast.Constant(value=float()):
                return "number"
            case ast.Attribute(value=ast.Name(id="math")):
                return "number"
            case ast.Name(id=name):
                return self.kinds.get(name)
            case ast.BinOp(op=ast.Div() | ast.Pow()):
                return "number"
            case ast.BinOp(left=a, right=b):
                kind = joined(self.kind(a), self.kind(b))
                return "integer" if kind == "flag" else kind
            case ast.IfExp(body=a, orelse=b):
                return joined(self.kind(a), self.kind(b))
            case ast.UnaryOp(op=ast.Not()) | ast.Compare() | ast.BoolOp():
                return "flag"
            case ast.UnaryOp(operand=operand):
                kind = self.kind(operand)
                return "integer" if kind == "flag" else kind
            case ast.Subscript(value=owner, slice=index):
                kind = self.kind(owner)
                return kind[part_of(kind, index)] if isinstance(kind, tuple) else "number"
            case ast.Tuple(elts=elements):
                each = tuple(self.kind(e) for e in elements)
                return None if None in each else each
            case ast.Call():
                return self.kind_of_call(node)
        raise self.refuse(node)

    def kind_of_call(self, node: ast.Call) -> Kind:
        name = called(node)
        if name in ("int", "len"):
            return "integer"
        if name == "float" or name.startswith("math.") or name in ("call_function", "call_value"):
            return "number"
        if name == "numbers_at":
            return "pointer"
        if name == "view":
            return "list" if len(node.args) == 3 else "pointer"
        kinds = [self.kind(a) for a in node.args]
        if None in kinds:
            return None
        if name in ("min", "max", "abs"):
            kind = "integer"
            for other in kinds:
                kind = joined(kind, other)
            return kind
        return self.module.function(name, tuple(kinds))[1]

    def refuse(self, node: ast.AST) -> CannotCompile:
        return CannotCompile(f"`{ast.unparse(node)}` cannot be compiled")


def as_expression(target: ast.expr) -> ast.expr:
    """A target as an expression."""
    return ast.parse(ast.unparse(target), mode="eval").body


def names_in(node: ast.AST) -> list[str]:
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def whole_number(node: ast.expr) -> int:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        value = None
    if not isinstance(value, int):
        raise CannotCompile(f"`{ast.unparse(node)}` must be a whole number that is written out")
    return value


def part_of(kind: tuple[Kind, ...], index: ast.expr) -> int:
    """Which part of a tuple an index means."""
    i = whole_number(index)
    if not -len(kind) <= i < len(kind):
        raise CannotCompile(f"there is no [{i}] in a tuple of {len(kind)}")
    return i % len(kind)
