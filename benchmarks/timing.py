"""How the tables measure: the shortest of several runs, beside the load of the machine."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

RATIO_COLUMN = "times slower"  # of a peer; its cells are kept
RATIOS: dict[str, float] = {}  # by table and row, of all tables printed so far


def best(run: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """The shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        began = clock()
        run()
        times.append(clock() - began)
    return min(times)


def load() -> str:
    """How busy the machine is, in words: a figure counts only where this is well below the number of cores."""
    if not hasattr(os, "getloadavg"):
        return "load average unknown"
    return f"load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"


class Sheet:
    """A heading with the load of the machine, rows, and remarks below them; keeps the ratios to peers."""

    def __init__(self, heading: str, columns: tuple[str, ...]) -> None:
        self.heading, self.columns = heading, columns
        self.console = Console(width=max(Console().width, 110))
        self.console.print(f"[bold]{heading}[/bold]  ({load()})")
        self.rows = Table(box=None, padding=(0, 2, 0, 0))
        for k, column in enumerate(columns):
            self.rows.add_column(column, justify="right" if k else "left")

    def row(self, *cells: str) -> None:
        self.rows.add_row(*cells)
        for column, cell in zip(self.columns, cells, strict=True):
            number = re.match(r"\d+(\.\d+)?", cell) if column == RATIO_COLUMN else None
            if number:
                RATIOS[f"{self.heading}: {cells[0]}"] = float(number[0])

    def close(self, *remarks: str) -> None:
        self.console.print(self.rows)
        for remark in remarks:
            self.console.print(remark)
        self.console.print()
