"""Draw the gallery: `python scripts/make_gallery.py` runs examples/gallery/*.py and puts their pictures into
docs/pictures/gallery. `--missing` leaves out pictures that are newer than their script.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("*.py"))
PICTURES = ROOT / "docs" / "pictures" / "gallery"


def draw(script: Path, folder: Path) -> Path:
    """Run a script in an empty directory and move NAME.png into the folder."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    with _empty_directory() as work, redirect_stdout(StringIO()):
        runpy.run_path(str(script), run_name="__main__")
        plt.close("all")
        return Path(shutil.move(work / f"{script.stem}.png", folder / f"{script.stem}.png"))


def draw_all(*, missing_only: bool) -> None:
    """Draw every picture, or those that are older than their script."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for script in SCRIPTS:
        picture = PICTURES / f"{script.stem}.png"
        if missing_only and picture.exists() and picture.stat().st_mtime > script.stat().st_mtime:
            continue
        draw(script, PICTURES)


@contextmanager
def _empty_directory() -> Iterator[Path]:
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        try:
            yield Path(work)
        finally:
            os.chdir(here)


if __name__ == "__main__":
    draw_all(missing_only="--missing" in sys.argv)
