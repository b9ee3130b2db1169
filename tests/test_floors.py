"""The versions that the tests run with are within what pyproject.toml allows."""

import re
import subprocess
import sys
from pathlib import Path

from packaging.version import Version

CI = Path(__file__).parent.parent / ".ci"


def versions(text):
    return {name.lower(): Version(number) for name, number in re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)}


def test_every_dependency_has_a_floor_and_a_pinned_version_above_it():
    told = subprocess.run(
        [sys.executable, CI / "floors.py", "app", "cluster", "parquet", "notebook"],
        capture_output=True,
        text=True,
        check=True,
    )
    floors, pinned = versions(told.stdout), versions((CI / "constraints.txt").read_text(encoding="utf-8"))
    assert {"numpy", "scipy", "nicegui", "distributed", "pyarrow", "plotly"} <= floors.keys() <= pinned.keys()
    assert all(pinned[name] >= floor for name, floor in floors.items())
