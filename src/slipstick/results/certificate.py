"""`Certificate`: the error estimate of a result."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from slipstick.errors import InvalidInput, Message, did_you_mean, short_repr

# of the energy exchanged; a stepping method that loses more than this is not trusted
ENERGY_RESIDUAL_LIMIT_REL = 1e-2
ERROR_LIMIT_REL = 1e-2  # of the motion; a result with a larger error does not pass
MAX_REPR_ROWS = 12  # of connections in the repr


def is_small(error: float, motion: float) -> bool:
    """True if an error is small against a motion, the one bound for all results; a motion of none or NaN tells nothing.

    motion : half of the range that a coordinate goes through, the largest of all coordinates [m or rad].
    """
    return not (motion > 0.0 and error > ERROR_LIMIT_REL * motion)


class NamedValues(dict[str, float]):
    """Values by name; a name that is not there is told with what was meant."""

    def __missing__(self, name: object) -> float:
        hint = did_you_mean(name, self) if isinstance(name, str) else ""
        raise InvalidInput(f"there is no {short_repr(name)} here{hint}")


@dataclass(frozen=True, repr=False)
class Certificate:
    """Energy balance and error estimate of a run.

    error : estimated largest error of a displacement [m or rad], over all coordinates and the whole run;
        infinite where the motion is sensitive, not a number where it could not be estimated (a note says why).
    errors : the same by coordinate.
    energy_residual : what is missing in the balance work_in = change of kinetic and stored energy + dissipation, over
        the largest energy exchanged at any time of the run.
    work_in : [J] done by loads and prescribed motions.
    dissipated : [J] by connection. Laws without a stored energy of their own report the work they absorbed.
    stored : [J] change of stored energy by connection;  kinetic : [J] change of kinetic energy.
    tolerance : the largest energy residual to pass.
    passed : the balance holds, the error is a figure that is small against the motion (at most `ERROR_LIMIT_REL` of
        it), and nothing is among the failures.
    doubtful : all of this holds, but the error is not small.
    notes : what a reader should know, in words.   failures : what is wrong beside balance and error, in words.
    sensitive : True where perturbations grew so much that no figure of the error is honest.
    advice : what to do where the energy does not balance or the error is not small.
    not_computed : why there is no certificate though nothing is wrong, in words: it was not computed.
    motion : [m or rad] what the error is compared with, see `is_small`; not a number where that is not known.
    """

    error: float
    errors: dict[str, float]
    energy_residual: float
    work_in: float
    dissipated: dict[str, float]
    stored: dict[str, float]
    kinetic: float
    tolerance: float
    notes: tuple[str, ...] = field(default=())
    failures: tuple[str, ...] = field(default=())
    sensitive: bool = False
    advice: str = ""
    not_computed: str = ""
    motion: float = math.nan

    def __post_init__(self) -> None:
        for name in ("errors", "dissipated", "stored"):
            object.__setattr__(self, name, NamedValues(getattr(self, name)))

    @classmethod
    def none(cls, coordinates: tuple[str, ...], reason: str) -> Certificate:
        """Of a run whose certificate could not be computed: it fails, and says why."""
        return replace(cls.open(coordinates, ""), failures=(reason,))

    @classmethod
    def open(cls, coordinates: tuple[str, ...], reason: str) -> Certificate:
        """Of a run whose certificate was not computed, which says nothing about the run."""
        nan = math.nan
        return cls(nan, dict.fromkeys(coordinates, nan), nan, nan, {}, {}, nan, 0.0, not_computed=reason)

    @property
    def is_none(self) -> bool:
        """True if there are no figures, only words for why."""
        return bool(self.not_computed) or (math.isnan(self.work_in) and math.isnan(self.error) and bool(self.failures))

    @property
    def passed(self) -> bool:
        return self._holds and is_small(self.error, self.motion)

    @property
    def doubtful(self) -> bool:
        return self._holds and not self.passed

    @property
    def _holds(self) -> bool:
        held = self.energy_residual <= self.tolerance and not self.failures and not self.not_computed
        return held and math.isfinite(self.error) and not self.sensitive

    @property
    def verdict(self) -> str:
        """ "passed", or the outcome and why, on one line."""
        return "passed" if self.passed else Message.joined(self.reasons).with_owner(self.outcome)

    @property
    def outcome(self) -> str:
        """ "passed", "error not small", "FAILED" or "not computed"."""
        if self.not_computed:
            return "not computed"
        return "passed" if self.passed else "error not small" if self.doubtful else "FAILED"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it did not pass, in words; empty where it did."""
        if self.is_none:
            return tuple(filter(None, (self.not_computed, *self.failures)))
        found = list(self.failures)
        if self.sensitive:
            found.append("sensitive: small changes grow so much that no error can be given")
        elif not math.isfinite(self.error):
            found.append("the error could not be estimated")
        elif not is_small(self.error, self.motion):
            share, bound = 100.0 * self.error / self.motion, f"at most {100.0 * ERROR_LIMIT_REL:g} %"
            words = f"{self.error_words} is {share:.2g} % of the motion, {bound}"
            found.append(self._advised(words))
        if not self.energy_residual <= self.tolerance:
            words = f"energy does not balance: residual {self.energy_residual:.2g}, at most {self.tolerance:.2g}"
            found.append(self._advised(words))
        return tuple(found)

    def _advised(self, words: str) -> Message:
        way = Message.of(self.advice).parts
        return Message(words, advice=(way.problem, *way.advice))

    @property
    def error_words(self) -> str:
        """The error with the coordinate it belongs to."""
        if self.sensitive:
            return "sensitive"
        if math.isnan(self.error):
            return "not known"
        worst = max(self.errors, key=lambda name: self.errors[name], default="")
        return f"{self.error:.2g}" + (f" ({worst})" if worst and self.error > 0.0 else "")

    def __repr__(self) -> str:
        if self.is_none:
            return "\n".join([f"Certificate {self.verdict}", *(f"  note: {note}" for note in self.notes)])
        stored, dissipated = sum(self.stored.values()), sum(self.dissipated.values())
        lines = [
            f"Certificate {self.verdict}",
            f"  error <= {self.error_words}"
            if math.isfinite(self.error)
            else f"  error: {self.error_words}, no figure",
            f"  energy residual {self.energy_residual:.2g} (at most {self.tolerance:.2g})",
            f"  work in {self.work_in:.6g} J = kinetic {self.kinetic:+.6g} J, stored {stored:+.6g} J, "
            f"dissipated {dissipated:.6g} J",
        ]
        lines += _rows(self.dissipated, self.stored)
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def _rows(dissipated: dict[str, float], stored: dict[str, float]) -> list[str]:
    """One line a connection, the largest first where there are many."""
    names = list(dict.fromkeys([*dissipated, *stored]))
    if len(names) > MAX_REPR_ROWS:
        names.sort(key=lambda name: -abs(dissipated.get(name, 0.0)) - abs(stored.get(name, 0.0)))
    width = max((len(name) for name in names[:MAX_REPR_ROWS]), default=0)
    rows = []
    for name in names[:MAX_REPR_ROWS]:
        own = f", stored {stored[name]:+.6g} J" if name in stored else ""
        what = "dissipated" if name in stored else "absorbed"
        rows.append(f"    {name:<{width}}  {what} {dissipated.get(name, 0.0):.6g} J{own}")
    if len(names) > MAX_REPR_ROWS:
        rows.append(f"    and {len(names) - MAX_REPR_ROWS} more connections")
    return rows
