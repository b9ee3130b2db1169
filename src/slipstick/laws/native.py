"""Plain numeric Python to machine code, in milliseconds.

What `translate` writes is a small language: floats, integers and lists of floats; arithmetic, comparisons,
if, while, for over range; functions that call each other and return one value or several. This module
turns it into LLVM code. It is not a general compiler: a general one needs a tenth of a second for
each of these functions, and there are three hundred of them; this one needs about a hundredth of that.

Kinds of values: "number" (double), "integer" (64 bits), "flag", "list" (where it begins, how long it is), "pointer"
(a list from outside, of unknown length), or a tuple of kinds. A variable that is assigned both integers and numbers
is a number. Where Python would raise (an index beyond a list, an end without return) there is NaN.
"""

from __future__ import annotations

import ast
import ctypes
import ctypes.util
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from llvmlite import binding, ir

from slipstick.errors import SlipstickError

Kind = Any  # a word, or a tuple of kinds

_DOUBLE, _INT, _FLAG = ir.DoubleType(), ir.IntType(64), ir.IntType(1)
_POINTER = _DOUBLE.as_pointer()

_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_MATH = {
    "sqrt": 1, "exp": 1, "expm1": 1, "log": 1, "log1p": 1, "sin": 1, "cos": 1, "tan": 1, "tanh": 1, "sinh": 1,
    "cosh": 1, "atan": 1, "asin": 1, "acos": 1, "asinh": 1, "acosh": 1, "atanh": 1, "erf": 1, "erfc": 1, "log2": 1,
    "log10": 1, "atan2": 2, "hypot": 2, "fabs": 1, "floor": 1, "ceil": 1, "trunc": 1, "copysign": 2, "pow": 2,
    "fmod": 2,
}  # fmt: skip
_LARGEST_INTEGER = 1 << 53  # beyond, a whole number is a float


class CannotCompile(SlipstickError, TypeError):
    """A construct that the small language does not have."""


class Native:
    """A compiled function: its address for loops, and a call from Python."""

    def __init__(self, engine: Any, name: str, arguments: Sequence[Kind], result: Kind) -> None:
        self.engine = engine  # the code lives as long as this
        self.address = int(engine.get_function_address(name))
        types = [ctypes.POINTER(ctypes.c_double) if a == "list" else _CTYPES[a] for a in arguments]
        self.call = ctypes.CFUNCTYPE(_CTYPES[result] if result else None, *types)(self.address)


_CTYPES: dict[Any, Any] = {"number": ctypes.c_double, "integer": ctypes.c_int64}


def compile_functions(text: str, entry: str, arguments: Sequence[Kind]) -> Native:
    """Compile the function ``entry`` of a module's text; lists arrive as pointers to doubles."""
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    module = _Module(functions)
    result = module.entry(entry, tuple(arguments))
    return Native(_engine(str(module.module)), entry, arguments, result)


@cache
def _target() -> Any:
    """The processor at hand, with the functions of libm made known by name."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    library = ctypes.CDLL(ctypes.util.find_library("m") or ctypes.util.find_library("ucrtbase"))
    for name in _MATH:
        binding.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    return binding.Target.from_default_triple()


def _engine(text: str) -> Any:
    features = binding.get_host_cpu_features().flatten()
    # one machine for each engine: the engine takes it over and frees it in the end
    machine = _target().create_target_machine(cpu=binding.get_host_cpu_name(), features=features, opt=2)
    module = binding.parse_assembly(text)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False  # branchy scalar code
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    builder.close()
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def view(values: Sequence[float], start: int, count: int | None = None) -> Any:
    """Part of a list, or all from a place on; known to the compiler, and in Python a copy."""
    return values[start : None if count is None else start + count]


def call_value(address: int, parameters: Any, u: float, v: float, memory: Any) -> float:
    """A law's kernel behind an address; known to the compiler only."""
    raise CannotCompile("call_value has a meaning only in compiled code")


