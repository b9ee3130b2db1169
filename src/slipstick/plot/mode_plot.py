"""Figure of a nonlinear mode: frequency and damping ratio over amplitude, or over response curves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.plot import style
from slipstick.plot import tolerances as tol
from slipstick.plot.ticks import set_linear_ticks, set_log_ticks
from slipstick.plot.title import set_title
from slipstick.results.curve import Curve
from slipstick.results.curve_interpolation import find_corners, interpolate_curve
from slipstick.units.axes import AxisUnit, column_axes
from slipstick.units.scales import frequency_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.nonlinear_mode import NonlinearMode
    from slipstick.signals import TimeFunction


LIGHTEST_BLUE, DARKEST_BLUE = (0.72, 0.81, 0.88), (0.10, 0.27, 0.42)  # RGB of response curves, by their peaks


def plot_nonlinear_mode(mode: NonlinearMode, curves: Any = None, coordinate: str | None = None) -> Figure:
    """See `slipstick.results.nonlinear_mode.NonlinearMode.plot`."""
    if not mode.points:
        raise InvalidInput("the mode has no points to show")
    with style.house_style():
        if curves is None:
            if coordinate is not None:
                raise InvalidInput("coordinate= chooses what is shown beside curves; give curves= too").about(
                    "coordinate"
                )
            return style.without_mathtext(_over_amplitude(mode))
        return style.without_mathtext(_over_curves(mode, _checked(mode, curves), coordinate))


# ---- over amplitude


def _over_amplitude(mode: NonlinearMode) -> Figure:
    import matplotlib.pyplot as plt

    figure, (upper, lower) = plt.subplots(2, 1, sharex=True, figsize=(8.5, 6.0))
    data, scale = mode.data, frequency_scale(mode.names.units.frequency)
    name = mode.stats.coordinate
    factor, words = 1.0, "modal amplitude  [√kg m]"
    if name:
        axis = _axis(mode, name)
        factor, words = axis.factor, f"amplitude of {name}, first harmonic  [{axis.unit}]"
    a = factor * data["amplitude"].values
    for panel, values, error, label in (
        (upper, scale.factor * data["frequency"].values, scale.factor * data["frequency_error"].values,
         f"frequency\n[{scale.unit}]"),
        (lower, 100.0 * data["damping_ratio"].values, 100.0 * data["damping_error"].values, "damping ratio\n[%]"),
    ):  # fmt: skip
        _band(panel, a, values, error)
        _line(panel, a, values, mode, log=True)
        panel.set_ylabel(label, rotation=0, ha="right", va="center")
        _set_limits(panel, values)
        set_linear_ticks(panel, "y", 6)
    set_log_ticks(lower, "x")
    lower.set_xlabel(words)
    figure.align_ylabels([upper, lower])
    _title(figure, mode)
    return figure


def _band(panel: Axes, a: Array, values: Array, error: Array) -> None:
    known = error[~np.isnan(error)]
    if known.size and known.max() > tol.MIN_BAND_REL * max(
        float(np.ptp(values)), tol.CONSTANT_FREQUENCY_REL * float(np.abs(values).max())
    ):
        panel.fill_between(a, values - error, values + error, color=style.BAND, alpha=0.5, linewidth=0)


def _line(panel: Axes, x: Array, y: Array, mode: NonlinearMode, log: bool = False, **how: Any) -> None:
    """A smooth line through points; log : for a logarithmic x axis."""
    if mode.stats.joined or x.size > 12:
        points = np.column_stack([np.log(x) if log else x, y])
        places, y = interpolate_curve(points, find_corners(points)).T
        x = np.exp(places) if log else places
        panel.plot(x, y, **{"color": style.BLUE, "linewidth": 1.8, **how})
    else:
        panel.plot(x, y, **{"color": style.BLUE, "linewidth": 1.2, "marker": "o", "markersize": 3.5, **how})


def _set_limits(panel: Axes, values: Array) -> None:
    """An axis from zero if values come near it; centred on them if they are constant."""
    low, high = float(values.min()), float(values.max())
    if high - low <= tol.CONSTANT_FREQUENCY_REL * abs(high):
        half = 0.05 * abs(high) or 1.0
        panel.set_ylim(high - half, high + half)
    elif low >= 0.0 and low < 0.3 * high:
        panel.set_ylim(0.0, 1.06 * high)


# ---- over response curves


def _over_curves(mode: NonlinearMode, curves: list[Curve], coordinate: str | None) -> Figure:
    import matplotlib.pyplot as plt

    data, scale = mode.data, frequency_scale(mode.names.units.frequency)
    name = _shown_coordinate(mode, coordinate)
    axis, column = _axis(mode, name), list(mode.names.coordinates).index(name)
    figure, (main, side) = plt.subplots(1, 2, sharey=True, figsize=(10.0, 5.2), width_ratios=(2.2, 1.0))
    a = 0.5 * axis.factor * data["peak_to_peak"].values[:, column]
    peaks = []
    highest = [float(curve.data["amplitude"].values[:, column].max()) for curve in curves]
    for curve, label, colour in zip(curves, _labels(mode, curves), _shades(highest), strict=True):
        y = axis.factor * curve.data["amplitude"].values[:, column]
        peaks.append(float(y.max()))
        _response(main, scale.factor * curve.data["frequency"].values, y, curve, colour, label)
    _line(main, scale.factor * data["frequency"].values, a, mode, color=style.ACCENT, label=f"mode {mode.stats.mode}")
    error = 100.0 * data["damping_error"].values
    zeta = 100.0 * data["damping_ratio"].values
    side.fill_betweenx(a, zeta - error, zeta + error, color=style.BAND, alpha=0.5, linewidth=0)
    _line(side, zeta, a, mode, color=style.ACCENT)
    main.set_ylabel(f"{name}\namplitude\n[{axis.unit}]", rotation=0, ha="right", va="center")
    main.set_xlabel(f"frequency [{scale.unit}]")
    side.set_xlabel("damping ratio [%]")
    top = max(peaks)
    seen = zeta[a <= tol.PEAK_MARGIN * top]
    side.set_xlim(0.0, 1.1 * max(float(seen.max(initial=0.0)), tol.MIN_DAMPING_PER_CENT))
    set_linear_ticks(main, "x", 7)
    set_linear_ticks(side, "x", 4)
    if top > tol.LOG_SCALE_PEAK_RATIO * min(peaks) > 0.0:
        set_log_ticks(main, "y")
        main.set_ylim(0.1 * min(peaks), tol.PEAK_MARGIN * tol.PEAK_MARGIN * top)
    else:
        main.set_ylim(0.0, tol.PEAK_MARGIN * top)
        set_linear_ticks(main, "y", 6)
    main.legend(loc="best")
    _title(figure, mode)
    return figure


def _shades(peaks: list[float]) -> list[tuple[float, ...]]:
    """Shades of blue, darker for higher peaks, all different."""
    rank = np.argsort(np.argsort(peaks, kind="stable"), kind="stable")
    parts = rank / (len(peaks) - 1.0) if len(peaks) > 1 else np.array([0.5])
    return [
        tuple((np.array(LIGHTEST_BLUE) + part * np.subtract(DARKEST_BLUE, LIGHTEST_BLUE)).tolist()) for part in parts
    ]


def _labels(mode: NonlinearMode, curves: list[Curve]) -> list[str]:
    """Labels of curves: the amplitude of the one load or motion in which they differ; else method, model or number."""
    if len(curves) == 1:
        return ["response"]
    sizes = [_excitation_amplitudes(mode, curve) for curve in curves]
    names = list(dict.fromkeys(name for each in sizes for name in each))
    differ = [name for name in names if len({each.get(name, (0.0, ""))[0] for each in sizes}) > 1]
    if len(differ) == 1:
        shown_as = [each.get(differ[0], (0.0, "")) for each in sizes]
        labels = [f"{differ[0]}: {size:.4g} {unit}".rstrip() for size, unit in shown_as]
        if len(set(labels)) == len(labels):
            return labels
    for each in ([curve.stats.method for curve in curves], [curve.names.model for curve in curves]):
        if len(set(each)) == len(each):
            return each
    return [f"response {k + 1}" for k in range(len(curves))]


def _excitation_amplitudes(mode: NonlinearMode, curve: Curve) -> dict[str, tuple[float, str]]:
    """Amplitude and unit of every time-varying load and motion of a curve's model, by label."""
    if curve.model is None:
        return {}
    found = dict[str, tuple[float, str]]()
    for load in curve.model.loads:
        name = f"load on {load.form!r}"
        unit = _axis(mode, str(load.form)).force if str(load.form) in mode.names.coordinates else ""
        found[name] = (found.get(name, (0.0, ""))[0] + _function_amplitude(load.function), unit)
    for coordinate in curve.model.coordinates:
        if coordinate.motion is not None:
            axis = _axis(mode, coordinate.name)
            found[f"motion of {coordinate.name}"] = (axis.factor * _function_amplitude(coordinate.motion), axis.unit)
    return {name: (size, unit if mode.names.units.coordinates else "") for name, (size, unit) in found.items()}


