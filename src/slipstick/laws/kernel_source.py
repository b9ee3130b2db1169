"""Source code of kernels, from a law's `update`: the force, and its derivative in one direction.

The source of the method is parsed; ``self.name`` becomes a packed parameter, the memory a packed array, and every plain
function that it calls is translated as well.

Understood: arithmetic, comparisons, if, while, for over range, conditional expressions, tuples,
min, max, abs, int, float, len, functions of `math`, plain functions with annotated arguments
(``Sequence[float]``: a list that is not differentiated; ``Buffer``: an array that is), and
methods of the law. Anything else is refused with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, NamedTuple

from slipstick.laws.forward_differentiation import DifferentiatedFunction
from slipstick.laws.parameters import spec_of
from slipstick.laws.plain_function import PlainFunction, indent_text, number_literal
from slipstick.laws.source_parsing import CannotTranslate, annotation, derivative_rules, parse_function

Reads = dict[Callable[[], Any], Any]  # functions that look up numbers outside a source, and the numbers they found


class KernelSource(NamedTuple):
    """A module to compile.   entry : its kernel.   reads : numbers from outside that are constants in it."""

    text: str
    entry: str
    reads: Reads


def value_source(law: type) -> KernelSource:
    """The kernel ``value(p_, u, v, m_)``: the force; the memory is updated in place."""
    module = KernelModule(law)
    return KernelSource(module.kernel(derivative=False), "value", module.reads)


def tangent_source(law: type) -> KernelSource:
    """The kernel ``tangent(p_, u, v, m_, u_d, v_d, md_, fd_)``: the force, and its derivative in fd_[0]."""
    module = KernelModule(law)
    return KernelSource(module.kernel(derivative=True), "tangent", module.reads)


def method_source(law: type, name: str, numbers: int) -> KernelSource:
    """The kernel ``name(p_, x0, x1, ..., m_)`` of a method of numbers and the memory."""
    module = KernelModule(law)
    return KernelSource(module.method(name, numbers), name, module.reads)


def term_source(law: Any) -> KernelSource:
    """The kernel ``(p_, k, room, u, v, w)`` of a law's recurrence for Taylor coefficients."""
    module = KernelModule(law)
    name = module.helper(law.taylor_term, False, is_method=True)
    return KernelSource("\n\n".join(module.texts) + "\n", name, module.reads)


def function_source(function: Any, singles: int | None, listed: bool) -> KernelSource:
    """The kernel ``(u, s, u_m, f_m, numbers)`` of an envelope; see `function_address`."""
    module = KernelModule(None)
    further = "".join(f", numbers[{i + 1}]" for i in range(singles or 0))
    if listed:
        further += f", view(numbers, {(singles or 0) + 1}, int(numbers[0]) - {singles})"
    own = module.helper(function, False)
    given = "u, s, u_m, f_m" + ", numbers" * (singles is not None)
    entry = f"def envelope({given}):\n    return {own}(u, s, u_m, f_m{further})"
    return KernelSource("\n\n".join([*module.texts, entry]) + "\n", "envelope", module.reads)


def packed_names(law: type) -> tuple[list[str], list[str]]:
    """The numbers and the lists of numbers that a kernel of this law reads, in their packed order."""
    kinds = [(f.name, spec_of(f).kind) for f in fields(law)]
    scalars = [name for name, kind in kinds if kind in ("number", "number-or-periodic", "function")]
    lists = [name for name, kind in kinds if kind in ("numbers", "pair")]
    return [*scalars, *law.derived], [*lists, *law.derived_lists]  # type: ignore[attr-defined]


def packed_memory_places(law: Any) -> list[tuple[int | None, float]]:
    """Index of each number of a law's memory in the packed one; None and the value for a number that is held."""
    packed = iter(range(len(law.remembers)))
    return [
        (None, law._held[i]) if i in law._held else (next(packed), 0.0)
        for i in range(len(law.remembers) + len(law._held))
    ]


def tuple_of(parts: Iterable[str]) -> str:
    """The source of a tuple, of any length."""
    return f"({''.join(f'{part}, ' for part in parts)})"


def deflections_behind_memory(body: PlainFunction, names: tuple[str, str], derivative: bool) -> list[str]:
    """The lines that read tuples of deflections and rates from behind the memory, see `slipstick.laws.directions`."""
    count, begin, lines = body.directions, body.behind_memory, []
    for k, name in enumerate(names):
        places = range(begin + k * count, begin + (k + 1) * count)
        lines.append(f"{name} = {tuple_of(f'm_[{i}]' for i in places)}")
        if derivative:
            lines.append(f"{name}_d = {tuple_of(f'md_[{i}]' for i in places)}")
        body.add_tuple(name, count)
    return lines


