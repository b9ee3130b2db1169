"""What the README points to is there, and what it says of the code is so."""

from __future__ import annotations

import re
from pathlib import Path

import slipstick as ss

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_link_and_picture_of_the_readme_leads_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(targets) > 15
    assert [target for target in targets if not (ROOT / target).is_file()] == []


def test_the_readme_counts_the_laws():
    laws = [
        name for name in ss.__all__ if isinstance(getattr(ss, name), type) and issubclass(getattr(ss, name), ss.Law)
    ]
    assert len(laws) - 1 == 19  # but for the one they all are
    assert "| laws | nineteen:" in README


def test_the_picture_of_the_readme_is_made_by_the_demo():
    assert "docs/pictures/story.png" in README
    assert '"story.png"' in (ROOT / "examples" / "demo" / "story_picture.py").read_text(encoding="utf-8")
