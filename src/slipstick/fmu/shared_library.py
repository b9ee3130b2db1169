"""The shared library of a unit: compiled steps and the C code of FMI, the same for all models.

The object file of the steps comes from `slipstick.native`, the rest from the C compiler of the machine, or from the one
that the package ziglang brings. The library is kept in the cache of compiled code.
"""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import llvmlite

from slipstick.errors import SlipstickError
from slipstick.fmu.step_loop import ENTRIES
from slipstick.native import compile_object, object_cache
from slipstick.native.linker import Linked

SOURCES = ("instance.c", "fmi2.c", "fmi3.c")
EXPORTS = "{ global: fmi2*; fmi3*; local: *; };\n"  # so that units of several versions do not meet in one process
FLAGS = ("-shared", "-fPIC", "-O2", "-ffp-contract=off", "-fvisibility=hidden", "-Wall", "-Werror=return-type")
COMPILERS = ("cc", "gcc", "clang")
TIMEOUT = 300.0  # [s]


class Platform(NamedTuple):
    """A machine that units run on.   fmi2, fmi3 : names of the folder of its binaries."""

    triple: str
    zig: str
    fmi2: str
    fmi3: str


PLATFORMS = {
    "x86_64": Platform("x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", "linux64", "x86_64-linux"),
    "aarch64": Platform("aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.17", "aarch64-linux", "aarch64-linux"),
}
GENERIC_CPU = {"x86_64": "x86-64", "aarch64": "generic"}  # not this processor: the unit goes to other machines


def this_machine() -> str:
    """The key of this machine in `PLATFORMS`."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    if platform.system() != "Linux" or machine not in PLATFORMS:
        raise SlipstickError(
            f"units are made on Linux, for x86-64 and ARM, and this is {platform.system()} on {platform.machine()}",
            advice=["export the model on Linux, or in the Windows Subsystem for Linux"],
        )
    return machine


def shared_library(machine: str) -> bytes:
    """The library for Linux on a machine."""
    command = compiler(machine)
    folder = Path(__file__).with_name("c")
    sources = [(folder / name).read_text(encoding="utf-8") for name in (*SOURCES, "instance.h")]
    known = [Linked(ENTRIES, {}).digest(), *sources, EXPORTS, *FLAGS, *command, machine, llvmlite.__version__]
    name = object_cache.name_of("shared library of a unit", *known)
    kept = object_cache.read(name, ["library"])
    if kept is not None:
        return kept.object_file
    code = _linked(machine, command, folder)
    object_cache.write(name, object_cache.Code({"library": None}, code))
    return code


def compiler(machine: str) -> list[str]:
    """The command of a C compiler."""
    found = next((path for path in map(shutil.which, COMPILERS) if path), None)
    if found is not None:
        return [found]
    if importlib.util.find_spec("ziglang") is not None:
        return zig_compiler(machine)
    raise SlipstickError(
        "a unit needs a C compiler, and there is none", advice=["pip install 'slipstick[fmu]', or install gcc"]
    )


def zig_compiler(machine: str) -> list[str]:
    """The compiler of the package ziglang, for any Linux with glibc 2.17 or later."""
    return [sys.executable, "-m", "ziglang", "cc", "-target", PLATFORMS[machine].zig]


def _linked(machine: str, command: Sequence[str], folder: Path) -> bytes:
    with tempfile.TemporaryDirectory(prefix="slipstick-") as work:
        steps, exports, library = Path(work) / "steps.o", Path(work) / "exports.map", Path(work) / "unit.so"
        steps.write_bytes(compile_object(*ENTRIES, triple=PLATFORMS[machine].triple, cpu=GENERIC_CPU[machine]))
        exports.write_text(EXPORTS, encoding="ascii")
        given = [*FLAGS, f"-Wl,--version-script={exports}", "-o", library, *(folder / s for s in SOURCES), steps, "-lm"]
        try:
            done = subprocess.run(
                [*command, *map(str, given)],
                capture_output=True, text=True, errors="replace", timeout=TIMEOUT, cwd=work,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise SlipstickError(f"the C compiler {command[0]} could not be run: {problem}") from None
        if done.returncode or not library.exists():
            first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:200])
            raise SlipstickError(
                f"the C compiler {command[0]} failed: {first}", advice=["pip install 'slipstick[fmu]', or repair it"]
            )
        return library.read_bytes()