class KernelModule:
    """The functions that one kernel needs; law : its class, None for a function alone."""

    def __init__(self, law: Any) -> None:
        self.law = law
        self.scalars, self.lists = packed_names(law) if law else ([], [])
        self.functions = {f.name for f in fields(law) if spec_of(f).kind == "function"} if law else set()
        self.done: dict[tuple[Any, bool], str] = {}
        self.texts: list[str] = []
        self.reads: Reads = {}

    def kernel(self, derivative: bool) -> str:
        """The law's compiled method, and all it calls, as the text of a module."""
        method = getattr(self.law, self.law.compiled)
        tree = parse_function(method)
        if len(tree.args.args) != 4 or tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs:
            raise CannotTranslate(f"{method.__qualname__} must take (self, u, v, memory) to be compiled")
        _, u, v, memory = (a.arg for a in tree.args.args)
        in_place = annotation(tree.args.args[3]) == "Buffer"
        body = (DifferentiatedFunction if derivative else PlainFunction)(self, method, tree, is_method=True)
        places = packed_memory_places(self.law)
        several = len(self.law.directions)
        body.directions, body.behind_memory = several, len(self.law.remembers)
        if in_place:
            head = [f"{memory} = m_"] + ([f"{memory}_d = md_"] if derivative else [])
            body.in_place = True
            body.active_lists.add(memory)
        else:
            body.memory, body.places = memory, places
            head = [f"{memory} = {tuple_of(number_literal(x) if i is None else f'm_[{i}]' for i, x in places)}"]
            if derivative:
                head.append(f"{memory}_d = {tuple_of('0.0' if i is None else f'md_[{i}]' for i, _ in places)}")
        if several:
            head += deflections_behind_memory(body, (u, v), derivative)
            u, v = "u_", "v_"
        lines = body.prologue() + head + body.statements(tree.body)
        arguments = f"p_, {u}, {v}, m_, {u}_d, {v}_d, md_, fd_" if derivative else f"p_, {u}, {v}, m_"
        kernel = f"def {'tangent' if derivative else 'value'}({arguments}):\n" + indent_text(lines)
        extra = [function_with_derivative(n) for n in ("", ", numbers")] if self.functions and derivative else []
        return "\n\n".join([*extra, *self.texts, kernel]) + "\n"

    def method(self, name: str, numbers: int) -> str:
        """A method, and all it calls, as the text of a module; see `method_source`."""
        function = getattr(self.law, name)
        size = len(self.law.remembers)
        given = len(parse_function(function).args.args) - 1
        memory = "m_" if self.law.has_stack else tuple_of(f"m_[{i}]" for i in range(size))
        own = [f"x{i}" for i in range(numbers)]
        passed = ["p_", *own, *([memory] if given > numbers else [])]
        call = f"{self.helper(function, False, is_method=True)}({', '.join(passed)})"
        if name in ("settled", "turned"):
            lines = [f"new = {call}", *(f"m_[{i}] = new[{i}]" for i in range(size)), "return 0.0"]
        else:
            lines = [f"return {call}"]
        kernel = f"def {name}({', '.join(['p_', *own, 'm_'])}):\n" + indent_text(lines)
        return "\n\n".join([*self.texts, kernel]) + "\n"

    def helper(self, function: Any, derivative: bool, is_method: bool = False) -> str:
        """The name of a called function in this module; the function is added on first use."""
        key = (function, derivative)
        if key not in self.done:
            self.done[key] = f"{function.__name__}{'_d' if derivative else ''}_{len(self.done)}"
            rule = derivative_rules.get(function) if derivative else None
            text = self.function_text(self.done[key], rule or function, derivative and not rule, is_method)
            self.texts.append(text)
        return self.done[key]

    def function_text(self, name: str, function: Any, derivative: bool, is_method: bool) -> str:
        """The text of a function; with derivative, each argument is followed by its derivative."""
        tree = parse_function(function)
        body = (DifferentiatedFunction if derivative else PlainFunction)(self, function, tree, is_method)
        arguments = ["p_"] if is_method else []
        for a in tree.args.args[1:] if is_method else tree.args.args:
            arguments.append(a.arg)
            kind = annotation(a)
            if derivative and kind == "Buffer":
                body.active_lists.add(a.arg)
            if derivative and kind != "Sequence[float]":
                arguments.append(f"{a.arg}_d")
        lines = (body.prologue() if is_method else []) + body.statements(tree.body)
        return f"def {name}({', '.join(arguments)}):\n" + indent_text(lines)


def function_with_derivative(further: str) -> str:
    """The text of a call by address with its derivative, by central differences.

    further : ", numbers" if the function also takes a list.
    """
    call = f"call_function(address, {{}}, s, {{}}, {{}}{further})".format
    return f"""
def function_with_derivative{"_of" * bool(further)}(address, u, u_d, s, s_d, u_m, u_md, f_m, f_md{further}):
    value = {call("u", "u_m", "f_m")}
    du = 1e-6 * (abs(u) + abs(u_m)) + 1e-12
    df = 1e-6 * (abs(f_m) + abs(value)) + 1e-12
    slope = 0.0
    if u_d != 0.0:
        slope += u_d * ({call("u + du", "u_m", "f_m")} - {call("u - du", "u_m", "f_m")}) / du
    if u_md != 0.0:
        slope += u_md * ({call("u", "u_m + du", "f_m")} - {call("u", "u_m - du", "f_m")}) / du
    if f_md != 0.0:
        slope += f_md * ({call("u", "u_m", "f_m + df")} - {call("u", "u_m", "f_m - df")}) / df
    return value, 0.5 * slope
"""
