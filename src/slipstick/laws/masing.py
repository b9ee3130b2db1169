"""Springs in series with friction sliders: the Jenkins element, Masing's model and Iwan's model.

    Jenkins   u --- spring k --- slider --- ground
    Masing    Jenkins | spring k0 | damper c | preload          in parallel
    Iwan      Jenkins 1 | Jenkins 2 | ... | spring k0           in parallel

While the slider sticks, the force follows the spring: f = k (u - s), s the position of the slider. When |f| reaches
the limit, the slider moves along with the end of the spring, and the force stays at the limit. The position of the
slider is the only memory. In terms of operators, s is a play and f a stop of half width limit/k (tensioner 11a).

An update is exact for any step, as long as the deflection is monotone between two samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law, Leaf, Memory
from slipstick.laws.composite import Combination, Composite
from slipstick.laws.elastic import Linear, parallel_linear
from slipstick.laws.faces import Affine, ElasticSlider, Guard, Linearised, Piece
from slipstick.laws.identification_traits import DerivedQuantity, IdentificationTraits, LoopView, positive_or
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import checked_factors, parameter
from slipstick.scalar import ahead, play, sat
from slipstick.units.dimensions import DAMPING, DEFLECTION, FORCE, STIFFNESS

SLIP_BEGINS = DerivedQuantity("slip_begins", lambda law: law.limit / law.stiffness, DEFLECTION)
DEFAULT_ELEMENTS = 4  # of an Iwan law whose number of elements is not given
SLIP_GRID = 120  # deflections at which elements of an Iwan law may begin to slip


class Jenkins(Law):
    """Spring and slider in series: f = k (u - s), where the slider s yields so that |f| <= limit."""

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="stiffness of the spring")
    limit: float = parameter(FORCE, low=0.0, symbol=r"\alpha", doc="sliding force", follows=True)
    remembers = ("slider",)
    identification = IdentificationTraits(derived=(SLIP_BEGINS,), linear=("stiffness", "limit"))
    state_names = ("stick", "slip")
    is_passive = True
    is_odd = True

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        s = play(memory[0], u, self.limit / self.stiffness)
        return sat(self.stiffness * (u - s), self.limit), (s,)

    def stored(self, u: float, memory: Memory) -> float:
        w = sat(u - memory[0], self.limit / self.stiffness)
        return 0.5 * self.stiffness * w * w

    def corner(self, u: float, s: float, memory: Memory) -> float:
        return ahead(memory[0] + s * self.limit / self.stiffness, u, s, UNREACHABLE_DEFLECTION * s)

    @property
    def elastic_slider(self) -> ElasticSlider:
        return ElasticSlider(self.stiffness, self.limit)

    def pieces(self) -> tuple[Piece, ...]:
        k, eta = self.stiffness, self.limit / self.stiffness
        stick = Piece(
            "stick", Affine(w=k), (Guard(Affine(eta, w=-1.0), "slip+"), Guard(Affine(eta, w=1.0), "slip-")), True
        )
        up = Piece("slip+", Affine(self.limit), (Guard(Affine(v=1.0), "stick"),))
        down = Piece("slip-", Affine(-self.limit), (Guard(Affine(v=-1.0), "stick"),))
        return (down, stick, up)

    def resolvent(self, x: float, h: float) -> float:
        """The stretch after an implicit step (A.9): its projection on [-limit/k, limit/k], for any h."""
        return sat(x, self.limit / self.stiffness)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state)
        return Linearised(0.0 if state == "slip" else self.stiffness, 0.0)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        w, beta = sp.Function("w")(s.t), sp.Function("beta")
        k, limit = s.symbol(self, "stiffness"), sp.Symbol(r"\alpha", real=True)
        return (s.equation(s.f, k * w), s.equation(w.diff(s.t) + beta(k * w / limit), s.v))

    def asymmetric(self, *, positive: float = 1.0, negative: float = 1.0) -> Masing:
        a, b = checked_factors(positive, negative)
        return Masing(stiffness=self.stiffness, limit=a * self.limit, reverse_limit=b * self.limit)

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        for share in (1.0, 0.5):
            yield Jenkins(stiffness=loops.first_slope, limit=share * loops.height)
        yield Jenkins(stiffness=positive_or(loops.secant, loops.first_slope), limit=loops.swing)


class Masing(Composite):
    """Jenkins element with parallel spring, damper and preload (tensioner 11): f = k w + k0 u + c v + preload.

    The paper subtracts its preload: F0 there is -preload here. With ``reverse_limit`` the force of the slider k w stays
    between -reverse_limit and limit: a symmetric slider in parallel with a constant force. Runs start at zero force.
    """

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="spring of the slider")
    limit: float = parameter(FORCE, low=0.0, symbol=r"\alpha", doc="sliding force")
    parallel_stiffness: float = parameter(STIFFNESS, default=0.0, symbol="k_0", doc="parallel spring")
    damping: float = parameter(DAMPING, default=0.0, symbol="c", doc="parallel damper")
    preload: float = parameter(FORCE, default=0.0, symbol="f_0", doc="constant force, added")
    reverse_limit: float | None = parameter(
        FORCE, default=None, low=0.0, optional=True, symbol=r"\alpha_r", doc="sliding force of negative motions"
    )
    identification = IdentificationTraits(
        derived=(
            DerivedQuantity("initial_stiffness", lambda law: law.stiffness + law.parallel_stiffness, STIFFNESS),
            SLIP_BEGINS,
        ),
        linear=("stiffness", "limit", "reverse_limit"),
        paper_rules="masing_geometry",
        both_senses=("limit", "reverse_limit"),
    )

    @property
    def _limits(self) -> tuple[float, float]:
        """Mean of both limits, and half their difference: a constant force."""
        reverse = self.limit if self.reverse_limit is None else self.reverse_limit
        return 0.5 * (self.limit + reverse), 0.5 * (self.limit - reverse)

    def parts(self) -> tuple[Leaf, ...]:
        mean, offset = self._limits
        slider = Jenkins(stiffness=self.stiffness, limit=mean)
        return (Leaf(slider), *parallel_linear(self.parallel_stiffness, self.damping, self.preload + offset))

    def start(self, u: float = 0.0) -> Any:
        mean, offset = self._limits
        slider, *others = super().start(u)
        if offset:
            slider = (play(offset / self.stiffness, u, mean / self.stiffness),)
        return (slider, *others)

    def asymmetric(self, *, positive: float = 1.0, negative: float = 1.0) -> Masing:
        a, b = checked_factors(positive, negative)
        mean, offset = self._limits
        return replace(self, limit=a * self.limit, reverse_limit=b * (mean - offset))

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        force, slider = Jenkins(stiffness=self.stiffness, limit=self.limit).equation()
        k0, c, f0 = (s.symbol(self, name) for name in ("parallel_stiffness", "damping", "preload"))
        if self.reverse_limit is not None:
            import sympy as sp

            limit = sp.Symbol(r"\alpha", real=True)
            sides = sp.Piecewise((limit, force.rhs >= 0), (s.symbol(self, "reverse_limit"), True))
            slider = slider.subs(limit, sides)
        return (s.equation(s.f, force.rhs + k0 * s.u + c * s.v + f0), slider)

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield from loops.by_rule("masing_geometry")
        for beside, share in product((loops.last_slope, 0.0), (1.0, 0.5)):
            yield Masing(
                stiffness=positive_or(loops.first_slope - beside, loops.first_slope), limit=share * loops.height,
                parallel_stiffness=beside, damping=0.0, preload=loops.mean - beside * loops.middle,
            )  # fmt: skip
        stiffness = positive_or(loops.secant, loops.first_slope)
        yield Masing(stiffness=stiffness, limit=loops.swing, parallel_stiffness=0.0, damping=0.0, preload=loops.mean)


class Iwan(Composite):
    """Jenkins elements in parallel, and a spring: f = sum of k_i w_i + k0 u."""

    # elements count from 1: k_0 is the parallel spring
    stiffnesses: tuple[float, ...] = parameter(STIFFNESS, kind="numbers", above=0.0, symbol="k", first=1, doc="springs")
    limits: tuple[float, ...] = parameter(
        FORCE, kind="numbers", low=0.0, symbol=r"\alpha", first=1, doc="sliding forces"
    )
    parallel_stiffness: float = parameter(STIFFNESS, default=0.0, symbol="k_0", doc="parallel spring")
    identification = IdentificationTraits(
        derived=(
            DerivedQuantity("initial_stiffness", lambda law: sum(law.stiffnesses) + law.parallel_stiffness, STIFFNESS),
            DerivedQuantity("sliding_force", lambda law: sum(law.limits), FORCE),
        ),
        linear=("stiffnesses", "limits"),
        counts_elements=True,
    )

    def check(self) -> None:
        if len(self.stiffnesses) != len(self.limits):
            raise InvalidInput(
                f"stiffnesses and limits must be equally many, got {len(self.stiffnesses)} and {len(self.limits)}",
                owner="Iwan",
                argument="stiffnesses",
            )

    def parts(self) -> tuple[Leaf, ...]:
        pairs = zip(self.stiffnesses, self.limits, strict=True)
        return (*(Leaf(Jenkins(stiffness=k, limit=a)) for k, a in pairs), *parallel_linear(self.parallel_stiffness))

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        beta, force, rules = sp.Function("beta"), s.symbol(self, "parallel_stiffness") * s.u, []
        pairs = zip(s.indexed(self, "stiffnesses"), s.indexed(self, "limits"), strict=True)
        for i, (k, limit) in enumerate(pairs, start=1):
            w = sp.Function(f"w_{i}")(s.t)
            force += k * w
            rules.append(s.equation(w.diff(s.t) + beta(k * w / limit), s.v))
        return (s.equation(s.f, force), *rules)

    def asymmetric(self, *, positive: float = 1.0, negative: float = 1.0) -> Law:
        pairs = zip(self.stiffnesses, self.limits, strict=True)
        sliders = [Jenkins(stiffness=k, limit=limit) for k, limit in pairs]
        each = [slider.asymmetric(positive=positive, negative=negative) for slider in sliders]
        spring = [Linear(stiffness=self.parallel_stiffness)] if self.parallel_stiffness else []
        return Combination(terms=tuple(Leaf(law) for law in [*each, *spring]))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        """Elements on a fine grid of slip deflections, by nonnegative least squares; neighbours become one element.

        At a distance x behind a reversal, an element of stiffness k that slips at y has gained k min(x, 2 y).
        """
        from scipy.optimize import nnls

        count = loops.elements or DEFAULT_ELEMENTS
        x = loops.u - loops.u[0]
        rise = 0.5 * (loops.up - loops.up[0]) + 0.5 * (loops.down[-1] - loops.down[::-1])
        grid = np.linspace(0.01, 0.99, SLIP_GRID) * loops.amplitude
        basis = np.stack([np.minimum(x, 2.0 * y) for y in grid] + [x], axis=1)
        found, _ = nnls(basis, rise)
        offers = [_cluster_elements(grid, found[:-1], count)]
        if count > 1:  # two elements closer than the grid resolves look like one: any of them may be two
            fewer = _cluster_elements(grid, found[:-1], count - 1)
            offers += [
                [*fewer[:i], (0.5 * k, 0.98 * y), (0.5 * k, 1.02 * y), *fewer[i + 1 :]]
                for i, (k, y) in enumerate(fewer)
            ]
        for elements in offers:
            stiffness, slip = np.array([e[0] for e in elements]), np.array([e[1] for e in elements])
            limits = tuple(stiffness * slip)
            yield Iwan(stiffnesses=tuple(stiffness), limits=limits, parallel_stiffness=float(found[-1]))


def _cluster_elements(grid: Array, stiffness: Array, count: int) -> list[tuple[float, float]]:
    """(stiffness, slip deflection) of ``count`` elements, from merging the neighbours of smallest error."""
    held = [(float(k), float(y)) for k, y in zip(stiffness, grid, strict=True) if k > 1e-9 * stiffness.sum()]
    while len(held) > count:
        i = int(np.argmin([_merging_error(a, b) for a, b in pairwise(held)]))
        (k, y), (other, z) = held[i], held[i + 1]
        held[i : i + 2] = [(k + other, (k * y + other * z) / (k + other))]
    while len(held) < count:  # fewer corners than elements: the stiffest becomes two
        i = int(np.argmax([k for k, _ in held])) if held else 0
        k, y = held[i] if held else (1.0, float(grid[grid.size // 2]))
        held[i : i + 1] = [(0.5 * k, 0.8 * y), (0.5 * k, 1.1 * y)]
    return held


def _merging_error(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Largest change of the force if two elements become one."""
    return a[0] * b[0] / (a[0] + b[0]) * (b[1] - a[1])


