"""The pictures of tutorials and papers: `python scripts/make_pictures.py` draws what docs/pictures has of them.

Those of a tutorial are what its own blocks make, so a page shows what its reader will see.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from page_blocks import run_page

import slipstick as ss

DOCS = Path(__file__).resolve().parent.parent / "docs"

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


if __name__ == "__main__":
    for name, pictures in TUTORIALS.items():
        with tempfile.TemporaryDirectory() as folder:
            plt.close("all")
            os.chdir(folder)
            run_page(DOCS / f"{name}.md")
            for made, called in pictures.items():
                shutil.copy(made, DOCS / "pictures" / f"{called}.png")
            os.chdir(DOCS)
    (DOCS / "pictures" / "papers").mkdir(exist_ok=True)
    for name, figure in PAPERS.items():
        ss.paper(name, figure).plot().savefig(DOCS / "pictures" / "papers" / f"{name}.png")
