"""Count the words of the hand-written documents: `python scripts/count_words.py` prints the total, `--list` each page.

A word is a run of characters with a letter or a digit in it. Code blocks, equations, addresses of links, generated
pages (docs/laws, the reference), the table of laws and decision records are left out. Tables and collapsed parts count.
The exit code is 1 if the total is above the limit.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
MAX_TOTAL = 35_000
GENERATED = ("decisions", "laws")  # folders: records of their time, and pages that make_law_pages.py writes
LEFT_OUT = (
    re.compile(r"^ *(```+|:::+).*?^ *\1 *$", re.MULTILINE | re.DOTALL),  # code, directives
    re.compile(r"^ {4}.*$", re.MULTILINE),
    re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL),
    re.compile(r"(?<=\])\([^)]*\)"),
    re.compile(r"<[^>]+>"),
    re.compile(r"^\| \[`\w+\(.*$", re.MULTILINE),  # rows of the table of laws, from make_law_pages.py
)


def count_words(text: str) -> int:
    """The number of words of a page in Markdown."""
    for pattern in LEFT_OUT:
        text = pattern.sub(" ", text)
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


def hand_written_pages() -> list[Path]:
    """The pages of docs/ whose words count."""
    return [page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] not in GENERATED]


def main(options: list[str]) -> int:
    """Print the total; exit code 1 if it is above the limit."""
    counts = {page.relative_to(DOCS).as_posix(): count_words(page.read_text("utf-8")) for page in hand_written_pages()}
    if "--list" in options:
        for name, count in sorted(counts.items(), key=lambda item: item[1]):
            print(f"{count:6} {name}")
    total = sum(counts.values())
    print(f"{total:,} words in {len(counts)} pages of docs/ (limit {MAX_TOTAL:,})")
    return 1 if total > MAX_TOTAL else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
