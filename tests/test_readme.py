"""What the README points to is there, and what it says of the code is so."""

from __future__ import annotations

import re
from pathlib import Path

import typer

import slipstick as ss
from slipstick.cli.commands import app

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


def test_the_readme_counts_the_commands():
    names = typer.main.get_command(app).commands
    assert len(names) == 12
    assert "| command line | twelve commands" in README


def test_there_is_an_example_for_each_row_of_the_box():
    """By what they call: a script that uses none of it would be no example."""
    rows = re.findall(r"^\| ([\w ]+) \| .+ \|$", README[README.index("## What is in the box") :], re.MULTILINE)
    calls = {
        "laws": ".trace(",
        "models": "ss.Model(",
        "transients": ".simulate(",
        "periodic responses": ".frequency_response(",
        "nonlinear modes": ".nonlinear_mode(",
        "identification": "ss.identify(",
        "reduction": ".reduce(",
        "many runs": "ss.sweep(",
        "papers": "ss.paper(",
        "certificates": ".certificate",
    }
    assert [row for row in rows if row not in ("page", "command line")] == list(calls)
    scripts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py"))
    assert [row for row, call in calls.items() if call not in scripts] == []
