"""`Certificate`: the error estimate of a result."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from slipstick.errors import InvalidInput, Message, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results import tolerances as tol
from slipstick.results.notebook_view import text_html

OUTCOME_COLOURS = {"passed": "#3a8a6b", "FAILED": "#c8553d"}  # in a notebook; other outcomes are amber
AMBER = "#c98b2b"
MAX_REPR_ROWS = 12  # connections in the repr


def is_small(error: float, motion: float) -> bool:
    """True if an error is small against the motion, by one limit for all results, or if the motion is zero or NaN.

    motion : largest half range of a coordinate [m or rad].
    """
    return not (motion > 0.0 and error > tol.ERROR_LIMIT_REL * motion)


class NamedValues(dict[str, float]):
    """Values by name; an unknown name is an error with a suggestion."""

    def __missing__(self, name: object) -> float:
        hint = did_you_mean(name, self) if isinstance(name, str) else ""
        raise InvalidInput(f"there is no {short_repr(name)} here{hint}")


@dataclass(frozen=True, repr=False)
class Certificate:
    """Energy balance and error estimate of a run.

    error : estimated largest error of a displacement [m or rad], over all coordinates and the whole run;
        infinite if the motion is sensitive, NaN if there is no estimate (a note says why).
    errors : the same by coordinate.
    energy_residual : residual of the balance work_in = change of kinetic and stored energy + dissipation, over the
        largest energy exchanged during the run.
    work_in : [J] done by loads and prescribed motions.
    dissipated : [J] by connection. Laws without a stored energy report the work they absorb.
    stored : [J] change of stored energy by connection;  kinetic : [J] change of kinetic energy.
    tolerance : largest energy residual that passes.
    passed : the balance holds, the error is small against the motion (at most `ERROR_LIMIT_REL` of it), and there are
        no failures.
    doubtful : all of this holds, but the error is not small.
    notes : remarks, in words.   failures : problems other than balance and error, in words.
    sensitive : perturbations grew so much that no error estimate is meaningful.
    advice : of the method, if the energy does not balance or the error is not small.
    not_computed : why the certificate was not computed, in words; empty if it was.
    motion : [m or rad] reference of the error, see `is_small`; NaN if unknown.
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
        """A failed certificate of a run whose certificate could not be computed."""
        return replace(cls.open(coordinates, ""), failures=(reason,))

    @classmethod
    def open(cls, coordinates: tuple[str, ...], reason: str) -> Certificate:
        """A certificate that was not computed; it is no statement about the run."""
        nan = math.nan
        return cls(nan, dict.fromkeys(coordinates, nan), nan, nan, {}, {}, nan, 0.0, not_computed=reason)

    @property
    def is_none(self) -> bool:
        """True if there are no values, only the reason."""
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
        """Why it did not pass, in words; empty if it did."""
        if self.is_none:
            return tuple(filter(None, (self.not_computed, *self.failures)))
        reasons = list(self.failures)
        if self.sensitive:
            reasons.append(
                "sensitive: small changes grow so fast that no error can be stated; "
                "compare means and ranges, or shorten the run"
            )
        elif not math.isfinite(self.error):
            reasons.append("the error could not be estimated")
        elif not is_small(self.error, self.motion):
            share, bound = 100.0 * self.error / self.motion, f"at most {100.0 * tol.ERROR_LIMIT_REL:g} %"
            words = f"{self.error_words} is {share:.2g} % of the motion, {bound}"
            reasons.append(self._advised(words))
        if not self.energy_residual <= self.tolerance:
            words = f"energy does not balance: residual {self.energy_residual:.2g}, at most {self.tolerance:.2g}"
            reasons.append(self._advised(words))
        return tuple(reasons)

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

    def _repr_html_(self) -> str:
        """The repr beside a green, amber or red line; a notebook calls this for the last value of a cell."""
        colour = OUTCOME_COLOURS.get(self.outcome, AMBER)
        return f'<div style="border-left: 4px solid {colour}; padding-left: 8px">{text_html(repr(self))}</div>'

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
    """One line for each connection, the largest first if there are many."""
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
