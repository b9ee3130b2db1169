"""The small compiler gives what Python gives, to the bit."""

from __future__ import annotations

import gc
import inspect
import math
import random
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from slipstick.laws.law_kernels import pointer
from slipstick.native import Array, CannotCompile, compile_functions, compile_text


def native(*functions: Callable, entry: str | None = None, arguments: tuple[str, ...]) -> Callable:
    """The last of some plain functions, compiled."""
    text = "\n".join(inspect.getsource(f) for f in functions)
    compiled = compile_text(text, entry or functions[-1].__name__, arguments)

    def call(*values: object) -> float:
        return compiled.call(*(pointer(v) if isinstance(v, np.ndarray) else v for v in values))

    return call


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


# ---- constructs, each as a function that Python runs too


def branches(x, y):
    if x > y:
        z = x - y
    elif x == y:
        z = 7
    else:
        z = y * 2 - x
    return z


def loops(x, y):
    total = 0
    for i in range(10):
        if i == 3:
            continue
        for j in range(5, 0, -2):
            total += x * i - j * y
            if total > 50.0:
                break
        if total < -80.0:
            break
    k = 0
    while k < 20 and total > 1.0:
        total *= 0.5
        k += 1
    return total + k


def logic(x, y):
    a = x < y < 2.0 * x
    b = not a and (x > 0.5 or y > 0.5)
    return (1.0 if a else 0.0) + (10 if b else 20) + (x if a or b else -y)


def several(x, y):
    return x + y, 3, x * y


def calls(x, y):
    a, n, b = several(x, y)
    a, b = b, a
    return a / (n + abs(b)) + max(a, b, 0.1) - min(n, a, y) + float(n)


def integers(x, y):
    n = int(x * 10.0)
    m = int(abs(y) * 10.0) + 1
    return n * m + m // 3 - (n - m) + (n == m) * 5


def powers(x, y):
    return (abs(x) + 0.1) ** y + x**2 + 2.0**-x + (-x) ** 3.0


def functions_of_math(x, y):
    z = math.sqrt(abs(x)) + math.exp(-abs(y)) + math.expm1(x) + math.log(abs(x) + 1.0) + math.log1p(abs(y))
    z += math.sin(x) * math.cos(y) + math.tan(x) + math.tanh(y) + math.sinh(x) + math.cosh(y) + math.atan(x)
    return z + math.atan2(x, y) + math.hypot(x, y) + math.fabs(x) + math.copysign(x, y) + math.pow(abs(x) + 0.1, y)


CONSTRUCTS = [(branches,), (loops,), (logic,), (several, calls), (integers,), (powers,), (functions_of_math,)]


@pytest.mark.parametrize("functions", CONSTRUCTS, ids=lambda f: f[-1].__name__)
def test_compiled_is_python_to_the_bit(functions: tuple[Callable, ...]) -> None:
    compiled = native(*functions, arguments=("number", "number"))
    rng = random.Random(1)
    for _ in range(2000):
        x, y = rng.choice([0.0, 1.0, -1.0, rng.gauss(0, 1), rng.gauss(0, 3)]), rng.gauss(0, 1)
        expected = functions[-1](x, y)
        assert compiled(x, y) == pytest.approx(expected, rel=4e-16, abs=0.0), (x, y)


def expression(rng: random.Random, depth: int) -> str:
    """A random expression in x and y."""
    if depth == 0:
        return rng.choice(["x", "y", "0.5", "2", "1.5", "(-1)"])
    a, b, c = (expression(rng, depth - 1) for _ in range(3))
    return rng.choice([
        f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / (1.0 + abs({b})))", f"min({a}, {b})",
        f"max({a}, {b}, {c})", f"abs({a})",
        f"({a} if {b} < {c} else {b})", f"({a} if {a} <= {b} and {b} != {c} else {c})", f"(-{a})",
        f"({a} if not ({a} > {b} or {b} == {c}) else {b})", f"math.sqrt(abs({a}))", f"math.tanh({a})",
    ])  # fmt: skip