class _Module:
    """Functions are compiled once for each combination of argument kinds they are called with."""

    def __init__(self, functions: dict[str, ast.FunctionDef]) -> None:
        self.functions = functions
        self.module = ir.Module(name="law")
        self.done: dict[tuple[str, tuple[Kind, ...]], tuple[Any, Kind]] = {}
        self.begun: set[tuple[str, tuple[Kind, ...]]] = set()

    def function(self, name: str, kinds: tuple[Kind, ...]) -> tuple[Any, Kind]:
        """The LLVM function and the kind of what it returns."""
        key = (name, kinds)
        if key not in self.done:
            if name not in self.functions:
                raise CannotCompile(f"{name} is not a function of this module")
            if key in self.begun:
                raise CannotCompile(f"{name} calls itself")
            self.begun.add(key)
            self.done[key] = _Function(self, self.functions[name], kinds).write(f"{name}.{len(self.begun)}")
        return self.done[key]

    def entry(self, name: str, kinds: tuple[Kind, ...]) -> Kind:
        """Write a function that can be called from outside: lists come as bare pointers, a number or nothing leaves."""
        kinds = tuple("pointer" if k == "list" else k for k in kinds)
        inner, result = self.function(name, kinds)
        if result not in ("number", "integer", "flag", None):
            raise CannotCompile(f"{name} must return a number, not a {result}")
        returns = _DOUBLE if result else ir.VoidType()
        outer = ir.Function(self.module, ir.FunctionType(returns, [_llvm(k) for k in kinds]), name=name)
        builder = ir.IRBuilder(outer.append_basic_block())
        value = builder.call(inner, outer.args)
        builder.ret(_as_number(builder, result, value)) if result else builder.ret_void()
        return "number" if result else None

    def external(self, name: str, count: int) -> Any:
        """A function of libm."""
        known = self.module.globals.get(name)
        return known or ir.Function(self.module, ir.FunctionType(_DOUBLE, [_DOUBLE] * count), name=name)


def _llvm(kind: Kind) -> Any:
    if isinstance(kind, tuple):
        return ir.LiteralStructType([_llvm(k) for k in kind])
    plain = {"number": _DOUBLE, "integer": _INT, "flag": _FLAG, "pointer": _POINTER}
    return ir.LiteralStructType([_POINTER, _INT]) if kind == "list" else plain[kind]


def _as_number(builder: Any, kind: Kind, value: Any) -> Any:
    if kind == "number":
        return value
    return builder.uitofp(value, _DOUBLE) if kind == "flag" else builder.sitofp(value, _DOUBLE)


