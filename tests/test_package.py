"""The wheel and the source archive: complete, clean, and the wheel runs the README's first example."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Paths of the wheel and the source archive."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def test_the_wheel_holds_the_package_and_nothing_else(built):
    names = zipfile.ZipFile(built[0]).namelist()
    package = {name for name in names if not name.startswith("slipstick-0.1.0.dist-info/")}
    there = [path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert package == {path.relative_to(ROOT / "src").as_posix() for path in there}
    assert "slipstick/py.typed" in package
    assert {Path(name).suffix for name in package} == {".py", ".typed", ".css", ".json", ".yaml", ".gz", ".c", ".h"}


def test_the_source_archive_holds_what_the_tests_need(built):
    with tarfile.open(built[1]) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    needed = {"src", "tests", "docs", "examples", "scripts", "benchmarks", "README.md", "LICENSE", "CHANGELOG.md"}
    assert needed <= tops
    assert not tops & {".venv", "out", "build", "dist", ".git"}


def test_the_wheel_runs_the_first_example_of_the_readme(built, tmp_path):
    code, shown = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    ).groups()
    with zipfile.ZipFile(built[0]) as wheel:
        wheel.extractall(tmp_path / "installed")
    code = f"{code}\nprint(ss.__file__)\n"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed"), "MPLBACKEND": "Agg"}
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert printed.startswith(shown)
    assert printed.removeprefix(shown).startswith(str(tmp_path / "installed"))
