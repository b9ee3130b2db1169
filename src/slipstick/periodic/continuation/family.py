"""`Family`: the interface between a method for periodic responses and continuation.

A family is a set of equations residual(x, p) = 0. x are its unknowns (the state at the start of a period, or Fourier
coefficients), p is the frequency [rad/s] or any parameter of the model. To write one, inherit from `Family` and define

1. ``size`` and ``tolerance``;
2. ``start(p)``: a guess, from the linear part or from rest;
3. ``linearise(x, p)``: the residual and both its derivatives; raise `NotConverged` where they do not exist;
4. ``scales(x, p)``: a change of order one of each unknown;
5. ``point(x, p)``: everything a curve stores about an orbit;
6. ``softened()``, if there are easier families on the way to this one; ``refined()``, if there is one to judge it by;
7. ``corrected(...)``, if compiled code corrects a point on a plane faster than the general corrector does, and
   ``solve_near(...)``, if the method has a faster search at a given value;
8. ``format_parameter(p)``, if users know the parameter under another value than p.

A family may cache maps and models of earlier calls, but only to save time. The same x and p must give the same result
in any order of calls, so that a curve is the same in both directions. There are two exceptions. Shooting on the
adaptive flow reuses the steps that it chose for a nearby state, so orbits differ within the error of the integration.
`NearbySolution.alike` and `NearbySolution.banded` compare with the orbit found before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, NotConverged, Spelling
from slipstick.results.orbit import OrbitPoint
from slipstick.units.scales import Scale

if TYPE_CHECKING:
    from slipstick.periodic.continuation.corrector import CurvePoint, Plane


class Linearisation(NamedTuple):
    """The equations at one place: r of them (may be more than unknowns), size unknowns.

    residual : (r,) as pure numbers, of order one where nothing fits: the family divides by its typical sizes.
    by_x : (r, size)   by_p : (r,) derivatives of the same.
    """

    residual: Array
    by_x: Array
    by_p: Array


class Family(Protocol):
    """Orbits over a parameter p.

    size : how many unknowns.   tolerance : the largest |residual| of a point that is accepted.
    sampled : laws with corners are followed along samples, so that curves waver between them.
    apart : multipliers are found apart from the equations, so that one may pass +1 where these keep their rank.
    jump : the residual by which the equations themselves jump, so that Newton's method may leave as much.
    shown : the unit of the parameter in sentences.
    finest : the smallest step along a curve that its equations are good enough for, where no other leads on.
    patience : points that a curve is followed by, at the most, from one value that was asked for to the next.
    """

    size: int
    tolerance: float
    sampled: bool = False
    apart: bool = False
    jump: float = 0.0
    patience: int = 20_000
    finest: float = 1.0
    shown: Scale = Scale("", 1.0)

    def format_parameter(self, p: float, digits: int = 6) -> str:
        """A value of the parameter in words, with its unit."""
        return self.shown.words(p, digits)

    def other_end_advice(self, begin: float, end: float) -> Advice:
        """How to get to the end of a range where the curve turned back to its start."""
        ends = tuple(Spelling(self.shown.code(p), self.shown.words(p)) for p in (end, begin))
        return Advice("start there ({between}), or from an orbit on the branch you want ({start})", between=ends)

    def start(self, p: float) -> Array:
        """(size,) a guess at p."""
        ...

    def starts(self, p: float) -> tuple[tuple[str, Callable[[], Array]], ...]:
        """Other guesses (size,) at p for where that one leads nowhere, in words; they may raise `NotConverged`."""
        return ()

    def linearise(self, x: Array, p: float) -> Linearisation:
        """Residual and derivatives at x (size,) and p; raises `NotConverged` if they cannot be evaluated."""
        ...

    def solve_near(self, x: Array, p: float) -> NearbySolution | None:
        """The orbit at p near a guess, by a way of its own that is quicker than `linearise`; None if there is none.

        Raises `NotConverged` where it does not lead to one.
        """
        return None

    def is_banded(self, x: Array, p: float) -> bool:
        """True for an orbit that is one of a band."""
        return False

    def middle(self, x: Array, p: float) -> Array:
        """Of a band of orbits, the one a curve goes on from; else the orbit itself."""
        return x

    def scales(self, x: Array, p: float) -> Array:
        """(size,) positive; ||dx / scales|| of order one means that the orbit has changed by its own size.

        With many unknowns of equal weight each scale has to be larger by the root of their number.
        """
        largest = float(np.sqrt(x @ x))
        return np.full(self.size, largest if largest > 0.0 else 1.0)

    def mirrored(self, x: Array, p: float) -> Family | None:
        """The family of those orbits alone whose second half mirrors the first, if this is one; else None.

        A curve of these is followed among them, so that it does not go over to one that leaves it.
        """
        return None

    def half_period_later(self, x: Array, p: float) -> Array | None:
        """(size,) the same orbit from half a period later on, where that solves the equations too: of an even
        sub-harmonic; else None."""
        return None

    @property
    def parent(self) -> Family | None:
        """The family of half the period where that has the same unknowns; else None."""
        return None

    def reach(self, p: float, span: float) -> float:
        """What counts as a change of order one of the parameter at p; span : its whole range."""
        return span

    def point(self, x: Array, p: float) -> OrbitPoint:
        """The orbit at a solution; iterations and residual are put in by whoever solved for it."""
        ...

    def check_measurable(self, x: Array, p: float) -> None:
        """Raise `NotConverged` where a solution is no orbit that can be measured."""
        self.point(x, p)

    def multipliers_at(self, x: Array, p: float) -> Complex:
        """(k,) Floquet multipliers at a solution, the largest first; none where stability is not known."""
        return self.point(x, p).multipliers

    def has_separate_multipliers(self, x: Array, p: float) -> bool:
        """True at a solution whose multipliers do not follow from the derivatives of the equations, see ``apart``."""
        return self.apart

    def events_along(self, x: Array, p: float) -> Sequence[OrbitEvent] | None:
        """The changes of state in a period of a solution, in order; None where they are not known one by one."""
        return None

    def points(self, x: Sequence[Array], p: Sequence[float]) -> Iterator[OrbitPoint | NotConverged] | None:
        """The same of several solutions, in order; a failure in the place of one that cannot be had.

        None: this family computes them one by one.
        """
        return None

    def corrected(self, guess: Array, plane: Plane, rough: bool = False) -> CurvePoint | None:
        """The point on a plane near a guess, as `slipstick.periodic.continuation.corrector.correct` finds it, in one
        compiled call; None where the general corrector has to find it. Curves take 1.5 to 2.0 times less time by it
        (decision record 81).

        rough : its tangent serves for a prediction only.
        """
        return None

    def softened(self) -> tuple[SofterFamily, ...]:
        """Easier families for a point that fails, each a little softer than the one before it; may be none."""
        return ()

    def refined(self) -> SofterFamily | None:
        """A family with a smaller error than this one, to judge it by; None where there is none."""
        return None


class OrbitEvent(NamedTuple):
    """A change of state: time : as a part of the period, from 0 to 1.   connection : whose.
    part : of the model, by number: a connection may have several.   before, after : its states, by number.
    """

    time: float
    connection: str
    part: int
    before: int
    after: int


class NearbySolution(NamedTuple):
    """An orbit that a family has found by itself: its unknowns, the largest |residual|, steps of Newton's method.

    alike : it has as many multipliers beyond one as the orbit found before it, so no fold lies between them.
    banded : the orbit before it was one of a band, so that how far it lies from there tells nothing.
    """

    x: Array
    residual: float
    iterations: int
    alike: bool = False
    banded: bool = False


class SofterFamily(NamedTuple):
    """An easier family on the way to a hard one.

    words : what is easier, such as "5 harmonics instead of 21" or "friction rounded over 0.01 m/s".
    lower : unknowns of the hard family to those of this one.   lift : and back.
    """

    words: str
    family: Family
    lower: Callable[[Array], Array]
    lift: Callable[[Array], Array]
