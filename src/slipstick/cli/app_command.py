"""``slipstick app``: the page in a browser."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from slipstick.cli.option_types import argument, optional


def page(
    project: Annotated[
        Path | None, argument(metavar="PROJECT.slipstick", help="A project that the page saved.")
    ] = None,
    port: Annotated[
        int | None, optional(help="Where it listens; 0 for any port that is free. Default 8470, or the next.")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    largest: Annotated[
        int, typer.Option("--largest-file", metavar="MB", min=1, help="Larger files are refused.")
    ] = 100,
) -> None:
    """Open the page: drop a measured loop, get a law; change a parameter, watch the response.

    With a project, the first tab opens it. The page is for this machine alone and needs no network. The
    address has a token; keep it to yourself.
    """
    from slipstick.app.project.project_file import check_project_file
    from slipstick.app.server import serve

    if project is not None:
        check_project_file(project)
    serve(
        port=port,
        browser=browser,
        largest=largest * 1_000_000,
        project=project,
        print_line=partial(print, flush=True),  # a pipe or a log file has the address at once
    )
