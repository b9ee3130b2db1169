"""trace: nanoseconds a sample, beside plain Python and SciPy, and the growth with samples and elements."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.integrate import solve_ivp
from timing import best

import slipstick as ss

BUDGET = {"Jenkins": 60.0, "DynamicHysteresis": 150.0, "ModifiedDahl": 150.0}


class OwnSlider(ss.Law):
    """A user's law, for the claim that it runs at the speed of the built-in one."""

    stiffness: float
    limit: float
    remembers = ("slider",)

    def update(self, u, v, memory):
        reach = self.limit / self.stiffness
        s = min(max(memory[0], u - reach), u + reach)
        return self.stiffness * (u - s), (s,)


CASES = {
    "Jenkins": (ss.Jenkins(stiffness=2.0, limit=0.6), 1.0),
    "a user's slider": (OwnSlider(stiffness=2.0, limit=0.6), 1.0),
    "Masing": (ss.Masing(stiffness=2.0, limit=0.6, parallel_stiffness=0.5), 1.0),
    "Dahl": (ss.Dahl(stiffness=3.0, limit=0.8), 1.0),
    "DynamicHysteresis": (ss.DynamicHysteresis(stiffness=1.49e6, limit=1.07e3), 1e-2),
    "FibreShear": (
        ss.FibreShear(stiffness=1.49e6, limit=1.07e3, linear=6.16e6, cubic=2.38e9, overshoot=0.92, ratio=0.37),
        1e-2,
    ),
    "ModifiedDahl": (ss.ModifiedDahl(rate=117355, exponent=0.37, upper=(959.6, 7.146e4), lower=(397.2, 5.322e4)), 1e-3),
    "BoucWen": (ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=0.3, exponent=1.5), 1.0),
}


def history(count: int, size: float) -> np.ndarray:
    """A modulated sine: reversals at many levels, a hundred samples or more between them."""
    x = np.linspace(0.0, 1.0, count)
    return size * np.sin(2 * np.pi * 400 * x) * np.sin(2 * np.pi * 3 * x)


def in_python(law: ss.Law, u: np.ndarray) -> None:
    """The same law, one `update` after the other."""
    memory = law.start(float(u[0]))
    for x in u.tolist():
        _, memory = law.update(x, 0.0, memory)


def by_scipy(law: ss.ModifiedDahl, u: np.ndarray) -> float:
    """What one would write: SciPy's LSODA on (3), to 1e-8, restarted at each reversal."""
    turns = np.concatenate(([0], np.flatnonzero(np.diff(np.sign(np.diff(u)))) + 1, [u.size - 1]))
    f = law.midway(float(u[0]))
    for a, b in pairwise(turns):
        s = float(np.sign(u[b] - u[a]))
        f = solve_ivp(
            lambda x, y, s=s: [law.slope(x, y[0], s, 0.0, 0.0)],
            (u[a], u[b]), [f], method="LSODA", rtol=1e-8, atol=1e-8, t_eval=u[a : b + 1],
        ).y[0, -1]  # fmt: skip
    return float(f)


def table() -> None:
    console = Console()
    console.print("[bold]trace, 10^6 samples[/bold]")
    shown = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("law", "ns a sample", "budget", "plain Python, times slower"):
        shown.add_column(name, justify="left" if name == "law" else "right")
    for name, (law, size) in CASES.items():
        u = history(1_000_000, size)
        law.trace(u[:10])
        nanoseconds = 1e9 * best(lambda law=law, u=u: law.trace(u)) / u.size
        part = u[:5_000]
        ratio = best(lambda law=law, u=part: in_python(law, u), 3) / part.size / (nanoseconds * 1e-9)
        shown.add_row(name, f"{nanoseconds:.0f}", f"{BUDGET[name]:.0f}" if name in BUDGET else "", f"{ratio:.0f}")
    console.print(shown)
    scipy_ratio(console)
    growth(console)


def scipy_ratio(console: Console) -> None:
    law, size = CASES["ModifiedDahl"]
    u = history(40_001, size)
    law.trace(u)
    ours = best(lambda: law.trace(u))
    theirs = best(lambda: by_scipy(law, u), 1)
    gap = abs(by_scipy(law, u) - law.trace(u)[-1])
    console.print(
        f"ModifiedDahl, 40,001 samples: {1e3 * ours:.2f} ms; SciPy LSODA at 1e-8 {1e3 * theirs:.0f} ms "
        f"({theirs / ours:.0f} times), {gap:.1e} N apart\n"
    )


def growth(console: Console) -> None:
    console.print("[bold]growth[/bold]")
    law, size = CASES["DynamicHysteresis"]
    words = []
    for count in (10**3, 10**4, 10**5, 10**6):
        u = history(count, size)
        words.append(f"{count:,}: {1e9 * best(lambda u=u: law.trace(u)) / count:.0f} ns")
    console.print("DynamicHysteresis, samples: " + ", ".join(words))
    words = []
    for count in (10**3, 10**4, 10**5):
        u = size * np.linspace(1.0, 0.0, count) * (-1.0) ** np.arange(count)
        words.append(f"{count:,}: {1e9 * best(lambda u=u: law.trace(u)) / count:.0f} ns")
    console.print("DynamicHysteresis, nested reversals on the stack: " + ", ".join(words))
    words = []
    for count in (1, 10, 50, 200):
        sliders = ss.Iwan(stiffnesses=(1.0,) * count, limits=tuple(np.linspace(0.1, 1.0, count)))
        u = history(100_000, 1.0)
        sliders.trace(u[:10])
        words.append(f"{count}: {1e9 * best(lambda u=u, law=sliders: law.trace(u)) / u.size / count:.1f} ns")
    console.print("Iwan, per slider and sample: " + ", ".join(words) + "\n")
