"""Harmonic balance by pyHarm-os, in an environment of its own: it asks for other versions than slipstick does.

As a script, run by that environment's Python, it reads a problem from standard input and writes what it took; as a
module it makes the environment and calls the script.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
ENVIRONMENT = HERE.parents[1] / "build" / "pyharm"
REPEATS = 3


def available() -> bool:
    """Make the environment if it is not there; False if pyHarm-os cannot be had."""
    python = _python()
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True, capture_output=True)
        with tempfile.TemporaryDirectory() as folder:
            found = subprocess.run(
                [str(python), "-c", "import pyHarm"], env=_surroundings(), capture_output=True, cwd=folder
            )
        if found.returncode == 0:
            return True
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pyHarm-os"]
        return subprocess.run(install, capture_output=True, timeout=600).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def followed(problem: dict[str, Any]) -> dict[str, Any]:
    """What pyHarm-os took for a curve: seconds (CPU), points, largest residual, and its amplitudes."""
    with tempfile.TemporaryDirectory() as folder:
        found = subprocess.run(
            [str(_python()), str(HERE)], input=json.dumps(problem), env=_surroundings(), capture_output=True, text=True,
            check=True, timeout=900, cwd=folder,
        )  # fmt: skip
    return dict(json.loads(found.stdout.splitlines()[-1]))


def _surroundings() -> dict[str, str]:
    """It keeps settings in the home folder, and leaves a folder where it is run: both are given to it."""
    return {**os.environ, "HOME": str(ENVIRONMENT), "OMP_NUM_THREADS": "1"}


def _python() -> Path:
    return ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def _solve(problem: dict[str, Any]) -> dict[str, Any]:
    """Its own defaults: SciPy's root finder with the analytic Jacobian, tangent predictor, arclength."""
    import logging
    import warnings

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    import numpy as np
    from pyHarm.Maestro import Maestro

    connectors: dict[str, Any] = {
        f"slider {i}": {
            "type": "Jenkins", "connect": {"body": [i]}, "dirs": [0], "mu": 1.0, "N0": problem["limit"],
            "k": problem["slider"],
        }
        for i in problem["at"]
    }  # fmt: skip
    connectors["load"] = {"type": "CosinusForcing", "connect": {"body": [problem["loaded"]]}, "dirs": [0], "amp": 1.0}
    matrices = {key: np.array(problem[key]) for key in "MCK"}
    low, high = problem["between"]
    taken, analysis = [], None
    for _ in range(REPEATS + 1):  # the first compiles
        whole = Maestro({
            "analysis": {"curve": {
                "study": "frf", "puls_inf": low, "puls_sup": high, "ds_max": 0.1, "ds_min": 1e-8, "ds0": 0.01,
                "sign_ds": 1, "verbose": False,
            }},
            "system": {"type": "Base", "nh": problem["harmonics"], "nti": problem["samples"]},
            "substructures": {"body": {"matrix": matrices, "ndofs": 1, "nnodes": len(problem["M"])}},
            "connectors": connectors,
        })  # fmt: skip
        began = time.process_time()
        whole.operate()
        taken.append(time.process_time() - began)
        analysis = whole.nls["curve"]
    points = [each for each in analysis.SolList if each.flag_accepted]
    return {
        "seconds": min(taken[1:]),
        "points": len(points),
        "residual": max(float(np.linalg.norm(each.R)) for each in points),
        "frequency": [float(each.x[-1]) for each in points],
        "unknowns": [[float(value) for value in each.x[:-1]] for each in points],
    }


if __name__ == "__main__":
    print(json.dumps(_solve(json.load(sys.stdin))))
