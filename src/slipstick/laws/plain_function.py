"""A plain function as source that compiles: parameters unpacked, called functions renamed, numbers written out."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import re
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slipstick.laws.source_parsing import CannotTranslate, unset_names

if TYPE_CHECKING:
    from slipstick.laws.kernel_source import KernelModule

BUILTIN_NAMES = {"min", "max", "abs", "int", "float", "len", "range"}
MATH_NAMES = {name for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_")}
NUMPY_CALL = re.compile(r"(np|numpy)\.")
OPERATOR_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//",
    ast.USub: "-", ast.UAdd: "+", ast.Not: "not ", ast.And: "and", ast.Or: "or",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class PlainFunction:
    """Translates one function, without derivatives."""

    def __init__(self, module: KernelModule, function: Any, tree: ast.FunctionDef, is_method: bool) -> None:
        self.module, self.function, self.tree = module, function, tree
        self.self_name = tree.args.args[0].arg if is_method else ""
        # kernels only: the name of the memory tuple; the packed index of each part, None for a held one
        self.memory, self.places = "", list[tuple[int | None, float]]()
        self.directions, self.behind_memory = 0, 0  # kernels only: several deflections, which are behind the memory
        self.in_place = False  # kernels only: the memory is an array that the method updates itself
        self.active_lists: set[str] = set()  # arrays that are differentiated
        self.count = 0
        for name in unset_names(tree):
            raise self.refuse(name, "may be unset here: assign it before")

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
            # lists follow the scalars, each after its length
            lines.append(f"at_ = {len(self.module.scalars)}")
            for name in lists:
                lines.append("n_ = int(p_[at_])")
                lines.append(f"self_{name} = view(p_, at_ + 1, n_)")
                lines.append("at_ = at_ + 1 + n_")
        return lines

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
                lines = [f"if {self.plain(test)}:", *indent_lines(self.statements(body))]
                return lines + (["else:", *indent_lines(self.statements(other))] if other else [])
            case ast.While(test=test, body=body, orelse=[]):
                return [f"while {self.plain(test)}:", *indent_lines(self.statements(body))]
            case ast.For(target=ast.Name(id=i), iter=ast.Call(func=ast.Name(id="range")) as loop, body=body, orelse=[]):
                return [f"for {i} in {self.plain(loop)}:", *indent_lines(self.loop_head(i) + self.statements(body))]
            case ast.Return(value=value) if value is not None:
                return self.give_back(value)
        raise self.refuse(node)

    def loop_head(self, name: str) -> list[str]:
        """The first statements in a loop over ``name``."""
        return []

    def assign(self, target: ast.expr, value: ast.expr) -> list[str]:
        if isinstance(target, ast.Tuple):
            names = [self.plain(element) for element in target.elts]
            return [f"{', '.join(names)}{',' if len(names) == 1 else ''} = {self.plain(value)}"]
        return [f"{self.plain(target)} = {self.plain(value)}"]

    def give_back(self, value: ast.expr) -> list[str]:
        if not self.memory:
            return [f"return {self.plain(value)}"]
        force, memory = self.force_and_memory(value)
        if self.directions:
            forces = [(self.temporary(), self.plain(own)) for own in self.each_force(force)]
            lines = [f"{name} = {own}" for name, own in forces]
            kept = [(i, self.temporary(), self.plain(e)) for i, e in memory]
            lines += [f"{name} = {own}" for _, name, own in kept]
            lines += [f"m_[{i}] = {name}" for i, name, _ in kept]
            lines += [f"m_[{self.force_place + k}] = {name}" for k, (name, _) in enumerate(forces)]
            return [*lines, f"return {forces[0][0]}"]
        result = self.temporary()
        lines = [f"{result} = {self.plain(force)}"]
        lines += [f"m_[{i}] = {self.plain(e)}" for i, e in memory]
        return [*lines, f"return {result}"]

    @property
    def force_place(self) -> int:
        """Index of the first force behind the memory of a law with several deflections."""
        return self.behind_memory + 2 * self.directions

    def each_force(self, value: ast.expr) -> list[ast.expr]:
        """The forces that an update of several deflections returns."""
        if not isinstance(value, ast.Tuple) or len(value.elts) != self.directions:
            raise self.refuse(value, f"must return {self.directions} forces, as a tuple")
        return list(value.elts)

    def add_tuple(self, name: str, count: int) -> None:
        """A variable that is a tuple from the start."""

    def force_and_memory(self, value: ast.expr) -> tuple[ast.expr, list[tuple[int, ast.expr]]]:
        """The force that an update returns, and the new memory by packed index; none if the memory is unchanged."""
        if not isinstance(value, ast.Tuple) or len(value.elts) != 2:
            raise self.refuse(value, "must return the force and the memory")
        force, memory = value.elts
        if isinstance(memory, ast.Name) and memory.id == self.memory:
            return force, []
        if not isinstance(memory, ast.Tuple) or len(memory.elts) != len(self.places):
            raise self.refuse(memory, f"must return a memory of {len(self.places)}, as a tuple")
        return force, [(i, e) for (i, _), e in zip(self.places, memory.elts, strict=True) if i is not None]

    # ---- expressions

    def plain(self, node: ast.expr) -> str:
        """The source of an expression, with parameters and functions renamed."""
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return number_literal(value)
            case ast.Name(id=name):
                return self.constant(name) if name not in self.local_names else name
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self.self_name:
                return self.parameter(node, name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if self.is_math(owner) and hasattr(math, name):
                return number_literal(getattr(math, name)) if name not in MATH_NAMES else f"math.{name}"
            case ast.BinOp(left=left, op=op, right=right):
                return f"({self.plain(left)} {operator_sign(op)} {self.plain(right)})"
            case ast.UnaryOp(op=op, operand=operand):
                return f"({operator_sign(op)}{self.plain(operand)})"
            case ast.BoolOp(op=op, values=values):
                return "(" + f" {operator_sign(op)} ".join(self.plain(v) for v in values) + ")"
            case ast.Compare(left=left, ops=ops, comparators=others):
                chain = "".join(f" {operator_sign(op)} {self.plain(o)}" for op, o in zip(ops, others, strict=True))
                return f"({self.plain(left)}{chain})"
            case ast.IfExp(test=test, body=body, orelse=other):
                return f"({self.plain(body)} if {self.plain(test)} else {self.plain(other)})"
            case ast.Subscript(value=value, slice=index):
                return f"{self.plain(value)}[{self.plain(index)}]"
            case ast.Tuple(elts=elements):
                return "(" + "".join(f"{self.plain(e)}, " for e in elements) + ")"
            case ast.Call(keywords=[]):
                return self.plain_call(node)
        raise self.refuse(node)

    def plain_call(self, node: ast.Call) -> str:
        """The source of a call, with parameters and functions renamed."""
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

    @cached_property
    def local_names(self) -> set[str]:
        stored = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return stored | {a.arg for a in self.tree.args.args}

    def parameter(self, node: ast.expr, name: str) -> str:
        """A parameter of the law, or a number of its class."""
        if name in self.module.scalars or name in self.module.lists:
            return f"self_{name}"
        value = self.read(lambda: inspect.getattr_static(self.module.law, name, None))
        if isinstance(value, (bool, int, float)):
            return number_literal(value)
        raise self.refuse(node, f"is not a parameter: annotate it, or name a property in derived = ({name!r},)")

    def lookup(self, name: str) -> Any:
        """The value of a name outside the function: enclosing, in its module, or built in."""
        if name in self.function.__code__.co_freevars:
            return inspect.getclosurevars(self.function).nonlocals.get(name)
        return self.function.__globals__.get(name, getattr(builtins, name, None))

    def read(self, find: Callable[[], Any]) -> Any:
        """A value from outside the source, recorded to notice changes; the package's own values do not change."""
        value = find()
        if not self.function.__module__.startswith("slipstick."):
            self.module.reads[find] = value
        return value

    def is_math(self, name: str) -> bool:
        return self.lookup(name) is math

    def constant(self, name: str) -> str:
        """A number of the function's module as a literal."""
        value = self.read(lambda: self.lookup(name))
        if isinstance(value, (bool, int, float)):
            return number_literal(value)
        raise self.refuse(ast.Name(name), "is neither a local variable nor a number of the module")

    def callee(self, node: ast.Call) -> tuple[str, Any]:
        """The kind of a called function: ("name", text) if it is called unchanged, ("helper" or "method", function) if
        it is translated as well, ("function", name) for a parameter that is a function."""
        match node.func:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self.self_name:
                if name in self.module.functions:
                    return "function", name
                found = inspect.getattr_static(self.module.law, name, None)
                if isinstance(found, staticmethod):
                    return "helper", found.__func__
                if inspect.isfunction(found):
                    return "method", found
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if self.is_math(owner) and name in MATH_NAMES:
                return "name", f"math.{name}"
            case ast.Name(id=name):
                found = self.lookup(name)
                if name in BUILTIN_NAMES and found is getattr(builtins, name):
                    return "name", name
                if getattr(found, "__module__", "") == "math":
                    return "name", f"math.{found.__name__}"
                if inspect.isfunction(found):
                    return "helper", found
        raise self.refuse(node)

    def temporary(self) -> str:
        """A new name for an intermediate value."""
        self.count += 1
        return f"x{self.count}_"

    def refuse(self, node: ast.AST, why: str = "is not understood") -> CannotTranslate:
        line = getattr(node, "lineno", 0) + getattr(self.function, "__code__", self.function).co_firstlineno - 1
        text = ast.unparse(node).split("\n")[0]
        where = f"{self.function.__qualname__}, line {line}"
        way = "; write min, max and functions of math instead of NumPy" if NUMPY_CALL.match(text) else ""
        return CannotTranslate(
            f"{where}: `{text}` {why}; a compiled law is arithmetic, if, while, for over range, and functions of "
            f"math{way}"
        )


def operator_sign(op: ast.AST) -> str:
    if type(op) not in OPERATOR_SIGNS:
        raise CannotTranslate(f"the operator {type(op).__name__} is not understood in a compiled law")
    return OPERATOR_SIGNS[type(op)]


def number_literal(value: float) -> str:
    """A number as source; infinity and NaN have no literal."""
    if isinstance(value, int) or math.isfinite(value):
        return repr(value) if value >= 0 else f"({value!r})"
    return "(-math.inf)" if value < 0.0 else f"math.{value}"


def indent_lines(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def indent_text(lines: list[str]) -> str:
    return "\n".join(indent_lines(lines))
