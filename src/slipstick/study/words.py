"""What a solver says, in the words of a file: its keys instead of arguments in Python."""

from __future__ import annotations

import re

_PYTHON = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r'law\.regularised\("(\w+)", rounding=\.\.\., width=\.\.\.\)', r"law: \1-friction"),
        (r"\bss\.hz\(([^()]*)\)", r"\1 Hz"),
        (r"\bss\.rpm\(([^()]*)\)", r"\1 rpm"),
        (r'\b([a-z_]+)="([\w-]+)"', r"\1: \2"),
        (r"\b([a-z_]+)=\(([^()]*)\)", r"\1: [\2]"),
        (r"\b([a-z_]+)=(?=\[)", r"\1: "),
        (r"\b([a-z_]+)=(?=[\s,;.:)\]]|$)", r"\1:"),
    )
]


def in_file_words(text: str) -> str:
    """``raise harmonics=`` is ``raise harmonics:``; ``method="shooting"`` is ``method: shooting``."""
    for pattern, words in _PYTHON:
        text = pattern.sub(words, text)
    return text
