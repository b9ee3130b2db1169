"""What the command line does when something goes wrong: one line on stderr, and an exit code.

0    done
1    a numerical failure; what was reached is kept, and the line says where
2    bad input: a file, a value, an option, or output that cannot be written. The line says which, and what to do
70   a fault in slipstick itself; --debug shows where
130  interrupted with Ctrl-C
141  whoever read the output has gone away
"""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from typing import Any

from slipstick.cli.console import complain
from slipstick.errors import FileError, NotConverged, SlipstickError, reason
from slipstick.results.aside import FULL

FAILED, BAD_INPUT, FAULT, INTERRUPTED, PIPE_GONE = 1, 2, 70, 130, 141


def run(arguments: list[str]) -> int:
    """Run the command line; the exit code. ``--debug`` may stand anywhere in it."""
    debug = "--debug" in arguments
    _replace_what_cannot_be_shown()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: complain(f"warning: {' '.join(str(message).split())}")
            code = _command([a for a in arguments if a != "--debug"], debug)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _told("interrupted", INTERRUPTED)
    except SystemExit:  # typer leaves like this if the pipe is gone, and has silenced stdout by then
        return PIPE_GONE
    except BrokenPipeError:
        _silence(sys.stdout)
        return PIPE_GONE
    except FileError as error:  # starts with the name of the file, as editors expect it
        _trace(debug)
        return _told(error.command_words or str(error), BAD_INPUT, before="")
    except NotConverged as error:
        _trace(debug)
        return _told(str(error), INTERRUPTED if error.interrupted else FAILED)
    except SlipstickError as error:
        _trace(debug)
        return _told(getattr(error, "command_words", "") or str(error), BAD_INPUT)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            _silence(sys.stdout)
            return _told(f"the output cannot be written: {reason(error)}; make room, or send it elsewhere", BAD_INPUT)
        _trace(debug)
        words = " ".join(str(error).split())[:200]
        return _told(f"{type(error).__name__}: {words}: please report; details with --debug", FAULT)
    return code


def _command(arguments: list[str], debug: bool) -> int:
    """debug : what commands find as the object of their context, where they tell of errors themselves."""
    import typer

    from slipstick.cli.app import app

    # typer may bring its own click along: the class of all errors in options and arguments is found by name
    bases: tuple[type[BaseException], ...] = typer.BadParameter.__mro__[:-1]
    usage_error = next(cls for cls in bases if cls.__name__ == "ClickException")
    try:
        result = app(arguments, prog_name="slipstick", standalone_mode=False, obj=debug)
    except usage_error as error:
        if not str(error):  # no command at all: the help has been shown
            return BAD_INPUT
        return _told(f"{_one_line(error)}; see {_help_command(error)}", BAD_INPUT)
    except typer.Abort:
        return _told("interrupted", INTERRUPTED)
    if result == INTERRUPTED:  # typer turns Ctrl-C into a code and says nothing
        return _told("interrupted", INTERRUPTED)
    return result if isinstance(result, int) else 0


def _one_line(error: BaseException) -> str:
    message = getattr(error, "format_message", error.__str__)()
    return " ".join(str(message).split()).rstrip(".")


def _help_command(error: BaseException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'slipstick'} --help"


def _told(line: str, code: int, before: str = "slipstick: ") -> int:
    try:
        print(f"{before}{line}", file=sys.stderr)
    except OSError:  # errors go to a full device, too; the exit code is what is left to tell
        _silence(sys.stderr)
    return code


def _replace_what_cannot_be_shown() -> None:
    """Letters that a terminal lacks become question marks; where there is no output at all, it goes nowhere."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started it
            setattr(sys, name, io.StringIO())
        elif isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="replace")


def _silence(stream: Any) -> None:
    """Send what is still to be written nowhere: Python flushes once more on exit, which must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _trace(debug: bool) -> None:
    if debug:
        traceback.print_exc()
