"""From update to machine code: every construct against Python, derivatives against differences, processes, threads."""

from __future__ import annotations

import cmath
import importlib.util
import inspect
import math
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from laws.reference_solutions import EPS

import slipstick as ss
from slipstick.laws.base import Law
from slipstick.laws.law_kernels import tangent_kernel, value_kernel
from slipstick.laws.parameters import parameter
from slipstick.scalar import decay, luz, power, sat

POINTS = [(0.37, 0.8), (-0.61, 0.45), (1.43, -0.7), (-1.77, -0.2), (0.05, 1.3)]
NEGATIVE, FAR = -2.0, float("inf")


def both(x: float, y: float) -> tuple[float, float]:
    return x * y, x - y


def branches(x: float) -> float:
    if x > 1.0:
        return x * x
    elif x < -1.0:
        return -x
    else:
        y = 3.0 * x
    return y


class Two(Law):
    a: float = 1.5
    xs: tuple[float, ...] = parameter(kind="numbers", default=(0.5, -1.0, 2.0))
    remembers = ("p", "q")


class Arithmetic(Two):
    def update(self, u, v, memory):
        x = u + v - self.a * u / (2.0 + v * v)
        x += u
        x -= 0.5 * v
        x *= 1.25
        x /= 1.5
        return -x + +u - -v, memory


class Powers(Two):
    def update(self, u, v, memory):
        base = u * u + 1.0
        return base**2 + base**0.5 + base**v + 2.0**u + u**3 + NEGATIVE**2 * u + math.pow(base, 1.5), memory


class Division(Two):
    def update(self, u, v, memory):
        n = int(10.0 * u)
        return u % 0.75 + u // 0.75 + (n // 3) + (n % 3) + v % -0.37, memory


class Conditions(Two):
    def update(self, u, v, memory):
        x = u if (u > 0.0 and v > 0.0) or not v > -0.5 else -2.0 * u
        y = 1 if 0.0 < u <= 1.0 < 3.0 else 2.5
        flag = u > 0.0
        return x * y + flag + 2.0 * (not flag) + (u != v) - (u == v), memory


class Extremes(Two):
    def update(self, u, v, memory):
        return max(u, v, 0.1) + min(u * u, v) + abs(u - v) + max(u, 0.0) * min(1, 2), memory


class Loops(Two):
    def update(self, u, v, memory):
        total = 0.0
        for i in range(3):
            for j in range(3, 0, -1):
                if j == 2:
                    continue
                total += i * u - j * v
        n = 0
        while True:
            n += 1
            if n > 4:
                break
            total = total * 0.9 + u
        last = 7
        for last in range(2, 9, 3):
            total += last
        for last in range(0):
            total += last
        return total + last * u, memory


class Lists(Two):
    def update(self, u, v, memory):
        total = 0.0
        for i in range(len(self.xs)):
            total = total * u + self.xs[i]
        return total + self.xs[-1] * u + self.xs[len(self.xs) - 2] * v, memory


class Tuples(Two):
    def update(self, u, v, memory):
        x, y = u, v
        x, y = y, x + 1.0
        product, difference = both(x, y)
        p, q = memory
        return product + difference * u + p * q + memory[0] * memory[-1], (x, y)


class Returns(Two):
    def update(self, u, v, memory):
        if u > 0.5:
            return branches(u) + v, memory
        if v > 0.0:
            return branches(2.0 * u), (u, v)
        return self.helper(u, v), (v, u)

    def helper(self, x, y):
        return self.a * x * y + self.other(y)

    @staticmethod
    def other(y):
        return 0.5 * y * y


class Functions(Two):
    def update(self, u, v, memory):
        x = u / 3.0
        a = math.sqrt(1.0 + u * u) + math.exp(x) + math.expm1(x) + math.log(2.0 + x) + math.log1p(x)
        b = math.sin(u) + math.cos(u) + math.tan(x) + math.asin(x) + math.acos(x) + math.atan(u)
        c = math.sinh(u) + math.cosh(u) + math.tanh(u) + math.asinh(u) + math.acosh(2.0 + x) + math.atanh(x)
        d = math.log2(2.0 + x) + math.log10(2.0 + x) + math.erf(u) + math.erfc(u) + math.fabs(u)
        return a + b + c + d + math.hypot(u, v) + math.atan2(u, v) + math.copysign(u, v), memory


