"""The shared library of an FMU: compiled steps and the C code of FMI, the same for all models.

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

from slipstick.errors import InvalidInput, SlipstickError, short_repr
from slipstick.fmu.step_loop import ENTRIES
from slipstick.native import compile_object, object_cache
from slipstick.native.linker import Linked

SOURCES = ("instance.c", "fmi2.c", "fmi3.c")
EXPORTS = "{ global: fmi2*; fmi3*; local: *; };\n"  # so that FMUs of several versions do not meet in one process
FLAGS = ("-shared", "-O2", "-ffp-contract=off", "-fvisibility=hidden", "-Wall", "-Werror=return-type")
COMPILERS = ("cc", "gcc", "clang")
TIMEOUT = 900.0  # [s]; ziglang builds the C library of another system first


class Platform(NamedTuple):
    """A machine that FMUs run on.

    triple, cpu : for LLVM; not this processor, since the FMU goes to other machines.   zig : for ziglang.
    fmi2, fmi3 : names of the folder of its binaries.   suffix : of a shared library.
    """

    triple: str
    cpu: str
    zig: str
    fmi2: str
    fmi3: str
    suffix: str = ".so"


PLATFORMS = {
    "linux-x86_64": Platform(
        "x86_64-unknown-linux-gnu", "x86-64", "x86_64-linux-gnu.2.17", "linux64", "x86_64-linux"
    ),
    "linux-aarch64": Platform(
        "aarch64-unknown-linux-gnu", "generic", "aarch64-linux-gnu.2.17", "aarch64-linux", "aarch64-linux"
    ),
    "windows-x86_64": Platform(
        "x86_64-w64-windows-gnu", "x86-64", "x86_64-windows-gnu", "win64", "x86_64-windows", ".dll"
    ),
}  # fmt: skip


def this_platform() -> str:
    """The key of this machine in `PLATFORMS`; it may be missing there."""
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    return f"{platform.system().lower()}-{machine}"


def checked_platforms(given: Sequence[str] | None) -> list[str]:
    """The platforms of an FMU; default this machine's."""
    if isinstance(given, str):
        given = [given]
    names = [this_platform()] if given is None else [*given]
    for name in names:
        if name not in PLATFORMS:
            known = ", ".join(PLATFORMS)
            raise InvalidInput(f"FMUs are made for {known}, got {short_repr(name)}").about("platforms")
    if not names:
        raise InvalidInput("name at least one platform, such as linux-x86_64").about("platforms")
    return list(dict.fromkeys(names))


def shared_library(name: str) -> bytes:
    """The library for a platform."""
    command = compiler(name)
    folder = Path(__file__).with_name("c")
    sources = [(folder / source).read_text(encoding="utf-8") for source in (*SOURCES, "instance.h")]
    known = [Linked(ENTRIES, {}).digest(), *sources, EXPORTS, *FLAGS, *command, name, llvmlite.__version__]
    key = object_cache.name_of("shared library of an FMU", *known)
    kept = object_cache.read(key, ["library"])
    if kept is not None:
        return kept.object_file
    code = _linked(name, command, folder)
    object_cache.write(key, object_cache.Code({"library": None}, code))
    return code


def compiler(name: str) -> list[str]:
    """The command of a C compiler for a platform: that of this machine, or ziglang for any."""
    found = next((path for path in map(shutil.which, COMPILERS) if path), None)
    if found is not None and name == this_platform() and PLATFORMS[name].suffix == ".so":
        return [found]
    if importlib.util.find_spec("ziglang") is not None:
        return zig_compiler(name)
    raise SlipstickError(
        f"an FMU for {name} needs a C compiler, and there is none for it", advice=["pip install 'slipstick[fmu]'"]
    )


def zig_compiler(name: str) -> list[str]:
    """The compiler of the package ziglang; for Linux, libraries need glibc 2.17 or later."""
    return [sys.executable, "-m", "ziglang", "cc", "-target", PLATFORMS[name].zig]


def _linked(name: str, command: Sequence[str], folder: Path) -> bytes:
    target = PLATFORMS[name]
    with tempfile.TemporaryDirectory(prefix="slipstick-") as work:
        steps, exports, library = (
            Path(work) / "steps.o",
            Path(work) / "exports.map",
            Path(work) / f"fmu{target.suffix}",
        )
        steps.write_bytes(compile_object(*ENTRIES, triple=target.triple, cpu=target.cpu))
        exports.write_text(EXPORTS, encoding="ascii")
        elf = ["-fPIC", f"-Wl,--version-script={exports}"] if target.suffix == ".so" else []
        given = [*FLAGS, *elf, "-o", library, *(folder / source for source in SOURCES), steps, "-lm"]
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
