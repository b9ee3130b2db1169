"""Deflections as text: ``u1 - u2``, ``delta - 2*gamma``, ``(x - y)/3``.

A parser of its own for numbers, names, + - * / and brackets. Nothing is evaluated as Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any

from slipstick.errors import InvalidInput, short_repr
from slipstick.model.files.file_problems import describe_value
from slipstick.model.linear_forms import Form
from slipstick.name_hints import name_hint

MAX_BRACKET_DEPTH = 50  # brackets within brackets

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<op>\*\*|[-+*/()]))", re.ASCII
)


def parse_form(value: Any, known: Collection[str]) -> Form:
    """A linear form of the known coordinates; raises InvalidInput that says what is wrong with the text."""
    if not isinstance(value, str):
        raise InvalidInput(f"must be a sum of coordinates such as x - 2*y, got {describe_value(value)}")
    result = _FormParser(value.strip(), known).form()
    if isinstance(result, float):
        raise InvalidInput(f"must have a coordinate in it, such as x - 2*y, got {short_repr(value)}")
    if not result.terms:
        raise InvalidInput(f"{short_repr(value)} is always 0: its coordinates cancel; check the signs")
    if not all(math.isfinite(factor) for factor in result.terms.values()):
        raise InvalidInput(f"{short_repr(value)} has a factor that is too large for a number")
    return result


def format_form(form: Form) -> str:
    """A form as text that reads back exactly."""
    text = ""
    for name, factor in form.terms.items():
        size = abs(factor)
        piece = name if size == 1.0 else f"{size!r}*{name}"
        sign = "-" if factor < 0 else "+"
        text += f" {sign} {piece}" if text else ("-" if factor < 0 else "") + piece
    return text


class _FormParser:
    """sum: term {(+|-) term};  term: factor {(*|/) factor};  factor: [+|-] factor | number | name | "(" sum ")"."""

    def __init__(self, text: str, known: Collection[str]) -> None:
        self.text, self.known = text, known
        self.tokens = self._tokens()
        self.at = self.depth = 0

    def _tokens(self) -> list[tuple[str, str]]:
        found, position = [], 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                sign = self.text[position:].strip()[:1]
                raise self._wrong(f"{short_repr(sign)} has no meaning there; use coordinates, numbers, + - * / ( )")
            kind = match.lastgroup or ""
            found.append((kind, match.group(kind)))
            position = match.end()
        return found

    def form(self) -> Form | float:
        if not self.tokens:
            raise InvalidInput("is empty; give a sum of coordinates such as x - 2*y")
        result = self._sum()
        if self.at < len(self.tokens):
            raise self._unexpected()
        return result

    def _next(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def _sum(self) -> Form | float:
        result = self._term()
        while self._next() in ("+", "-"):
            minus = self._next() == "-"
            self.at += 1
            other = self._term()
            result = self._added(result, -other if minus else other)
        return result

    def _added(self, a: Form | float, b: Form | float) -> Form | float:
        if isinstance(a, float) and isinstance(b, float):
            return a + b
        if isinstance(a, Form) and isinstance(b, Form):
            return a + b
        form, number = (a, b) if isinstance(a, Form) else (b, a)
        if number != 0.0:
            raise self._wrong(f"the constant {number:g} is added to a coordinate; an offset belongs in the law")
        return form

    def _term(self) -> Form | float:
        result = self._factor()
        while self._next() in ("*", "/"):
            divide = self._next() == "/"
            self.at += 1
            other = self._factor()
            result = self._divided(result, other) if divide else self._multiplied(result, other)
        return result

    def _multiplied(self, a: Form | float, b: Form | float) -> Form | float:
        if isinstance(a, Form) and isinstance(b, Form):
            raise self._wrong(f"coordinates are multiplied ({a} times {b}); a deflection is linear, use numbers")
        return self._finite(a * b)

    def _divided(self, a: Form | float, b: Form | float) -> Form | float:
        if isinstance(b, Form):
            raise self._wrong(f"a number is divided by a coordinate ({b}); a deflection is linear")
        if b == 0.0:
            raise self._wrong("it divides by 0")
        return self._finite(a / b)

    def _finite(self, value: Form | float) -> Form | float:
        numbers = value.terms.values() if isinstance(value, Form) else (value,)
        if not all(math.isfinite(number) for number in numbers):
            raise self._wrong("a factor is too large for a number")
        return value

    def _factor(self) -> Form | float:
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")
        self.at += 1
        if kind == "number":
            if self._kind() == "name":
                raise self._wrong(f'write * between {text} and "{self._next()}"; factors have no units')
            return self._finite(float(text))
        if kind == "name":
            return self._coordinate(text)
        if text in ("+", "-", "("):
            return self._inner(text)
        self.at -= 1
        raise self._unexpected()

    def _inner(self, opening: str) -> Form | float:
        """What follows a sign or an opening bracket."""
        self.depth += 1
        if self.depth > MAX_BRACKET_DEPTH:
            raise InvalidInput(
                f"more than {MAX_BRACKET_DEPTH} signs and brackets are nested; multiply the deflection out"
            )
        result = self._sum() if opening == "(" else self._factor()
        self.depth -= 1
        if opening == "(":
            if self._next() != ")":
                raise self._wrong("a closing bracket is missing")
            self.at += 1
        return -result if opening == "-" else result

    def _coordinate(self, name: str) -> Form:
        if name not in self.known:
            raise InvalidInput(f'no coordinate "{name[:60]}"{name_hint(name, self.known)}')
        return Form({name: 1.0})

    def _unexpected(self) -> InvalidInput:
        if self.at >= len(self.tokens):
            return self._wrong("it ends too early")
        text = self._next()
        if text == "**":
            return self._wrong("it contains a power; a deflection is linear")
        return self._wrong(f'"{text}" is where + - * / or the end was expected')

    def _wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f"{short_repr(self.text)} cannot be read: {what}")
