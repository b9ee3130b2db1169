"""What a result says about its own error."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

LARGEST_ENERGY_RESIDUAL = 1e-2  # of the work done; a stepping method that loses more than this is not trusted
MOST_ROWS = 12  # of connections in the repr


@dataclass(frozen=True, repr=False)
class Certificate:
    """Energy balance and error estimate of a run.

    error : estimated largest error of a displacement [m or rad], over all coordinates and the whole run;
        infinite where the motion is sensitive, not a number where it could not be estimated (a note says why).
    errors : the same by coordinate.
    energy_residual : what is missing in the balance, over the work done: work_in = change of kinetic and stored
        energy + dissipation.
    work_in : [J] done by loads and prescribed motions.
    dissipated : [J] by connection. Laws without a stored energy of their own report the work they absorbed.
    stored : [J] change of stored energy by connection;  kinetic : [J] change of kinetic energy.
    tolerance : the largest energy residual to pass.
    passed : the balance holds, the error is a figure, and nothing is among the failures.
    notes : what a reader should know, in words.   failures : what is wrong beside balance and error, in words.
    sensitive : True where perturbations grew so much that no figure of the error is honest.
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

    @classmethod
    def none(cls, coordinates: tuple[str, ...], reason: str) -> Certificate:
        """Of a run whose certificate was not computed: it fails, and says why."""
        nan = math.nan
        return cls(nan, dict.fromkeys(coordinates, nan), nan, nan, {}, {}, nan, 0.0, failures=(reason,))

    @property
    def passed(self) -> bool:
        held = self.energy_residual <= self.tolerance and not self.failures
        return held and math.isfinite(self.error) and not self.sensitive

    @property
    def verdict(self) -> str:
        """ "passed", or "FAILED" and why, on one line."""
        return "passed" if self.passed else f"FAILED: {'; '.join(self.reasons)}"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it did not pass, in words; empty where it did."""
        found = list(self.failures)
        if found and math.isnan(self.error):  # there is none
            return tuple(found)
        if self.sensitive:
            found.append("sensitive: small changes grow so much that no error can be given")
        elif not math.isfinite(self.error):
            found.append("the error could not be estimated")
        if not self.energy_residual <= self.tolerance:
            words = f"energy does not balance: residual {self.energy_residual:.2g}, at most {self.tolerance:.2g}"
            by_steps = self.tolerance >= LARGEST_ENERGY_RESIDUAL and self.energy_residual > self.tolerance
            found.append(words + ("; take a smaller step, or tolerance" if by_steps else ""))
        return tuple(found)

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
        if math.isnan(self.work_in) and math.isnan(self.error):  # there is none
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
    if len(names) > MOST_ROWS:
        names.sort(key=lambda name: -abs(dissipated.get(name, 0.0)) - abs(stored.get(name, 0.0)))
    width = max((len(name) for name in names[:MOST_ROWS]), default=0)
    rows = []
    for name in names[:MOST_ROWS]:
        own = f", stored {stored[name]:+.6g} J" if name in stored else ""
        what = "dissipated" if name in stored else "absorbed"
        rows.append(f"    {name:<{width}}  {what} {dissipated.get(name, 0.0):.6g} J{own}")
    if len(names) > MOST_ROWS:
        rows.append(f"    and {len(names) - MOST_ROWS} more connections")
    return rows
