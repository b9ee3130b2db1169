"""The command line. Each command parses, calls one function and shows the result.

Nothing heavy is imported here or at the top of a command's file, so that ``slipstick --help`` is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point ``slipstick``: run a command and leave with its exit code."""
    from slipstick.cli.errors import run

    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))
