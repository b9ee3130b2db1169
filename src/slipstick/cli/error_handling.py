"""Runs the command line: one line on stderr for an error, and an exit code.

0    done
1    a numerical failure; what was reached is kept, and the line says where
2    bad input: a file, a value, an option, or output that cannot be written. The line says which, and what to do
70   a fault in slipstick; --debug shows where
130  interrupted with Ctrl-C
141  the reader of the output has closed it
"""

from __future__ import annotations

import io
import sys
import traceback
import warnings

from slipstick.cli.console import (
    EXIT_BAD_INPUT,
    EXIT_BROKEN_PIPE,
    EXIT_FAILED,
    EXIT_FAULT,
    EXIT_INTERRUPTED,
    print_error,
    silence,
)
from slipstick.errors import FileError, NotConverged, SlipstickError, os_error_reason, warning_message
from slipstick.results.atomic_write import DISK_FULL_ERRORS

# names that new users try, and what to type instead
OTHER_COMMAND_NAMES = {
    **dict.fromkeys(("simulate", "solve", "integrate", "respond", "response", "plot"), "run STUDY.yaml"),
    **dict.fromkeys(("fit",), "identify LOOP.csv --law masing"),
    **dict.fromkeys(("gui", "ui", "serve", "open", "show"), "app"),
    **dict.fromkeys(("init", "create", "start"), "new NAME"),
    **dict.fromkeys(("validate", "lint"), "check MODEL.yaml"),
    "compare": "rank LOOP.csv",
    "help": "--help",
}

MISSING_LAW_TEXT = "Missing option '--law'"
LAW_ADVICE = "name one, such as --law masing, or let slipstick rank LOOP.csv find the best law"


def run_command_line(arguments: list[str]) -> int:
    """Run the command line; the exit code. ``--debug`` may be anywhere in it."""
    debug = "--debug" in arguments
    _replace_unencodable()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: print_error(f"warning: {_warning_line(message)}")
            code = _command([a for a in arguments if a != "--debug"], debug)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _report_error("interrupted", EXIT_INTERRUPTED)
    except SystemExit:  # typer leaves like this if the pipe is gone, and has silenced stdout by then
        return EXIT_BROKEN_PIPE
    except BrokenPipeError:
        silence(sys.stdout)
        return EXIT_BROKEN_PIPE
    except FileError as error:  # starts with the name of the file, as editors expect it
        _print_traceback(debug)
        return _report_error(_command_line(error), EXIT_BAD_INPUT, before="")
    except NotConverged as error:
        _print_traceback(debug)
        return _report_error(_command_line(error), EXIT_INTERRUPTED if error.interrupted else EXIT_FAILED)
    except SlipstickError as error:
        _print_traceback(debug)
        return _report_error(_command_line(error), EXIT_BAD_INPUT)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FULL_ERRORS:
            silence(sys.stdout)
            return _report_error(
                f"the output cannot be written: {os_error_reason(error)}; make room, or send it elsewhere",
                EXIT_BAD_INPUT,
            )
        _print_traceback(debug)
        words = " ".join(str(error).split())[:200]
        return _report_error(f"{type(error).__name__}: {words}: please report; details with --debug", EXIT_FAULT)
    return code


def _command(arguments: list[str], debug: bool) -> int:
    """debug : the object of the commands' context, for those that report errors on their own."""
    import typer

    from slipstick.cli.commands import app

    # typer may bring its own click along: the class of all errors in options and arguments is found by name
    bases: tuple[type[BaseException], ...] = typer.BadParameter.__mro__[:-1]
    usage_error = next(cls for cls in bases if cls.__name__ == "ClickException")
    first = next((word for word in arguments if not word.startswith("-")), "")
    if first in OTHER_COMMAND_NAMES:
        return _report_error(f'no command "{first}"; use slipstick {OTHER_COMMAND_NAMES[first]}', EXIT_BAD_INPUT)
    try:
        result = app(arguments, prog_name="slipstick", standalone_mode=False, obj=debug)
    except usage_error as error:
        if not str(error):  # no command at all: the help has been shown
            return EXIT_BAD_INPUT
        words = _one_line(error)
        if words == MISSING_LAW_TEXT:
            return _report_error(f"{words}; {LAW_ADVICE}", EXIT_BAD_INPUT)
        see = " See" if words.endswith("?") else "; see"
        return _report_error(f"{words}{see} {_help_command(error)}", EXIT_BAD_INPUT)
    except typer.Abort:
        return _report_error("interrupted", EXIT_INTERRUPTED)
    if result == EXIT_INTERRUPTED:  # typer turns Ctrl-C into a code and says nothing
        return _report_error("interrupted", EXIT_INTERRUPTED)
    return result if isinstance(result, int) else 0


def _command_line(error: SlipstickError) -> str:
    """The message of an error in terms of options and keys."""
    from slipstick.study.command_messages import COMMAND

    return COMMAND.message(error.message)


def _warning_line(warning: Warning | str) -> str:
    from slipstick.study.command_messages import COMMAND

    return " ".join(COMMAND.message(warning_message(warning)).split())


def _one_line(error: BaseException) -> str:
    message = getattr(error, "format_message", error.__str__)()
    return " ".join(str(message).split()).rstrip(".")


def _help_command(error: BaseException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'slipstick'} --help"


def _report_error(line: str, code: int, before: str = "slipstick: ") -> int:
    try:
        print(f"{before}{line}", file=sys.stderr)
    except OSError:  # errors go to a full device, too; only the exit code remains
        silence(sys.stderr)
    return code


def _replace_unencodable() -> None:
    """Replace letters that a terminal lacks by question marks; discard output if there is no stream."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the parent process
            setattr(sys, name, io.StringIO())
        elif isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="replace")


def _print_traceback(debug: bool) -> None:
    if debug:
        traceback.print_exc()
