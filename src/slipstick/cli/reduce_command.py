"""``slipstick reduce``: equations before and after, each step with its assumption, and the reduced model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from slipstick.cli.console import console, headline, print_line
from slipstick.cli.option_types import argument, optional
from slipstick.cli.study_files import model_from_file, reject_study
from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from slipstick.api import Model
    from slipstick.reduction.reduce import Reduction


def reduce(
    file: Annotated[str, argument(metavar="MODEL.yaml", help="The model file.")],
    massless: Annotated[
        list[str] | None, optional(metavar="NAME ...", help="Coordinates whose inertia is negligible.")
    ] = None,
    frictionless: Annotated[
        list[str] | None, optional(metavar="NAME ...", help="Coordinates whose friction is negligible too.")
    ] = None,
    rigid: Annotated[list[str] | None, optional(metavar="NAME ...", help="Connections that do not give way.")] = None,
    no_gap: Annotated[
        list[str] | None, optional(metavar="NAME ...", help="Connections whose gap is negligible.")
    ] = None,
    no_limit: Annotated[
        list[str] | None, optional(metavar="NAME ...", help="Connections whose dry friction is negligible.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="The reduced model; default MODEL-reduced.yaml.")
    ] = None,
    compare: Annotated[
        str | None,
        optional(metavar="TIME", help="Run both models for this time (5, 500ms), with ever smaller neglected parts."),
    ] = None,
) -> None:
    """Reduce a model formally: name what is negligible, get a smaller model with its equations and the reasons.

    The exit code is 2 if the model is wrong, or a limit does not exist; the line says which and what is possible.
    """
    reject_study(file, "reduce", "reduce the file under its model: key, and name the reduced one there")
    until = None if compare is None else _seconds(compare)
    model = model_from_file(file)
    place = _output_path(file, out)
    if not any((massless, frictionless, rigid, no_gap, no_limit)):
        raise InvalidInput(
            "reduce: name what is negligible: --massless, --frictionless, --rigid, --no-gap or --no-limit; see "
            "slipstick reduce --help"
        )
    red = model.reduce(massless=massless, frictionless=frictionless, rigid=rigid, no_gap=no_gap, no_limit=no_limit)
    _show_reduction(model, red)
    _write(red, place, Path(file).name)
    if until is not None:  # last: a run may fail, and the reduced model is there all the same
        screen = console()
        screen.print()
        screen.print(str(red.compare(until)), soft_wrap=True)


def _output_path(file: str, out: str | None) -> Path:
    """Path of the reduced model; never the model's own."""
    place = Path(out) if out else Path(file).with_name(f"{Path(file).stem}-reduced.yaml")
    if place.resolve() == Path(file).resolve():
        raise InvalidInput(f"reduce: --out {place} would overwrite the model; name another file")
    return place


def _show_reduction(model: Model, red: Reduction) -> None:
    """Equations before, the steps, equations after."""
    from slipstick.reduction.reduce import describe_size

    screen = console()
    _equations(screen, f"{model.name}: {describe_size(model)}", str(model.equations()))
    headline(screen, "steps", "")
    for i, step in enumerate(red.steps, start=1):
        screen.print(f"{i:>3}. {step}", soft_wrap=True)
    screen.print()
    _equations(screen, f"{red.model.name}: {describe_size(red.model)}", str(red.equations))


def _write(red: Reduction, place: Path, name: str) -> None:
    """Write the reduced model, with its origin as a heading."""
    from slipstick.model.files import write_model
    from slipstick.reduction.symbolic_report import file_heading

    write_model(red.model, place, file_heading(red, name))
    print_line(f"written: {place}")


def _equations(screen: Console, head: str, text: str) -> None:
    headline(screen, head, "")
    for line in text.splitlines():
        screen.print(f"  {line}", soft_wrap=True)
    screen.print()


def _seconds(text: str) -> float:
    """A time as studies write it: 5, 0.5 s, 500ms."""
    from slipstick.model.files.quantities import read_quantity
    from slipstick.model.files.unit_kinds import OpenKinds
    from slipstick.units.dimensions import TIME

    try:
        return OpenKinds().take("--compare", read_quantity(text), TIME)
    except InvalidInput as problem:
        raise InvalidInput(f"reduce: --compare {problem}; such as 5, 0.5s or 500ms") from None


# ---- options with several words


class ListOptionCommand(TyperCommand):
    """A command whose list options take all words up to the next option or a model file.

    ``--massless delta gamma`` is ``--massless delta --massless gamma``.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        lists = {name for p in self.params if getattr(p, "multiple", False) for name in p.opts}
        return super().parse_args(ctx, expand_list_options(args, lists))


def expand_list_options(arguments: list[str], lists: set[str]) -> list[str]:
    """Repeat a list option before each of its words; words with commas are split."""
    found: list[str] = []
    option = ""
    for i, word in enumerate(arguments):
        if word == "--":  # only arguments follow
            return found + arguments[i:]
        if word.startswith("-"):
            name, _, value = word.partition("=")
            option = name if name in lists else ""
            found += [] if option else [word]
            found += [part for one in _split_commas(value) for part in (option, one)] if option else []
        elif option and not is_model_file(word):
            found += [part for one in _split_commas(word) for part in (option, one)]
        else:
            option = ""
            found.append(word)
    return found


def _split_commas(text: str) -> list[str]:
    return [one for one in text.split(",") if one]


def is_model_file(word: str) -> bool:
    return Path(word).suffix.lower() in (".yaml", ".yml")
