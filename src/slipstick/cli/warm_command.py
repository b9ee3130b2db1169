"""``slipstick warm``: does every kernel compile on this machine, and how long does it take?"""

from __future__ import annotations

from slipstick.cli.console import console, print_line


def warm() -> None:
    """Compile every kernel once, to see that this machine can."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from slipstick.laws.kernel_warmup import compile_all_kernels as compile_all

    columns = (
        TextColumn("compiling"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    screen = console()
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("", total=None)
        seconds = compile_all(lambda what, done, total: bar.update(task, description=what, completed=done, total=total))
    print_line(f"every kernel compiles here ({seconds:.1f} s)")