def _joined(a: Kind, b: Kind) -> Kind:
    """The kind of a variable that holds both."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if {a, b} <= {"number", "integer", "flag"}:
        return "number" if "number" in (a, b) else "integer"
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(_joined(x, y) for x, y in zip(a, b, strict=True))
    raise CannotCompile(f"a variable cannot be {a} here and {b} there")


class _Function:
    """One function for one combination of argument kinds: first the kinds of its variables, then its code."""

    def __init__(self, module: _Module, tree: ast.FunctionDef, kinds: tuple[Kind, ...]) -> None:
        self.module, self.tree = module, tree
        self.arguments = [a.arg for a in tree.args.args]
        if len(self.arguments) != len(kinds):
            raise CannotCompile(f"{tree.name} takes {len(self.arguments)} arguments, got {len(kinds)}")
        self.given = kinds
        self.kinds: dict[str, Kind] = dict(zip(self.arguments, kinds, strict=True))
        self.result: Kind = None
        self.loops: list[tuple[Any, Any]] = []  # where continue and break go
        self.places: dict[str, Any] = {}
        self.builder: Any = None

    # ---- kinds of variables

    def infer(self) -> None:
        """Go through the assignments until nothing changes."""
        for _ in range(8):
            before = (dict(self.kinds), self.result)
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Assign):
                    self.note(node.targets[0], node.value)
                elif isinstance(node, ast.AugAssign):
                    self.note(node.target, ast.BinOp(_load(node.target), node.op, node.value))
                elif isinstance(node, ast.For):
                    self.kinds[node.target.id] = _joined(self.kinds.get(node.target.id), "integer")  # type: ignore[attr-defined]
                elif isinstance(node, ast.Return) and node.value is not None:
                    self.result = _joined(self.result, self.kind(node.value))
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
                own = "number" if own == "integer" and _multiplies(one.id, value) else own
                self.kinds[one.id] = _joined(self.kinds.get(one.id), own)

    def kind(self, node: ast.expr) -> Kind:
        """The kind of an expression; None while it is not known yet."""
        match node:
            case ast.Constant(value=bool()):
                return "flag"
            case ast.Constant(value=int() as v):
                return "integer" if abs(v) < _LARGEST_INTEGER else "number"
            case ast.Constant(value=float()):
                return "number"
            case ast.Attribute(value=ast.Name(id="math")):
                return "number"
            case ast.Name(id=name):
                return self.kinds.get(name)
            case ast.BinOp(op=ast.Div() | ast.Pow()):
                return "number"
            case ast.BinOp(left=a, right=b):
                kind = _joined(self.kind(a), self.kind(b))
                return "integer" if kind == "flag" else kind
            case ast.IfExp(body=a, orelse=b):
                return _joined(self.kind(a), self.kind(b))
            case ast.UnaryOp(op=ast.Not()) | ast.Compare() | ast.BoolOp():
                return "flag"
            case ast.UnaryOp(operand=operand):
                kind = self.kind(operand)
                return "integer" if kind == "flag" else kind
            case ast.Subscript(value=owner, slice=index):
                kind = self.kind(owner)
                return kind[_place(kind, index)] if isinstance(kind, tuple) else "number"
            case ast.Tuple(elts=elements):
                each = tuple(self.kind(e) for e in elements)
                return None if None in each else each
            case ast.Call():
                return self.kind_of_call(node)
        raise self.refuse(node)

    def kind_of_call(self, node: ast.Call) -> Kind:
        name = _name(node)
        if name in ("int", "len"):
            return "integer"
        if name == "float" or name.startswith("math.") or name in ("call_function", "call_value"):
            return "number"
        if name == "view":
            return "list" if len(node.args) == 3 else "pointer"
        kinds = [self.kind(a) for a in node.args]
        if None in kinds:
            return None
        if name in ("min", "max", "abs"):
            kind = "integer"
            for other in kinds:
                kind = _joined(kind, other)
            return kind
        return self.module.function(name, tuple(kinds))[1]

    # ---- code

    def write(self, name: str) -> tuple[Any, Kind]:
        self.infer()
        inside: list[Any] = []
        for kind in self.given:
            inside += [_POINTER, _INT] if kind == "list" else [_llvm(kind)]
        returns = _llvm(self.result) if self.result else ir.VoidType()
        function = ir.Function(self.module.module, ir.FunctionType(returns, inside), name=name)
        function.linkage = "internal"
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.places = {n: self.builder.alloca(_llvm(k), name=n) for n, k in self.kinds.items()}
        values = list(function.args)
        for a, kind in zip(self.arguments, self.given, strict=True):
            value = values.pop(0)
            if kind == "list":
                value = self.list_value(value, values.pop(0))
            self.assign(ast.Name(a), kind, value)
        self.block(self.tree.body)
        if not self.builder.block.is_terminated:
            self.builder.ret(_no_value(self.result)) if self.result else self.builder.ret_void()
        return function, self.result

    def place(self, type_: Any) -> Any:
        """Room for an intermediate value, at the top of the function: within a loop it would pile up."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(type_)

    def list_value(self, pointer: Any, length: Any) -> Any:
        empty = ir.Constant(_llvm("list"), ir.Undefined)
        return self.builder.insert_value(self.builder.insert_value(empty, pointer, 0), length, 1)

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
                self.assign(target, *self.value(ast.BinOp(_load(target), op, value)))
            case ast.If(test=test, body=body, orelse=other):
                with b.if_else(self.flag(test)) if other else b.if_then(self.flag(test)) as parts:
                    if other:
                        with parts[0]:
                            self.block(body)
                        with parts[1]:
                            self.block(other)
                    else:
                        self.block(body)
                if _always_leaves(node):
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
        first, last = (_INT(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = _constant(args[2]) if len(args) == 3 else 1
        counter = self.place(_INT)
        self.builder.store(first, counter)

        def goes_on() -> Any:
            return self.builder.icmp_signed("<" if step > 0 else ">", self.builder.load(counter), last)

        def enter() -> None:  # here, not with the test: after the loop the variable keeps its last value
            self.assign(ast.Name(name), "integer", self.builder.load(counter))

        def advance() -> None:
            self.builder.store(self.builder.add(self.builder.load(counter), _INT(step)), counter)

        self.loop(goes_on, enter, body, advance)

    def assign(self, target: ast.expr, kind: Kind, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.builder.store(self.converted(kind, value, self.kinds[name]), self.places[name])
            case ast.Tuple(elts=elements):
                for i, element in enumerate(elements):
                    self.assign(element, kind[i], self.builder.extract_value(value, i))
            case ast.Subscript(value=owner, slice=index):
                at = self.builder.gep(self.begin(owner), [self.integer(index)])
                self.builder.store(self.converted(kind, value, "number"), at)
            case _:
                raise self.refuse(target)

    # ---- expressions

    def converted(self, kind: Kind, value: Any, to: Kind) -> Any:
        if kind == to:
            return value
        if isinstance(to, tuple):
            built = ir.Constant(_llvm(to), ir.Undefined)
            for i, (own, wanted) in enumerate(zip(kind, to, strict=True)):
                part = self.converted(own, self.builder.extract_value(value, i), wanted)
                built = self.builder.insert_value(built, part, i)
            return built
        if to == "number":
            if kind not in ("integer", "flag"):
                raise CannotCompile(f"a {kind} where a number is needed")
            return _as_number(self.builder, kind, value)
        if to == "integer" and kind == "flag":
            return self.builder.zext(value, _INT)
        raise CannotCompile(f"a {kind} where a {to} is needed")

    def number(self, node: ast.expr) -> Any:
        kind, value = self.value(node)
        return self.converted(kind, value, "number")

    def integer(self, node: ast.expr) -> Any:
        kind, value = self.value(node)
        return self.converted(kind, value, "integer")

    def flag(self, node: ast.expr) -> Any:
        if isinstance(node, ast.BoolOp):
            return self.short_circuit(isinstance(node.op, ast.And), node.values)
        kind, value = self.value(node)
        if kind == "number":
            return self.builder.fcmp_unordered("!=", value, _DOUBLE(0.0))
        return value if kind == "flag" else self.builder.icmp_signed("!=", value, _INT(0))

    def value(self, node: ast.expr) -> tuple[Kind, Any]:
        """The kind and the value of an expression."""
        b = self.builder
        match node:
            case ast.Constant(value=bool() as v):
                return "flag", _FLAG(int(v))
            case ast.Constant(value=int() as v):
                return ("integer", _INT(v)) if abs(v) < _LARGEST_INTEGER else ("number", _DOUBLE(float(v)))
            case ast.Constant(value=float() as v):
                return "number", _DOUBLE(v)
            case ast.Attribute(value=ast.Name(id="math"), attr=name):
                return "number", _DOUBLE(getattr(math, name))
            case ast.Name(id=name):
                return self.kinds[name], b.load(self.places[name])
            case ast.BinOp():
                return self.arithmetic(node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return "flag", b.not_(self.flag(operand))
            case ast.UnaryOp(op=op, operand=operand):
                kind = self.kind(node)
                v = self.converted(*self.value(operand), kind)
                return kind, v if isinstance(op, ast.UAdd) else b.fneg(v) if kind == "number" else b.neg(v)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return "flag", self.comparison(left, ops, others)
            case ast.BoolOp(values=values):
                if any(self.kind(v) != "flag" for v in values):
                    raise self.refuse(node)  # Python gives one of the operands
                return "flag", self.flag(node)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.choice(test, body, other)
            case ast.Subscript(value=owner, slice=index):
                kind, v = self.value(owner)
                if isinstance(kind, tuple):
                    return kind[_place(kind, index)], b.extract_value(v, _place(kind, index))
                if kind == "pointer":
                    return "number", b.load(b.gep(v, [self.integer(index)]))
                if kind != "list":
                    raise self.refuse(node)
                return "number", self.element(v, self.integer(index))
            case ast.Tuple(elts=elements):
                pairs = [self.value(e) for e in elements]
                kinds = tuple(k for k, _ in pairs)
                built = ir.Constant(_llvm(kinds), ir.Undefined)
                for i, (_, v) in enumerate(pairs):
                    built = b.insert_value(built, v, i)
                return kinds, built
            case ast.Call():
                return self.call(node)
        raise self.refuse(node)

    def element(self, values: Any, index: Any) -> Any:
        """A number of a list, counted from its end below zero; NaN beyond it."""
        b = self.builder
        length = b.extract_value(values, 1)
        index = b.select(b.icmp_signed("<", index, _INT(0)), b.add(index, length), index)
        inside = b.icmp_unsigned("<", index, length)
        found = b.load(b.gep(b.extract_value(values, 0), [b.select(inside, index, _INT(0))]))
        return b.select(inside, found, _DOUBLE(math.nan))

    def arithmetic(self, node: ast.BinOp) -> tuple[Kind, Any]:
        b = self.builder
        if isinstance(node.op, ast.Pow):
            power = self.module.external("pow", 2)
            return "number", b.call(power, [self.number(node.left), self.number(node.right)])
        if isinstance(node.op, ast.Div):
            return "number", b.fdiv(self.number(node.left), self.number(node.right))
        kind = self.kind(node)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            return kind, self.division(node, kind)
        if kind == "number":
            ways: dict[type, Any] = {ast.Add: b.fadd, ast.Sub: b.fsub, ast.Mult: b.fmul}
        else:
            ways = {ast.Add: b.add, ast.Sub: b.sub, ast.Mult: b.mul, ast.LShift: b.shl}
        if type(node.op) not in ways:
            raise self.refuse(node)
        return kind, ways[type(node.op)](*(self.converted(*self.value(x), kind) for x in (node.left, node.right)))

    def division(self, node: ast.BinOp, kind: Kind) -> Any:
        """// and %: the rest has the sign of the divisor, as in Python."""
        b, quotient = self.builder, isinstance(node.op, ast.FloorDiv)
        if kind == "number":
            x, y = self.number(node.left), self.number(node.right)
            rest, zero = b.call(self.module.external("fmod", 2), [x, y]), _DOUBLE(0.0)
            other_side = b.fcmp_ordered("<", b.fmul(rest, y), zero)
            rest = b.select(other_side, b.fadd(rest, y), rest)
            whole = b.fadd(b.fdiv(b.fsub(x, rest), y), _DOUBLE(0.5))
            return b.call(self.module.external("floor", 1), [whole]) if quotient else rest
        y = _INT(_constant(node.right))  # written out: a division by zero would end the process
        if y.constant <= 0:
            raise self.refuse(node)
        x = self.integer(node.left)
        rest = b.srem(x, y)
        rest = b.select(b.icmp_signed("<", rest, _INT(0)), b.add(rest, y), rest)
        return b.sdiv(b.sub(x, rest), y) if quotient else rest

    def comparison(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> Any:
        """A chain of comparisons; each operand is evaluated once."""
        b = self.builder
        kind, value = self.value(left)
        total = None
        for op, other in zip(ops, others, strict=True):
            next_kind, next_value = self.value(other)
            sign = _COMPARE[type(op)]
            if "number" in (kind, next_kind):
                pair = (self.converted(kind, value, "number"), self.converted(next_kind, next_value, "number"))
                one = b.fcmp_unordered(sign, *pair) if sign == "!=" else b.fcmp_ordered(sign, *pair)
            else:
                pair = (self.converted(kind, value, "integer"), self.converted(next_kind, next_value, "integer"))
                one = b.icmp_signed(sign, *pair)
            total = one if total is None else b.and_(total, one)
            kind, value = next_kind, next_value
        return total

    def short_circuit(self, is_and: bool, values: list[ast.expr]) -> Any:
        """Later operands are evaluated only where they decide: they may index a list."""
        place = self.place(_FLAG)
        self.builder.store(self.flag(values[0]), place)
        for later in values[1:]:
            now = self.builder.load(place)
            with self.builder.if_then(now if is_and else self.builder.not_(now)):
                self.builder.store(self.flag(later), place)
        return self.builder.load(place)

    def choice(self, test: ast.expr, body: ast.expr, other: ast.expr) -> tuple[Kind, Any]:
        kind = _joined(self.kind(body), self.kind(other))
        place = self.place(_llvm(kind))
        with self.builder.if_else(self.flag(test)) as (then, otherwise):
            for branch, node in ((then, body), (otherwise, other)):
                with branch:
                    own, value = self.value(node)
                    self.builder.store(self.converted(own, value, kind), place)
        return kind, self.builder.load(place)

    def call(self, node: ast.Call) -> tuple[Kind, Any]:
        b, name = self.builder, _name(node)
        if name.startswith("math."):
            short = name.removeprefix("math.")
            if _MATH.get(short) != len(node.args):
                raise self.refuse(node)
            return "number", b.call(self.module.external(short, _MATH[short]), [self.number(a) for a in node.args])
        if name in ("min", "max"):
            return self.extreme(name, node.args)
        if name == "int":
            kind, v = self.value(node.args[0])
            return "integer", b.fptosi(v, _INT) if kind == "number" else self.converted(kind, v, "integer")
        if name == "float":
            if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                return "number", _DOUBLE(float(node.args[0].value))
            return "number", self.number(node.args[0])
        if name == "abs":
            if self.kind(node.args[0]) == "number":
                return "number", b.call(self.module.external("fabs", 1), [self.number(node.args[0])])
            v = self.integer(node.args[0])
            return "integer", b.select(b.icmp_signed("<", v, _INT(0)), b.neg(v), v)
        if name == "len":
            kind, v = self.value(node.args[0])
            if kind != "list":
                raise self.refuse(node)
            return "integer", b.extract_value(v, 1)
        if name == "view":
            start = b.gep(self.begin(node.args[0]), [self.integer(node.args[1])])
            whole = len(node.args) == 2
            return ("pointer", start) if whole else ("list", self.list_value(start, self.integer(node.args[2])))
        if name in ("call_function", "call_value"):
            return "number", self.call_address(node.args)
        return self.call_own(name, node.args)

    def begin(self, node: ast.expr) -> Any:
        """Where a list begins."""
        kind, v = self.value(node)
        if kind not in ("list", "pointer"):
            raise self.refuse(node)
        return v if kind == "pointer" else self.builder.extract_value(v, 0)

    def extreme(self, name: str, args: list[ast.expr]) -> tuple[Kind, Any]:
        kind = self.kind(ast.Call(ast.Name(name), args, []))
        best = self.converted(*self.value(args[0]), kind)
        for other in args[1:]:
            rival = self.converted(*self.value(other), kind)
            sign = "<" if name == "min" else ">"
            compare = self.builder.fcmp_ordered if kind == "number" else self.builder.icmp_signed
            best = self.builder.select(compare(sign, rival, best), rival, best)
        return kind, best

    def call_address(self, args: list[ast.expr]) -> Any:
        """A compiled function behind an address: numbers are passed as they are, lists as pointers."""
        b = self.builder
        address, *rest = (self.value(a) for a in args)
        passed = [v if k == "pointer" else self.converted(k, v, "number") for k, v in rest]
        kinds = [_POINTER if k == "pointer" else _DOUBLE for k, _ in rest]
        pointer = ir.FunctionType(_DOUBLE, kinds).as_pointer()
        return b.call(b.inttoptr(self.converted(*address, "integer"), pointer), passed)

    def call_own(self, name: str, args: list[ast.expr]) -> tuple[Kind, Any]:
        pairs = [self.value(a) for a in args]
        function, result = self.module.function(name, tuple(k for k, _ in pairs))
        passed: list[Any] = []
        for kind, v in pairs:
            passed += [self.builder.extract_value(v, i) for i in (0, 1)] if kind == "list" else [v]
        return result, self.builder.call(function, passed)

    def refuse(self, node: ast.AST) -> CannotCompile:
        return CannotCompile(f"`{ast.unparse(node)}` cannot be compiled")


def _load(target: ast.expr) -> ast.expr:
    """A target as an expression."""
    return ast.parse(ast.unparse(target), mode="eval").body


def _multiplies(name: str, value: ast.expr) -> bool:
    """True if ``name`` stands in a product within ``value``."""
    products = [n for n in ast.walk(value) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]
    return any(isinstance(n, ast.Name) and n.id == name for product in products for n in ast.walk(product))


def _name(node: ast.Call) -> str:
    return ast.unparse(node.func)


def _constant(node: ast.expr) -> int:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        value = None
    if not isinstance(value, int):
        raise CannotCompile(f"`{ast.unparse(node)}` must be a whole number that is written out")
    return value


def _place(kind: tuple[Kind, ...], index: ast.expr) -> int:
    """Which part of a tuple an index means."""
    i = _constant(index)
    if not -len(kind) <= i < len(kind):
        raise CannotCompile(f"there is no [{i}] in a tuple of {len(kind)}")
    return i % len(kind)


def _no_value(kind: Kind) -> Any:
    """What a function gives that ends without return: NaN, so that it is noticed."""
    if isinstance(kind, tuple):
        return ir.Constant.literal_struct([_no_value(k) for k in kind])
    return _DOUBLE(math.nan) if kind == "number" else ir.Constant(_llvm(kind), None)


def _always_leaves(node: ast.stmt) -> bool:
    """True if no way leads past this statement."""
    if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
        return True
    if isinstance(node, ast.If):
        return bool(node.orelse) and all(any(_always_leaves(s) for s in part) for part in (node.body, node.orelse))
    return False
