"""The pictures of tutorials and papers: `python scripts/make_pictures.py` draws what docs/pictures has of them.

Those of a tutorial are what its own blocks make, so a page shows what its reader will see.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import matplotlib.pyplot as plt

import slipstick as ss

DOCS = Path(__file__).resolve().parent.parent / "docs"
sys.path.insert(0, str(DOCS.parent / "tests"))
from test_docs import blocks, run_console, save_if_named  # noqa: E402

TUTORIALS = {  # page: what it writes, and what that is called in docs/pictures
    "tutorial-test-engineer": {"rig-masing.png": "tutorial-fit", "speed.png": "tutorial-speed"},
    "tutorial-driveline": {
        "run.png": "tutorial-run",
        "speed.png": "tutorial-response",
        "compare.png": "tutorial-compare",
    },
    "tutorial-researcher": {"laws.png": "tutorial-laws", "methods.png": "tutorial-methods"},
}
PAPERS = {"tensioner": "12", "gear": "1", "fibre": "6", "clutch": "3", "torsional": "3"}


def run(page: Path) -> None:
    """All blocks of a page, here."""
    module = ModuleType(f"page_{page.stem}")
    module.__file__ = str(page)
    sys.modules[module.__name__] = module
    for kind, line, code in blocks(page.read_text(encoding="utf-8")):
        if kind == "console":
            run_console(code)
        elif kind == "yaml":
            save_if_named(code)
        else:
            exec(compile("\n" * line + code, str(page), "exec"), module.__dict__)


if __name__ == "__main__":
    for name, pictures in TUTORIALS.items():
        with tempfile.TemporaryDirectory() as folder:
            plt.close("all")
            os.chdir(folder)
            run(DOCS / f"{name}.md")
            for made, called in pictures.items():
                shutil.copy(made, DOCS / "pictures" / f"{called}.png")
            os.chdir(DOCS)
    (DOCS / "pictures" / "papers").mkdir(exist_ok=True)
    for name, figure in PAPERS.items():
        ss.paper(name, figure).plot().savefig(DOCS / "pictures" / "papers" / f"{name}.png")
