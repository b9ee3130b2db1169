"""What commands about measured loops have in common: which files, how they are read, and what is known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from time import perf_counter
from typing import Annotated, Any, NamedTuple

import typer

from slipstick.cli import loop_files as of
from slipstick.cli.loop_files import Reading, loops_of
from slipstick.cli.wishes import Bounds, Fixed, Noise, Prior
from slipstick.identification.wishes import Typed, noise_of, typed, wishes_of

# every such command has these, in this order behind its own
_OPTIONS: dict[str, Any] = {
    "deflection": of.Deflection, "force": of.Force, "time": of.Time, "by": of.By, "unit": of.Units,
    "decimal": of.Decimal, "scale": of.Scales, "fixed": Fixed, "bounds": Bounds, "prior": Prior,
    "deflection_noise": Noise, "remove_drift": of.Drift, "remove_offset": of.Offset, "out": of.Out,
}  # fmt: skip
LawName = Annotated[
    str, typer.Option(metavar="LAW", help="masing, iwan:7, fibre-shear ..., or linear+dahl.", show_default=False)
]
_FLAGS = ("remove_drift", "remove_offset")


class Asked(NamedTuple):
    """What was typed.   began : when.   files, out : as named.   reading : of the files.
    given : of the law's numbers.   noise : of the deflection.
    """

    began: float
    files: list[str]
    reading: Reading
    given: list[Typed]
    noise: str | None
    out: str | None

    def loops(self, laws: Sequence[str]) -> tuple[list[Any], dict[str, Any]]:
        """The loops, and what `identify` is told beside them."""
        loops = loops_of(self.files, self.reading)
        wishes = wishes_of(self.given, laws, loops)
        return loops, {**wishes._asdict(), "deflection_noise": noise_of(self.noise, loops)}

    @property
    def seconds(self) -> float:
        """Since it was typed."""
        return perf_counter() - self.began


def loop_command(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first argument is what was `Asked`; it has the files and the options of all, and its own."""
    own = list(signature(command, eval_str=True).parameters.values())[1:]
    common = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=False if name in _FLAGS else None, annotation=kind)
        for name, kind in _OPTIONS.items()
    ]
    files = Parameter("files", Parameter.KEYWORD_ONLY, annotation=of.Files)
    every = [files, *(one.replace(kind=Parameter.KEYWORD_ONLY) for one in own), *common]

    @wraps(command)
    def with_options(**given: Any) -> None:
        command(_asked(given), **{one.name: given[one.name] for one in own})

    with_options.__signature__ = Signature(every)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in every} | {"return": None}
    return with_options


def _asked(given: Mapping[str, Any]) -> Asked:
    began = perf_counter()
    return Asked(began, given["files"], Reading.asked(given), typed(given), given["deflection_noise"], given["out"])