# ---- words

Jenkins.words = LawWords(
    title="Jenkins",
    force="spring and slider in series",
    paper="tensioner (11a)",
    symbols=(
        r"$w$ is the stretch of the spring. $\beta$ is zero inside $(-1, 1)$ and any value of the same sign at $\pm "
        r"1$, so that $|k w| \le \alpha$: the inverse of the set-valued sign."
    ),
    use=(
        "The simplest law that sticks elastically and slips: a bolted joint with one interface, a friction damper "
        "under a turbine blade, a friction ring. It has two parameters and is exact in every method. Corners between "
        "stick and slip are sharp; if those of your loop are round, use `Iwan` or `DynamicHysteresis`."
    ),
    identify=(
        r"The flanks have the slope $k$, half the height is the limit. The amplitude has to exceed $\alpha/k$ by a "
        "half or more. Otherwise the limit is not reached, its interval is open, and the fit says so. The work of a "
        r"loop is $4\alpha(X - \alpha/k)$."
    ),
    example="stiffness=4e5, limit=120.0",
    noise=2.0,
)

Masing.words = LawWords(
    title="Masing",
    force="slider in parallel with spring and damper",
    paper="tensioner (11)",
    symbols=(
        r"$w$ is the stretch of the spring. $\beta$ is zero inside $(-1, 1)$ and any value of the same sign at $\pm "
        r"1$, so that $|k w| \le \alpha$: the inverse of the set-valued sign."
    ),
    use=(
        "A slider in parallel with a spring, a damper and a preload: belt tensioners, joints with a parallel elastic "
        "path, leaf springs. The loop is a leaning parallelogram with sharp corners. `reverse_limit`, or "
        "`law.asymmetric(positive=..., negative=...)`, gives another sliding force for negative motions."
    ),
    identify=(
        "Two slopes: $k + k_0$ after a reversal, $k_0$ in slip; slip begins at the corner. The [papers' "
        "rules](../rules.md) read them off the geometry of the loop, as start values of least squares. Damping widens "
        "the loop at higher speed only: with a single frequency, hold it at zero (`--fixed damping=0`). A free value "
        "is often slightly negative, and a model with negative damping is unstable; the fit warns of that. In a "
        "settled loop different limits look like a preload: hold the preload to find `reverse_limit`."
    ),
    example="stiffness=4.84e5, limit=163.0, parallel_stiffness=2.34e5",
    complete="stiffness=1.0, limit=1.0, parallel_stiffness=1.0, damping=1.0, preload=1.0, reverse_limit=1.0",
    noise=4.0,
    fit='ss.Masing, fixed={"damping": 0.0, "preload": 0.0}',
)

Iwan.words = LawWords(
    title="Iwan",
    force="sliders in parallel",
    symbols=(
        r"$w_i$ is the stretch of each spring. $\beta$ is zero inside $(-1, 1)$ and any value of the same sign at $\pm "
        r"1$, so that $|k_i w_i| \le \alpha_i$: the inverse of the set-valued sign."
    ),
    use=(
        "Joints whose loop bends gradually into slip: sliders yield one after the other. Inner loops close, and the "
        "law stays piecewise linear, so exact methods take it. The more elements, the rounder the loop."
    ),
    identify=(
        "The class alone has four sliders; `iwan:7` on the command line, or a template, has another number. One "
        "amplitude determines the loop but not the single elements, and the fit warns of that: use loops of three "
        "amplitudes or more, the smallest with hardly any slip."
    ),
    example="stiffnesses=(2e5, 1.5e5, 1e5, 5e4), limits=(20.0, 40.0, 50.0, 45.0), parallel_stiffness=5e4",
    complete="stiffnesses=(1.0, 1.0), limits=(1.0, 1.0), parallel_stiffness=1.0",
    amplitudes=(1e-4, 3e-4, 0.001),
    noise=2.0,
)
