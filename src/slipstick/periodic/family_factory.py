"""Models over a parameter, and the family of orbits that each method makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, NotConverged, short_repr
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.balance.parametric_balance import ParametricBalance
from slipstick.periodic.common_period import MAX_SUBHARMONIC, period_of
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.methods import is_exact
from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.periodic.shooting.initial_state import state_of_orbit
from slipstick.results.orbit import Orbit
from slipstick.results.run import Names
from slipstick.transient.problem import Problem, pose
from slipstick.transient.series_joints import with_joints
from slipstick.units.scales import Scale, frequency_scale

if TYPE_CHECKING:
    from slipstick.model.system import System


SMOOTH_LAWS_MODULE = "slipstick.laws.regularisation"  # where laws live that stand for others with corners


class ParametricModel(NamedTuple):
    """at : the model at a value of the parameter.   begin : a value of it.
    frequency : [rad/s] the base frequency; None where it is the parameter.   same : one model for every value.
    """

    at: Callable[[float], System]
    begin: float
    frequency: float | None = None
    same: bool = False

    def problem(self, p: float, like: Problem | None = None) -> Problem:
        """The problem at a value of the parameter.

        like : one at another value, from which all is taken that has not changed.
        """
        omega = self.frequency_at(p)
        if not omega > 0.0:
            raise NotConverged(f"the search led to a frequency of {self.scale.words(omega)}")
        system = self.at(p)
        found = None if like is None else like.renewed(system, omega)
        if found is not None:
            return found
        posed = pose(system, 0.0, omega)
        return posed if like is None or like.system.joints is None else with_joints(posed)

    def model(self, p: float) -> System:
        """The model at a value that a search has led to; `NotConverged` where there is none."""
        with _as_search_failure(p):
            return self.at(p)

    def searched(self, p: float, like: Problem | None = None) -> Problem:
        """The same as `problem`, at a value that a search has led to."""
        with _as_search_failure(p):
            return self.problem(p, like)

    def tuner(self, first: Problem) -> Callable[[float], Problem]:
        """The same as `searched`, but quicker: one model is only tuned to another frequency, others are compared.

        first : the problem at the start.
        """
        if not self.same or self.frequency is not None:
            return partial(self.searched, like=first)

        def tuned(omega: float) -> Problem:
            if not omega > 0.0:
                raise NotConverged(f"the search led to a frequency of {self.scale.words(omega)}")
            return first.retuned(omega)

        return tuned

    @property
    def scale(self) -> Scale:
        """The unit in which messages tell values of the parameter."""
        units = self.at(self.begin).stated_units
        if self.frequency is None:
            return frequency_scale(units.frequency)
        return units.parameter or Scale("", 1.0)

    def frequency_at(self, p: float) -> float:
        """[rad/s] the base frequency."""
        return p if self.frequency is None else self.frequency


@contextmanager
def _as_search_failure(p: float) -> Iterator[None]:
    """A refusal at a value that a search has led to is a failure of the search."""
    try:
        yield
    except InvalidInput as refusal:
        words = refusal.message.wrapped(f"the search led to {p:.9g}, where there is no model: ")
        raise NotConverged(words) from refusal


class FamilyFactory(NamedTuple):
    """What makes the families of orbits of some models by a method; harmonics : of harmonic balance.

    posed : the problem at the start, if it has been posed.
    """

    models: ParametricModel
    method: str
    harmonics: int | None
    posed: Problem | None = None

    def family(self, subharmonic: int | None) -> Family:
        """Of orbits that take so many common periods of the loads."""
        found = self._family(subharmonic)
        found.shown = self.models.scale
        return found

    def _family(self, subharmonic: int | None) -> Family:
        models = self.models
        if self.method == "shooting":
            tuned = models.same and models.frequency is None
            first = models.problem(models.begin) if self.posed is None else self.posed
            shooting = Shooting if is_exact(first) else AdaptiveShooting
            first = with_joints(first) if is_exact(first) else first
            return shooting(models.tuner(first), models.begin, subharmonic, over_frequency=tuned)
        order = None if subharmonic is None else base_periods(models.problem(models.begin), subharmonic)
        options: dict[str, Any] = {"harmonics": self.harmonics, "subharmonic": order}
        if models.same and models.frequency is None:
            return HarmonicBalance(models.at(models.begin), frequency=models.begin, problem=self.posed, **options)
        return ParametricBalance(models.model, models.begin, frequency=models.frequency, **options)

    def begun(self, family: Family, start: Orbit, p: float) -> Array:
        """(size,) the unknowns of an orbit that any method has found, in a family at a value of its parameter."""
        if start.stats.method == self.method and start.point.x.size == family.size:
            return start.point.x
        if isinstance(family, Shooting):
            return state_of_orbit(family.map_at(p)[0], start)
        return balance_at(family, p).unknowns_of(start.point)

    def doubled(self, family: Family, x: Array, p: float, subharmonic: int | None) -> tuple[Family, Array, int]:
        """The family with twice the period, the orbit x at p of another one in it, and its sub-harmonic index."""
        twice = 2 * (subharmonic or 1)
        if isinstance(family, Shooting):
            return self.family(twice), x, twice
        return self.family(twice), balance_at(family, p).doubled(x), twice

    def halved(self, family: Family, x: Array, p: float, subharmonic: int) -> tuple[Family, Array, int | None]:
        """The same of half the period, for an orbit that repeats after that."""
        half = subharmonic // 2 if subharmonic > 2 else None
        return self.family(half), x if isinstance(family, Shooting) else balance_at(family, p).halved(x), half


def balance_at(family: Family, p: float) -> HarmonicBalance:
    """The harmonic balance of a family at a value of its parameter."""
    assert isinstance(family, (HarmonicBalance, ParametricBalance))
    return family.at(p) if isinstance(family, ParametricBalance) else family


def base_periods(problem: Problem, subharmonic: int) -> int:
    """How many base periods an orbit takes, or the fewest of which it takes a part."""
    return Fraction(subharmonic * period_of(problem).turns).limit_denominator(MAX_SUBHARMONIC).numerator


def checked_start(start: Any, system: System) -> Orbit:
    """An orbit of the same coordinates and connections, or a refusal."""
    if not isinstance(start, Orbit):
        way = "ss.open reads a file" if isinstance(start, str) else ""
        raise InvalidInput(
            "must be an orbit from m.periodic",
            subject="start",
            value=start,
            got=short_repr(start),
            advice=[way],
        )
    apart = name_difference(start.names, Names.of(system), "those of this one")
    apart = apart or law_kind_difference(start.model, system)
    if apart:
        raise InvalidInput(
            f"start is an orbit of another model: {apart}",
            argument="start",
            advice=[Advice("{periodic} finds one of this model")],
        )
    return start


def name_difference(names: Names, others: Names, theirs: str) -> str:
    """In words, in what the coordinates or connections of two models differ; nothing if they do not."""
    for what, own, other in (
        ("coordinates", names.coordinates, others.coordinates),
        ("connections", names.connections, others.connections),
    ):
        if own != other:
            return f"its {what} are {', '.join(own) or 'none'}, {theirs} {', '.join(other) or 'none'}"
    return ""


def law_kind_difference(model: System | None, other: System) -> str:
    """In words, which connection of a model is not what that of the same name in another one is; nothing if all are.

    Numbers may differ, and a smooth law may stand for one with corners. model : None where a file did not hold it.
    """
    for a, b in zip(() if model is None else model.connections, other.connections, strict=False):
        if (a.deflection, a.along) != (b.deflection, b.along):
            return f'its connection "{a.name}" acts along {a.along}, that of this one along {b.along}'
        own, others = ([type(leaf.law) for leaf in each.law.leaves()] for each in (a, b))
        if own != others and not any(kind.__module__ == SMOOTH_LAWS_MODULE for kind in (*own, *others)):
            return f'its connection "{a.name}" is {_kinds(own)}, that of this one {_kinds(others)}'
    return ""


def _kinds(laws: list[type]) -> str:
    return " + ".join(law.__name__ for law in laws)


def start_difference_note(start: Orbit | None, system: System) -> list[str]:
    """A note if a start is an orbit of a model that has other numbers, loads or motions; none if it is this model's."""
    if start is None or start.model is None or _numbers(start.model) == _numbers(system):
        return []
    return ["start is an orbit of a model with other parameters and served only as an initial guess"]


def _numbers(model: System) -> tuple[Any, ...]:
    """All that orbits of a model depend on."""
    coordinates = [(c.name, c.inertia, c.motion) for c in model.coordinates]
    return coordinates, model.connections, model.loads, model.matrices


def subharmonic_index(start: Orbit, problem: Problem) -> int | None:
    """The sub-harmonic index of an orbit: how many common periods of the loads its period takes; None for one."""
    ratio = start.period * start.frequency / (period_of(problem).turns * 2.0 * np.pi)
    index = round(ratio)
    if index < 1 or abs(ratio - index) > 1e-6 * ratio:
        raise InvalidInput(
            f"start repeats after {start.period:g} s, which is no multiple of the common period of this model's loads, "
            f"{period_of(problem).turns * 2.0 * np.pi / start.frequency:g} s"
        ).about("start")
    return None if index == 1 else index
