"""What rules share: prepared loops, forces at tips, fitted lines, and the display of results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.loop_geometry import BranchSamples, LoopGeometry
from slipstick.identification.preparing.prepared_loop import PreparedLoop, prepare_loops
from slipstick.laws.parameters import Dimension, unit_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Result = TypeVar("Result")

TIP_RANGE_SHARE = 0.05  # of the range of deflection: the part of a branch from which the force at its end is read
TIP_POLYNOMIAL_DEGREE = 3


class RuleRow(NamedTuple):
    """A line of what is printed.   dimension : powers of force, deflection and time.   words : behind its unit."""

    name: str
    value: float
    dimension: Dimension
    words: str = ""


NUMBER, FORCE, DEFLECTION, STIFFNESS, ENERGY = (0, 0, 0), (1, 0, 0), (0, 1, 0), (1, -1, 0), (1, 1, 0)


class Rule(ABC):
    """How results of rules are shown; `rows` gives what is printed, `system` in which units."""

    @property
    @abstractmethod
    def system(self) -> str:
        """Of the units of the loop."""

    @abstractmethod
    def rows(self) -> list[RuleRow]:
        """What is printed."""

    def plot(self) -> Figure:
        """A figure: the construction over the loop."""
        from slipstick.plot.rule_plot import plot_rule

        return plot_rule(self)

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(row.name) for row in rows)
        lines = []
        for row in rows:
            unit = unit_name(row.dimension, self.system) if np.isfinite(row.value) else ""
            said = [part for part in (f"{row.value:.6g}", unit if unit != "1" else "", row.words) if part]
            lines.append(f"  {row.name:<{width}}  {' '.join(said)}")
        return "\n".join([f"{type(self).__name__} of {getattr(self, 'name', 'a loop')}", *lines])


def line_rows(
    upper: tuple[float, float], lower: tuple[float, float], words: Sequence[str] = ("", "", "", "")
) -> list[RuleRow]:
    """Of two lines, constant and slope each; words : behind each of the four."""
    return [
        RuleRow(f"{side}.{k}", value, STIFFNESS if k else FORCE, words[2 * i + k])
        for i, (side, line) in enumerate((("upper", upper), ("lower", lower)))
        for k, value in enumerate(line)
    ]


def prepare_for_rule(rule: str, loop: Any) -> PreparedLoop:
    """One loop, checked and with a deflection that noise does not turn; a refusal for anything else."""
    if not isinstance(loop, Loop):
        raise InvalidInput(f"{rule} needs a Loop, got {short_repr(loop)}").about("loop")
    return prepare_loops(loop)[0]


def cached_by_geometry(rule: Callable[..., Result]) -> Callable[..., Result]:
    """A rule that is computed once for each geometry: a fit begins with what it reports at its end."""

    takes = signature(rule)

    @wraps(rule)
    def kept(geometry: LoopGeometry, *further: Hashable) -> Result:
        given = takes.bind(geometry, *further)
        given.apply_defaults()  # a default that is said is the same question
        key = (rule, *given.args[1:])
        if key not in geometry.known:
            geometry.known[key] = rule(*given.args)
        found: Result = geometry.known[key]
        return found

    return kept


def checked_branch_share(rule: str, share: Any) -> float:
    """A share of a branch, between 0 and 1."""
    try:
        value = float(share)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0.0 < value < 1.0:
        raise InvalidInput(f"{rule}: share must be between 0 and 1, got {short_repr(share)}").about("share")
    return value


def fit_polynomial(samples: BranchSamples, degree: int, about: float, scale: float) -> Array:
    """Coefficients, lowest first, of the least-squares polynomial in (u - about) / scale through samples."""
    x = (samples.u - about) / scale
    return np.asarray(np.linalg.lstsq(np.vander(x, degree + 1, increasing=True), samples.f, rcond=None)[0], dtype=float)


def tip_forces(geometry: LoopGeometry) -> tuple[float, float]:
    """Forces at the lower and the upper reversal, each from a cubic through the end of the branch that comes there."""
    require_steady(geometry)
    low, high = float(geometry.u[0]), float(geometry.u[-1])
    width = TIP_RANGE_SHARE * (high - low)
    ends = geometry.falling.within(low, low + width), geometry.rising.within(high - width, high)
    found = []
    for own, tip in zip(ends, (low, high), strict=True):
        degree = min(TIP_POLYNOMIAL_DEGREE, own.u.size - 1)
        if degree < 0:
            raise InvalidInput(
                f"{geometry.name}: no samples in the last {TIP_RANGE_SHARE:.0%} of a branch; sample it finer"
            )
        found.append(float(fit_polynomial(own, degree, tip, width)[0]))
    return found[0], found[1]


def require_steady(geometry: LoopGeometry) -> LoopGeometry:
    """The same, refused where the motion has not one amplitude: its branches are not those of one loop."""
    if geometry.unsteady:
        raise rule_error(
            geometry, f"{geometry.unsteady}; the rule reads one loop: give it a part of the motion with one amplitude"
        )
    return geometry


def rule_error(geometry: LoopGeometry, problem: str, *advice: Advice) -> InvalidInput:
    """Why a rule does not apply to a loop."""
    return InvalidInput(problem, owner=geometry.name, argument="loop", advice=advice)
