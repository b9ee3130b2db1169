"""Forward differentiation of plain functions, statement by statement.

Each variable ``x`` gets a companion ``x_d``. The result is the exact derivative of the branch that is taken.
"""

from __future__ import annotations

import ast
from typing import Any

from slipstick.laws.plain_function import PlainFunction, indent_lines, operator_sign
from slipstick.laws.source_parsing import annotation, parse_function

# derivative of a math function, from its argument {x} and its value {y}
DERIVATIVE_RULES = {
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


DualParts = tuple[str, str] | list["DualParts"]  # sources of a value and its derivative, of a tuple those of its parts


class DifferentiatedFunction(PlainFunction):
    """Translates one function together with its derivative."""

    def __init__(self, *given: Any, **how: Any) -> None:
        super().__init__(*given, **how)
        self.tuples: dict[str, int] = {}  # variables that are tuples, and their lengths

    def add_tuple(self, name: str, count: int) -> None:
        self.tuples[name] = count

    def loop_head(self, name: str) -> list[str]:
        return [f"{name}_d = 0.0"]

    def assign(self, target: ast.expr, value: ast.expr) -> list[str]:
        lines: list[str] = []
        parts = self.parts(value, lines)
        if isinstance(target, ast.Tuple):
            return lines + self.assign_parts(target, self.put_aside(parts, lines))
        return lines + self.assign_parts(target, parts)

    def parts(self, value: ast.expr, lines: list[str]) -> DualParts:
        """Value and derivative of an expression; a list of them for a tuple."""
        match value:
            case ast.Name(id=name) if name and name == self.memory:
                return [(f"{name}[{i}]", f"{name}_d[{i}]") for i in range(len(self.places))]
            case ast.Name(id=name) if name in self.tuples:
                return [(f"{name}[{i}]", f"{name}_d[{i}]") for i in range(self.tuples[name])]
            case ast.Tuple(elts=elements):
                return [self.parts(element, lines) for element in elements]
            case ast.Call(keywords=[]) if (count := self.gives(value)) > 1:
                names = [self.temporary() for _ in range(count)]
                call = self.call_helper(value, lines)
                lines.append(f"{', '.join(f'{v}, {v}d' for v in names)} = {call}")
                return [(v, f"{v}d") for v in names]
        return self.dual(value, lines)

    def gives(self, node: ast.Call) -> int:
        """Number of values that a called function returns."""
        kind, function = self.callee(node)
        if kind not in ("helper", "method"):
            return 1
        returned = [n.value for n in ast.walk(parse_function(function)) if isinstance(n, ast.Return)]
        return max((len(value.elts) for value in returned if isinstance(value, ast.Tuple)), default=1)

    def assign_parts(self, target: ast.expr, parts: DualParts) -> list[str]:
        match target:
            case ast.Tuple(elts=elements):
                if isinstance(parts, tuple) or len(parts) != len(elements):
                    count = 1 if isinstance(parts, tuple) else len(parts)
                    raise self.refuse(target, f"needs {len(elements)} values, got {count}")
                each = (self.assign_parts(one, own) for one, own in zip(elements, parts, strict=True))
                return [line for lines in each for line in lines]
            case ast.Name(id=name) if isinstance(parts, list):
                if any(isinstance(part, list) for part in parts):
                    raise self.refuse(target, "holds a tuple within a tuple: give its parts names of their own")
                self.tuples[name] = len(parts)
                values, slopes = ("".join(f"{part[i]}, " for part in parts) for i in (0, 1))
                return [f"{name} = ({values})", f"{name}_d = ({slopes})"]
            case ast.Name(id=name):
                return [f"{name} = {parts[0]}", f"{name}_d = {parts[1]}"]
            case ast.Subscript(value=ast.Name(id=name), slice=index) if name in self.active_lists:
                at = self.plain(index)
                return [f"{name}[{at}] = {parts[0]}", f"{name}_d[{at}] = {parts[1]}"]
        raise self.refuse(target)

    def put_aside(self, parts: DualParts, lines: list[str]) -> DualParts:
        """Copies of values, taken before any target changes: a, b = b, a."""
        if isinstance(parts, list):
            return [self.put_aside(part, lines) for part in parts]
        a, b = self.temporary(), self.temporary()
        lines += [f"{a} = {parts[0]}", f"{b} = {parts[1]}"]
        return a, b

    def give_back(self, value: ast.expr) -> list[str]:
        lines: list[str] = []
        if self.memory:
            force, memory = self.force_and_memory(value)
            each = [self.dual(own, lines) for own in self.each_force(force)] if self.directions else []
            v, d = each[0] if each else self.dual(force, lines)
            kept = [(i, *self.dual(e, lines)) for i, e in memory]
            lines += [f"m_[{i}] = {x}" for i, x, _ in kept]
            lines += [f"md_[{i}] = {x}" for i, _, x in kept]
            for k, (own, slope) in enumerate(each, self.force_place):
                lines += [f"m_[{k}] = {own}", f"md_[{k}] = {slope}"]
            return [*lines, f"fd_[0] = {d}", f"return {v}"]
        if isinstance(value, ast.Tuple):
            pairs = [self.dual(element, lines) for element in value.elts]
            return [*lines, "return " + ", ".join(f"{v}, {d}" for v, d in pairs)]
        v, d = self.dual(value, lines)
        return [*lines, f"fd_[0] = {d}", f"return {v}"] if self.in_place else [*lines, f"return {v}, {d}"]

    # ---- expressions

    def dual(self, node: ast.expr, lines: list[str]) -> tuple[str, str]:
        """Emit statements for an expression; return the names of its value and its derivative."""
        match node:
            case ast.Name(id=name) if name and name == self.memory:
                raise self.refuse(node, "is the memory as a whole: take its parts, memory[0] or a, b = memory")
            case ast.Name(id=name) if name in self.tuples:
                raise self.refuse(node, f"is a tuple: take its parts, {name}[0] or a, b = {name}")
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
                if name == self.memory or name in self.active_lists or name in self.tuples:
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
        value = f"{a} {operator_sign(op)} {b}"
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
                # at base zero the power rule is 0 * inf: only exponent one has a nonzero derivative there
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
            lines += [head, *indent_lines([*inner, f"{v} = {value}", f"{v}d = {derivative}"])]
        return v, f"{v}d"

    def dual_call(self, node: ast.Call, lines: list[str]) -> tuple[str, str]:
        kind, name = self.callee(node)
        if kind == "function":
            pairs = [self.dual(a, lines) for a in node.args[:4]]
            together = ", ".join([f"{v}, {d}" for v, d in pairs] + [self.plain(a) for a in node.args[4:]])
            v, called = self.temporary(), "function_with_derivative" + "_of" * (len(node.args) > 4)
            lines.append(f"{v}, {v}d = {called}(int(self_{name}), {together})")
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
        if short not in DERIVATIVE_RULES or len(pairs) != 1:
            raise self.refuse(node, "has no derivative here; write it with exp, log, sqrt, sin, cos, tanh ...")
        v, _ = self.keep(lines, f"{name}({x})", "0.0")
        return (v, "0.0") if dx == "0.0" else (v, f"({DERIVATIVE_RULES[short].format(x=x, y=v)}) * {dx}")

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
        tree = parse_function(function)
        formal = tree.args.args[1:] if kind == "method" else tree.args.args
        if len(formal) != len(node.args):
            raise self.refuse(node, f"must be called with {len(formal)} arguments")
        arguments = ["p_"] if kind == "method" else []
        for a, actual in zip(formal, node.args, strict=True):
            match annotation(a):
                case "Sequence[float]":
                    arguments.append(self.plain(actual))
                case "Buffer":
                    arguments += [self.plain(actual), f"{self.plain(actual)}_d"]
                case _:
                    arguments += list(self.dual(actual, lines))
        return f"{self.module.helper(function, True, is_method=kind == 'method')}({', '.join(arguments)})"
