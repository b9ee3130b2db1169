"""From a law's `update` to source that compiles: its value, and its derivative in one direction.

The method's source is parsed; ``self.name`` becomes a packed parameter, the memory a packed array, and
every plain function that is called is translated with it. The derivative is forward differentiation,
statement by statement: each variable ``x`` gets a companion ``x_d``, so what comes out is the exact
derivative of the branch that is taken.

Understood: arithmetic, comparisons, if, while, for over range, conditional expressions, tuples,
min, max, abs, int, float, len, functions of `math`, plain functions with annotated arguments
(``Sequence[float]``: a list that is not differentiated; ``Buffer``: an array that is), and
methods of the law. Anything else is refused with its line.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import re
import textwrap
from collections.abc import Callable, MutableSequence
from dataclasses import fields
from functools import cache, cached_property
from typing import Any, TypeVar

from slipstick.errors import SlipstickError
from slipstick.laws.parameters import spec_of

Buffer = MutableSequence[float]  # an argument that is written to, and differentiated

_BUILTINS = {"min", "max", "abs", "int", "float", "len", "range"}
_MATH = {name for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_")}

# derivative of a math function, from its argument {x} and its value {y}
_RULES = {
    "sqrt": "0.5 / {y}",
    "exp": "{y}",
    "expm1": "{y} + 1.0",
    "log": "1.0 / {x}",
    "log1p": "1.0 / (1.0 + {x})",
    "sin": "math.cos({x})",
    "cos": "-math.sin({x})",
    "tan": "1.0 + {y} * {y}",
    "tanh": "1.0 - {y} * {y}",
    "sinh": "math.cosh({x})",
    "cosh": "math.sinh({x})",
    "atan": "1.0 / (1.0 + {x} * {x})",
    "asin": "1.0 / math.sqrt(1.0 - {x} * {x})",
    "acos": "-1.0 / math.sqrt(1.0 - {x} * {x})",
    "asinh": "1.0 / math.sqrt({x} * {x} + 1.0)",
    "acosh": "1.0 / math.sqrt({x} * {x} - 1.0)",
    "atanh": "1.0 / (1.0 - {x} * {x})",
    "log2": "1.0 / ({x} * math.log(2.0))",
    "log10": "1.0 / ({x} * math.log(10.0))",
    "erf": "math.exp(-{x} * {x}) * 2.0 / math.sqrt(math.pi)",
    "erfc": "-math.exp(-{x} * {x}) * 2.0 / math.sqrt(math.pi)",
    "degrees": "180.0 / math.pi",
    "radians": "math.pi / 180.0",
    "fabs": "math.copysign(1.0, {x})",
    "floor": "0.0",
    "ceil": "0.0",
    "trunc": "0.0",
}

_derivatives: dict[Any, Callable[..., Any]] = {}


class CannotTranslate(SlipstickError, TypeError):
    """A law's source uses something that cannot be compiled, or its source is not there."""


Plain = TypeVar("Plain", bound=Callable[..., Any])


def with_derivative(rule: Callable[..., Any]) -> Callable[[Plain], Plain]:
    """Give a plain function a derivative of its own: rule(x, x_d, y, y_d, ..., lists) -> (value, derivative)."""

    def mark(function: Plain) -> Plain:
        _derivatives[function] = rule
        return function

    return mark


def value_source(law: type) -> str:
    """The kernel ``value(p_, u, v, m_)``: the force; the memory is updated in place."""
    return _Module(law).kernel(derivative=False)


def tangent_source(law: type) -> str:
    """The kernel ``tangent(p_, u, v, m_, u_d, v_d, md_, fd_)``: the force, and its derivative in fd_[0]."""
    return _Module(law).kernel(derivative=True)


def packed_names(law: type) -> tuple[list[str], list[str]]:
    """The numbers and the lists of numbers that a kernel of this law reads, in their packed order."""
    kinds = [(f.name, spec_of(f).kind) for f in fields(law)]
    scalars = [name for name, kind in kinds if kind in ("number", "number-or-periodic", "function")]
    lists = [name for name, kind in kinds if kind in ("numbers", "pair")]
    return [*scalars, *law.derived], [*lists, *law.derived_lists]  # type: ignore[attr-defined]