def _function_amplitude(function: TimeFunction) -> float:
    """Half the largest possible range of a function of time."""
    return float(sum(np.hypot(each.cos, each.sin) for each in function.parts().harmonics))


def _response(
    panel: Axes, frequency: Array, y: Array, curve: Curve, colour: tuple[float, ...], label: str | None
) -> None:
    """A response curve: stable parts as lines, unstable ones dashed."""
    stable = np.array([point.stable is not False for point in curve.points])
    for which, dashes in ((stable, "-"), (~stable, style.DASHES)):
        near = which | np.append(which[1:], False) & ~which  # neighbours share the point between them
        if which.any():
            panel.plot(frequency, np.where(near, y, np.nan), color=colour, linestyle=dashes, linewidth=1.4, label=label)
            label = None


def _checked(mode: NonlinearMode, curves: Any) -> list[Curve]:
    found = [curves] if isinstance(curves, Curve) or not isinstance(curves, Iterable) else list(curves)
    for curve in found:
        if not isinstance(curve, Curve):
            raise InvalidInput(
                f"curves must be response curves, as m.frequency_response gives them, got {short_repr(curve)}"
            ).about("curves")
        if curve.names.coordinates != mode.names.coordinates:
            raise InvalidInput(f'the curve of "{curve.names.model}" has other coordinates than this mode').about(
                "curves"
            )
        if not curve.points:
            raise InvalidInput(f'the curve of "{curve.names.model}" has no points to show').about("curves")
        if curve.stats.parameter != "frequency":
            raise InvalidInput(f"curves must be over frequency, got one over {curve.stats.parameter}").about("curves")
    if not found:
        raise InvalidInput("curves has no curve in it; leave it out to see the mode alone").about("curves")
    return found


def _shown_coordinate(mode: NonlinearMode, coordinate: str | None) -> str:
    names = mode.names.coordinates
    name = coordinate or mode.stats.coordinate
    if not name:
        return str(names[int(np.argmax(mode.data["peak_to_peak"].values[-1]))])
    if name not in names:
        raise InvalidInput(f"no coordinate {short_repr(name)}{did_you_mean(str(name), names)}").about("coordinate")
    return name


def _axis(mode: NonlinearMode, name: str) -> AxisUnit:
    names = mode.names.coordinates
    return column_axes(mode.names.units.coordinates, names, [list(names).index(name)]).each[0]


def _title(figure: Figure, mode: NonlinearMode) -> None:
    words = f"{mode.names.model}  ·  mode {mode.stats.mode}  ·  {mode.error_words}"
    set_title(figure, words, mode.partial, colour=style.ACCENT if mode.partial else style.INK)
