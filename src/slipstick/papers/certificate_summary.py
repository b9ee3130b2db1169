"""The error of a figure, from the certificates of its runs, orbits and curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slipstick.results.curve import Curve
from slipstick.results.run import Run

if TYPE_CHECKING:
    from slipstick.results.fit import Fit

FAILED_TEXT = "FAILED"
UNKNOWN_ERROR_TEXT = "the error is not known"
MAX_REASONS = 2  # different reasons that are listed
MAX_FITS_LISTED = 2  # fits that are listed one by one


@dataclass(frozen=True)
class ErrorEvidence:
    """Errors of results, in a form that can be sent between processes.

    kind : "run", "orbit" or "point".   count : how many.   error : the largest estimated one [m or rad].
    energy : the largest energy residual of a run, over the work done; not a number for points of a curve.
    unknown : how many points have no estimate of their error.   reasons : why some did not pass, one for each.
    """

    kind: str
    count: int
    error: float
    energy: float = math.nan
    unknown: int = 0
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Run | Curve) -> ErrorEvidence:
        if isinstance(found, Curve):
            unknown = sum(math.isnan(point.error) for point in found.points)
            reasons = tuple(filter(None, (found.partial, found.rough)))
            return cls("point", len(found), found.error, unknown=unknown, reasons=reasons)
        certificate = found.certificate
        kind = "run" if type(found) is Run else "orbit"
        reasons = () if certificate.passed else ("; ".join(certificate.reasons) or certificate.outcome,)
        return cls(kind, 1, certificate.error, certificate.energy_residual, reasons=reasons)

    @classmethod
    def joint(cls, several: Iterable[ErrorEvidence]) -> ErrorEvidence:
        """The joint evidence of one kind; missing numbers are ignored."""
        each = list(several)
        return cls(
            each[0].kind,
            sum(one.count for one in each),
            _largest(one.error for one in each),
            _largest(one.energy for one in each),
            sum(one.unknown for one in each),
            tuple(reason for one in each for reason in one.reasons),
        )

    def words(self, unit: str = "") -> str:
        """ "4 runs: error at most 3e-15 rad, energy residual at most 2e-15", with failures first."""
        many = f"{self.count} {self.kind}{'' if self.count == 1 else 's'}"
        parts = [f"error at most {self.error:.1e} {unit}".rstrip()] if math.isfinite(self.error) else []
        if math.isfinite(self.energy):
            parts.append(f"energy residual at most {self.energy:.1e}")
        if 0 < self.unknown < self.count:
            parts.append(f"of {self.unknown} {UNKNOWN_ERROR_TEXT}")
        words = f"{many}: {', '.join(parts) or UNKNOWN_ERROR_TEXT}"
        if not self.reasons:
            return words
        different = list(dict.fromkeys(self.reasons))
        more = f" and {len(different) - MAX_REASONS} more reasons" if len(different) > MAX_REASONS else ""
        return f"{FAILED_TEXT}, {len(self.reasons)} of {many}: {'; '.join(different[:MAX_REASONS])}{more}. {words}"


CertifiedResult = Run | Curve | ErrorEvidence


def fits_certificate_line(fits: Mapping[str, Fit], unit: str) -> str:
    """The certificate line of figures made by fits: their residuals, and which exceed the noise."""
    bad = [name for name, fit in fits.items() if not (fit.within_noise and fit.converged)]
    text = "; ".join(f"{name}: {fit.residual:.3g} {unit} rms left" for name, fit in fits.items())
    if len(fits) > MAX_FITS_LISTED:
        text = f"{len(fits)} fits: at most {max(fit.residual for fit in fits.values()):.3g} {unit} rms left"
    if bad:
        return f"{FAILED_TEXT}, not within the noise: {', '.join(bad)}. {text}"
    return f"{text}; within the noise; 95 % intervals"


def certificate_line(
    found: CertifiedResult | Iterable[CertifiedResult] | Mapping[str, CertifiedResult | Iterable[CertifiedResult]],
    unit: str = "",
) -> str:
    """The certificate line of a figure.

    found : the results it was made of, or their `ErrorEvidence`; by name, to list them separately.
    unit : of the error. Failures come first, with the reason.
    """
    if isinstance(found, Mapping):
        lines = {name: _one(each, unit) for name, each in found.items()}
        listed = sorted(lines.items(), key=lambda line: not line[1].startswith(FAILED_TEXT))
        return "; ".join(f"{name}: {words}" for name, words in listed)
    return _one(found, unit)


def _one(found: CertifiedResult | Iterable[CertifiedResult], unit: str) -> str:
    each = [found] if isinstance(found, Run | Curve | ErrorEvidence) else list(found)
    kinds: dict[str, list[ErrorEvidence]] = {}
    for one in each:
        own = one if isinstance(one, ErrorEvidence) else ErrorEvidence.of(one)
        kinds.setdefault(own.kind, []).append(own)
    listed = [ErrorEvidence.joint(own).words(unit) for own in kinds.values()]
    return (
        "; ".join(sorted(listed, key=lambda words: not words.startswith(FAILED_TEXT))) or "none: nothing was computed"
    )


def _largest(figures: Iterable[float]) -> float:
    """The largest value, without missing ones."""
    return max((value for value in figures if not math.isnan(value)), default=math.nan)
