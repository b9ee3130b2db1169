"""Figures of results by name: ``x.amplitude``, ``guide.dissipated``, ``folds``.

A name is a quantity, or a coordinate or connection with a quantity. A quantity alone needs a result with only one
coordinate or connection. `RUN_FIGURES`, `ORBIT_FIGURES` and `CURVE_FIGURES` have them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results.curve import Curve
from slipstick.results.orbit import Orbit
from slipstick.results.run import Run

FigureReader = Callable[[Any, str], Any]


class UnknownFigure(InvalidInput):
    """The result has no figures, or none of this name."""


def refuse_unknown(name: str) -> None:
    """Refuse a name that is a figure of no result at all."""
    quantity = name.rpartition(".")[2]
    known = {
        each
        for table in (ORBIT_FIGURES, RUN_FIGURES, CURVE_FIGURES)
        for each in (*table.whole, *table.coordinate, *table.connection)
    }
    if quantity not in known:
        raise InvalidInput(f"no result has a figure {short_repr(name)}{did_you_mean(quantity, known)}").about("measure")


def read_figure(result: Any, name: str) -> Any:
    """The figure of a run, an orbit or a curve that has this name."""
    kind, table = _figure_table(result)
    return figure_reader(name, table, kind, result.names.coordinates, result.names.connections)(result)


def figure_reader(
    name: str, table: FigureTable, kind: str, coordinates: Sequence[str], connections: Sequence[str]
) -> Callable[[Any], Any]:
    """What reads the figure of a name off a result; one that there is not is refused.

    kind : of the result, in words.   coordinates, connections : names of those that it has.
    """
    part, _, quantity = name.rpartition(".")
    if quantity in table.whole and not part:
        return table.whole[quantity]
    of = table.coordinate if quantity in table.coordinate else table.connection
    if quantity not in of:
        known = (*table.whole, *table.coordinate, *table.connection)
        if quantity in table.whole:
            raise UnknownFigure(f"{quantity} is a figure of the whole; write it without {part}.").about("measure")
        raise UnknownFigure(f"{kind} has no figure {short_repr(quantity)}{did_you_mean(quantity, known)}").about(
            "measure"
        )
    word, names = ("coordinate", coordinates) if of is table.coordinate else ("connection", connections)
    if not part:
        if not names:
            raise UnknownFigure(f"the model has no {word} to have {quantity}").about("measure")
        if len(names) > 1:
            words = f"{quantity} is a figure of one {word}; write it with its name, such as {names[0]}.{quantity}"
            raise UnknownFigure(words).about("measure")
        part = names[0]
    if part not in names:
        raise UnknownFigure(f"the model has no {word} {short_repr(part)}{did_you_mean(part, names)}").about("measure")
    return lambda result: of[quantity](result, part)


class FigureTable:
    """Quantities of a kind of result: of the whole, by coordinate, by connection."""

    def __init__(self, whole: dict[str, Callable[[Any], Any]], coordinate: dict[str, FigureReader],
                 connection: dict[str, FigureReader]) -> None:  # fmt: skip
        self.whole, self.coordinate, self.connection = whole, coordinate, connection


def _split_name(name: str) -> FigureReader:
    return lambda result, part: getattr(result, name)[part]


def _values(run: Any, quantity: str, part: str) -> Any:
    """(k,) a quantity of a coordinate or connection over time."""
    names = run.names.coordinates if quantity == "displacement" else run.names.connections
    return getattr(run.samples, quantity)[:, names.index(part)]


def _reduce_samples(quantity: str, take: Callable[[Any], Any]) -> FigureReader:
    """A figure of all samples of a quantity."""
    return lambda run, part: float(take(_values(run, quantity, part)))


def _mean(run: Any, values: Any) -> float:
    """Over time; samples at events are not equally spaced."""
    t = run.samples.time
    length = t[-1] - t[0]
    return (
        float(np.sum((values[1:] + values[:-1]) * np.diff(t)) / (2.0 * length)) if length > 0.0 else float(values[-1])
    )


def _special_places(kind: str) -> Callable[[Any], list[float]]:
    """Parameter values of the special points of a kind."""

    def read(curve: Any) -> list[float]:
        key = "frequency" if curve.stats.parameter == "frequency" else "parameter"
        return [float(each[key]) for each in curve.special if each["kind"] == kind]

    return read


COORDINATE_FIGURES = ("amplitude", "rms", "mean", "phase", "acceleration_amplitude")


def _curve_column(quantity: str) -> FigureReader:
    def read(curve: Any, part: str) -> Any:
        where = "coordinate" if quantity in COORDINATE_FIGURES else "connection"
        return curve.data[quantity].sel({where: part}).values

    return read


RUN_FIGURES = FigureTable(
    {
        "events": lambda run: 0 if run.stats.events is None else int(run.stats.events),
        "work_in": lambda run: float(run.certificate.work_in),
        "error": lambda run: float(run.certificate.error),
    },
    {
        "peak_to_peak": _reduce_samples("displacement", np.ptp),
        "amplitude": _reduce_samples("displacement", lambda x: np.ptp(x) / 2.0),
        "highest": _reduce_samples("displacement", np.max),
        "lowest": _reduce_samples("displacement", np.min),
        "last": _reduce_samples("displacement", lambda x: x[-1]),
        "last_velocity": lambda run, part: float(run.samples.velocity[-1, run.names.coordinates.index(part)]),
        "mean": lambda run, part: _mean(run, _values(run, "displacement", part)),
        "rms": lambda run, part: _mean(run, _values(run, "displacement", part) ** 2) ** 0.5,
    },
    {
        "force_range": _reduce_samples("force", np.ptp),
        "highest_force": _reduce_samples("force", np.max),
        "lowest_force": _reduce_samples("force", np.min),
        "dissipated": lambda run, part: float(run.certificate.dissipated[part]),
    },
)
ORBIT_FIGURES = FigureTable(
    {
        "stable": lambda orbit: float("nan") if orbit.stable is None else float(orbit.stable),
        "period": lambda orbit: orbit.period,
        "frequency": lambda orbit: orbit.frequency,
        "largest_multiplier": lambda orbit: float(np.abs(orbit.multipliers).max(initial=0.0)),
        "events": lambda orbit: orbit.point.events,
        "error": lambda orbit: float(orbit.certificate.error),
    },
    {
        **{name: _split_name(name) for name in COORDINATE_FIGURES},
        "peak_to_peak": lambda orbit, part: 2.0 * orbit.amplitude[part],
        "highest": RUN_FIGURES.coordinate["highest"],
        "lowest": RUN_FIGURES.coordinate["lowest"],
    },
    {name: _split_name(name) for name in ("force_range", "dissipated", "stick_share", "lag")},
)
CURVE_FIGURES = FigureTable(
    {
        "folds": _special_places("fold"),
        "period_doublings": _special_places("period-doubling"),
        "neimark_sackers": _special_places("neimark-sacker"),
        "branch_points": _special_places("branch-point"),
        "grazings": _special_places("grazing"),
        "frequency": lambda curve: curve.data["frequency"].values,
        "points": len,
        "error": lambda curve: float(curve.error),
    },
    {
        "peak": lambda curve, part: curve.peak(part).amplitude,
        "peak_frequency": lambda curve, part: curve.peak(part).frequency,
        **{name: _curve_column(name) for name in COORDINATE_FIGURES},
    },
    {name: _curve_column(name) for name in ("force_range", "dissipated", "stick_share", "lag")},
)


def _figure_table(result: Any) -> tuple[str, FigureTable]:
    if isinstance(result, Curve):
        return "a curve", CURVE_FIGURES
    if isinstance(result, Orbit):
        return "an orbit", ORBIT_FIGURES
    if isinstance(result, Run):
        return "a run", RUN_FIGURES
    words = "a figure by name needs a run, an orbit, a curve, or a model, whose periodic response is taken"
    raise UnknownFigure(f"{words}; build gave {short_repr(result)}").about("measure")
