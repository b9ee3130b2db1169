"""Ratios to peers, beside those kept in `ratios.json`; losses come first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

KEPT = Path(__file__).parent / "ratios.json"
LOSS = 0.8  # of the ratio before: below it, a row is a loss


def print_ratios(now: Mapping[str, float], kept: Path = KEPT) -> None:
    """All ratios beside those kept, the losses first and marked."""
    before = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("times slower than slipstick", "now", "kept", ""):
        table.add_column(name, justify="right" if name in ("now", "kept") else "left")
    for name in sorted(now, key=lambda name: not _is_loss(now[name], before.get(name))):
        old = before.get(name)
        words = "LOSS of over 20 %" if _is_loss(now[name], old) else ""
        table.add_row(name, f"{now[name]:g}", "" if old is None else f"{old:g}", words)
    Console(width=110).print(table)


def keep_ratios(now: Mapping[str, float], kept: Path = KEPT) -> None:
    """Write ratios for the next comparison; those of tables that did not run stay."""
    before = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    kept.write_text(json.dumps({**before, **now}, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _is_loss(now: float, before: float | None) -> bool:
    return before is not None and now < LOSS * before