class _Module:
    """The functions that one kernel needs."""

    def __init__(self, law: Any) -> None:
        self.law = law
        self.scalars, self.lists = packed_names(law)
        self.functions = {f.name for f in fields(law) if spec_of(f).kind == "function"}
        self.done: dict[tuple[Any, bool], str] = {}
        self.texts: list[str] = []

    def kernel(self, derivative: bool) -> str:
        """The law's compiled method, and all it calls, as the text of a module."""
        method = getattr(self.law, self.law.compiled)
        tree = _parse(method)
        if len(tree.args.args) != 4 or tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs:
            raise CannotTranslate(f"{method.__qualname__} must take (self, u, v, memory) to be compiled")
        _, u, v, memory = (a.arg for a in tree.args.args)
        in_place = _annotation(tree.args.args[3]) == "Buffer"
        body = _Function(self, method, tree, derivative, is_method=True)
        size = len(self.law.remembers)
        if in_place:
            head = [f"{memory} = m_"] + ([f"{memory}_d = md_"] if derivative else [])
            body.active_lists.add(memory)
        else:
            body.memory, body.memory_size = memory, size
            head = [f"{memory} = ({''.join(f'm_[{i}], ' for i in range(size))})"]
            if derivative:
                head.append(f"{memory}_d = ({''.join(f'md_[{i}], ' for i in range(size))})")
        lines = body.prologue() + head + body.kernel_body(in_place)
        arguments = f"p_, {u}, {v}, m_, {u}_d, {v}_d, md_, fd_" if derivative else f"p_, {u}, {v}, m_"
        kernel = f"def {'tangent' if derivative else 'value'}({arguments}):\n" + _indent(lines)
        extra = [FUNCTION_WITH_DERIVATIVE] if self.functions and derivative else []
        return "\n\n".join([*extra, *self.texts, kernel]) + "\n"

    def helper(self, function: Any, derivative: bool, is_method: bool = False) -> str:
        """The name under which a called function stands in this module; written on first use."""
        key = (function, derivative)
        if key not in self.done:
            self.done[key] = f"{function.__name__}{'_d' if derivative else ''}_{len(self.done)}"
            rule = _derivatives.get(function) if derivative else None
            text = self.function_text(self.done[key], rule or function, derivative and not rule, is_method)
            self.texts.append(text)
        return self.done[key]

    def function_text(self, name: str, function: Any, derivative: bool, is_method: bool) -> str:
        """A function, each argument followed by its derivative where that is wanted."""
        tree = _parse(function)
        body = _Function(self, function, tree, derivative, is_method)
        arguments = ["p_"] if is_method else []
        for a in tree.args.args[1:] if is_method else tree.args.args:
            arguments.append(a.arg)
            kind = _annotation(a)
            if derivative and kind == "Buffer":
                body.active_lists.add(a.arg)
            if derivative and kind != "Sequence[float]":
                arguments.append(f"{a.arg}_d")
        lines = (body.prologue() if is_method else []) + body.statements(tree.body)
        return f"def {name}({', '.join(arguments)}):\n" + _indent(lines)


# an envelope function is only an address in a kernel: its derivative is taken by central differences
FUNCTION_WITH_DERIVATIVE = """
def function_with_derivative(address, u, u_d, s, s_d, u_m, u_md, f_m, f_md):
    value = call_function(address, u, s, u_m, f_m)
    du = 1e-6 * (abs(u) + abs(u_m)) + 1e-12
    df = 1e-6 * (abs(f_m) + abs(value)) + 1e-12
    slope = 0.0
    if u_d != 0.0:
        slope += u_d * (call_function(address, u + du, s, u_m, f_m) - call_function(address, u - du, s, u_m, f_m)) / du
    if u_md != 0.0:
        slope += u_md * (call_function(address, u, s, u_m + du, f_m) - call_function(address, u, s, u_m - du, f_m)) / du
    if f_md != 0.0:
        slope += f_md * (call_function(address, u, s, u_m, f_m + df) - call_function(address, u, s, u_m, f_m - df)) / df
    return value, 0.5 * slope
"""


