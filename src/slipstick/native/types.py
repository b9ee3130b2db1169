"""Types of values, and inference of the types of a function's variables.

"number" (double), "integer" (64 bits), "flag", "list" (where it begins, how long it is), "pointer" (a list from
outside, of unknown length), a class of records or rows of them (`records`), or a tuple of types. A variable that is
assigned both integers and numbers is a number.

Python's integers have no bound. In modules that need this (``unbounded``, as the sources of laws are), results
of integers are "whole": a double that holds a whole number, exact up to 2^53 and rounded beyond. What would
show the rounding, a remainder or a difference that cancels, is NaN there.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from slipstick.errors import SlipstickError
from slipstick.native.records import NativeRecord, RowsOf

if TYPE_CHECKING:
    from slipstick.native.statements import Module

Type = Any  # a word, a class of records, rows of them, or a tuple of types

DOUBLE, INT, FLAG = ir.DoubleType(), ir.IntType(64), ir.IntType(1)
POINTER = DOUBLE.as_pointer()

LARGEST_INTEGER = 1 << 53  # beyond, a whole number is a float
LARGEST_NUMBER = (1 << 1023) - 1  # well within the range of doubles
MOST_BITS = 20_000  # of a power of whole numbers that are written out
RANKS = {"flag": 0, "integer": 1, "whole": 2, "number": 3}
DOUBLES = ("number", "whole")


class CannotCompile(SlipstickError, TypeError):
    """A construct that the small language does not have."""


def llvm_type(kind: Type) -> Any:
    if isinstance(kind, tuple):
        return ir.LiteralStructType([llvm_type(k) for k in kind])
    if not isinstance(kind, str):  # a record, or rows of them
        return POINTER
    plain = {"number": DOUBLE, "whole": DOUBLE, "integer": INT, "flag": FLAG, "pointer": POINTER}
    return ir.LiteralStructType([POINTER, INT]) if kind == "list" else plain[kind]


def is_record(kind: Type) -> bool:
    return isinstance(kind, type) and issubclass(kind, NativeRecord)


def is_address(kind: Type) -> bool:
    """True for what compiled functions are given as a pointer."""
    return kind == "pointer" or is_record(kind) or isinstance(kind, RowsOf)


def type_name(kind: Type) -> str:
    """A type in words, for messages."""
    if isinstance(kind, RowsOf):
        return f"rows of {type_name(kind.record)}"
    return kind.__name__ if is_record(kind) else str(kind)


def joined(a: Type, b: Type) -> Type:
    """The kind of a variable that holds both."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if not isinstance(a, tuple) and not isinstance(b, tuple) and {a, b} <= RANKS.keys():
        return max(a, b, key=RANKS.__getitem__)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(joined(x, y) for x, y in zip(a, b, strict=True))
    raise CannotCompile(f"a variable cannot be {type_name(a)} here and {type_name(b)} there")


