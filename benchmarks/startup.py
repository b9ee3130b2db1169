"""How long it takes to begin: importing, asking for help, the first result, compiling everything."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

FIRST = """
import slipstick as ss
ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=(1.0, 0.4), lower=(-0.8, 0.3)).trace([0, 1, -1])
"""
WARM = "from slipstick.laws.kernel_warmup import warm; print(warm())"


def seconds(command: list[str], repeats: int = 3, **variables: str) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **variables})
        times.append(time.perf_counter() - began)
    return min(times)


def table() -> None:
    console = Console()
    slipstick = str(Path(sys.executable).parent / "slipstick")
    python = [sys.executable, "-c"]
    console.print("[bold]start-up, seconds[/bold]")
    console.print(f"python alone                       {seconds([*python, 'pass']):.2f}")
    console.print(f"import slipstick                   {seconds([*python, 'import slipstick']):.2f}  (budget 0.4)")
    console.print(f"slipstick --help                   {seconds([slipstick, '--help']):.2f}  (budget 0.6)")
    console.print(f"process to first result, warm      {seconds([*python, FIRST]):.2f}  (budget 1.5)")
    cold = seconds([*python, WARM], 1, SLIPSTICK_CACHE="")  # which keeps nothing
    console.print(f"all kernels, compiled              {cold:.1f}  (budget 25)\n")
