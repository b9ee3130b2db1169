"""Check the language of the documents: long sentences, and words that STYLE asks to avoid.

    python scripts/check_prose.py            fail if a page has more offences than the baseline allows
    python scripts/check_prose.py --list     show every offence with its page and line
    python scripts/check_prose.py --update   lower the baseline to what is there now; it never rises

The baseline (`prose_baseline.json`) counts the offences of each page. A new page starts at zero.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASELINE = Path(__file__).with_name("prose_baseline.json")
MAX_WORDS = 32  # of a sentence; STYLE asks for fewer than 25
BANNED = (
    r"(?:is|are|was|were) told",
    r"tells?\b(?! apart)",
    r"whoever",
    r"nobody",
    r"somebody",
    r"comes? to itself",
    r"goes on",
    r"by itself alone",
    r"that which",
    r"is said to",
    r"what is asked",
    r"there is no such",
    r"makes no way",
    r"of it all",
    r"stands (?:there|for itself|beside)",
)
BANNED_PATTERN = re.compile(r"\b(?:" + "|".join(BANNED) + r")\b", re.IGNORECASE)


def checked_pages() -> list[Path]:
    """The hand-written pages. Decision records keep the language of their time."""
    pages = [
        *sorted((ROOT / "docs").rglob("*.md")),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
    ]
    return [page for page in pages if "decisions" not in page.parts]


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Line number and text of each sentence outside code and equations. A table cell or list item ends a sentence."""
    text = re.sub(r"^```.*?^```$", lambda code: "\n" * code[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^\$\$.*?^\$\$$", lambda math: "\n" * math[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "x", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    ends = re.compile(r"[.!?:;](?=\s|$)|\n\s*\n|\n\s*[-*#|]|\n\s*\d+\. |\s\|\s|\|$", re.MULTILINE)
    start = 0
    for end in [*(match.end() for match in ends.finditer(text)), len(text)]:
        sentence = text[start:end].strip()
        if sentence:
            yield text.count("\n", 0, start + len(text[start:end]) - len(text[start:end].lstrip())) + 1, sentence
        start = end


def offences(text: str) -> list[tuple[int, str]]:
    """Line number and reason of each offence."""
    found = []
    for line, sentence in sentences(text):
        count = len(sentence.split())
        if count > MAX_WORDS:
            found.append((line, f"{count} words: {' '.join(sentence.split()[:8])} ..."))
        found += [(line, f'"{match[0]}"') for match in BANNED_PATTERN.finditer(sentence)]
    return found


def main(options: list[str]) -> int:
    """Exit code 1 if a page has more offences than its baseline."""
    counts = {}
    for page in checked_pages():
        name = page.relative_to(ROOT).as_posix()
        found = offences(page.read_text(encoding="utf-8"))
        counts[name] = len(found)
        if "--list" in options:
            for line, reason in found:
                print(f"{name}:{line}: {reason}")
    allowed = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else dict(counts)
    worse = {name: count for name, count in counts.items() if count > allowed.get(name, 0)}
    for name, count in worse.items():
        print(f"{name}: {count} offences, {allowed.get(name, 0)} allowed; see scripts/check_prose.py --list")
    if "--update" in options:
        lower = {name: min(count, allowed.get(name, 0)) for name, count in counts.items()}
        BASELINE.write_text(json.dumps({k: v for k, v in lower.items() if v}, indent=1) + "\n", encoding="utf-8")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
