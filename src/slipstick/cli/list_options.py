"""Options that take several words: ``--massless delta gamma`` as well as ``--massless delta --massless gamma``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer.core


class ListOptionCommand(typer.core.TyperCommand):
    """A command whose list options go on until the next option or a model file."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        lists = {name for p in self.params if getattr(p, "multiple", False) for name in p.opts}
        return super().parse_args(ctx, expand_list_options(args, lists))


def expand_list_options(arguments: list[str], lists: set[str]) -> list[str]:
    """Each further word of a list option, with the option before it; words with commas are taken apart."""
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
