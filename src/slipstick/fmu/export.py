"""A model as an FMU: an archive with description, library and numbers."""

from __future__ import annotations

import hashlib
import math
import re
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput, MissingFace, finite_float, short_repr
from slipstick.fmu.arena import Arena, build_arena, functions_of_time
from slipstick.fmu.model_description import model_description
from slipstick.fmu.shared_library import PLATFORMS, checked_platforms, shared_library
from slipstick.fmu.variables import Variable
from slipstick.results.atomic_write import replacing_file, target_path
from slipstick.signals import Constant
from slipstick.transient.exact.engine import Engine
from slipstick.transient.exact.method import refuse_start_beyond_stops
from slipstick.transient.exact.packed_model import pack_model
from slipstick.transient.methods import reason_against
from slipstick.transient.problem import Problem, pose
from slipstick.transient.run_up_angle import angle_of
from slipstick.transient.series_joints import with_joints

if TYPE_CHECKING:
    from slipstick.model.system import System

MAGIC = b"SLIPFMU1"
VERSIONS = (2, 3)
PERIODS = 10  # of the base frequency: the end of simulations that the description proposes
KINDS = {"independent": 0, "input": 1, "output": 4}  # as instance.h has them
TUNABLE, FIXED, STATE = 2, 3, 5


def export_fmu(
    system: System, path: Any, fmi: int = 3, frequency: float | None = None, platforms: Sequence[str] | None = None
) -> Path:
    """See `slipstick.api.Model.export_fmu`."""
    target = target_path(path, "belt.fmu")
    if fmi not in VERSIONS or isinstance(fmi, bool):
        raise InvalidInput(f"fmi must be 2 or 3, got {short_repr(fmi)}").about("fmi")
    if frequency is not None and not finite_float("frequency", frequency) > 0.0:
        raise InvalidInput("must be > 0", subject="frequency", value=frequency, got=short_repr(frequency), bound="> 0")
    names = checked_platforms(platforms)
    problem = _posed(system, frequency)
    arena = build_arena(Engine(pack_model(problem)))
    identifier = re.sub(r"\W", "_", system.name, flags=re.ASCII)
    identifier = identifier if re.match(r"[A-Za-z_]", identifier) else f"_{identifier}"
    token = "{" + hashlib.sha256(_content(arena, "")).hexdigest()[:32] + "}"
    period = 2.0 * math.pi / problem.frequency if problem.frequency else 0.1
    description = model_description(system.name, identifier, token, arena.variables.all, fmi, PERIODS * period)
    libraries = {name: shared_library(name) for name in names}
    with replacing_file(target) as aside, zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description)
        archive.writestr("resources/model.bin", _content(arena, token))
        for name, library in libraries.items():
            folder = PLATFORMS[name].fmi2 if fmi == 2 else PLATFORMS[name].fmi3
            archive.writestr(f"binaries/{folder}/{identifier}{PLATFORMS[name].suffix}", library)
    return target


def _posed(system: System, frequency: float | None) -> Problem:
    """The problem of the FMU; waves follow an angle where the base frequency can be an input."""
    problem = pose(system, 0.0, frequency)
    obstacle = reason_against(problem, "exact", called="exact")
    if obstacle is not None:
        raise MissingFace(
            obstacle, advice=["FMUs are for models of linear pieces: replace the law, or fit one that has them"]
        )
    problem = with_joints(problem)
    refuse_start_beyond_stops(problem)
    functions = functions_of_time(problem)
    if problem.frequency is None or problem.massless or not any(f.has_order for f in functions):
        for function in functions:
            function.harmonics_at(problem.base)  # refuses an order without a base frequency
        return problem
    swept = pose(system, 0.0, angle_of(Constant(problem.frequency)))
    return swept if _may_jump(swept) else problem


def _may_jump(problem: Problem) -> bool:
    """True if the base frequency may jump: the exact method takes it, and inertia couples no such motion."""
    held, free = problem.assembly.prescribed, problem.assembly.free
    coupled = np.asarray(problem.assembly.mass[np.ix_(free, held)] != 0.0).any() if held.size else False
    return reason_against(problem, "exact") is None and not coupled


def _content(arena: Arena, token: str) -> bytes:
    """resources/model.bin, as instance.c reads it."""
    texts, begins, end = [], [], 0
    for word in [*(variable.name for variable in arena.variables.all), token]:
        encoded = word.encode() + b"\0"
        texts.append(encoded)
        begins.append(end)
        end += len(encoded)
    rows = [_row(v, begin) for v, begin in zip(arena.variables.all, begins, strict=False)]
    counts = (arena.fmu, arena.numbers.size, len(arena.relocations), len(rows), end, begins[-1])
    parts = [MAGIC, struct.pack("<6q", *counts), arena.numbers.astype("<f8").tobytes()]
    parts += [struct.pack("<2q", *pair) for pair in arena.relocations]
    return b"".join([*parts, *rows, *texts])


def _row(variable: Variable, name: int) -> bytes:
    """A variable as instance.h has it."""
    if variable.causality == "parameter":
        kind = TUNABLE if variable.variability == "tunable" else FIXED
    else:
        kind = STATE if variable.integer else KINDS[variable.causality]
    bounds = variable.bounds
    low = bounds.low if bounds.low is not None else bounds.above
    high = bounds.high if bounds.high is not None else bounds.below
    limits = (-math.inf if low is None else low, math.inf if high is None else high)
    return struct.pack("<2q2d2q", kind, name, *limits, bounds.above is not None, bounds.below is not None)
