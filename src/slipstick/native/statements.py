"""Functions and modules as LLVM code."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llvmlite import ir

from slipstick.native.expressions import Expressions, as_number
from slipstick.native.types import (
    DOUBLE,
    DOUBLES,
    INT,
    POINTER,
    RANKS,
    CannotCompile,
    Type,
    as_expression,
    llvm_type,
    type_name,
    whole_number,
)

LARGE = 200  # nodes of a function; larger ones are not copied to where they are called, which took most of the time


class Module:
    """Functions are compiled once for each combination of argument types they are called with.

    unbounded : integer results may leave 64 bits, as in Python; see `types`.
    """

    def __init__(self, functions: Mapping[str, ast.FunctionDef], unbounded: bool = False) -> None:
        self.functions, self.unbounded = functions, unbounded
        self.module = ir.Module(name="law")
        self.done: dict[tuple[str, tuple[Type, ...]], tuple[Any, Type]] = {}
        self.begun: set[tuple[str, tuple[Type, ...]]] = set()

    def function(self, name: str, kinds: tuple[Type, ...]) -> tuple[Any, Type]:
        """The LLVM function and the kind of its result."""
        key = (name, kinds)
        if key not in self.done:
            if name not in self.functions:
                raise CannotCompile(f"{name} is not a function of this module")
            if key in self.begun:
                raise CannotCompile(f"{name} calls itself")
            self.begun.add(key)
            self.done[key] = Function(self, self.functions[name], kinds).write(f"{name}.{len(self.begun)}")
        return self.done[key]

    def entry(self, name: str, kinds: tuple[Type, ...]) -> Type:
        """Write a function that can be called from outside: lists come as bare pointers, a number or nothing leaves."""
        kinds = tuple("pointer" if k == "list" else k for k in kinds)
        inner, result = self.function(name, kinds)
        if result is not None and result not in RANKS:
            raise CannotCompile(f"{name} must return a number, not a {type_name(result)}")
        returns = DOUBLE if result else ir.VoidType()
        outer = ir.Function(self.module, ir.FunctionType(returns, [llvm_type(k) for k in kinds]), name=name)
        builder = ir.IRBuilder(outer.append_basic_block())
        value = builder.call(inner, outer.args)
        builder.ret(as_number(builder, result, value)) if result else builder.ret_void()
        return "number" if result else None

    def external(self, name: str, count: int) -> Any:
        """A function of libm."""
        known = self.module.globals.get(name)
        return known or ir.Function(self.module, ir.FunctionType(DOUBLE, [DOUBLE] * count), name=name)


class Function(Expressions):
    """One function for one combination of argument types: first the types of its variables, then its code."""

    def __init__(self, module: Module, tree: ast.FunctionDef, kinds: tuple[Type, ...]) -> None:
        super().__init__(module, tree, kinds)
        self.loops: list[tuple[Any, Any]] = []  # where continue and break go

    def write(self, name: str) -> tuple[Any, Type]:
        self.infer()
        inside: list[Any] = []
        for kind in self.given:
            inside += [POINTER, INT] if kind == "list" else [llvm_type(kind)]
        returns = llvm_type(self.result) if self.result else ir.VoidType()
        function = ir.Function(self.module.module, ir.FunctionType(returns, inside), name=name)
        function.linkage = "internal"
        if sum(1 for _ in ast.walk(self.tree)) > LARGE:
            function.attributes.add("noinline")
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.places = {n: self.builder.alloca(llvm_type(k), name=n) for n, k in self.kinds.items()}
        values = list(function.args)
        for a, kind in zip(self.arguments, self.given, strict=True):
            value = values.pop(0)
            if kind == "list":
                value = self.list_value(value, values.pop(0))
            self.assign(ast.Name(a), kind, value)
        self.block(self.tree.body)
        if not self.builder.block.is_terminated:
            self.builder.ret(no_value(self.result)) if self.result else self.builder.ret_void()
        return function, self.result

    def block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if self.builder.block.is_terminated:
                return
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        b = self.builder
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return
            case ast.Break() | ast.Continue():
                b.branch(self.loops[-1][0 if isinstance(node, ast.Continue) else 1])
            case ast.Assign(targets=[target], value=value):
                self.assign(target, *self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self.assign(target, *self.value(ast.BinOp(as_expression(target), op, value)))
            case ast.If(test=test, body=body, orelse=other):
                with b.if_else(self.flag(test)) if other else b.if_then(self.flag(test)) as parts:
                    if other:
                        with parts[0]:
                            self.block(body)
                        with parts[1]:
                            self.block(other)
                    else:
                        self.block(body)
                if always_leaves(node):
                    b.unreachable()
            case ast.While(test=test, body=body):
                self.loop(lambda: self.flag(test), lambda: None, body, lambda: None)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=args), body=body):
                self.for_range(name, args, body)
            case ast.Return(value=value):
                self.give_back(value)
            case ast.Expr(value=ast.Call() as call):
                self.value(call)
            case _:
                raise self.refuse(node)

    def give_back(self, value: ast.expr | None) -> None:
        if value is None:
            self.builder.ret_void()
            return
        kind, result = self.value(value)
        self.builder.ret(self.converted(kind, result, self.result))

    def loop(
        self, goes_on: Callable[[], Any], enter: Callable[[], None], body: Sequence[ast.stmt], step: Callable[[], None]
    ) -> None:
        function = self.builder.function
        head, inner, after, end = (function.append_basic_block() for _ in range(4))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(goes_on(), inner, end)
        self.builder.position_at_end(inner)
        self.loops.append((after, end))
        enter()
        self.block(body)
        self.loops.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(after)
        self.builder.position_at_end(after)
        step()
        self.builder.branch(head)
        self.builder.position_at_end(end)

    def for_range(self, name: str, args: list[ast.expr], body: Sequence[ast.stmt]) -> None:
        bounds = [self.integer(a) for a in args]
        first, last = (INT(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = whole_number(args[2]) if len(args) == 3 else 1
        counter = self.place(INT)
        self.builder.store(first, counter)

        def goes_on() -> Any:
            return self.builder.icmp_signed("<" if step > 0 else ">", self.builder.load(counter), last)

        def enter() -> None:  # here, not with the test: after the loop the variable keeps its last value
            self.assign(ast.Name(name), "integer", self.builder.load(counter))

        def advance() -> None:
            self.builder.store(self.builder.add(self.builder.load(counter), INT(step)), counter)

        self.loop(goes_on, enter, body, advance)

    def assign(self, target: ast.expr, kind: Type, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.builder.store(self.converted(kind, value, self.kinds[name]), self.places[name])
            case ast.Tuple(elts=elements):
                for i, element in enumerate(elements):
                    self.assign(element, kind[i], self.builder.extract_value(value, i))
            case ast.Subscript(value=owner, slice=index):
                at = self.builder.gep(self.begin(owner), [self.integer(index)])
                self.builder.store(self.converted(kind, value, "number"), at)
            case ast.Attribute():
                self.write_field(target, kind, value)
            case _:
                raise self.refuse(target)


def no_value(kind: Type) -> Any:
    """The result of a function that ends without return: NaN, so that it is noticed."""
    if isinstance(kind, tuple):
        return ir.Constant.literal_struct([no_value(k) for k in kind])
    return DOUBLE(math.nan) if kind in DOUBLES else ir.Constant(llvm_type(kind), None)


def always_leaves(node: ast.stmt) -> bool:
    """True if no way leads past this statement."""
    if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
        return True
    if isinstance(node, ast.If):
        return bool(node.orelse) and all(any(always_leaves(s) for s in part) for part in (node.body, node.orelse))
    return False
