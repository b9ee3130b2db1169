"""Python scripts and commands that compute what a page shows; plain text, made in worker processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SCRIPT_TEXT = "This script gives the numbers on this page."
FILES_TEXT = "This script gives the numbers on this page; the files that you dropped must be in its folder."


@dataclass(frozen=True)
class EquivalentCode:
    """python : a script.   command : for a terminal, if there is one.   file_name, file_text : of a file it reads."""

    python: str
    command: str = ""
    file_name: str = ""
    file_text: str = ""
    note: str = SCRIPT_TEXT


def script(body: Sequence[str]) -> str:
    """A script of these lines, with the imports that they need."""
    text = "\n".join(body)
    lines = ["from pathlib import Path", ""] if "Path(" in text else []
    lines += ["import numpy as np", ""] if "np." in text else []
    return "\n".join([*lines, "import slipstick as ss", "", text, ""])


def keyword_arguments(values: Mapping[str, Any]) -> str:
    """``limit=2.5, law='masing'``: values as keywords in Python."""
    return ", ".join(f"{key}={value!r}" for key, value in values.items())


def write_file_lines(name: str, text: str) -> list[str]:
    """Lines of a script that write a text file."""
    plain = "\\" not in text and '"""' not in text and not text.endswith('"')
    literal = f'"""\\\n{text}"""' if plain else repr(text)
    return [f"Path({name!r}).write_text({literal}, encoding='utf-8')"]
