"""Solver messages in terms of file keys instead of Python arguments."""

from __future__ import annotations

import re

_PYTHON_PHRASES = [
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


def file_message(text: str) -> str:
    """``raise harmonics=`` is ``raise harmonics:``; ``method="shooting"`` is ``method: shooting``."""
    for pattern, words in _PYTHON_PHRASES:
        text = pattern.sub(words, text)
    return text
