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


def test_the_first_example_prints_what_stands_below_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, shown = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == shown


def test_laws_and_commands_are_counted_rightly():
    laws = [
        name for name in ss.__all__ if isinstance(getattr(ss, name), type) and issubclass(getattr(ss, name), ss.Law)
    ]
    commands = typer.main.get_command(app).commands
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert len(laws) - 1 == 26  # without the base class
    assert "| twenty-six, one page each" in index
    assert len(commands) == 12


def test_every_topic_has_an_example_script():
    """By what they call: a script that uses none of it would be no example."""
    calls = (
        ".trace(",
        "ss.Model(",
        ".simulate(",
        ".frequency_response(",
        ".nonlinear_mode(",
        "ss.identify(",
        ".reduce(",
        "ss.sweep(",
        "ss.paper(",
        ".certificate",
    )
    scripts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py"))
    assert [call for call in calls if call not in scripts] == []
