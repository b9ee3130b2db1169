"""Where output goes: colour and the full width on a terminal, plain text of 80 columns elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """For results, on stdout."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False, soft_wrap=False)


def say(line: str) -> None:
    """One line on stdout, as it is: a line of a message is never wrapped, so that tools can read it."""
    print(line)


def complain(line: str) -> None:
    """One line on stderr, as it is."""
    print(line, file=sys.stderr)
