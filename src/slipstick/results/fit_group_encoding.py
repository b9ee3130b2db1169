"""Several fits in one file: those of a ranking or a trend.

Variables and attributes of each fit are those of its own file, prefixed by its number. Each law is a small model. A
JSON attribute says which fit is which.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slipstick.results.fit import Fit
from slipstick.results.fit_encoding import decode_fit, encode_fit
from slipstick.results.ranking import RankedLaw, Ranking
from slipstick.results.result_notes import decode_message, encode_message
from slipstick.results.trend import Trend, TrendLine

if TYPE_CHECKING:
    import xarray

FitGroup = Ranking | Trend


def fits_of(group: FitGroup) -> list[Fit]:
    """All fits, in their order in a file."""
    if isinstance(group, Ranking):
        return [row.fit for row in group.table if row.fit is not None]
    return [fit for own in group.fits.values() for fit in own.values()]


def with_fits(group: Any, fits: Sequence[Fit]) -> Any:
    """The group with other fits in the same order."""
    remaining = iter(fits)
    if isinstance(group, Ranking):
        rows = (row if row.fit is None else row._replace(fit=next(remaining)) for row in group.table)
        return replace(group, table=tuple(rows))
    every = {name: {hertz: next(remaining) for hertz in own} for name, own in group.fits.items()}
    return replace(group, fits=every)


def encode_group(group: FitGroup) -> xarray.Dataset:
    """A ranking or a trend as a netCDF 3 dataset, without the laws."""
    kept = group.data.copy()
    for name in [name for name in kept.variables if kept[name].dtype == bool]:
        kept[name] = kept[name].astype("int8")
    for k, fit in enumerate(fits_of(group)):
        own = encode_fit(fit).dataset()
        kept = kept.merge(own.rename({name: f"{_fit_prefix(k)}{name}" for name in {*own.variables, *own.dims}}))
        kept.attrs |= {f"{_fit_prefix(k)}{key}": value for key, value in own.attrs.items()}
    group_fields = _ranking_fields(group) if isinstance(group, Ranking) else _trend_fields(group)
    kept.attrs |= {"model": group.names.model, "group_json": json.dumps(group_fields)}
    return kept


def decode_group(dataset: xarray.Dataset, kind: str) -> FitGroup:
    """Inverse of `encode_group`; the fits have no laws."""
    group_fields = json.loads(dataset.attrs["group_json"])
    fits = [_decode_member(dataset, k) for k in range(group_fields["fits"])]
    return _decode_ranking(group_fields, fits) if kind == "ranking" else _decode_trend(group_fields, fits)


def _fit_prefix(k: int) -> str:
    return f"fit_{k}_"


def _decode_member(dataset: xarray.Dataset, k: int) -> Fit:
    mark = _fit_prefix(k)
    own = dataset[[name for name in dataset.variables if str(name).startswith(mark)]]
    plain = {name: str(name).removeprefix(mark) for name in {*own.variables, *own.dims} if str(name).startswith(mark)}
    own = own.rename(plain)
    own.attrs = {key.removeprefix(mark): value for key, value in dataset.attrs.items() if key.startswith(mark)}
    return decode_fit(own)


def _ranking_fields(ranking: Ranking) -> dict[str, Any]:
    rows = [
        [row.name, row.fit is not None, row.criterion, row.validation, encode_message(row.trouble)]
        for row in ranking.table
    ]
    fields = {"fits": len(fits_of(ranking)), "rows": rows, "verdict": ranking.verdict, "noise": ranking.noise}
    return {**fields, "composed": ranking.composed}


def _decode_ranking(group_fields: Mapping[str, Any], fits: Sequence[Fit]) -> Ranking:
    remaining = iter(fits)
    rows = [
        RankedLaw(name, next(remaining) if fitted else None, criterion, validation, decode_message(trouble))
        for name, fitted, criterion, validation, trouble in group_fields["rows"]
    ]
    composed = tuple((str(name), str(reason)) for name, reason in group_fields.get("composed", ()))
    return Ranking(tuple(rows), str(group_fields["verdict"]), float(group_fields["noise"]), composed)


def _trend_fields(trend: Trend) -> dict[str, Any]:
    return {
        "fits": len(fits_of(trend)),
        "law": trend.law,
        "sets": [[name, list(own)] for name, own in trend.fits.items()],
        "lines": [[name, [list(line) for line in own.values()]] for name, own in trend.lines.items()],
    }


def _decode_trend(group_fields: Mapping[str, Any], fits: Sequence[Fit]) -> Trend:
    remaining = iter(fits)
    return Trend(
        str(group_fields["law"]),
        {name: {float(hertz): next(remaining) for hertz in own} for name, own in group_fields["sets"]},
        {name: {line[0]: TrendLine(*line) for line in own} for name, own in group_fields["lines"]},
    )
