"""Expressions as LLVM code."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from slipstick.native.records import RowsOf
from slipstick.native.types import (
    DOUBLE,
    DOUBLES,
    FLAG,
    INT,
    LARGEST_INTEGER,
    POINTER,
    RANKS,
    CannotCompile,
    Type,
    TypeInference,
    called,
    is_address,
    is_record,
    joined,
    llvm_type,
    part_of,
    record_over,
    type_name,
    whole_number,
    written_out,
)

if TYPE_CHECKING:
    from slipstick.native.statements import Module

COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
# functions of libm, and how many arguments they take
MATH = {
    "sqrt": 1, "exp": 1, "expm1": 1, "log": 1, "log1p": 1, "sin": 1, "cos": 1, "tan": 1, "tanh": 1, "sinh": 1,
    "cosh": 1, "atan": 1, "asin": 1, "acos": 1, "asinh": 1, "acosh": 1, "atanh": 1, "erf": 1, "erfc": 1, "log2": 1,
    "log10": 1, "atan2": 2, "hypot": 2, "fabs": 1, "floor": 1, "ceil": 1, "trunc": 1, "copysign": 2, "pow": 2,
    "fmod": 2,
}  # fmt: skip


def as_number(builder: Any, kind: Type, value: Any) -> Any:
    if kind in DOUBLES:
        return value
    return builder.uitofp(value, DOUBLE) if kind == "flag" else builder.sitofp(value, DOUBLE)


class Expressions(TypeInference):
    """The values of expressions; `builder` is the place where code is added."""

    def __init__(self, module: Module, tree: ast.FunctionDef, kinds: tuple[Type, ...]) -> None:
        super().__init__(module, tree, kinds)
        self.places: dict[str, Any] = {}  # where each variable lies
        self.builder: Any = None

    def place(self, type_: Any) -> Any:
        """Room for an intermediate value, at the top of the function: within a loop it would pile up."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(type_)

    def list_value(self, pointer: Any, length: Any) -> Any:
        empty = ir.Constant(llvm_type("list"), ir.Undefined)
        return self.builder.insert_value(self.builder.insert_value(empty, pointer, 0), length, 1)

    def converted(self, kind: Type, value: Any, to: Type) -> Any:
        if kind == to:
            return value
        if isinstance(to, tuple):
            built = ir.Constant(llvm_type(to), ir.Undefined)
            for i, (own, wanted) in enumerate(zip(kind, to, strict=True)):
                part = self.converted(own, self.builder.extract_value(value, i), wanted)
                built = self.builder.insert_value(built, part, i)
            return built
        if to in DOUBLES:
            if kind not in RANKS:
                raise CannotCompile(f"a {type_name(kind)} where a number is needed")
            return as_number(self.builder, kind, value)
        if to == "integer" and kind == "flag":
            return self.builder.zext(value, INT)
        if to == "integer" and kind == "whole":
            small = self.builder.fcmp_ordered("<", self.size(value), DOUBLE(float(1 << 62)))
            return self.builder.fptosi(self.builder.select(small, value, DOUBLE(0.0)), INT)
        raise CannotCompile(f"a {type_name(kind)} where a {type_name(to)} is needed")

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
        if kind in DOUBLES:
            return self.builder.fcmp_unordered("!=", value, DOUBLE(0.0))
        return value if kind == "flag" else self.builder.icmp_signed("!=", value, INT(0))

    def value(self, node: ast.expr) -> tuple[Type, Any]:
        """The kind and the value of an expression."""
        b = self.builder
        written = written_out(node)
        if written is not None:
            kind = self.kind(node)
            return kind, INT(written) if kind == "integer" else DOUBLE(float(written))
        match node:
            case ast.Constant(value=bool() | float() as v):
                return ("flag", FLAG(int(v))) if isinstance(v, bool) else ("number", DOUBLE(v))
            case ast.Attribute(value=ast.Name(id="math"), attr=name):
                return "number", DOUBLE(getattr(math, name))
            case ast.Attribute(value=owner, attr=name):
                return self.read_field(owner, name, node)
            case ast.Name(id=name) if name in self.kinds:
                return self.kinds[name], b.load(self.places[name])
            case ast.BinOp():
                return self.arithmetic(node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return "flag", b.not_(self.flag(operand))
            case ast.UnaryOp():
                return self.signed(node)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return "flag", self.comparison(left, ops, others)
            case ast.BoolOp(values=values) if {self.kind(v) for v in values} == {"flag"}:
                return "flag", self.flag(node)  # of other kinds Python gives one of the operands
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.choice(test, body, other)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Tuple(elts=elements):
                return self.tuple_value(elements)
            case ast.Call():
                return self.call(node)
        raise self.refuse(node)

    def signed(self, node: ast.UnaryOp) -> tuple[Type, Any]:
        b, kind = self.builder, self.kind(node)
        v = self.converted(*self.value(node.operand), kind)
        return kind, v if isinstance(node.op, ast.UAdd) else b.fneg(v) if kind in DOUBLES else b.neg(v)

    def subscript(self, node: ast.Subscript) -> tuple[Type, Any]:
        """An element of a list, a tuple or an array of records."""
        b, index = self.builder, node.slice
        kind, v = self.value(node.value)
        if isinstance(kind, tuple):
            return kind[part_of(kind, index)], b.extract_value(v, part_of(kind, index))
        if kind == "pointer":
            return "number", b.load(b.gep(v, [self.integer(index)]))
        if isinstance(kind, RowsOf):
            slots = INT(len(kind.record.fields))
            return kind.record, b.gep(v, [b.mul(self.integer(index), slots)])
        if kind != "list":
            raise self.refuse(node)
        return "number", self.element(v, self.integer(index))

    def tuple_value(self, elements: list[ast.expr]) -> tuple[Type, Any]:
        pairs = [self.value(e) for e in elements]
        kinds = tuple(k for k, _ in pairs)
        built = ir.Constant(llvm_type(kinds), ir.Undefined)
        for i, (_, v) in enumerate(pairs):
            built = self.builder.insert_value(built, v, i)
        return kinds, built

    def read_field(self, owner: ast.expr, name: str, node: ast.expr) -> tuple[Type, Any]:
        """The value of a record's field; an array, a record or rows: where they begin."""
        b = self.builder
        record, base = self.value(owner)
        if name == "block" and is_record(record):
            return "pointer", base
        slot, kind = self.field(record, name, node)
        at = b.gep(base, [INT(slot)])
        if kind == "number":
            return kind, b.load(at)
        whole = b.load(b.bitcast(at, INT.as_pointer()))
        if kind == "integer":
            return kind, whole
        if kind == "flag":
            return kind, b.icmp_signed("!=", whole, INT(0))
        if kind == "section":
            return "pointer", b.gep(base, [whole])
        return kind, b.inttoptr(whole, POINTER)

    def write_field(self, target: ast.Attribute, kind: Type, value: Any) -> None:
        """Store a number, an integer, a flag or an address in a record's field."""
        b = self.builder
        record, base = self.value(target.value)
        slot, own = self.field(record, target.attr, target)
        at = b.gep(base, [INT(slot)])
        if own == "number":
            b.store(self.converted(kind, value, "number"), at)
        elif own == "integer" or (own == "flag" and kind == "flag"):
            b.store(self.converted(kind, value, "integer"), b.bitcast(at, INT.as_pointer()))
        elif own == kind and is_address(kind):
            b.store(b.ptrtoint(value, INT), b.bitcast(at, INT.as_pointer()))
        else:
            raise self.refuse(target)

    def element(self, values: Any, index: Any) -> Any:
        """A number of a list, counted from its end below zero; NaN beyond it."""
        b = self.builder
        length = b.extract_value(values, 1)
        index = b.select(b.icmp_signed("<", index, INT(0)), b.add(index, length), index)
        inside = b.icmp_unsigned("<", index, length)
        found = b.load(b.gep(b.extract_value(values, 0), [b.select(inside, index, INT(0))]))
        return b.select(inside, found, DOUBLE(math.nan))

    def arithmetic(self, node: ast.BinOp) -> tuple[Type, Any]:
        b = self.builder
        if isinstance(node.op, ast.Pow):
            power = self.module.external("pow", 2)
            return self.kind(node), b.call(power, [self.number(node.left), self.number(node.right)])
        if isinstance(node.op, ast.Div):
            return "number", b.fdiv(self.number(node.left), self.number(node.right))
        kind = self.kind(node)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            return kind, self.division(node, kind)
        if kind == "whole" and isinstance(node.op, (ast.Add, ast.Sub)):
            return kind, self.whole_sum(node)
        if kind in DOUBLES:
            ways: dict[type, Any] = {ast.Add: b.fadd, ast.Sub: b.fsub, ast.Mult: b.fmul}
        else:
            ways = {ast.Add: b.add, ast.Sub: b.sub, ast.Mult: b.mul, ast.LShift: b.shl}
        if type(node.op) not in ways:
            raise self.refuse(node)
        return kind, ways[type(node.op)](*(self.converted(*self.value(x), kind) for x in (node.left, node.right)))

    def division(self, node: ast.BinOp, kind: Type) -> Any:
        """// and %: the rest has the sign of the divisor, as in Python."""
        b, quotient = self.builder, isinstance(node.op, ast.FloorDiv)
        if kind in DOUBLES:
            x, y = self.number(node.left), self.number(node.right)
            if kind == "whole":
                x, y = self.exact_only(x), self.exact_only(y)
            rest, zero = b.call(self.module.external("fmod", 2), [x, y]), DOUBLE(0.0)
            other_side = b.fcmp_ordered("<", b.fmul(rest, y), zero)
            rest = b.select(other_side, b.fadd(rest, y), rest)
            whole = b.fadd(b.fdiv(b.fsub(x, rest), y), DOUBLE(0.5))
            return b.call(self.module.external("floor", 1), [whole]) if quotient else rest
        y = INT(whole_number(node.right))  # written out: a division by zero would end the process
        if y.constant <= 0:
            raise self.refuse(node)
        x = self.integer(node.left)
        rest = b.srem(x, y)
        rest = b.select(b.icmp_signed("<", rest, INT(0)), b.add(rest, y), rest)
        return b.sdiv(b.sub(x, rest), y) if quotient else rest

    def size(self, x: Any) -> Any:
        """|x| of a double."""
        return self.builder.call(self.module.external("fabs", 1), [x])

    def exact_only(self, x: Any) -> Any:
        """A whole number, NaN where it may have been rounded."""
        b = self.builder
        return b.select(b.fcmp_ordered("<=", self.size(x), DOUBLE(float(LARGEST_INTEGER))), x, DOUBLE(math.nan))

    def whole_sum(self, node: ast.BinOp) -> Any:
        """+ and - of whole numbers: NaN where large ones cancel, of which only the rounding would be left."""
        b = self.builder
        x, y = self.number(node.left), self.number(node.right)
        total = b.fadd(x, y) if isinstance(node.op, ast.Add) else b.fsub(x, y)
        larger = b.select(b.fcmp_ordered(">", self.size(x), self.size(y)), self.size(x), self.size(y))
        exact = b.fcmp_ordered("<=", larger, DOUBLE(float(LARGEST_INTEGER)))
        lasts = b.fcmp_ordered(">=", self.size(total), b.fmul(DOUBLE(0.5), larger))
        return b.select(b.or_(exact, lasts), total, DOUBLE(math.nan))

    def comparison(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> Any:
        """A chain of comparisons; each operand is evaluated once."""
        b = self.builder
        for operand in (left, *others):
            exact = written_out(operand)
            if exact is not None and int(float(exact)) != exact:
                raise CannotCompile(f"`{ast.unparse(operand)}` is beyond 2^53 and compared: write it as a float")
        kind, value = self.value(left)
        total = None
        for op, other in zip(ops, others, strict=True):
            next_kind, next_value = self.value(other)
            sign = COMPARE[type(op)]
            if kind in DOUBLES or next_kind in DOUBLES:
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
        place = self.place(FLAG)
        self.builder.store(self.flag(values[0]), place)
        for later in values[1:]:
            now = self.builder.load(place)
            with self.builder.if_then(now if is_and else self.builder.not_(now)):
                self.builder.store(self.flag(later), place)
        return self.builder.load(place)

    def choice(self, test: ast.expr, body: ast.expr, other: ast.expr) -> tuple[Type, Any]:
        kind = joined(self.kind(body), self.kind(other))
        place = self.place(llvm_type(kind))
        with self.builder.if_else(self.flag(test)) as (then, otherwise):
            for branch, node in ((then, body), (otherwise, other)):
                with branch:
                    own, value = self.value(node)
                    self.builder.store(self.converted(own, value, kind), place)
        return kind, self.builder.load(place)

    def call(self, node: ast.Call) -> tuple[Type, Any]:
        record = record_over(node)
        if record is not None:
            return record, self.begin(node.args[0])
        b, name = self.builder, called(node)
        if name.startswith("math."):
            short = name.removeprefix("math.")
            if MATH.get(short) != len(node.args):
                raise self.refuse(node)
            return "number", b.call(self.module.external(short, MATH[short]), [self.number(a) for a in node.args])
        if name in ("min", "max"):
            return self.extreme(name, node.args)
        if name in ("int", "float", "abs"):
            return {"int": self.call_int, "float": self.call_float, "abs": self.call_abs}[name](node.args[0])
        if name == "len":
            kind, v = self.value(node.args[0])
            if kind != "list":
                raise self.refuse(node)
            return "integer", b.extract_value(v, 1)
        if name == "view":
            start = b.gep(self.begin(node.args[0]), [self.integer(node.args[1])])
            whole = len(node.args) == 2
            return ("pointer", start) if whole else ("list", self.list_value(start, self.integer(node.args[2])))
        if name == "local_numbers":
            count = written_out(node.args[0])
            if not isinstance(count, int):
                raise self.refuse(node)
            return "pointer", b.bitcast(self.place(ir.ArrayType(DOUBLE, count)), POINTER)
        if name == "numbers_at":
            return "pointer", b.inttoptr(self.integer(node.args[0]), POINTER)
        if name in ("call_function", "call_value"):
            return "number", self.call_address(node.args)
        return self.call_own(name, node.args)

    def call_int(self, node: ast.expr) -> tuple[Type, Any]:
        b = self.builder
        kind, v = self.value(node)
        if self.module.unbounded:
            whole = b.call(self.module.external("trunc", 1), [v]) if kind == "number" else v
            return "whole", as_number(b, kind, whole)
        return "integer", b.fptosi(v, INT) if kind == "number" else self.converted(kind, v, "integer")

    def call_float(self, node: ast.expr) -> tuple[Type, Any]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return "number", DOUBLE(float(node.value))
        return "number", self.number(node)

    def call_abs(self, node: ast.expr) -> tuple[Type, Any]:
        b, kind = self.builder, self.kind(node)
        if kind in DOUBLES:
            return kind, self.size(self.number(node))
        v = self.integer(node)
        return "integer", b.select(b.icmp_signed("<", v, INT(0)), b.neg(v), v)

    def begin(self, node: ast.expr) -> Any:
        """Where a list begins."""
        kind, v = self.value(node)
        if kind not in ("list", "pointer"):
            raise self.refuse(node)
        return v if kind == "pointer" else self.builder.extract_value(v, 0)

    def extreme(self, name: str, args: list[ast.expr]) -> tuple[Type, Any]:
        kind = self.kind(ast.Call(ast.Name(name), args, []))
        best = self.converted(*self.value(args[0]), kind)
        for other in args[1:]:
            rival = self.converted(*self.value(other), kind)
            sign = "<" if name == "min" else ">"
            compare = self.builder.fcmp_ordered if kind in DOUBLES else self.builder.icmp_signed
            best = self.builder.select(compare(sign, rival, best), rival, best)
        return kind, best

    def call_address(self, args: list[ast.expr]) -> Any:
        """A compiled function behind an address: numbers are passed as they are, lists as pointers."""
        b = self.builder
        address, *rest = (self.value(a) for a in args)
        rest = [("pointer", b.extract_value(v, 0)) if k == "list" else (k, v) for k, v in rest]
        passed = [v if is_address(k) else self.converted(k, v, "number") for k, v in rest]
        kinds = [POINTER if is_address(k) else DOUBLE for k, _ in rest]
        pointer = ir.FunctionType(DOUBLE, kinds).as_pointer()
        return b.call(b.inttoptr(self.converted(*address, "integer"), pointer), passed)

    def call_own(self, name: str, args: list[ast.expr]) -> tuple[Type, Any]:
        pairs = [self.value(a) for a in args]
        function, result = self.module.function(name, tuple(k for k, _ in pairs))
        passed: list[Any] = []
        for kind, v in pairs:
            passed += [self.builder.extract_value(v, i) for i in (0, 1)] if kind == "list" else [v]
        return result, self.builder.call(function, passed)
