"""``slipstick paper``: the figures and tables of the five papers, made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slipstick.cli.console import EXIT_FAILED, console, headline, print_error, print_line, table
from slipstick.cli.option_types import argument, optional
from slipstick.errors import InvalidInput, short_repr

if TYPE_CHECKING:
    from slipstick.papers.entry import Entry
    from slipstick.papers.gallery import GalleryItem


def paper(
    context: typer.Context,
    name: Annotated[str | None, argument(help="tensioner, gear, fibre, clutch or torsional.")] = None,
    figure: Annotated[
        list[str] | None, optional("--figure", "-f", metavar="LABEL", help="Such as 21b; may be repeated.")
    ] = None,
    of_table: Annotated[
        list[str] | None, optional("--table", "-t", metavar="LABEL", help="Such as 2; may be repeated.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of the paper; without a name, all five.")] = False,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FOLDER", help="For pictures and data.")] = "papers",
    own_scheme: Annotated[
        bool, typer.Option("--own-scheme", help="By the paper's own scheme, where it has one; ten to twenty minutes.")
    ] = False,
    number: Annotated[
        list[str] | None, optional(metavar="NAME=VALUE", help="Replaces a number of the paper, such as amplitude=150.")
    ] = None,
) -> None:
    """Make figures and tables of the five papers again, beside the printed values, with the reasons for differences.

    Without --figure, --table or --all: list what there is. Each becomes NAME-LABEL.png, .svg and .nc
    in a folder; --all also writes a page, index.html, that shows them.

    The exit code is 2 for what is not in the papers, 1 if something could not be made.
    """
    from slipstick.papers import NAMES, entries

    selected = [("--figure", figure), ("--table", of_table), ("--number", number), ("--own-scheme", own_scheme)]
    _check_combination(name, everything, dict(selected))
    there = [one for each in ((name,) if name else NAMES) for one in entries(each)]
    if everything:
        _make_everything(there, Path(out), bool(context.obj))
        return
    wanted = _selected_entries(name, figure or (), of_table or (), own_scheme) if name else []
    if not wanted:
        _show_catalogue(there)
        return
    _make_selected(wanted, Path(out), own_scheme, _parsed_numbers(number or ()), bool(context.obj))


def _check_combination(name: str | None, everything: bool, options: dict[str, Any]) -> None:
    """Refuse options that do not go together.   options : by name, empty or False where not given."""
    from slipstick.papers import NAMES

    labels, number = options["--figure"] or options["--table"], options["--number"]
    if name is None and labels:
        raise InvalidInput(f"--figure and --table need the name of a paper: {', '.join(NAMES)}")
    if everything and any(options.values()):
        words = "--figure, --table, --number and --own-scheme"
        raise InvalidInput(f"--all makes everything; leave out {words}")
    if options["--own-scheme"] and not options["--figure"]:
        raise InvalidInput("--own-scheme is for a figure: slipstick paper NAME --figure LABEL --own-scheme")
    if number and not labels:
        words = f"slipstick paper {name or 'gear'} --figure LABEL --number {number[0]}"
        raise InvalidInput(f"--number is for a figure or a table: {words}")


def _selected_entries(name: str, figures: Sequence[str], tables: Sequence[str], own_scheme: bool) -> list[Entry]:
    """Figures and tables by their labels; with own_scheme each must have a scheme of the paper."""
    from slipstick.papers import entries_at, entry

    wanted = [one for label in figures for one in entries_at(name, label)]
    wanted += [entry(name, f"table {label}") for label in tables]
    partly = any(one.has_own_scheme for one in wanted)  # of Fig. 21 the measured part is a diagram either way
    for one in wanted:
        if own_scheme and not one.has_own_scheme and not (partly and one.kind == "scheme"):
            raise InvalidInput(f"{one.paper}: {one.name} is not made by a scheme of the paper; leave out --own-scheme")
    return wanted


def _show_catalogue(there: Sequence[Entry]) -> None:
    screen = console()
    rows = [(one.paper, one.name, one.title + " (--own-scheme too)" * one.has_own_scheme) for one in there]
    screen.print(table(("paper", "", "what it shows"), rows, most=None))
    screen.print("make one: slipstick paper NAME --figure LABEL; all: slipstick paper --all")


def _parsed_numbers(words: Sequence[str]) -> dict[str, float]:
    """The values of the --number options by name."""
    from slipstick.app.number_input import parse_number

    found: dict[str, float] = {}
    for word in words:
        name, _, value = (part.strip() for part in word.partition("="))
        if not (name and value):
            raise InvalidInput(f"--number must be NAME=VALUE, such as amplitude=150, got {short_repr(word)}")
        if name in found:
            raise InvalidInput(
                f"--number {name} is given twice, {found[name]:g} and {short_repr(value)}; leave one out"
            )
        found[name] = parse_number(f"--number {name}", value)
    return found


def _make_selected(wanted: list[Entry], folder: Path, own_scheme: bool, numbers: dict[str, float], debug: bool) -> None:
    from slipstick.papers.entry import EntryRequest
    from slipstick.papers.gallery import core_count, group_by_compute, make_entries
    from slipstick.progress import progress_bar

    work = EntryRequest(workers=core_count(), own_scheme=own_scheme, changed=numbers)
    checked = {id(one): one.checked(work) for one in wanted}  # before anything is made
    _prepared_folder(folder)
    made: list[GalleryItem] = []
    for group in group_by_compute(wanted):
        with progress_bar(f"{group[0].paper}, {', '.join(one.name for one in group)}") as report:
            made += make_entries(group, folder, replace(checked[id(group[0])], progress=report))
        for one in made[-len(group) :]:
            _show(one, debug)
    if any(one.trouble for one in made):
        raise typer.Exit(EXIT_FAILED)


def _make_everything(wanted: list[Entry], folder: Path, debug: bool) -> None:
    from slipstick.papers.gallery import INDEX_FILE, make_gallery
    from slipstick.progress import progress_bar

    _prepared_folder(folder)
    with progress_bar("papers") as report:
        made = make_gallery(wanted, folder, progress=report)
    for one in made:
        _show(one, debug)
    print_line(f"the page with all figures: {folder / INDEX_FILE}")
    if any(one.trouble for one in made):
        raise typer.Exit(EXIT_FAILED)


def _prepared_folder(folder: Path) -> None:
    """A folder to write to, and no windows."""
    from slipstick.cli.output_files import output_folder
    from slipstick.plot.style import use_headless_backend

    use_headless_backend()
    output_folder(folder)


def _show(made: GalleryItem, debug: bool) -> None:
    screen = console()
    headline(screen, f"{made.paper}, {made.label}", f": {made.title}")
    if made.trouble:
        if debug:
            print_error(made.details)
        hint = "" if debug else "; details with --debug"
        print_error(f"{made.paper}, {made.label}: could not be made: {made.trouble}{hint}")
        return
    if made.rows:
        from slipstick.papers.reproduction import TABLE_HEADS

        screen.print(table(TABLE_HEADS, [row.cells for row in made.rows]))
    screen.print(f"method: {made.method}", soft_wrap=True)
    screen.print(f"certificate: {made.certificate}; {made.seconds:.2g} s", soft_wrap=True)
    print_line(f"written: {', '.join(str(one) for one in made.files)}")
    screen.print()
