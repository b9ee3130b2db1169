"""Options that take several words: ``--massless delta gamma`` as well as ``--massless delta --massless gamma``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer.core


class Several(typer.core.TyperCommand):
    """A command whose list options go on until the next option or a file."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        lists = {name for p in self.params if getattr(p, "multiple", False) for name in p.opts}
        return super().parse_args(ctx, repeated(args, lists))


def repeated(arguments: list[str], lists: set[str]) -> list[str]:
    """Each further word of a list option, with the option before it; words with commas are taken apart."""
    found: list[str] = []
    option = ""
    for word in arguments:
        if word.startswith("--"):
            name, _, value = word.partition("=")
            option = name if name in lists else ""
            if not option:
                found.append(word)
            for one in value.split(",") if option and value else []:
                found += [option, one]
        elif option and not is_file(word):
            for one in filter(None, word.split(",")):
                found += [option, one]
        else:
            option = ""
            found.append(word)
    return found


def is_file(word: str) -> bool:
    return Path(word).suffix.lower() in (".yaml", ".yml") or Path(word).is_file()
