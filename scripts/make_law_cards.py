"""Cards of the laws on the page Identify: `python scripts/make_law_cards.py` writes law_cards.json."""

from __future__ import annotations

import json
from pathlib import Path

from slipstick.app.identify.law_cards import make_card
from slipstick.laws import LAWS

FILE = Path(__file__).resolve().parent.parent / "src" / "slipstick" / "app" / "identify" / "law_cards.json"

# the usual choices, in the order of the page
PREFERRED_LAWS = (
    "masing", "jenkins", "iwan", "linear+dahl", "linear+dynamic-hysteresis", "modified-dahl", "bouc-wen",
    "fibre-shear", "polynomial+dahl", "polynomial+dynamic-hysteresis", "bliman-sorine", "polynomial+bliman-sorine",
    "duhem", "dahl", "dynamic-hysteresis", "lugre", "linear+dry-friction", "dry-friction", "freeplay", "contact",
    "linear", "polynomial",
)  # fmt: skip


def cards() -> dict[str, dict[str, str]]:
    """The usual choices, then all other laws; an empty card for a law without start values."""
    return {law: make_card(law)._asdict() for law in dict.fromkeys((*PREFERRED_LAWS, *LAWS))}


if __name__ == "__main__":
    FILE.write_text(json.dumps(cards(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