class TypeInference:
    """The variables of one function, for one combination of argument kinds."""

    def __init__(self, module: Module, tree: ast.FunctionDef, kinds: tuple[Type, ...]) -> None:
        self.module, self.tree = module, tree
        self.arguments = [a.arg for a in tree.args.args]
        if len(self.arguments) != len(kinds):
            raise CannotCompile(f"{tree.name} takes {len(self.arguments)} arguments, got {len(kinds)}")
        self.given = kinds
        self.kinds: dict[str, Type] = dict(zip(self.arguments, kinds, strict=True))
        self.result: Type = None

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
        if kind is not None:
            self.note_kind(target, value, kind)

    def note_kind(self, target: ast.expr, value: ast.expr, kind: Type) -> None:
        if isinstance(target, ast.Tuple):
            if not isinstance(kind, tuple) or len(kind) != len(target.elts):
                count = len(kind) if isinstance(kind, tuple) else 1
                raise CannotCompile(f"`{ast.unparse(value)}` gives {count} values, and {len(target.elts)} are wanted")
            for one, own in zip(target.elts, kind, strict=True):
                self.note_kind(one, value, own)
        elif isinstance(target, ast.Name):
            # a whole number that grows by multiplication would leave 64 bits; as a float it grows like Python's
            kind = "number" if kind == "integer" and self.multiplies_itself(target.id, value) else kind
            self.kinds[target.id] = joined(self.kinds.get(target.id), kind)

    def multiplies_itself(self, name: str, value: ast.expr) -> bool:
        """True if ``name``, or something computed from it, is a factor within ``value``."""
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
                # storing an element or a field does not change the kind of the list or the record
                if not isinstance(target, (ast.Subscript, ast.Attribute)):
                    for name in names_in(target):
                        found.setdefault(name, []).extend(names_in(node.value))
        return found

    def kind(self, node: ast.expr) -> Type:
        """The kind of an expression; None while it is not known yet."""
        written = written_out(node)
        if written is not None:
            return "integer" if abs(written) < LARGEST_INTEGER else "whole" if self.module.unbounded else "number"
        match node:
            case ast.Constant(value=bool()):
                return "flag"
            case ast.Constant(value=float()):
                return "number"
            case ast.Attribute(value=ast.Name(id="math")):
                return "number"
            case ast.Attribute(value=owner, attr=name):
                return self.kind_of_field(self.kind(owner), name, node)
            case ast.Name(id=name):
                return self.kinds.get(name)
            case ast.BinOp(op=ast.Div()):
                return "number"
            case ast.BinOp(left=a, op=op, right=b):
                return self.kind_of_arithmetic((self.kind(a), self.kind(b)), isinstance(op, ast.Pow))
            case ast.IfExp(body=a, orelse=b):
                return joined(self.kind(a), self.kind(b))
            case ast.UnaryOp(op=ast.Not()) | ast.Compare() | ast.BoolOp():
                return "flag"
            case ast.UnaryOp(operand=operand):
                kind = self.kind(operand)
                return "integer" if kind == "flag" else kind
            case ast.Subscript(value=owner, slice=index):
                return kind_of_element(self.kind(owner), index)
            case ast.Tuple(elts=elements):
                each = tuple(self.kind(e) for e in elements)
                return None if None in each else each
            case ast.Call():
                return self.kind_of_call(node)
        raise self.refuse(node)

    def kind_of_field(self, record: Type, name: str, node: ast.expr) -> Type:
        if name == "block" and is_record(record):
            return "pointer"
        field = None if record is None else self.field(record, name, node)[1]
        return "pointer" if field == "section" else field

    def kind_of_arithmetic(self, kinds: tuple[Type, Type], is_power: bool) -> Type:
        kind = joined(*kinds)
        if self.module.unbounded and kind in ("flag", "integer"):
            return None if None in kinds else "whole"
        if is_power:
            return None if None in kinds else "whole" if kind == "whole" else "number"
        return "integer" if kind == "flag" else kind

    def kind_of_call(self, node: ast.Call) -> Type:
        record = record_over(node)
        if record is not None:
            return record
        name = called(node)
        if name == "int":
            return "whole" if self.module.unbounded else "integer"
        if name == "len":
            return "integer"
        if name == "float" or name.startswith("math.") or name in ("call_function", "call_value"):
            return "number"
        if name in ("numbers_at", "local_numbers"):
            return "pointer"
        if name == "view":
            return "list" if len(node.args) == 3 else "pointer"
        kinds = [self.kind(a) for a in node.args]
        if None in kinds:
            return None
        if name in ("min", "max", "abs"):
            kind: Type = "integer"
            for other in kinds:
                kind = joined(kind, other)
            return kind
        return self.module.function(name, tuple(kinds))[1]

    def field(self, kind: Type, name: str, node: ast.expr) -> tuple[int, Type]:
        """The slot and the type of a record's field."""
        if not is_record(kind):
            raise self.refuse(node)
        if name not in kind.fields:
            raise CannotCompile(f"`{ast.unparse(node)}`: {kind.__name__} has no field {name}")
        return [*kind.fields].index(name), kind.fields[name]

    def refuse(self, node: ast.AST) -> CannotCompile:
        return CannotCompile(f"`{ast.unparse(node)}` cannot be compiled")


def as_expression(target: ast.expr) -> ast.expr:
    """A target as an expression."""
    return ast.parse(ast.unparse(target), mode="eval").body


def names_in(node: ast.AST) -> list[str]:
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def record_over(node: ast.Call) -> Any:
    """The class of records in ``Run.over(numbers)``; None for other calls."""
    match node.func:
        case ast.Attribute(value=ast.Constant(value=record), attr="over") if is_record(record):
            return record
    return None


def written_out(node: ast.expr) -> int | None:
    """The value of an expression of whole numbers that are written out, as Python has it; None if it is another."""
    match node:
        case ast.Constant(value=int() as v) if not isinstance(v, bool):
            if abs(v) > LARGEST_NUMBER:
                raise CannotCompile(f"a whole number of {len(str(v))} digits is larger than any float")
            return v
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = written_out(operand)
            return None if value is None else -value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in EXACT:
            a, b = written_out(left), written_out(right)
            if a is None or b is None or (b == 0 and isinstance(op, (ast.FloorDiv, ast.Mod))):
                return None
            if isinstance(op, ast.Pow) and (b < 0 or a.bit_length() * b > MOST_BITS):
                return None
            return written_out(ast.Constant(EXACT[type(op)](a, b)))
    return None


EXACT: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip


def whole_number(node: ast.expr) -> int:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        value = None
    if not isinstance(value, int):
        raise CannotCompile(f"`{ast.unparse(node)}` must be a whole number that is written out")
    return value


def kind_of_element(kind: Type, index: ast.expr) -> Type:
    """The type of an element of a list, a tuple or an array of records."""
    if isinstance(kind, RowsOf):
        return kind.record
    return kind[part_of(kind, index)] if isinstance(kind, tuple) else "number"


def part_of(kind: tuple[Type, ...], index: ast.expr) -> int:
    """Which part of a tuple an index means."""
    i = whole_number(index)
    if not -len(kind) <= i < len(kind):
        raise CannotCompile(f"there is no [{i}] in a tuple of {len(kind)}")
    return i % len(kind)
