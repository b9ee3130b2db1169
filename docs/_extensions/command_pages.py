"""The page of commands: what follows its own words is read from the commands, so that it is always what --help says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from slipstick.cli.commands import app as commands

PAGE = "commands"
EXAMPLE = "Example: "


def command_pages() -> Iterator[str]:
    """A part for each command, in Markdown: what it does, an example, its arguments and options."""
    whole: Any = typer.main.get_command(commands)
    for name, command in whole.commands.items():
        told = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n"))
        example = command.epilog.removeprefix(EXAMPLE)
        rows = [_row(one) for one in command.params if "--help" not in one.opts]
        table = ["| | what | default |", "|---|---|---|", *rows] if rows else ["It has no options."]
        yield "\n".join([f"## slipstick {name}", "", told, "", "```text", f"$ {example}", "```", "", *table, ""])


def _row(one: Any) -> str:
    """Of a table: the words to write, what they mean, what holds without them."""
    if one.param_type_name == "argument":
        words = (one.metavar or one.name.upper()).strip("{}") + (" ..." if one.nargs == -1 else "")
    else:
        value = (
            "" if one.is_flag else f" {one.metavar or ('NUMBER' if isinstance(one.default, int | float) else 'WORD')}"
        )
        words = ", ".join((*sorted(one.opts, key=len, reverse=True), *one.secondary_opts)) + value
    default = "" if one.default in (None, False, ()) or one.required or callable(one.default) else f"`{one.default}`"
    cells = (f"`{words}`", " ".join((one.help or "").split()), "required" if one.required else default)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _add(_: Any, name: str, source: list[str]) -> None:
    if name == PAGE:
        source[0] += "\n" + "\n".join(command_pages())


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
