"""Pictures of the systems on the page Model: `python scripts/make_system_cards.py` writes system_cards.json."""

from __future__ import annotations

import json
from pathlib import Path

import slipstick as ss
from slipstick.app.model.system_cards import make_picture
from slipstick.app.model_choice import SYSTEM_DESCRIPTIONS

FILE = Path(__file__).resolve().parent.parent / "src" / "slipstick" / "app" / "model" / "system_cards.json"


def pictures() -> dict[str, str]:
    """The picture of each published system."""
    return {system: make_picture(getattr(ss.systems, system)()) for system in SYSTEM_DESCRIPTIONS}


if __name__ == "__main__":
    FILE.write_text(json.dumps(pictures(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
