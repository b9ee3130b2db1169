"""The command line: each command parses its options, calls one function and prints the result.

Nothing heavy is imported here or at the top of a command's module, so that ``slipstick --help`` is quick.

    commands                          the list of commands
    error_handling                    runs a command; prints errors and sets the exit code
    app_command, new_command, check_command, run_command, sweep_command
                                      application, model and study files
    identify_command, rank_command, trend_command
                                      laws from measured loops
    band_command, reduce_command, export_command, paper_command, warm_command
                                      bands, reduction, units for other programs, papers, compilation
    loop_request, loop_options        options of commands that read loops
    console                           output to a terminal or a file
    progress                          progress bars
    band_screen, curve_screen, fit_screen, mode_screen
                                      printed summaries of results
    run_screen, sweep_screen          the same for runs and sweeps
    study_files                       reads the study of a command
    output_files, result_output       files that commands write
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

GARBAGE_THRESHOLD = 50_000  # new objects until the next collection, instead of Python's 700


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point ``slipstick``: run a command and leave with its exit code."""
    if arguments is None:  # a process of its own: collecting garbage during imports takes a tenth of a short command
        gc.set_threshold(GARBAGE_THRESHOLD)
    from slipstick.cli.error_handling import run_command_line

    sys.exit(run_command_line(list(sys.argv[1:] if arguments is None else arguments)))
