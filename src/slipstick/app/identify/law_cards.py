"""Laws that the page Identify offers, each with a sentence on its use and a small drawing of its loop.

scripts/make_law_cards.py makes both from the sources of the law pages.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

OFFERED_LAWS = (
    "masing", "jenkins", "iwan", "linear+dahl", "linear+dynamic-hysteresis", "modified-dahl", "bouc-wen",
    "fibre-shear", "polynomial+dahl", "polynomial+dynamic-hysteresis", "bliman-sorine", "polynomial+bliman-sorine",
    "duhem", "dahl", "dynamic-hysteresis", "lugre", "linear+dry-friction", "dry-friction", "freeplay", "contact",
    "linear", "polynomial",
)  # fmt: skip
WIDTH, HEIGHT = 60, 40  # of a drawing


class LawCard(NamedTuple):
    """use : a sentence.   loop : an SVG path."""

    use: str = ""
    loop: str = ""

    @property
    def drawing(self) -> str:
        """The loop as an SVG; empty without one."""
        if not self.loop:
            return ""
        return f'<svg class="loop" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true"><path d="{self.loop}"/></svg>'


def card_of(law: str) -> LawCard:
    """The card of a law by name; iwan:7 has that of iwan, an unknown name an empty one."""
    return _cards().get(law.partition(":")[0].strip(), LawCard())


@cache
def _cards() -> dict[str, LawCard]:
    text = files("slipstick.app.identify").joinpath("law_cards.json").read_text(encoding="utf-8")
    return {law: LawCard(**own) for law, own in json.loads(text).items()}