class _Function:
    """Translates one function: plainly, or with derivatives."""

    def __init__(
        self, module: _Module, function: Any, tree: ast.FunctionDef, derivative: bool, is_method: bool
    ) -> None:
        self.module, self.function, self.tree = module, function, tree
        self.derivative = derivative
        self.self_name = tree.args.args[0].arg if is_method else ""
        self.memory, self.memory_size = "", 0
        self.active_lists: set[str] = set()
        self.count = 0
        self.in_kernel = False
        for name in unset_names(tree):
            raise self.refuse(name, "may have no value here: give it one before")

    # ---- statements

    def prologue(self) -> list[str]:
        """Unpack the parameters that the body mentions."""
        used = {
            n.attr
            for n in ast.walk(self.tree)
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == self.self_name
        }
        lines = []
        for i, name in enumerate(self.module.scalars):
            if name in used:
                lines.append(f"self_{name} = p_[{i}]")
        lists = self.module.lists
        if any(name in used for name in lists):
            # lists stand behind the scalars, each led by its length
            lines.append(f"at_ = {len(self.module.scalars)}")
            for name in lists:
                lines.append("n_ = int(p_[at_])")
                lines.append(f"self_{name} = view(p_, at_ + 1, n_)")
                lines.append("at_ = at_ + 1 + n_")
        return lines

    def kernel_body(self, in_place: bool) -> list[str]:
        """The body of the method itself: its return writes the memory and gives the force."""
        self.in_kernel = not in_place
        self.returns_force_only = in_place
        return self.statements(self.tree.body)

    def statements(self, body: list[ast.stmt]) -> list[str]:
        lines: list[str] = []
        for node in body:
            lines += self.statement(node)
        return lines or ["pass"]

    def statement(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Expr(value=ast.Constant()):
                return []  # a docstring
            case ast.Pass() | ast.Break() | ast.Continue():
                return [ast.unparse(node)]
            case ast.Assign(targets=[target], value=value):
                return self.assign(target, value)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                return self.assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                load = ast.parse(ast.unparse(target), mode="eval").body
                return self.assign(target, ast.copy_location(ast.BinOp(load, op, value), node))
            case ast.If(test=test, body=body, orelse=other):
                lines = [f"if {self.plain(test)}:", *_deeper(self.statements(body))]
                return lines + (["else:", *_deeper(self.statements(other))] if other else [])
            case ast.While(test=test, body=body, orelse=[]):
                return [f"while {self.plain(test)}:", *_deeper(self.statements(body))]
            case ast.For(target=ast.Name(id=i), iter=ast.Call(func=ast.Name(id="range")) as loop, body=body, orelse=[]):
                head = [f"{i}_d = 0.0"] if self.derivative else []
                return [f"for {i} in {self.plain(loop)}:", *_deeper(head + self.statements(body))]
            case ast.Return(value=value) if value is not None:
                return self.give_back(value)
        raise self.refuse(node)

    def assign(self, target: ast.expr, value: ast.expr) -> list[str]:
        if isinstance(target, ast.Tuple):
            return self.assign_tuple(target, value)
        if not self.derivative:
            return [f"{self.plain(target)} = {self.plain(value)}"]
        lines: list[str] = []
        v, d = self.dual(value, lines)
        match target:
            case ast.Name(id=name):
                return [*lines, f"{name} = {v}", f"{name}_d = {d}"]
            case ast.Subscript(value=ast.Name(id=name), slice=index) if name in self.active_lists:
                at = self.plain(index)
                return [*lines, f"{name}[{at}] = {v}", f"{name}_d[{at}] = {d}"]
        raise self.refuse(target)

    def assign_tuple(self, target: ast.Tuple, value: ast.expr) -> list[str]:
        names = [self.plain(element) for element in target.elts]
        together = ", ".join(names) + ("," if len(names) == 1 else "")
        if not self.derivative:
            return [f"{together} = {self.plain(value)}"]
        lines: list[str] = []
        if isinstance(value, ast.Name) and value.id == self.memory:
            for i, name in enumerate(names):
                lines += [f"{name} = {self.memory}[{i}]", f"{name}_d = {self.memory}_d[{i}]"]
            return lines
        if isinstance(value, ast.Tuple):
            pairs = [self.dual(element, lines) for element in value.elts]
            fixed = []
            for v, d in pairs:  # all right-hand sides before any target: a, b = b, a
                a, b = self.temporary(), self.temporary()
                lines += [f"{a} = {v}", f"{b} = {d}"]
                fixed.append((a, b))
            for name, (a, b) in zip(names, fixed, strict=True):
                lines += [f"{name} = {a}", f"{name}_d = {b}"]
            return lines
        if isinstance(value, ast.Call):
            call = self.call_helper(value, lines)
            interleaved = ", ".join(f"{name}, {name}_d" for name in names)
            return [*lines, f"{interleaved} = {call}"]
        raise self.refuse(value)

    def give_back(self, value: ast.expr) -> list[str]:
        if self.in_kernel:
            return self.give_back_memory(value)
        lines: list[str] = []
        if not self.derivative:
            return [f"return {self.plain(value)}"]
        if isinstance(value, ast.Tuple):
            pairs = [self.dual(element, lines) for element in value.elts]
            return [*lines, "return " + ", ".join(f"{v}, {d}" for v, d in pairs)]
        v, d = self.dual(value, lines)
        if getattr(self, "returns_force_only", False):
            return [*lines, f"fd_[0] = {d}", f"return {v}"]
        return [*lines, f"return {v}, {d}"]

    def give_back_memory(self, value: ast.expr) -> list[str]:
        if not isinstance(value, ast.Tuple) or len(value.elts) != 2:
            raise self.refuse(value, "must return the force and the memory")
        force, memory = value.elts
        lines: list[str] = []
        if self.derivative:
            v, d = self.dual(force, lines)
        else:
            v, d = self.temporary(), ""
            lines.append(f"{v} = {self.plain(force)}")
        if not (isinstance(memory, ast.Name) and memory.id == self.memory):
            if not isinstance(memory, ast.Tuple) or len(memory.elts) != self.memory_size:
                raise self.refuse(memory, f"must return a memory of {self.memory_size}, as a tuple")
            pairs = [self.dual(e, lines) if self.derivative else (self.plain(e), "") for e in memory.elts]
            lines += [f"m_[{i}] = {pair[0]}" for i, pair in enumerate(pairs)]
            if self.derivative:
                lines += [f"md_[{i}] = {pair[1]}" for i, pair in enumerate(pairs)]
        if self.derivative:
            lines.append(f"fd_[0] = {d}")
        return [*lines, f"return {v}"]

    # ---- expressions without derivative

    def plain(self, node: ast.expr) -> str:
        """The expression as it stands, with parameters and functions renamed."""
        match node:
            case ast.Constant(value=bool() | int() | float()):
                return repr(node.value)
            case ast.Name(id=name):
                return self.constant(name) if name not in self.local_names else name
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self.self_name:
                return self.parameter(node, name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if self.is_math(owner) and hasattr(math, name):
                return _written(getattr(math, name)) if name not in _MATH else f"math.{name}"
            case ast.BinOp(left=left, op=op, right=right):
                return f"({self.plain(left)} {_symbol(op)} {self.plain(right)})"
            case ast.UnaryOp(op=op, operand=operand):
                return f"({_symbol(op)}{self.plain(operand)})"
            case ast.BoolOp(op=op, values=values):
                return "(" + f" {_symbol(op)} ".join(self.plain(v) for v in values) + ")"
            case ast.Compare(left=left, ops=ops, comparators=others):
                chain = "".join(f" {_symbol(op)} {self.plain(o)}" for op, o in zip(ops, others, strict=True))
                return f"({self.plain(left)}{chain})"
            case ast.IfExp(test=test, body=body, orelse=other):
                return f"({self.plain(body)} if {self.plain(test)} else {self.plain(other)})"
            case ast.Subscript(value=value, slice=index):
                return f"{self.plain(value)}[{self.plain(index)}]"
            case ast.Tuple(elts=elements):
                return "(" + "".join(f"{self.plain(e)}, " for e in elements) + ")"
            case ast.Call(keywords=[]):
                arguments = ", ".join(self.plain(a) for a in node.args)
                kind, name = self.callee(node)
                if kind == "helper":
                    return f"{self.module.helper(name, False)}({arguments})"
                if kind == "function":
                    return f"call_function(int(self_{name}), {arguments})"
                if kind == "method":
                    method = self.module.helper(name, False, is_method=True)
                    return f"{method}({', '.join(filter(None, ['p_', arguments]))})"
                return f"{name}({arguments})"
        raise self.refuse(node)

    @cached_property
    def local_names(self) -> set[str]:
        stored = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return stored | {a.arg for a in self.tree.args.args}

    def parameter(self, node: ast.expr, name: str) -> str:
        """A parameter of the law, or a number that its class has for all."""
        if name in self.module.scalars or name in self.module.lists:
            return f"self_{name}"
        value = inspect.getattr_static(self.module.law, name, None)
        if isinstance(value, (bool, int, float)):
            return _written(value)
        raise self.refuse(node, f"is not a parameter: annotate it, or name a property in derived = ({name!r},)")

    def lookup(self, name: str) -> Any:
        """What a name outside the function stands for: around it, in its module, or built in."""
        if name in self.function.__code__.co_freevars:
            return inspect.getclosurevars(self.function).nonlocals.get(name)
        return self.function.__globals__.get(name, getattr(builtins, name, None))

    def is_math(self, name: str) -> bool:
        return self.lookup(name) is math

    def constant(self, name: str) -> str:
        """A number from the function's module, written out."""
        value = self.lookup(name)
        if isinstance(value, (bool, int, float)):
            return _written(value)
        raise self.refuse(ast.Name(name), "is neither a local variable nor a number of the module")

    def callee(self, node: ast.Call) -> tuple[str, Any]:
        """("name", text) for what is called as it is, ("helper" or "method", function) for what is translated too,
        ("function", name) for a parameter that is a function."""
        match node.func:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self.self_name:
                if name in self.module.functions:
                    return "function", name
                found = inspect.getattr_static(self.module.law, name, None)
                if isinstance(found, staticmethod):
                    return "helper", found.__func__
                if inspect.isfunction(found):
                    return "method", found
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if self.is_math(owner) and name in _MATH:
                return "name", f"math.{name}"
            case ast.Name(id=name):
                found = self.lookup(name)
                if name in _BUILTINS and found is getattr(builtins, name):
                    return "name", name
                if getattr(found, "__module__", "") == "math":
                    return "name", f"math.{found.__name__}"
                if inspect.isfunction(found):
                    return "helper", found
        raise self.refuse(node)

    # ---- expressions with derivative

    def temporary(self) -> str:
        self.count += 1
        return f"x{self.count}_"

    def dual(self, node: ast.expr, lines: list[str]) -> tuple[str, str]:
        """Emit what computes the expression; return the names of its value and its derivative."""
        match node:
            case ast.Name(id=name) if name in self.local_names:
                return name, f"{name}_d"
            case ast.Constant() | ast.Name() | ast.Attribute() | ast.Compare() | ast.BoolOp():
                return self.plain(node), "0.0"
            case ast.UnaryOp(op=ast.Not()):
                return self.plain(node), "0.0"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                v, d = self.dual(operand, lines)
                return self.keep(lines, f"-{v}", "0.0" if d == "0.0" else f"-{d}")
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.dual(operand, lines)
            case ast.BinOp(left=left, op=op, right=right):
                return self.dual_binary(node, op, self.dual(left, lines), self.dual(right, lines), lines)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.dual_branch(self.plain(test), body, other, lines)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                at = self.plain(index)
                if name == self.memory or name in self.active_lists:
                    return self.keep(lines, f"{name}[{at}]", f"{name}_d[{at}]")
                return self.plain(node), "0.0"
            case ast.Subscript():
                return self.plain(node), "0.0"
            case ast.Call(keywords=[]):
                return self.dual_call(node, lines)
        raise self.refuse(node)

    def keep(self, lines: list[str], value: str, derivative: str) -> tuple[str, str]:
        v = self.temporary()
        lines.append(f"{v} = {value}")
        if derivative == "0.0":
            return v, "0.0"
        lines.append(f"{v}d = {derivative}")
        return v, f"{v}d"

    def dual_binary(
        self, node: ast.expr, op: ast.operator, left: tuple[str, str], right: tuple[str, str], lines: list[str]
    ) -> tuple[str, str]:
        (a, da), (b, db) = left, right
        value = f"{a} {_symbol(op)} {b}"
        if da == db == "0.0":
            return f"({value})", "0.0"
        match op:
            case ast.Add():
                return self.keep(lines, value, " + ".join(d for d in (da, db) if d != "0.0"))
            case ast.Sub():
                return self.keep(lines, value, da if db == "0.0" else (f"-{db}" if da == "0.0" else f"{da} - {db}"))
            case ast.Mult():
                terms = [t for t, d in ((f"{da} * {b}", da), (f"{a} * {db}", db)) if d != "0.0"]
                return self.keep(lines, value, " + ".join(terms))
            case ast.Div():
                v, _ = self.keep(lines, value, "0.0")
                top = f"({da} - {v} * {db})" if db != "0.0" else da
                lines.append(f"{v}d = {top} / {b}")
                return v, f"{v}d"
            case ast.FloorDiv():
                return self.keep(lines, value, "0.0")
            case ast.Mod():
                return self.keep(lines, value, da if db == "0.0" else f"{da} - {a} // {b} * {db}")
            case ast.Pow():
                v, _ = self.keep(lines, value, "0.0")
                # at zero base the power rule is 0 * inf: only exponent one has a derivative other than zero there
                lines.append(f"{v}d = {b} * {a} ** ({b} - 1.0) * {da} if {a} != 0.0 else ({da} if {b} == 1.0 else 0.0)")
                if db != "0.0":
                    lines.append(f"{v}d += {v} * math.log({a}) * {db} if {a} > 0.0 else 0.0")
                return v, f"{v}d"
        raise self.refuse(node)

    def dual_branch(self, test: str, body: ast.expr, other: ast.expr, lines: list[str]) -> tuple[str, str]:
        v = self.temporary()
        for head, part in ((f"if {test}:", body), ("else:", other)):
            inner: list[str] = []
            value, derivative = self.dual(part, inner)
            lines += [head, *_deeper([*inner, f"{v} = {value}", f"{v}d = {derivative}"])]
        return v, f"{v}d"

    def dual_call(self, node: ast.Call, lines: list[str]) -> tuple[str, str]:
        kind, name = self.callee(node)
        if kind == "function":
            pairs = [self.dual(a, lines) for a in node.args]
            together = ", ".join(f"{v}, {d}" for v, d in pairs)
            v = self.temporary()
            lines.append(f"{v}, {v}d = function_with_derivative(int(self_{name}), {together})")
            return v, f"{v}d"
        if kind in ("helper", "method"):
            v = self.temporary()
            call = self.call_helper(node, lines)
            lines.append(f"{v}, {v}d = {call}")
            return v, f"{v}d"
        if name in ("int", "len", "range"):
            return self.plain(node), "0.0"
        if name == "float":
            return self.dual(node.args[0], lines)
        pairs = [self.dual(a, lines) for a in node.args]
        if name in ("min", "max"):
            return self.dual_extreme(name, pairs, lines)
        (x, dx) = pairs[0]
        if name == "abs":
            return self.keep(lines, f"abs({x})", f"({dx} if {x} >= 0.0 else -{dx})" if dx != "0.0" else "0.0")
        short = name.removeprefix("math.")
        if short == "copysign":
            v, y = self.temporary(), pairs[1][0]
            lines.append(f"{v} = math.copysign({x}, {y})")
            return v, f"({dx} if {v} == {x} else -{dx})" if dx != "0.0" else "0.0"
        if short == "atan2":
            y, dy = pairs[1]
            return self.keep(lines, f"math.atan2({x}, {y})", f"({y} * {dx} - {x} * {dy}) / ({x} * {x} + {y} * {y})")
        if short == "hypot":
            y, dy = pairs[1]
            v, _ = self.keep(lines, f"math.hypot({x}, {y})", "0.0")
            return v, f"(({x} * {dx} + {y} * {dy}) / {v})"
        if short == "pow":
            power = ast.copy_location(ast.BinOp(node.args[0], ast.Pow(), node.args[1]), node)
            return self.dual(power, lines)
        if short not in _RULES or len(pairs) != 1:
            raise self.refuse(node, "has no derivative here; write it with exp, log, sqrt, sin, cos, tanh ...")
        v, _ = self.keep(lines, f"{name}({x})", "0.0")
        return (v, "0.0") if dx == "0.0" else (v, f"({_RULES[short].format(x=x, y=v)}) * {dx}")

    def dual_extreme(self, name: str, pairs: list[tuple[str, str]], lines: list[str]) -> tuple[str, str]:
        sign = "<=" if name == "min" else ">="
        v, d = pairs[0]
        for x, dx in pairs[1:]:
            new = self.temporary()
            lines += [f"if {v} {sign} {x}:", f"    {new} = {v}", f"    {new}d = {d}"]
            lines += ["else:", f"    {new} = {x}", f"    {new}d = {dx}"]
            v, d = new, f"{new}d"
        return v, d

    def call_helper(self, node: ast.Call, lines: list[str]) -> str:
        """A call of a translated function, each argument followed by its derivative."""
        kind, function = self.callee(node)
        if kind in ("name", "function") or node.keywords:
            raise self.refuse(node)
        tree = _parse(function)
        formal = tree.args.args[1:] if kind == "method" else tree.args.args
        if len(formal) != len(node.args):
            raise self.refuse(node, f"must be called with {len(formal)} arguments")
        arguments = ["p_"] if kind == "method" else []
        for a, actual in zip(formal, node.args, strict=True):
            match _annotation(a):
                case "Sequence[float]":
                    arguments.append(self.plain(actual))
                case "Buffer":
                    arguments += [self.plain(actual), f"{self.plain(actual)}_d"]
                case _:
                    arguments += list(self.dual(actual, lines))
        return f"{self.module.helper(function, True, is_method=kind == 'method')}({', '.join(arguments)})"

    def refuse(self, node: ast.AST, why: str = "is not understood") -> CannotTranslate:
        line = getattr(node, "lineno", 0) + getattr(self.function, "__code__", self.function).co_firstlineno - 1
        text = ast.unparse(node).split("\n")[0]
        where = f"{self.function.__qualname__}, line {line}"
        return CannotTranslate(
            f"{where}: `{text}` {why}; a compiled law is arithmetic, if, while, for over range, and functions of math"
        )


@cache
def _parse(function: Any) -> ast.FunctionDef:
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
    _rename(node)
    return node


def _rename(tree: ast.FunctionDef) -> None:
    """New names for variables that could meet a name made here: x_d beside x, p_, self_k, helper_0."""
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
    """Variables that are read where they may not have been given a value: compiled code would read anything there."""
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    found: list[ast.Name] = []

    def read(node: ast.AST | None, known: set[str]) -> None:
        for n in ast.walk(node) if node else ():
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in own - known:
                found.append(n)

    def follow(body: list[ast.stmt], known: set[str]) -> set[str]:
        """The variables that have a value after ``body``; all of them if it does not come to its end."""
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


def _annotation(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation else "float"


_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//",
    ast.USub: "-", ast.UAdd: "+", ast.Not: "not ", ast.And: "and", ast.Or: "or",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


def _symbol(op: ast.AST) -> str:
    if type(op) not in _SYMBOLS:
        raise CannotTranslate(f"the operator {type(op).__name__} is not understood in a compiled law")
    return _SYMBOLS[type(op)]


def _written(value: float) -> str:
    """A number as source; infinity and NaN have no literal."""
    if math.isfinite(value):
        return repr(value) if value >= 0 else f"({value!r})"
    return "(-math.inf)" if value < 0.0 else f"math.{value}"


def _deeper(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def _indent(lines: list[str]) -> str:
    return "\n".join(_deeper(lines))
