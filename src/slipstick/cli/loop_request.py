"""The request of a command about measured loops: files, how to read them, and constraints on the law."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from time import perf_counter
from typing import Annotated, Any, NamedTuple

from slipstick.cli import loop_options as of
from slipstick.cli.loop_options import LoopReadOptions, loops_of
from slipstick.cli.option_types import optional
from slipstick.identification.constraints import (
    TypedConstraint,
    constraints_in_si,
    deflection_noise_in_si,
    parse_constraints,
)

# options of every command about loops, in this order after its own
_OPTIONS: dict[str, Any] = {
    "deflection": of.DeflectionOption, "force": of.ForceOption, "time": of.TimeOption, "by": of.GroupOption,
    "unit": of.UnitOption,
    "rate": of.RateOption, "skip_lines": of.SkipLinesOption, "skip_incomplete": of.SkipIncompleteOption,
    "encoding": of.EncodingOption, "normal": of.NormalOption, "mass": of.MassOption, "lag": of.LagOption,
    "sign": of.SignOption,
    "decimal": of.DecimalOption, "scale": of.ScaleOption, "fixed": of.FixedOption, "bounds": of.BoundsOption,
    "prior": of.PriorOption,
    "deflection_noise": of.NoiseOption, "evaluations": of.Evaluations, "remove_drift": of.DriftOption,
    "remove_offset": of.OffsetOption,
    "out": of.OutOption,
}  # fmt: skip
LawName = Annotated[str, optional(metavar="LAW", help="masing, iwan:7, linear+dahl, series(freeplay, masing).")]
_DEFAULTS: dict[str, Any] = {"remove_drift": False, "remove_offset": False, "skip_incomplete": False, "skip_lines": 0}


class LoopRequest(NamedTuple):
    """Typed options.   began : start time.   files, out : as named.   reading : of the files.
    given : constraints on parameters.   noise : of the deflection.   evaluations : of a search.
    """

    began: float
    files: list[str]
    reading: LoopReadOptions
    given: list[TypedConstraint]
    noise: str | None
    evaluations: int | None
    out: str | None

    def loops(self, laws: Sequence[str]) -> tuple[list[Any], dict[str, Any]]:
        """The loops, and the further arguments of `identify`."""
        loops = loops_of(self.files, self.reading)
        constraints = constraints_in_si(self.given, laws, loops)
        more = {"deflection_noise": deflection_noise_in_si(self.noise, loops), "evaluations": self.evaluations}
        return loops, {**constraints._asdict(), **more}

    @property
    def seconds(self) -> float:
        """Time since the command began."""
        return perf_counter() - self.began


def loop_command(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes a `LoopRequest`; it has the common files and options, and its own."""
    own = list(signature(command, eval_str=True).parameters.values())[1:]
    common = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=kind)
        for name, kind in _OPTIONS.items()
    ]
    files = Parameter("files", Parameter.KEYWORD_ONLY, annotation=of.LoopFilesArgument)
    every = [files, *(one.replace(kind=Parameter.KEYWORD_ONLY) for one in own), *common]

    @wraps(command)
    def with_options(**given: Any) -> None:
        command(_loop_request(given), **{one.name: given[one.name] for one in own})

    with_options.__signature__ = Signature(every)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in every} | {"return": None}
    return with_options


def _loop_request(given: Mapping[str, Any]) -> LoopRequest:
    began = perf_counter()
    own = (given[key] for key in ("deflection_noise", "evaluations", "out"))
    return LoopRequest(began, given["files"], LoopReadOptions.from_typed(given), parse_constraints(given), *own)