def test_random_expressions_are_python_to_the_bit() -> None:
    rng = random.Random(7)
    for _ in range(150):
        text = f"def f(x, y):\n    z = {expression(rng, 4)}\n    return z + {expression(rng, 2)}\n"
        compiled = compile_text(text, "f", ("number", "number"))
        names: dict = {"math": math}
        exec(text, names)
        for _ in range(20):
            x, y = rng.gauss(0, 2), rng.choice([0.0, rng.gauss(0, 2)])
            assert same(compiled.call(x, y), float(names["f"](x, y))), text


def walk_a_list(values, count, level):
    i = 0
    while i < count and values[i] <= level:
        i += 1
    values[0] = i
    total = 0.0
    for k in range(i, count):
        total += values[k]
    return total


def test_lists_are_read_and_written_and_a_condition_does_not_look_beyond_its_end() -> None:
    compiled = native(walk_a_list, arguments=("list", "integer", "number"))
    rng = np.random.default_rng(3)
    for _ in range(200):
        values = np.sort(rng.normal(size=6))
        mine, theirs = values.copy(), values.tolist()
        level = float(rng.choice([-9.0, 0.0, 9.0]))
        assert compiled(mine, 6, level) == walk_a_list(theirs, 6, level)
        assert mine.tolist() == theirs


def test_a_variable_that_is_first_whole_and_then_a_fraction_is_a_number() -> None:
    compiled = native(loops, arguments=("number", "number"))
    assert compiled(0.1, 0.2) == loops(0.1, 0.2)
    assert loops(0.1, 0.2) % 1 != 0


def unknown(x):
    return [x][0]


def not_there(x):
    return nowhere(x)  # noqa: F821


@pytest.mark.parametrize("function", [unknown, not_there])
def test_what_the_language_does_not_have_is_refused_in_one_line(function: Callable) -> None:
    with pytest.raises(CannotCompile) as caught:
        native(function, arguments=("number",))
    assert "\n" not in str(caught.value)


def test_compiled_code_can_be_let_go() -> None:
    for _ in range(30):
        compiled = compile_text("def f(x):\n    return x * 2.0\n", "f", ("number",))
        assert compiled.call(2.0) == 4.0
        del compiled
        gc.collect()


def test_numbers_and_functions_behind_addresses_are_reached() -> None:
    import numpy as np

    inner = compile_text("def f(p, x):\n    return p[1] * x\n", "f", ("list", "number"))
    text = "def g(where, code, x):\n    return call_function(int(code), numbers_at(int(where)), x)\n"
    outer = compile_text(text, "g", ("number", "number", "number"))
    numbers = np.array([3.0, 5.0])
    assert outer.call(float(numbers.ctypes.data), float(inner.address), 2.0) == 10.0


def test_threads_that_meet_a_law_for_the_first_time_together_share_its_kernel() -> None:
    script = """
import threading, numpy as np, slipstick as ss
u = np.sin(np.linspace(0, 60, 20_000))
laws = [ss.Jenkins(stiffness=2.0, limit=0.6), ss.Dahl(stiffness=3.0, limit=0.8)]
laws.append(ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=0.3))
found, ready = [], threading.Barrier(8)
def work(law):
    ready.wait()
    found.append((law, law.trace(u)[-1]))
threads = [threading.Thread(target=work, args=(laws[i % 3],)) for i in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert len(found) == 8 and all(f == law.trace(u)[-1] for law, f in found)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=600)


def add_scaled_rows(rows: Array, weights: Array, out: Array, size: int, count: int) -> None:
    for k in range(size):
        for c in range(count):
            out[c] += weights[k] * rows[k * count + c]


def test_vectorized_loops_have_the_same_bits():
    rng = np.random.default_rng(3)
    for count in (1, 3, 8, 29):
        rows, weights, found = rng.normal(size=(5, count)), rng.normal(size=5), []
        for vectorized in (False, True):
            out = np.zeros(count)
            loop = compile_functions(add_scaled_rows, vectorized=vectorized)["add_scaled_rows"]
            loop.call(pointer(rows), pointer(weights), pointer(out), 5, count)
            found.append(out)
        assert (found[0] == found[1]).all()