class Steps(Two):
    def update(self, u, v, memory):
        return math.floor(3.0 * u) + math.ceil(v) + math.trunc(2.0 * u) + float(int(4.0 * v)) * u, memory


class Numbers(Two):
    def update(self, u, v, memory):
        n = 1
        for _ in range(70):
            n = n * 2
        big = 100000000000000000000
        return n * 1e-20 * u + big * 1e-20 * v + math.pi * u + min(math.inf, v) + max(-FAR, u) + 7 // 2 * u, memory


class Names(Two):
    """Variables called like what the compiler makes up."""

    def update(self, u, v, memory):
        x = 2.0 * u
        x_d = 5.0 * v
        p_ = x * x_d
        m_ = p_ + x
        x1_ = m_ * u
        self_a = 3.0 * x1_
        branches_0 = self_a + 1.0
        u_d = branches_0 * 0.5
        return branches(u_d) + self.a * u, memory


class Shared(Two):
    def update(self, u, v, memory):
        return luz(u, 0.3) + sat(v, 0.4) + power(u, 1.7) + decay(1.0 + u * u, 0.3, 0.6) + decay(u, abs(v), 1.0), memory


class Annotated(Two):
    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        """With types, and a docstring."""
        x: float = u
        y: float = x * v
        pass
        return y, memory


class Whole(Two):
    """Returns a whole number."""

    def update(self, u, v, memory):
        return 3 if u > 0.0 else 4, memory


CONSTRUCTS = [
    cls
    for cls in list(globals().values())
    if isinstance(cls, type) and issubclass(cls, Two) and cls is not Two
]  # fmt: skip


@pytest.mark.parametrize("cls", CONSTRUCTS)
def test_compiled_code_is_python_to_the_bit(cls: Any, caplog: pytest.LogCaptureFixture) -> None:
    law = cls()
    memory = (0.3, -0.4)
    u, v = (np.array(x) for x in zip(*POINTS, strict=True))
    want = []
    for x, y in POINTS:
        f, memory = law.update(x, y, memory)
        want.append(float(f))
    np.testing.assert_array_equal(law.trace(u, memory=(0.3, -0.4), rate=v), want)
    assert caplog.messages == []


@pytest.mark.parametrize("cls", CONSTRUCTS)
def test_the_derivative_of_every_construct_is_that_of_its_value(cls: Any) -> None:
    law, memory, h = cls(), (0.3, -0.4), 1e-6
    for u, v in POINTS:
        f, k, c = law.tangent(u, v, memory)
        assert f == pytest.approx(float(law.update(u, v, memory)[0]), rel=1e-15)
        du = (law.update(u + h, v, memory)[0] - law.update(u - h, v, memory)[0]) / (2.0 * h)
        dv = (law.update(u, v + h, memory)[0] - law.update(u, v - h, memory)[0]) / (2.0 * h)
        size = 1.0 + abs(du) + abs(dv) + abs(f)
        assert (k, c) == (pytest.approx(du, abs=1e-8 * size), pytest.approx(dv, abs=1e-8 * size))


# ---- random expressions, differentiated exactly by a complex step


def expression(rng: np.random.Generator, depth: int) -> str:
    if depth == 0:
        return str(rng.choice(["u", "v", "0.7", "1.3", "self.a"]))
    one, two = expression(rng, depth - 1), expression(rng, int(rng.integers(0, depth)))
    forms = ["({} + {})", "({} - {})", "({} * {})", "({} / (2.0 + ({}) ** 2))", "math.sin({}) * {}",
             "math.tanh({}) + {}",
             "math.exp(-({}) ** 2) * {}", "math.sqrt(1.0 + ({}) ** 2) - {}", "math.atan({}) * {}", "-({}) + {}",
             "(1.5 + math.cos({})) ** math.sin({})", "math.log(2.0 + ({}) ** 2) * {}"]  # fmt: skip
    return str(rng.choice(forms)).format(one, two)


