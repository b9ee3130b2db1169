"""The next measurement: intervals after candidate tests, from the Fisher information.

A test with derivatives J of its figures by the parameters, and standard deviations s, adds J' diag(1/s^2) J to the
information, which is the inverse of the covariance of the fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.calibration.unknowns import value_of, with_parameters
from slipstick.errors import InvalidInput, finite_float, short_repr
from slipstick.model.named_parameter import parameter_of
from slipstick.periodic.family_factory import name_difference
from slipstick.results.calibration import Calibration
from slipstick.results.fit import Fit
from slipstick.results.recommendation import CandidateTest, Recommendation
from slipstick.results.run import Names, Run
from slipstick.sensitivity.gradient import gradient
from slipstick.sensitivity.parameters import is_start_state
from slipstick.sensitivity.richardson import difference

LAW_CONNECTION = "identified"  # of the small model of a fit
NEAR_FIT_REL = 0.1  # derivatives of a result whose parameters are farther from the fit are not those of the fit
UNKNOWN = 1e3  # relative standard deviation from which on a parameter counts as unknown


class _Known(NamedTuple):
    """names : of the fitted parameters.   values : (k,).   information : (k, k) of their relative changes."""

    names: list[str]
    values: Array
    information: Array


def advise_calibration(fit: Calibration, candidates: Any) -> Recommendation:
    """The best of candidate tests: {name: (run, orbit, curve or mode of the fitted model, {figure: deviation})}."""
    names = list(fit.parameters)
    values = np.array([own.value for own in fit.parameters.values()])
    deviations = np.array([own.deviation for own in fit.parameters.values()])
    known = _known(names, values, deviations, fit.correlation)
    rows = {}
    for name, pair in _checked(candidates).items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[1], Mapping) or not pair[1]:
            words = f'candidate "{name}" must be (result, {{figure: deviation}}), got {short_repr(pair)}'
            raise InvalidInput(words).about("candidates")
        result, figures = pair
        _refuse_other_model(fit, name, result)
        parts = [_figure_rows(result, figure, _deviation(name, own), names) for figure, own in figures.items()]
        rows[name] = np.concatenate(parts)
    return _recommendation(known, rows)


def advise_fit(fit: Fit, candidates: Any) -> Recommendation:
    """The best of candidate deflections: {name: (n,) deflection or (times, deflection)}, traced from a virgin state."""
    if fit.model is None or fit.law is None:
        raise InvalidInput("the law of this fit is not in its file; identify it again")
    noise = max(fit.noise, fit.residual)
    rows = {name: force_slopes(fit, u, t) / noise for name, (t, u) in checked_cycles(candidates).items()}
    return _recommendation(fit_information(fit), rows)


def fit_information(fit: Fit) -> _Known:
    """What a fit knows of its free parameters."""
    values = np.array([fit.parameters[name].value for name in fit.free])
    deviations = np.array([fit.parameters[name].deviation for name in fit.free])
    return _known(list(fit.free), values, deviations, fit.correlation)


def force_slopes(fit: Fit, u: Array, t: Any) -> Array:
    """(n, k) derivatives of the force along a deflection by the free parameters."""
    columns = [_force_slope(fit.model, name, fit.parameters[name].value, u, t) for name in fit.free]
    return np.array(columns).reshape(len(columns), u.size).T


def checked_cycles(candidates: Any) -> dict[str, tuple[Any, Array]]:
    """Times or None, and deflections, by name."""
    found = {}
    for name, given in _checked(candidates).items():
        t, u = given if isinstance(given, tuple) and len(given) == 2 else (None, given)
        try:
            u = np.asarray(u, dtype=float)
        except (TypeError, ValueError):
            u = np.zeros(0)
        if u.ndim != 1 or u.size < 2 or not np.all(np.isfinite(u)):
            raise InvalidInput(f'candidate "{name}" must be a deflection, got {short_repr(given)}').about("candidates")
        found[name] = (t, u)
    return found


def _refuse_other_model(fit: Calibration, name: str, result: Any) -> None:
    """Refuse a result of a model that is not the fitted one; its loads and motions are those of the test."""
    own, fitted = getattr(result, "model", None), fit.model
    if own is None or fitted is None:
        return
    apart = name_difference(Names.of(own), Names.of(fitted), "those of the fit")
    if not apart:
        values = {each: estimate.value for each, estimate in fit.parameters.items() if not is_start_state(each)}
        far = [each for each, value in values.items() if _is_far(value_of(own, each), value)]
        apart = f"its {far[0]} is {value_of(own, far[0]):.6g}, in the fit {values[far[0]]:.6g}" if far else ""
        apart = apart or _other_part(with_parameters(own, values), with_parameters(fitted, values))
    if apart:
        words = f'candidate "{name}" is a result of another model: {apart}'
        raise InvalidInput(words, advice=["compute it with fit.model"]).about("candidates")


def _is_far(value: float, fitted: float) -> bool:
    return not abs(value - fitted) <= NEAR_FIT_REL * abs(fitted)


def _other_part(own: Any, fitted: Any) -> str:
    """In words, which part of a model is another one; nothing if none is."""
    for a, b in zip(own.connections, fitted.connections, strict=True):
        if a != b:
            return f'its connection "{a.name}" has {a.law}, in the fit {b.law}'
    for a, b in zip(own.coordinates, fitted.coordinates, strict=True):
        if a.inertia != b.inertia:
            return f'its coordinate "{a.name}" has the inertia {a.inertia:g}, in the fit {b.inertia:g}'
    return "" if own.matrices == fitted.matrices else "it has other matrices"


def _force_slope(model: Any, name: str, value: float, u: Array, t: Any) -> Array:
    """(n,) derivative of the force along a deflection by a parameter of the law."""
    found = parameter_of(model, f"{LAW_CONNECTION}.{name}")

    def force(s: float) -> Array:
        return np.asarray(found.at(value + s).connection(LAW_CONNECTION).law.trace(u, t))

    return difference(force, abs(value) or 1.0)


def _figure_rows(result: Any, figure: str, deviation: float, names: list[str]) -> Array:
    """(figures, k) derivatives over the standard deviation."""
    moving = [each for each in names if not is_start_state(each) or type(result) is Run]
    found = gradient(result, figure, moving)
    columns = [np.atleast_1d(found[each]) if each in moving else 0.0 * np.atleast_1d(found.value) for each in names]
    rows = np.array(columns).T / deviation
    return np.asarray(rows[np.all(np.isfinite(rows), axis=1)])


def _known(names: list[str], values: Array, deviations: Array, correlation: Array) -> _Known:
    """What a fit knows; a parameter that it does not determine adds nothing."""
    sizes = np.where(values == 0.0, 1.0, np.abs(values))
    relative = deviations / sizes
    sure = np.isfinite(relative) & (relative > 0.0) & (relative < UNKNOWN)
    information = np.zeros((len(names), len(names)))
    if sure.any():
        own = np.ix_(sure, sure)
        information[own] = np.linalg.pinv(correlation[own] * np.outer(relative[sure], relative[sure]))
    return _Known(names, sizes, information)


def _recommendation(known: _Known, rows: dict[str, Array]) -> Recommendation:
    now = _deviations(known, known.information)
    widest = max(now, key=lambda name: now[name])
    tests = []
    for name, own in rows.items():
        relative = own * known.values
        tests.append(CandidateTest(name, _deviations(known, known.information + relative.T @ relative)))
    tests.sort(key=lambda test: test.deviations[widest])
    return Recommendation(widest, now, tuple(tests))


def _deviations(known: _Known, information: Array) -> dict[str, float]:
    """Relative standard deviations; infinite where nothing is known."""
    scale = np.sqrt(np.diag(information))
    sure = scale > 0.0
    found = np.full(scale.size, np.inf)
    own = information[np.ix_(sure, sure)] / np.outer(scale[sure], scale[sure])
    if own.size:
        values, vectors = np.linalg.eigh(own)
        least = 1e-14 * values.max()
        found[sure] = np.sqrt((vectors**2 / np.maximum(values, least)).sum(axis=1)) / scale[sure]
    return dict(zip(known.names, found.tolist(), strict=True))


def _checked(candidates: Any) -> Mapping[str, Any]:
    if not isinstance(candidates, Mapping) or not candidates:
        raise InvalidInput(f"candidates must be tests by name, got {short_repr(candidates)}").about("candidates")
    for name in candidates:
        if not isinstance(name, str):
            raise InvalidInput(f"names of candidates must be text, got {short_repr(name)}").about("candidates")
    return candidates


def _deviation(name: str, given: Any) -> float:
    found = finite_float(f'the standard deviation in candidate "{name}"', given)
    if not found > 0.0:
        raise InvalidInput(f'the standard deviation in candidate "{name}" must be > 0, got {found:g}').about(
            "candidates"
        )
    return found
