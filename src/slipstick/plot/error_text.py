"""Errors of results in the unit of the coordinate that they belong to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from slipstick.units.axes import axis_unit, column_axes

if TYPE_CHECKING:
    from slipstick.results.certificate import Certificate
    from slipstick.results.curve import Curve
    from slipstick.results.run import Names


def error_text(certificate: Certificate, names: Names) -> str:
    """The error of a certificate, its unit, and the coordinate with the largest error."""
    if certificate.sensitive or certificate.is_none or not math.isfinite(certificate.error):
        return certificate.error_words
    worst = max(certificate.errors, key=lambda name: certificate.errors[name], default="")
    axis = axis_unit(names.units.coordinates.get(worst, ""))
    named = f" ({worst})" if worst and certificate.error > 0.0 else ""
    return f"{axis.factor * certificate.error:.2g} {axis.unit}{named}"


def curve_error_text(curve: Curve) -> str:
    """The largest error along a curve, in the unit of its coordinates where they have one in common."""
    if math.isnan(curve.error):
        return curve.error_words
    names, unknown = curve.names, sum(math.isnan(point.error) for point in curve.points)
    units = names.units.coordinates
    axis = column_axes(units, names.coordinates, range(len(names.coordinates))).shared or axis_unit("")
    unit = axis.unit if units else ""  # a model built in Python has no display units
    rest = f", of {unknown} not known" if unknown else ""
    return f"error <= {axis.factor * curve.error:.2g} {unit}".rstrip() + rest