@pytest.fixture(scope="module")
def random_laws(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A module of laws, written to a file: their source must be there."""
    rng = np.random.default_rng(2026)
    text = "import math\nfrom slipstick.laws.base import Law\n"
    for i in range(16):
        text += f"\nclass Random{i}(Law):\n    a: float = 0.9\n    remembers = ('z',)\n"
        text += f"    def update(self, u, v, memory):\n        x = {expression(rng, 3)} + 0.1 * memory[0]\n"
        text += f"        y = {expression(rng, 2)} * x\n        return x + y * {expression(rng, 2)}, (x * 0.2,)\n"
    path = tmp_path_factory.mktemp("laws") / "random_laws_of_test_compile.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("random_laws_of_test_compile", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_random_expressions_have_the_derivative_of_a_complex_step(random_laws: Any) -> None:
    complex_names = {"math": cmath, "Law": object}
    for i in range(16):
        law = getattr(random_laws, f"Random{i}")()
        lines = inspect.getsource(type(law)).replace("cmath", "math").splitlines()
        body = "\n".join(line[4:] for line in lines[3:]).replace("math.atan(", "math.atan(")
        exec(body, complex_names)
        update: Any = complex_names["update"]

        class Self:
            a = 0.9

        for u, v in POINTS[:3]:
            f, k, c = law.tangent(u, v, (0.4,))
            step = 1e-30j
            # cmath.atan and friends are analytic: the imaginary part is the derivative, without a difference
            du, dv = (update(Self, *at, (0.4,))[0].imag / 1e-30 for at in ((u + step, v), (u, v + step)))
            size = 1.0 + abs(f) + abs(du) + abs(dv)
            assert f == pytest.approx(update(Self, u + 0j, v, (0.4,))[0].real, abs=64 * EPS * size)
            assert (k, c) == (pytest.approx(du, abs=256 * EPS * size), pytest.approx(dv, abs=256 * EPS * size))


# ---- kernels


def test_a_kernel_is_made_once_a_class() -> None:
    assert value_kernel(ss.Jenkins) is value_kernel(ss.Jenkins)
    assert tangent_kernel(ss.Jenkins) is tangent_kernel(ss.Jenkins)
    assert value_kernel(ss.Jenkins).address != tangent_kernel(ss.Jenkins).address


def test_threads_may_trace_at_the_same_time() -> None:
    laws = [ss.Jenkins(stiffness=2.0, limit=0.1 * i + 0.1) for i in range(8)]
    u = np.cumsum(np.random.default_rng(3).normal(size=20_000))
    want = [law.trace(u) for law in laws]
    found: dict[int, np.ndarray] = {}

    def work(i: int) -> None:
        for _ in range(5):
            found[i] = laws[i].trace(u)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(8):
        np.testing.assert_array_equal(found[i], want[i])


# ---- processes

CODE = """
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(message)s")
import slipstick as ss
print(ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=(1.0, 0.4), lower=(-0.8, 0.3)).trace([0.0, 0.5, -0.2]).tolist())
"""


def started(folder: Path, **environment: str) -> subprocess.Popen[str]:
    """A Python of its own with hardly any environment, in ``folder``."""
    names = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "COVERAGE_PROCESS_START", "OPENBLAS_CORETYPE")  # the last bits
    kept = {name: value for name, value in os.environ.items() if name in names}
    return subprocess.Popen(
        [sys.executable, "-B", "-c", CODE],
        cwd=folder, env=kept | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def answer(process: subprocess.Popen[str]) -> list[float]:
    out, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (0, ""), err
    (line,) = out.splitlines()  # and not a word about compiling
    return [float(x) for x in line.strip("[]").split(",")]


HERE = ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=(1.0, 0.4), lower=(-0.8, 0.3)).trace([0.0, 0.5, -0.2]).tolist()


def test_processes_at_the_same_time_compile_in_memory_whatever_the_disk_is_like(tmp_path: Path) -> None:
    """A home that cannot be written to, one that is not there, and one with damaged files of the past."""
    home, work, old = tmp_path / "home", tmp_path / "work", tmp_path / "old"
    for folder in (home, work, old):
        folder.mkdir()
    damaged = old / ".cache" / "slipstick" / "py311" / "slipstick_kernel_modifieddahl_value.py"
    damaged.parent.mkdir(parents=True)
    damaged.write_text("this is not Python (")
    for folder in (home, work):
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        processes = [
            started(work, HOME=str(home), TMPDIR=str(work), XDG_CACHE_HOME=str(home)),
            started(work, HOME="/nonexistent/at/all"),
            started(old, HOME=str(old), SLIPSTICK_CACHE=str(old / ".cache" / "slipstick")),
        ]
        assert [answer(process) for process in processes] == [HERE] * 3
        assert list(work.iterdir()) == []
        assert [kept.name for kept in home.iterdir()] in ([], ["slipstick"])  # who may write anywhere keeps code there
        assert damaged.read_text() == "this is not Python ("
    finally:
        for folder in (home, work):
            folder.chmod(stat.S_IRWXU)
