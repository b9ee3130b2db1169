"""Fits in files. The law is in a small model in the same file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import Message
from slipstick.results.fit import (
    SAMPLE_VARIABLES,
    Estimate,
    Estimates,
    Fit,
    LoopFit,
    RuleValue,
    RuleValues,
    Spread,
    fit_tables,
)
from slipstick.results.netcdf_writer import TableSet
from slipstick.results.result_notes import EncodedMessage, decode_message, encode_message
from slipstick.units.scales import LoopUnits, Scale

if TYPE_CHECKING:
    import xarray

PLAIN_FIELDS = ("free", "residual", "noise", "warnings", "seconds", "evaluations", "converged", "system", "held")
LIST_FIELDS = ("free", "warnings", "held")


def encode_fit(fit: Fit) -> TableSet:
    """A fit as tables of netCDF 3, without its law."""
    kept = fit_tables(fit)
    for name in ("compared", "fixed"):
        kept.tables[name] = kept.tables[name]._replace(values=kept.tables[name].values.astype(np.int8))
    kept.attrs |= {
        "model": fit.kind,
        "fit_json": json.dumps({key: getattr(fit, key) for key in PLAIN_FIELDS}),
        "loops_json": json.dumps([_loop_fields(loop) for loop in fit.loops]),
        "parameters_json": _encode_estimates(fit.parameters),
        "derived_json": _encode_estimates(fit.derived),
        "notes_json": json.dumps([encode_message(note) for note in fit.notes]),
        "warnings_json": json.dumps([encode_message(words) for words in fit.warnings]),
        "rules_json": json.dumps([fit.rules, [encode_message(note) for note in fit.rules.refusals]]),
    }
    if fit.spread is not None:
        kept.attrs["spread_json"] = json.dumps([np.asarray(part).tolist() for part in fit.spread])
    return kept


def decode_fit(dataset: xarray.Dataset) -> Fit:
    """Inverse of `encode_fit`; the fit has no law."""
    held = dataset.attrs
    plain: dict[str, Any] = {
        key: tuple(value) if key in LIST_FIELDS else value
        for key, value in json.loads(held["fit_json"]).items()
        if key in PLAIN_FIELDS
    }
    if "warnings_json" in held:
        plain["warnings"] = _decode_notes(json.loads(held["warnings_json"]))
    spread = json.loads(held["spread_json"]) if "spread_json" in held else None
    return Fit(
        law=None,
        parameters=_decode_estimates(held["parameters_json"]),
        derived=_decode_estimates(held["derived_json"]),
        correlation=np.array(dataset["correlation"].values, dtype=float),
        loops=_decode_loops(dataset, json.loads(held["loops_json"])),
        spread=None if spread is None else _decoded_spread(spread),
        notes=_decode_notes(json.loads(held["notes_json"])),
        rules=_decode_rules(held["rules_json"]),
        **plain,
    )


def _decode_loops(dataset: xarray.Dataset, words: list[dict[str, Any]]) -> tuple[LoopFit, ...]:
    numbers = dataset["loop"].values
    found = []
    for k, own in enumerate(words):
        part = numbers == k
        arrays: dict[str, Any] = {
            key: np.array(dataset[name].values[part], dtype=float) for key, name in SAMPLE_VARIABLES.items()
        }
        arrays["counts"] = arrays["counts"] != 0.0
        known = {key: value for key, value in own.items() if key in LoopFit._fields}
        if "units" in known:
            deflection, force, written, *bare = known["units"]
            roles = tuple(role for own in bare for role in own)
            known["units"] = LoopUnits(Scale(*deflection), Scale(*force), bool(written), roles)
        found.append(LoopFit(**known, **arrays))
    return tuple(found)


def _loop_fields(loop: LoopFit) -> dict[str, Any]:
    return {key: value for key, value in loop._asdict().items() if key not in SAMPLE_VARIABLES}


def _decode_rules(text: str) -> RuleValues:
    values, refusals = json.loads(text)
    return RuleValues({name: RuleValue(*own) for name, own in values.items()}, _decode_notes(refusals))


def _decode_notes(held: list[EncodedMessage]) -> tuple[Message, ...]:
    return tuple(map(decode_message, held))


def _encode_estimates(estimates: Estimates) -> str:
    return json.dumps({name: own._asdict() for name, own in estimates.items()})


def _decode_estimates(text: str) -> Estimates:
    known = json.loads(text)
    return Estimates({name: _decode_estimate(own) for name, own in known.items()})


def _decode_estimate(held: dict[str, Any]) -> Estimate:
    own = Estimate(**{key: value for key, value in held.items() if key in Estimate._fields})
    return own if own.dimension is None else own._replace(dimension=tuple(own.dimension))


def _decoded_spread(parts: list[Any]) -> Spread:
    """A spread from lists; files of older versions have no misfit."""
    arrays: list[Any] = [np.array(part) for part in parts[:6]]
    return Spread(*arrays, *parts[6:])
