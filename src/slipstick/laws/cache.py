"""Where compiled kernels are kept.

``SLIPSTICK_CACHE`` if set, else the user's cache folder, else (a read-only home) the temporary
folder. Compiling is then repeated, but nothing fails.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

log = logging.getLogger("slipstick")


@cache
def folder() -> Path:
    """The folder for generated kernels; it exists and can be written to."""
    for candidate in _candidates():
        if _usable(candidate):
            return candidate
    return Path(tempfile.mkdtemp(prefix="slipstick-"))


def _candidates() -> list[Path]:
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    chosen = os.environ.get("SLIPSTICK_CACHE")
    if chosen:
        return [Path(chosen) / version]
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local"))
    elif sys.platform == "darwin":
        base = Path("~/Library/Caches")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    found = []
    with contextlib.suppress(RuntimeError):  # no home at all
        found.append(base.expanduser() / "slipstick" / version)
    return [*found, Path(tempfile.gettempdir()) / f"slipstick-{user}" / version]


def _usable(path: Path) -> bool:
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
            return False  # somebody else's folder in a shared temporary directory
        with tempfile.NamedTemporaryFile(dir=path):
            return True
    except OSError:
        return False


def ensure_writable() -> None:
    """Give Numba a cache folder of ours if it would find none of its own for the package's loops."""
    import numba

    if numba.config.CACHE_DIR:
        return
    beside = Path(__file__).parent / "__pycache__"
    if _usable(beside):
        return
    numba.config.CACHE_DIR = str(folder() / "numba")
    log.info("compiled kernels are kept in %s", numba.config.CACHE_DIR)
