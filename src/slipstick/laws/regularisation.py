"""Smooth approximations of laws with corners (clutch 13-24), by square roots or by tanh.

Every square-root law is one formula,

    f = c0 x + (w/2) (sqrt(a^2 (x - x1)^2 + c^2) - sqrt(a^2 (x - x2)^2 + c^2)),

in x = u (springs) or x = v (friction); its Taylor coefficients follow by recurrence.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import asinh, exp, log1p, pi, sqrt, tanh
from typing import TYPE_CHECKING, Any

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, needs_rate_if_damped
from slipstick.laws.diagram_symbols import FRICTION, DiagramSymbol
from slipstick.laws.faces import Linearised
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.laws.piecewise_linear import Freeplay
from slipstick.laws.source_parsing import Buffer
from slipstick.laws.taylor_coefficients import force_coefficients
from slipstick.name_hints import did_you_mean
from slipstick.units.dimensions import DAMPING, DEFLECTION, FORCE, STIFFNESS, VELOCITY

if TYPE_CHECKING:
    from slipstick.laws.friction import DryFriction


def bump(x: float, a: float, c: float) -> float:
    """sqrt(a^2 x^2 + c^2), a rounded |a x|."""
    return sqrt(a * a * x * x + c * c)


def bump_area(x: float, a: float, c: float) -> float:
    """The integral of `bump` from 0 to x."""
    if a == 0.0 or c == 0.0:
        return 0.5 * a * x * abs(x) + c * x
    return 0.5 * (x * bump(x, a, c) + c * c / a * asinh(a * x / c))


class SqrtStage(Law):
    """TwoStage, or Freeplay with ratio 0, with corners rounded by square roots (clutch 14-17)."""

    is_odd = True
    stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k", doc="stiffness of the outer stage")
    inner_ratio: float = parameter(default=0.0, low=0.0, high=1.0, symbol="r", doc="inner over outer stiffness")
    half_gap: float = parameter(DEFLECTION, low=0.0, symbol="b", doc="half width of the inner stage")
    rounding: float = parameter(above=0.0, symbol=r"\eta", doc="corner radius over half gap")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping")
    needs_rate = needs_rate_if_damped

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        a = 1.0 - self.inner_ratio
        c = 2.0 * self.rounding * self.half_gap
        corners = bump(u - self.half_gap, a, c) - bump(u + self.half_gap, a, c)
        return self.stiffness * (u + 0.5 * corners) + self.damping * v, memory

    def stored(self, u: float, memory: Any) -> float:
        a, b, c = 1.0 - self.inner_ratio, self.half_gap, 2.0 * self.rounding * self.half_gap
        corners = bump_area(u - b, a, c) - bump_area(u + b, a, c) + 2.0 * bump_area(b, a, c)
        return 0.5 * self.stiffness * (u * u + corners)

    taylor_rooms = 2

    def taylor_term(self, k: int, room: int, u: Buffer, v: Buffer, w: Buffer) -> float:
        n = int(k)
        a = 1.0 - self.inner_ratio
        c = 2.0 * self.rounding * self.half_gap
        corners = bump_term(n, u, self.half_gap, a, c, w, 0) - bump_term(n, u, -self.half_gap, a, c, w, int(room))
        return self.stiffness * (u[n] + 0.5 * corners) + self.damping * v[n]

    def taylor(self, u: Array, v: Array) -> Array:
        return force_coefficients(self, u, v)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, r, b, eta, d = (s.symbol(self, n) for n in ("stiffness", "inner_ratio", "half_gap", "rounding", "damping"))
        h, g = (sp.sqrt(((1 - r) * (s.u - side * b)) ** 2 + (2 * eta * b) ** 2) for side in (1, -1))
        return s.equation(s.f, k * (s.u + (h - g) / 2) + d * s.v)


class TanhStage(Law):
    """TwoStage, or Freeplay with ratio 0, with corners rounded by tanh (clutch 13, 18).

    Not monotone: near a corner the slope dips below that of the inner stage.
    """

    is_odd = True
    stiffness: float = parameter(STIFFNESS, low=0.0, symbol="k", doc="stiffness of the outer stage")
    inner_ratio: float = parameter(default=0.0, low=0.0, high=1.0, symbol="r", doc="inner over outer stiffness")
    half_gap: float = parameter(DEFLECTION, low=0.0, symbol="b", doc="half width of the inner stage")
    sharpness: float = parameter((0, -1, 0), above=0.0, symbol=r"\sigma", doc="sharpness of the corner")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="c", doc="viscous damping")
    needs_rate = needs_rate_if_damped

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        right = u - self.half_gap
        left = u + self.half_gap
        corners = right * tanh(self.sharpness * right) - left * tanh(self.sharpness * left)
        return self.stiffness * (u + 0.5 * (1.0 - self.inner_ratio) * corners) + self.damping * v, memory

    def stored(self, u: float, memory: Any) -> float:
        b, sigma = self.half_gap, self.sharpness
        corners = tanh_area(u - b, sigma) - tanh_area(u + b, sigma) + 2.0 * tanh_area(b, sigma)
        return 0.5 * self.stiffness * (u * u + (1.0 - self.inner_ratio) * corners)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        k, r, b, sigma, d = (
            s.symbol(self, n) for n in ("stiffness", "inner_ratio", "half_gap", "sharpness", "damping")
        )
        h, g = ((s.u - side * b) * sp.tanh(sigma * (s.u - side * b)) for side in (1, -1))
        return s.equation(s.f, k * (s.u + (1 - r) * (h - g) / 2) + d * s.v)


def tanh_area(x: float, sigma: float) -> float:
    """The integral of x tanh(sigma x) from 0 to x, odd in x.

    With y = 2 sigma |x|: x^2/2 - (Li2(-e^-y) + pi^2/12 - y ln(1 + e^-y)) / (2 sigma^2).
    """
    from scipy.special import spence  # spence(1 - z) = Li2(z)

    y = 2.0 * sigma * abs(x)
    missing = (float(spence(1.0 + exp(-y))) + pi**2 / 12.0 - y * log1p(exp(-y))) / (2.0 * sigma * sigma)
    area = 0.5 * x * x - missing
    return area if x >= 0.0 else -area


class _SmoothFriction(Law):
    """Base of smooth friction: a function of the rate, without stick."""

    needs_rate = True
    is_passive = True
    is_odd = True

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return FRICTION

    def stored(self, u: float, memory: Any) -> float:
        return 0.0

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state)
        return Linearised(0.0, self.tangent(u, 0.0, ())[2])


class SqrtFriction(_SmoothFriction):
    """DryFriction rounded by square roots (clutch 20-24): a ramp of half width ``width`` with rounded ends."""

    limit: float = parameter(FORCE, low=0.0, symbol="F", doc="sliding force")
    rounding: float = parameter(above=0.0, symbol=r"\eta", doc="corner radius over limit")
    width: float = parameter(VELOCITY, above=0.0, symbol=r"\varepsilon", doc="rate at which the ramp ends")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="C", doc="viscous friction")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        a = 1.0 / self.width
        c = 2.0 * self.rounding
        ramp = bump(v + self.width, a, c) - bump(v - self.width, a, c)
        return 0.5 * self.limit * ramp + self.damping * v, memory

    taylor_rooms = 2

    def taylor_term(self, k: int, room: int, u: Buffer, v: Buffer, w: Buffer) -> float:
        n = int(k)
        a = 1.0 / self.width
        c = 2.0 * self.rounding
        ramp = bump_term(n, v, -self.width, a, c, w, 0) - bump_term(n, v, self.width, a, c, w, int(room))
        return 0.5 * self.limit * ramp + self.damping * v[n]

    def taylor(self, u: Array, v: Array) -> Array:
        return force_coefficients(self, u, v)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        limit, eta, eps, c = (s.symbol(self, n) for n in ("limit", "rounding", "width", "damping"))
        h, g = (sp.sqrt(((s.v + side * eps) / eps) ** 2 + 4 * eta**2) for side in (1, -1))
        return s.equation(s.f, limit * (h - g) / 2 + c * s.v)


class TanhFriction(_SmoothFriction):
    """DryFriction as limit * tanh(sharpness * v) (clutch 19, 22)."""

    limit: float = parameter(FORCE, low=0.0, symbol="F", doc="sliding force")
    sharpness: float = parameter((0, -1, 1), above=0.0, symbol=r"\sigma", doc="slope at rest over limit")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="C", doc="viscous friction")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        return self.limit * tanh(self.sharpness * v) + self.damping * v, memory

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        limit, sigma, c = (s.symbol(self, n) for n in ("limit", "sharpness", "damping"))
        return s.equation(s.f, limit * sp.tanh(sigma * s.v) + c * s.v)


class _SmoothStribeck(_SmoothFriction):
    """Base of smooth friction whose limit falls over the rate, see `slipstick.laws.friction`."""

    limit: float = parameter(FORCE, low=0.0, symbol="F", doc="sliding force")
    static_limit: float = parameter(FORCE, low=0.0, symbol="F_s", doc="force at the smallest rates")
    stribeck_velocity: float = parameter(VELOCITY, above=0.0, symbol="v_s", doc="rate over which it falls")
    stribeck_exponent: float = parameter(default=2.0, above=0.0, symbol="n", doc="shape of the fall")
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="C", doc="viscous friction")

    def sliding(self, v: float) -> float:
        """The limit at the rate v."""
        if v == 0.0:
            return self.static_limit  # avoids 0^(n - 1) in the derivative
        fall = exp(-((abs(v) / self.stribeck_velocity) ** self.stribeck_exponent))
        return self.limit + (self.static_limit - self.limit) * fall

    def _equation(self, ramp: Any) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        names = ("limit", "static_limit", "stribeck_velocity", "stribeck_exponent", "damping")
        limit, static, speed, n, c = (s.symbol(self, name) for name in names)
        sliding = limit + (static - limit) * sp.exp(-((sp.Abs(s.v) / speed) ** n))
        return s.equation(s.f, sliding * ramp + c * s.v)


class SqrtStribeck(_SmoothStribeck):
    """DryFriction with a Stribeck velocity, rounded by square roots as in `SqrtFriction`."""

    rounding: float = parameter(above=0.0, symbol=r"\eta", doc="corner radius over limit")
    width: float = parameter(VELOCITY, above=0.0, symbol=r"\varepsilon", doc="rate at which the ramp ends")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        a = 1.0 / self.width
        c = 2.0 * self.rounding
        ramp = bump(v + self.width, a, c) - bump(v - self.width, a, c)
        return 0.5 * self.sliding(v) * ramp + self.damping * v, memory

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        eta, eps = s.symbol(self, "rounding"), s.symbol(self, "width")
        h, g = (sp.sqrt(((s.v + side * eps) / eps) ** 2 + 4 * eta**2) for side in (1, -1))
        return self._equation((h - g) / 2)


class TanhStribeck(_SmoothStribeck):
    """DryFriction with a Stribeck velocity, times tanh(sharpness * v)."""

    sharpness: float = parameter((0, -1, 1), above=0.0, symbol=r"\sigma", doc="slope at rest over the static limit")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        return self.sliding(v) * tanh(self.sharpness * v) + self.damping * v, memory

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        return self._equation(sp.tanh(s.symbol(self, "sharpness") * s.v))


def bump_term(k: int, x: Buffer, centre: float, a: float, c: float, w: Buffer, at: int) -> float:
    """Taylor coefficient k of h = sqrt(a^2 (x - centre)^2 + c^2), from h * h = the polynomial under the root.

    ``w`` keeps the coefficients of h from index ``at`` on.
    """
    y = x[0] - centre
    if k == 0:
        w[at] = bump(y, a, c)
        return w[at]
    square = 2.0 * y * x[k]
    known = 0.0
    for i in range(1, k):
        square += x[i] * x[k - i]
        known += w[at + i] * w[at + k - i]
    w[at + k] = (a * a * square - known) / (2.0 * w[at])
    return w[at + k]


def regularised_stage(
    law: Law, method: str, k: float, ratio: float, gap: float, damping: float, options: Mapping[str, float]
) -> Law:
    """The smooth form of Freeplay (ratio 0) or TwoStage."""
    if gap == 0.0:
        raise InvalidInput(
            "half_gap must be > 0 to be regularised, got 0; there is no corner to round", owner=type(law).__name__
        )
    if isinstance(law, Freeplay) and damping:
        raise InvalidInput(
            "damping in contact has no regularised form; leave it out, or put a Linear beside it", owner="Freeplay"
        )
    shared = {"stiffness": k, "inner_ratio": ratio, "half_gap": gap, "damping": damping}
    return _regularised(law, method, {"sqrt": SqrtStage, "tanh": TanhStage}, shared, options)


def regularised_friction(law: DryFriction, method: str, options: Mapping[str, float]) -> Law:
    """The smooth form of DryFriction; a varying limit stays a factor in time."""
    if law.static_limit is not None and law.stribeck_velocity is None:
        raise InvalidInput(
            "a static_limit without a stribeck_velocity has no regularised form; give one, leave the static_limit out, "
            "or keep the law exact",
            owner="DryFriction",
        )
    if not law.varies:
        shared: dict[str, Any] = {"limit": law.limit, "damping": law.damping}
        if law.stribeck_velocity is not None:
            for name in ("static_limit", "stribeck_velocity", "stribeck_exponent"):
                shared[name] = getattr(law, name)
            return _regularised(law, method, {"sqrt": SqrtStribeck, "tanh": TanhStribeck}, shared, options)
        return _regularised(law, method, {"sqrt": SqrtFriction, "tanh": TanhFriction}, shared, options)
    from slipstick.laws.composite import Combination

    parts = law.leaves()
    smooth = parts[0]._replace(law=parts[0].law.regularised(method, **options))
    return Combination(terms=(smooth, *parts[1:]))


def _regularised(
    law: Law, method: str, forms: Mapping[str, type[Law]], shared: Mapping[str, Any], options: Mapping[str, float]
) -> Law:
    if method not in forms:
        raise InvalidInput(
            f'the method must be "sqrt" or "tanh", got {method!r}{did_you_mean(method, forms)}', owner="regularised"
        )
    form = forms[method]
    wanted = {"rounding", "width", "sharpness"} & set(form.__dataclass_fields__)
    missing = sorted(wanted - set(options))
    if missing:
        raise InvalidInput(
            f'{type(law).__name__}.regularised("{method}") needs {" and ".join(f"{m}=" for m in missing)}'
        )
    for name in options:
        if name not in wanted:
            raise InvalidInput(
                f'{type(law).__name__}.regularised("{method}") takes {" and ".join(sorted(wanted))}, got {name}='
            )
    return form(**shared, **options)


# ---- words

SqrtStage.words = LawWords(
    title="spring of two stages, corners rounded by square roots",
    title_without={"inner_ratio": ("spring of two stages", "freeplay")},
)

TanhStage.words = LawWords(
    title="spring of two stages, corners rounded by tanh",
    title_without={"inner_ratio": ("spring of two stages", "freeplay")},
)

SqrtFriction.words = LawWords(
    title="dry friction, rounded by square roots",
)

TanhFriction.words = LawWords(
    title="dry friction, rounded by tanh",
)

SqrtStribeck.words = LawWords(
    title="dry friction with Stribeck effect, rounded by square roots",
)

TanhStribeck.words = LawWords(
    title="dry friction with Stribeck effect, rounded by tanh",
)
