"""What rules share: prepared loops, forces at tips, fitted lines, and the display of results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.loop_geometry import BranchSamples, LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop, prepare_loops
from slipstick.units.dimensions import Dimension, unit_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Result = TypeVar("Result")

TIP_POLYNOMIAL_DEGREE = 3


class RuleRow(NamedTuple):
    """A printed row.   dimension : powers of force, deflection and time.   words : text after the unit."""

    name: str
    value: float
    dimension: Dimension
    words: str = ""


NUMBER, FORCE, DEFLECTION, STIFFNESS, ENERGY = (0, 0, 0), (1, 0, 0), (0, 1, 0), (1, -1, 0), (1, 1, 0)


class Rule(ABC):
    """Result of a rule; `rows` gives the printed rows, `system` their units."""

    @property
    @abstractmethod
    def system(self) -> str:
        """System of units of the loop."""

    @abstractmethod
    def rows(self) -> list[RuleRow]:
        """The printed rows."""

    def plot(self) -> Figure:
        """Figure of the construction over the loop."""
        from slipstick.plot.rule_plot import plot_rule

        return plot_rule(self)

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(row.name) for row in rows)
        lines = []
        for row in rows:
            unit = unit_name(row.dimension, self.system) if np.isfinite(row.value) else ""
            parts = [part for part in (f"{row.value:.6g}", unit if unit != "1" else "", row.words) if part]
            lines.append(f"  {row.name:<{width}}  {' '.join(parts)}")
        return "\n".join([f"{type(self).__name__} of {getattr(self, 'name', 'a loop')}", *lines])


def line_rows(
    upper: tuple[float, float], lower: tuple[float, float], words: Sequence[str] = ("", "", "", "")
) -> list[RuleRow]:
    """Rows of two lines, with constant and slope each; words : text after each of the four."""
    return [
        RuleRow(f"{side}.{k}", value, STIFFNESS if k else FORCE, words[2 * i + k])
        for i, (side, line) in enumerate((("upper", upper), ("lower", lower)))
        for k, value in enumerate(line)
    ]


def prepare_for_rule(rule: str, loop: Any) -> PreparedLoop:
    """The loop prepared for a rule; an error for anything but a `Loop`."""
    if not isinstance(loop, Loop):
        raise InvalidInput(f"{rule} needs a Loop, got {short_repr(loop)}").about("loop")
    return prepare_loops(loop)[0]


def cached_by_geometry(rule: Callable[..., Result]) -> Callable[..., Result]:
    """Cache a rule on its geometry: a fit starts from the values that it reports at its end."""
    parameters = signature(rule)

    @wraps(rule)
    def cached(geometry: LoopGeometry, *further: Hashable) -> Result:
        bound = parameters.bind(geometry, *further)
        bound.apply_defaults()  # an explicit default has the same key
        key = (rule, *bound.args[1:])
        if key not in geometry.known:
            geometry.known[key] = rule(*bound.args)
        result: Result = geometry.known[key]
        return result

    return cached


def checked_branch_share(rule: str, share: Any) -> float:
    """Check a share of a branch, between 0 and 1."""
    try:
        value = float(share)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0.0 < value < 1.0:
        raise InvalidInput(f"{rule}: share must be between 0 and 1, got {short_repr(share)}").about("share")
    return value


def fit_polynomial(samples: BranchSamples, degree: int, about: float, scale: float) -> Array:
    """Coefficients, lowest first, of the least-squares polynomial in (u - about) / scale."""
    x = (samples.u - about) / scale
    return np.asarray(np.linalg.lstsq(np.vander(x, degree + 1, increasing=True), samples.f, rcond=None)[0], dtype=float)


def tip_forces(geometry: LoopGeometry) -> tuple[float, float]:
    """Forces at the lower and the upper reversal, each from a cubic through the end of its branch."""
    require_steady(geometry)
    low, high = float(geometry.u[0]), float(geometry.u[-1])
    width = tol.TIP_RANGE_SHARE * (high - low)
    ends = geometry.falling.within(low, low + width), geometry.rising.within(high - width, high)
    forces = []
    for samples, tip in zip(ends, (low, high), strict=True):
        degree = min(TIP_POLYNOMIAL_DEGREE, samples.u.size - 1)
        if degree < 0:
            raise InvalidInput(
                f"{geometry.name}: no samples in the last {tol.TIP_RANGE_SHARE:.0%} of a branch; sample it finer"
            )
        forces.append(float(fit_polynomial(samples, degree, tip, width)[0]))
    return forces[0], forces[1]


def require_steady(geometry: LoopGeometry) -> LoopGeometry:
    """The geometry, if the motion has one amplitude; an error otherwise, as rules read one loop."""
    if geometry.unsteady:
        raise rule_error(
            geometry, f"{geometry.unsteady}; the rule reads one loop: give it a part of the motion with one amplitude"
        )
    return geometry


def rule_error(geometry: LoopGeometry, problem: str, *advice: Advice) -> InvalidInput:
    """The error of a rule that does not apply to a loop."""
    return InvalidInput(problem, owner=geometry.name, argument="loop", advice=advice)
