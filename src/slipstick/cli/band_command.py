"""``slipstick band``: the response of a machine over frequency, as sure as the law in it is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slipstick.cli.console import despite_closed_pipe
from slipstick.cli.loop_options import finish_command
from slipstick.cli.option_types import argument, optional
from slipstick.cli.study_files import study_from_file
from slipstick.errors import FileError, InvalidInput
from slipstick.name_hints import did_you_mean

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.laws.base import Law
    from slipstick.results.fit import Fit
    from slipstick.study import Study


def band(
    fit: Annotated[str, argument(metavar="FIT.nc", help="What identify or rank wrote.")],
    study: Annotated[str, argument(metavar="STUDY.yaml", help="A study of a frequency response.")],
    connection: Annotated[
        str | None, typer.Option(metavar="NAME", help="The connection that has the law; default the one of its kind.")
    ] = None,
    samples: Annotated[int, typer.Option(help="Laws that are drawn from the fit.")] = 50,
    coverage: Annotated[float, typer.Option(help="Share of the laws within the band.")] = 0.95,
    out: Annotated[str | None, optional(metavar="FOLDER", help="Where files go; default beside the study.")] = None,
) -> None:
    """Follow the response of a study for many laws drawn from a fit, and show the band that they fill.

    The law of one connection of the study's model is replaced by each drawn law in turn. Writes STUDY-band.nc (for
    ss.open), .png and .svg.

    The exit code is 2 for what cannot be read, 1 if the law of the fit itself or more than 5 % of those drawn
    have no curve (there is no band then: the others are no random choice), or a file could not be written.
    """
    began = perf_counter()
    from slipstick.cli.band_screen import show_band
    from slipstick.cli.output_files import figure_jobs, output_location, use_headless_backend, write_files
    from slipstick.periodic.response_band import response_band
    from slipstick.progress import progress_bar
    from slipstick.report.html_page import figure_svg
    from slipstick.study.frequency_values import with_frequency_unit
    from slipstick.study.study_kind import arguments

    found, request = _fit(fit), _study(study)
    place = output_location([study], "band", out)
    model = with_frequency_unit(request.model, request.settings)
    how = {"between": None, "at": None} | arguments(request.settings)
    build = _builder(model, _connection(model, found, connection), found)
    with progress_bar(place.name) as report:
        result = response_band(
            build, found, how.pop("between"), how.pop("at"), samples, 0, coverage, None,
            lambda done, of: report(f"{done} of {of} curves", done / of), **how,
        )  # fmt: skip
    with despite_closed_pipe():
        show_band(result, place.name, fit, perf_counter() - began)
    use_headless_backend()
    figure = result.plot()
    finish_command(*write_files(place, {".nc": result.save, **figure_jobs(figure, figure_svg(figure))}), result.doubt)


def _fit(file: str) -> Fit:
    """The fit in a file, or the best of a ranking."""
    import slipstick as ss
    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

    if not file.lower().endswith(".nc"):
        raise FileError(
            file,
            None,
            "",
            "is not a fit; name a .nc file that slipstick identify or rank wrote, such as joint-masing.nc",
        )
    found = ss.open(file)
    if isinstance(found, Ranking):
        found = found.best
    if not isinstance(found, Fit):
        raise FileError(
            file, None, "", f"holds a {type(found).__name__}, not a fit; name a .nc file of slipstick identify"
        )
    return found


def _study(file: str) -> Study:
    study = study_from_file(file)
    if study.kind.name != "frequency_response":
        raise FileError(
            file, None, "", f"has {study.kind.name}:, and a band needs frequency_response:; name another study"
        )
    return study


def _connection(model: Model, fit: Fit, name: str | None) -> int:
    """The number of the connection whose law is replaced."""
    names = [own.name for own in model.connections]
    if name is not None:
        if name not in names:
            raise InvalidInput(f'--connection: the model has no "{name}"{did_you_mean(name, names)}')
        return names.index(name)
    alike = [i for i, own in enumerate(model.connections) if _law_types(own.law) == _law_types(fit.law)]
    if len(alike) != 1:
        several = f"{len(alike)} connections have" if alike else "no connection has"
        raise InvalidInput(
            f"{several} a law of the kind {fit.kind}; choose one of them, such as --connection {names[0]}"
        )
    return alike[0]


def _law_types(law: Law) -> list[type[Law]]:
    return [type(leaf.law) for leaf in law.as_terms()]


def _builder(model: Model, number: int, fit: Fit) -> Callable[[Law], Model]:
    """From a law to the model that has it; stress and strain by the size that the connection gives them."""
    scales = {(leaf.deflection, leaf.force) for leaf in model.connections[number].law.as_terms()}
    scale = scales.pop() if len(scales) == 1 else (1.0, 1.0)
    if fit.system == "stress" and scale == (1.0, 1.0):
        where = model.connections[number].name
        words = "the fit is of stress and strain; give the connection scaled: {deflection: 1/thickness, force: area}"
        raise InvalidInput(f'connection "{where}": {words}')

    from slipstick.model.followed_limit import refresh_followers

    def build(law: Any) -> Model:
        made = model.snapshot()
        own = law if scale == (1.0, 1.0) or fit.system != "stress" else law.scaled(deflection=scale[0], force=scale[1])
        made.connections[number] = replace(made.connections[number], law=own)
        refresh_followers(made)
        return made

    return build
