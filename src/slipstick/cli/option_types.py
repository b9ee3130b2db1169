"""Options and arguments of commands that are absent by default, so that the help shows no default for them."""

from __future__ import annotations

from functools import partial

import typer

optional = partial(typer.Option, show_default=False)
argument = partial(typer.Argument, show_default=False)
