"""What the README points to is there, and what it says of the code is so."""

from __future__ import annotations

import re
from pathlib import Path

import typer

import slipstick as ss
from slipstick.cli.commands import app
from slipstick.laws import law_name

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


def test_every_law_has_a_page_and_the_commands_of_the_readme_exist():
    laws = [getattr(ss, name) for name in ss.__all__]
    names = [law_name(law) for law in laws if isinstance(law, type) and issubclass(law, ss.Law) and law is not ss.Law]
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [name for name in names if f"\nlaws/{name}\n" not in index] == []
    assert [name for name in names if not (ROOT / "docs" / "laws" / f"{name}.md").exists()] == []
    assert {"identify", "rank", "check", "run"} <= typer.main.get_command(app).commands.keys()  # those of the README


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
