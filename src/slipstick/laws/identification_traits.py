"""What identification knows of a law: traits of its parameters, and views of measured data for start values.

A law states its traits as the class attribute ``identification`` and offers start values as a static method:

    identification = IdentificationTraits(held=("A",))

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield Jenkins(stiffness=loops.first_slope, limit=loops.height)

`slipstick.identification` fills the views, so no law depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.arrays import Array
from slipstick.units.dimensions import Dimension

if TYPE_CHECKING:
    from slipstick.laws.base import Law


class DerivedQuantity(NamedTuple):
    """A quantity that follows from the parameters of a law, reported with a fit: its formula and its dimension."""

    name: str
    of: Callable[[Any], float]
    dimension: Dimension


@dataclass(frozen=True, kw_only=True)
class IdentificationTraits:
    """What identification has to know of the parameters of a law.

    derived : quantities to report beside the parameters.
    held : parameters that others can replace; they keep their start values unless a user asks for them.
    linear : parameters in which the force is linear while the same samples slip.
    not_below : parameters that must not be smaller than another one, by name.
    search_range : parameters that a search keeps between these multiples of their typical size in the loops.
    search_factor : parameters that a search keeps within this factor of their start value.
    between_envelopes : the law has envelopes ``upper`` and ``lower`` that a loop must approach to determine them.
    paper_rules : the rules of the papers to report beside a fit, see `slipstick.identification.rules.rule_report`.
    is_spring : a sum that is identified by name may have it beside another law, "linear+dahl".
    counts_elements : a name may state the number of elements, "iwan:7".
    needs_times : the force depends on the size of the rate, so that loops without times say nothing about it.
    not_by_name : why no name can ask for the law; empty if one can.
    both_senses : names of a parameter and of its counterpart for negative motions; "asymmetric(law)" frees both.
    is_damper : the force is a function of the rate alone, which replaces a linear damper beside it.
    has_force_at_rest : its force at rest is free, which replaces a constant force beside it.
    """

    derived: tuple[DerivedQuantity, ...] = ()
    held: tuple[str, ...] = ()
    linear: tuple[str, ...] = ()
    not_below: Mapping[str, str] = field(default_factory=dict)
    search_range: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    search_factor: Mapping[str, float] = field(default_factory=dict)
    between_envelopes: bool = False
    paper_rules: str = ""
    is_spring: bool = False
    counts_elements: bool = False
    needs_times: bool = False
    not_by_name: str = ""
    both_senses: tuple[str, str] | None = None
    is_damper: bool = False
    has_force_at_rest: bool = False


@dataclass(frozen=True, kw_only=True)
class LoopView:
    """Measured loops as start values see them; forces and deflections are those of the largest loop.

    u, up, down : (m,) deflections, and the force on the rising and on the falling branch there.
    amplitude, middle : half the range of the deflection, and its centre.
    first_slope : slope right after a reversal, of the smallest loop; > 0.
    last_slope : mean slope of the lines ``upper`` and ``lower``, (constant, slope), that the branches end on.
    line_distance : between these lines, at the middle.
    secant : slope between the two tips.
    height : half the largest distance between the branches; > 0. typical_height : the same of a loop of medium size.
    swing : force at which a slider would just begin to slip; mean : mean force.
    period : s, of a cycle; None without times.
    elements : number of elements that a name asks for, "iwan:7"; None if it does not.
    rule : the law that a rule of the papers reads off the loops; None where the rule does not apply.
    """

    u: Array
    up: Array
    down: Array
    amplitude: float
    middle: float
    first_slope: float
    last_slope: float
    upper: tuple[float, float]
    lower: tuple[float, float]
    line_distance: float
    secant: float
    height: float
    typical_height: float
    swing: float
    mean: float
    period: float | None
    elements: int | None = None
    rule: Callable[[str], Law | None]

    @property
    def middle_line(self) -> Array:
        """(m,) the mean of both branches."""
        return 0.5 * (self.up + self.down)

    def by_rule(self, name: str) -> Iterator[Law]:
        """The law by a rule of the papers, if the rule applies."""
        law = self.rule(name)
        if law is not None:
            yield law


class MotionView(NamedTuple):
    """Samples of measured loops in time, for start values that depend on the rate.

    u, rate, force, weight : (n,) deflection, its rate, the force, and the weight of its misfit.
    spring : columns (n,) that a spring beside the law is linear in; none without a spring.
    trace : the force of a law at these samples.
    """

    u: Array
    rate: Array
    force: Array
    weight: Array
    spring: list[Array]
    trace: Callable[[Law], Array]


class MotionStart(NamedTuple):
    """A start value from a motion: the law, and the coefficients of the spring beside it."""

    law: Law
    spring: list[float]


def positive_or(x: float, instead: float) -> float:
    """x where it is positive, else a substitute: for start values that must not be zero or below."""
    return x if x > 0.0 else instead
