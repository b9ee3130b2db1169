"""What cannot be compiled of a user's law runs in Python, and says so in one line."""

from __future__ import annotations

import functools
import logging
import math
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from laws.user_laws import Hardening, U, V, by_update, rounded

import slipstick as ss
from slipstick.laws.base import Law

# ---- what cannot be compiled runs in Python, and says so in one line


def uncompiled(law: Law, caplog: pytest.LogCaptureFixture, *words: str) -> None:
    caplog.clear()
    found = law.trace(U, rate=V)
    np.testing.assert_array_equal(found, by_update(law))
    (message,) = caplog.messages
    assert message.endswith("tracing it uncompiled, slowly")
    assert "\n" not in message
    for word in words:
        assert word in message


def made_of(text: str) -> Any:
    """A law class whose source nobody has: typed at a prompt."""
    names: dict[str, Any] = {"Law": Law, "math": math, "np": np}
    exec(textwrap.dedent(text), names)
    return next(v for v in names.values() if isinstance(v, type) and issubclass(v, Law) and v is not Law)


def test_a_law_without_source_runs_in_python(caplog: pytest.LogCaptureFixture) -> None:
    law = made_of(
        """
        class Typed(Law):
            stiffness: float
            remembers = ("most",)
            def update(self, u, v, memory):
                most = max(memory[0], abs(u))
                return self.stiffness * u * most, (most,)
        """
    )(stiffness=2.0)
    uncompiled(law, caplog, "the source of Typed.update is not available", "save it in a .py file")
    uncompiled(law + ss.Linear(stiffness=1.0), caplog, "the source of Typed.update is not available")
    with pytest.raises(ss.SlipstickError, match=r"the source of Typed\.update is not available"):
        law.tangent(0.1, 0.0, (0.0,))


def traced(function: Any) -> Any:
    @functools.wraps(function)
    def inner(*arguments: Any) -> Any:
        return 2.0 * function(*arguments)

    return inner


@traced
def decorated(x: float) -> float:
    return x


def recursive(n: float) -> float:
    return 1.0 if n <= 1.0 else n * recursive(n - 1.0)


class Listed(Law):
    """Each method is one thing that the language does not have."""

    k: float = 2.0
    which: float = 0.0

    def update(self, u, v, memory):
        values = [1.0, 2.0]
        return self.k * u * len(values), memory


class WithNumPy(Law):
    k: float = 2.0

    def update(self, u, v, memory):
        return float(np.sin(u)) * self.k, memory


class WithLambda(Law):
    k: float = 2.0

    def update(self, u, v, memory):
        twice = lambda x: 2.0 * x  # noqa: E731
        return twice(u) * self.k, memory


class WithTry(Law):
    k: float = 2.0

    def update(self, u, v, memory):
        try:
            return self.k * u, memory
        except ArithmeticError:
            return 0.0, memory


class WithOr(Law):
    k: float = 2.0

    def update(self, u, v, memory):
        return (self.k or 1.0) * u, memory


class WithRecursion(Law):
    k: float = 4.0

    def update(self, u, v, memory):
        return recursive(self.k) * u, memory


class WithDecorated(Law):
    k: float = 4.0

    def update(self, u, v, memory):
        return decorated(u) * self.k, memory


class WithProperty(Law):
    k: float = 4.0

    @property
    def twice(self):
        return 2.0 * self.k

    def update(self, u, v, memory):
        return self.twice * u, memory


class WithDefaults(Law):
    k: float = 4.0

    def update(self, u, v, memory, extra=1.0):
        return self.k * u * extra, memory


class WithKeyword(Law):
    k: float = 4.0

    def update(self, u, v, memory):
        return rounded(u, width=0.3) * self.k, memory


class WithIndex(Law):
    remembers = ("a", "b")

    def update(self, u, v, memory):
        total = 0.0
        for i in range(2):
            total += memory[i]
        return total + u, (u, total)


class WithUnset(Law):
    k: float = 2.0

    def update(self, u, v, memory):
        if u > -9.0:
            y = self.k
        return y * u, memory


class WithForElse(Law):
    k: float = 2.0

    def update(self, u, v, memory):
        total = 0.0
        for x in (1.0, 2.0):
            total += x * u
        return total, memory


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (Listed(), "Listed.update, line {}: `[1.0, 2.0]` is not understood"),
        (WithNumPy(), "WithNumPy.update, line {}: `np.sin(u)` is not understood"),
        (WithLambda(), "WithLambda.update, line {}: `lambda x: 2.0 * x` is not understood"),
        (WithTry(), "WithTry.update, line {}: `try:` is not understood"),
        (WithOr(), "WithOr.update: `self.k or 1.0` cannot be compiled"),
        (WithRecursion(), "calls itself"),
        (WithDecorated(), "decorated is wrapped by a decorator"),
        (
            WithProperty(),
            "WithProperty.update, line {}: `self.twice` is not a parameter: annotate it, or name a property",
        ),
        (WithDefaults(), "WithDefaults.update must take (self, u, v, memory) to be compiled"),
        (WithKeyword(), "WithKeyword.update, line {}: `rounded(u, width=0.3)` is not understood"),
        (WithIndex(), "WithIndex.update: `i` must be a whole number that is written out"),
        (WithUnset(), "WithUnset.update, line {}: `y` may be unset here"),
        (WithForElse(), "WithForElse.update, line {}: `for x in (1.0, 2.0):` is not understood"),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, Law) else "",
)
def test_what_cannot_be_compiled_runs_in_python_and_names_its_line(
    law: Law, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    uncompiled(law, caplog)
    if "{}" in words:
        source = Path(__file__).read_text().splitlines()
        where = [i + 1 for i, line in enumerate(source) if words.split("`")[1] in line]
        assert any(words.format(line) in caplog.messages[0] for line in where), (caplog.messages, where)
    else:
        assert words in caplog.messages[0]
    with pytest.raises(ss.SlipstickError) as caught:
        law.tangent(0.1, 0.0, law.start(0.0))
    assert "\n" not in str(caught.value)


def test_the_library_itself_prints_nothing(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL, logger="slipstick"):
        Listed().trace(U)
        Hardening(stiffness=1.0).trace(U)
    assert capfd.readouterr() == ("", "")


def test_a_function_of_numpy_gets_the_way_out(caplog: pytest.LogCaptureFixture) -> None:
    uncompiled(WithNumPy(), caplog)
    assert "write min, max and functions of math instead of NumPy" in caplog.messages[0]
