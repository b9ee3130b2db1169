"""What tests of identification share."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_datasets.py"


@pytest.fixture(scope="session")
def made() -> SimpleNamespace:
    """The script that makes the sets that are shipped, as a module."""
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))
