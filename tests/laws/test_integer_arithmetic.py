"""Laws compiled from Python's integers, tuples and constants do what Python does, or are refused in a line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slipstick as ss
from slipstick.native import CannotCompile, compile_text

E, NM = 210_000_000_000, 1_000_000_000
FACTOR = 3.0


def pair(x: float) -> tuple[float, float]:
    return x * 2, x - 1


def recursive(x: float) -> float:
    return x if x < 0.1 else recursive(x / 2)


class Overflow(ss.Law):
    k: float = 1.0

    def update(self, u, v, memory):
        n = 3
        return self.k * u * (E * NM) / 1e20 + n * E * NM * n / 1e22, memory


class Powers(ss.Law):
    """Whole numbers that grow along a loop, beyond 64 bits."""

    k: float = 1.0

    def update(self, u, v, memory):
        n = 1
        m = 1
        for i in range(1, 40):
            n = n * 7
            m = m + m + i
        return self.k * u * n / 7**39 + m / 2**40, memory


class Nested(ss.Law):
    k: float = 1.0

    def update(self, u, v, memory):
        a, (b, c) = u, (u * 2, u * u)
        (a, b), c = (b, a), c
        return a + b * b + c, memory


class Pair(ss.Law):
    k: float = 1.0

    def update(self, u, v, memory):
        p = pair(u * u)
        q = p
        a, b = q
        return p[0] * p[1] + a - b, memory


class Infinite(ss.Law):
    k: float = 1.0

    def update(self, u, v, memory):
        return min(1e400, abs(u)), memory


class Constant(ss.Law):
    k: float = 1.0
    own = 2.0

    def update(self, u, v, memory):
        return FACTOR * u * self.own, memory


@pytest.mark.parametrize(
    "law", [Overflow(), Powers(), Nested(), Pair(), Infinite()], ids=lambda law: type(law).__name__
)
def test_value_and_tangent_are_those_of_python(law: ss.Law) -> None:
    for u in (-0.7, 0.3, 1.0, 2.5):
        plain = law.update(u, 0.0, ())[0]
        assert law.trace([u])[0] == pytest.approx(plain, rel=1e-14)
        h = 1e-6
        slope = (law.update(u + h, 0.0, ())[0] - law.update(u - h, 0.0, ())[0]) / (2.0 * h)
        found = law.tangent(u, 0.0, ())
        assert found[:2] == (pytest.approx(plain, rel=1e-14), pytest.approx(slope, rel=1e-7))


def test_every_method_takes_them() -> None:
    for law in (Nested(), Pair(), Overflow()):
        m = ss.Model("a")
        m.connect(m.coordinate("x", inertia=1.0, displacement=0.5), law, name="law")
        ends = [
            m.simulate(until=0.2, method=method).data.displacement.values[-1, 0] for method in ("events", "newmark")
        ]
        assert ends[0] == pytest.approx(ends[1], rel=1e-3)


def test_a_changed_constant_is_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    law = Constant()
    assert law.trace([1.0])[0] == 6.0
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert law.trace([1.0])[0] == 10.0
    assert law.tangent(1.0, 0.0, ())[:2] == (10.0, 10.0)
    monkeypatch.setattr(Constant, "own", 4.0)
    assert law.trace([1.0])[0] == 20.0


class Recursive(ss.Law):
    k: float = 1.0

    def update(self, u, v, memory):
        return recursive(abs(u)), memory


class TooFew(ss.Law):
    k: float = 1.0

    def update(self, u, v, memory):
        a, b = u, u, u
        return a + b, memory


class Digits(ss.Law):
    k: float = 1.0

    def update(self, u, v, memory):
        return u * 10**400 / 10**400, memory


@pytest.mark.parametrize(
    ("law", "words"),
    [(Recursive(), "recursive calls itself"), (TooFew(), "3 values|needs 2"), (Digits(), "401 digits|larger than")],
    ids=lambda x: type(x).__name__,
)
@pytest.mark.parametrize("method", ["auto", "newmark"])
def test_what_cannot_be_compiled_is_refused_in_a_line(law: ss.Law, words: str, method: str) -> None:
    m = ss.Model("a")
    m.connect(m.coordinate("x", inertia=1.0, displacement=0.5), law, name="law")
    with pytest.raises(ss.SlipstickError, match=words) as refusal:
        m.simulate(until=0.1, method=method)
    assert "\n" not in str(refusal.value)
    assert "in Python" not in str(refusal.value) or "only trace() runs it in Python" in str(refusal.value)


def test_a_comparison_that_rounding_would_decide_is_refused() -> None:
    text = "def f(x):\n    return 1.0 if 9007199254740993 == 9007199254740992 else 0.0\n"
    with pytest.raises(CannotCompile, match=r"beyond 2\^53 and compared"):
        compile_text(text, "f", ("number",), unbounded=True)
    text = "def f(x):\n    return 1.0 if x < 10**15 < 2**60 else 0.0\n"
    assert compile_text(text, "f", ("number",), unbounded=True).call(9e14) == 1.0


def test_recursion_is_traced_in_python(caplog: pytest.LogCaptureFixture) -> None:
    assert Recursive().trace([0.5])[0] == 0.0625
    assert "calls itself; tracing it uncompiled, slowly" in caplog.text


# ---- arithmetic of whole numbers, written out and computed

numbers = st.one_of(st.integers(-20, 20), st.integers(-(2**53), 2**53), st.integers(-(10**25), 10**25), st.just(0))
operators = st.sampled_from(["+", "-", "*", "//", "%"])
words = st.recursive(
    st.one_of(numbers.map(lambda n: f"({n})"), st.sampled_from(["a", "b", "int(x)"])),
    lambda inner: st.one_of(
        st.tuples(inner, operators, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda t: f"(-{t})"),
        st.tuples(inner, st.integers(0, 5)).map(lambda t: f"({t[0]} ** {t[1]})"),
        inner.map(lambda t: f"abs({t})"),
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(words=words, a=numbers, b=numbers, x=st.floats(-1e18, 1e18))
def test_integer_arithmetic_is_that_of_python_or_no_number(words: str, a: int, b: int, x: float) -> None:
    try:
        plain: Any = float(eval(words, {"a": a, "b": b, "x": x, "int": int, "abs": abs}))
    except (ArithmeticError, ValueError):
        plain = math.nan
    text = f"def f(x):\n    a = {a}\n    b = {b}\n    return float({words})\n"
    try:
        found = compile_text(text, "f", ("number",), unbounded=True).call(x)
    except CannotCompile:
        return
    if math.isfinite(found) and not math.isnan(plain):
        assert found == pytest.approx(plain, rel=1e-13)
    elif math.isfinite(found):
        raise AssertionError(f"{words} has no value in Python and is {found} compiled")


@pytest.mark.parametrize(
    "words", ["a * b", "a + b", "a // 7", "a % 7", "-a // 7", "-a % b", "a % -b", "2 ** 10 % a", "a // b"]
)
def test_small_integers_always_have_a_value(words: str) -> None:
    for a, b in ((13, 5), (2**40, 3), (-17, 4), (6, 6), (1, 2**50)):
        text = f"def f(x):\n    a = {a}\n    b = {b}\n    return float({words})\n"
        found = compile_text(text, "f", ("number",), unbounded=True).call(0.0)
        assert found == float(eval(words, {"a": a, "b": b}))


class Indexed(ss.Law):
    table: tuple[float, ...] = ss.parameter((1, 0, 0), kind="numbers")

    def update(self, u, v, memory):
        total = 0.0
        k = 1
        for i in range(2):
            j = 2 * i + k
            total += self.table[j] * u
        return total + self.table[int(3.7) - 1], memory


def test_a_whole_number_may_be_an_index() -> None:
    np.testing.assert_allclose(Indexed(table=(1.0, 2.0, 3.0, 4.0)).trace([1.0, 2.0]), [9.0, 15.0])
