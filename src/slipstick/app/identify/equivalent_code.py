"""The Python script and the command that do the same as a fit on the page Identify."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from slipstick.app.equivalent_code import FILES_TEXT, SCRIPT_TEXT, EquivalentCode, keyword_arguments, script
from slipstick.app.identify.page_state import FitRequest, ReadOptions, UploadedFile


def identification_code(
    files: Sequence[UploadedFile], reading: ReadOptions, request: FitRequest, constraints: Mapping[str, Any]
) -> EquivalentCode:
    """Script and command of a fit or a ranking.   constraints : in SI, as arguments of `slipstick.identify`."""
    shipped = all(file.shipped for file in files)
    names = [file.name for file in files]
    known = {key: value for key, value in constraints.items() if value}
    lines = [*_reading_lines(files, reading, shipped)]
    if len(request.laws) == 1:
        arguments = ["loops", repr(request.laws[0]), *([keyword_arguments(known)] if known else [])]
        lines += [f"fit = ss.identify({', '.join(arguments)})", "print(fit)"]
    else:
        laws = [repr(list(request.laws))] if request.laws else []
        arguments = ["loops", *laws, *([keyword_arguments(known)] if known else [])]
        lines += [f"ranking = ss.rank({', '.join(arguments)})", "print(ranking)"]
    return EquivalentCode(
        script(lines), equivalent_command(names, reading, request), note=SCRIPT_TEXT if shipped else FILES_TEXT
    )


def _reading_lines(files: Sequence[UploadedFile], reading: ReadOptions, shipped: bool) -> list[str]:
    paths = ", ".join(f"ss.dataset_path({file.shipped!r})" if shipped else repr(file.name) for file in files)
    options = reading.table_options
    arguments = ", ".join([f"[{paths}]", *([keyword_arguments(options)] if options else [])])
    changes = f".scaled({keyword_arguments(reading.factors)})" if reading.factors else ""
    changes += ".without_drift()" * reading.drift + ".without_offset()" * reading.offset
    lines = [f"loops = ss.Loop.read_many({arguments})"]
    return lines + ([f"loops = [loop{changes} for loop in loops]"] if changes else [])


def equivalent_command(files: Sequence[str], reading: ReadOptions, request: FitRequest) -> str:
    """The command that does the same in a terminal."""
    one = len(request.laws) == 1
    arguments = ["slipstick", "identify" if one else "rank", *files]
    arguments += ["--law", request.laws[0]] if one else ["--laws", ",".join(request.laws)] if request.laws else []
    for role, column in reading.columns.items():
        arguments += [f"--{role}", str(column)]
    arguments += ["--by", ",".join(map(str, reading.by))] if reading.by else []
    for role, unit in reading.units.items():
        arguments += ["--unit", f"{role}={unit}"]
    arguments += ["--decimal", reading.decimal] if reading.decimal else []
    for role, factor in reading.factors.items():
        arguments += ["--scale", f"{role}={factor!r}"]
    arguments += ["--rate", reading.rate] if reading.rate else []
    arguments += ["--skip-incomplete"] * reading.skip_incomplete
    arguments += ["--sign", "auto"] * reading.turn_sign + ["--lag", "auto"] * reading.remove_lag
    arguments += ["--remove-drift"] * reading.drift + ["--remove-offset"] * reading.offset
    for option in ("fixed", "bounds", "prior"):
        for text in request.typed(option):
            arguments += [f"--{option}", text]
    return shlex.join(arguments)
