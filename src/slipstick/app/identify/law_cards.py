"""Cards of the laws that the page Identify offers: when to use each, and its loop as a small drawing.

A law says both itself (`Law.words`). `law_cards.json` keeps the cards, so that opening the page loads no law;
`python scripts/make_law_cards.py` writes it. A law that is not in it gets its card when the page asks.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from slipstick.laws.base import Law

BESIDE = {
    "linear": "Beside it a spring: the loop leans.",
    "polynomial": "Beside it a spring that hardens or softens: the loop leans, and bends up or down at its ends.",
}
LEAN = 0.8  # height that the spring of a sum adds to a loop, over the height of the loop
WIDTH, HEIGHT, MARGIN = 60, 40, 3  # of a drawing
POINTS_PER_CYCLE = 80
CYCLES = 3  # the last one is drawn


class LawCard(NamedTuple):
    """use : a sentence.   loop : the path of its loop, as in SVG."""

    use: str = ""
    loop: str = ""

    @property
    def drawing(self) -> str:
        """The loop as SVG; empty without a loop."""
        if not self.loop:
            return ""
        return f'<svg class="loop" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true"><path d="{self.loop}"/></svg>'


def offered_laws() -> list[str]:
    """The laws that the page offers: all that have start values, and the usual sums."""
    from slipstick.laws import LAWS

    return [law for law in dict.fromkeys((*_kept_cards(), *LAWS)) if card_of(law).use]


@cache
def card_of(law: str) -> LawCard:
    """The card of a law by its name; that of iwan for iwan:7, an empty one for a law that cannot be offered."""
    name = law.partition(":")[0].strip()
    kept = _kept_cards()
    return kept[name] if name in kept else make_card(name)


def make_card(law: str) -> LawCard:
    """Make the card of a law or of a sum with a spring; an empty one for an unknown law or one without start values."""
    from slipstick.errors import InvalidInput
    from slipstick.laws import law_class

    spring, _, other = law.rpartition("+")
    try:
        kind = law_class(other)
    except InvalidInput:
        return LawCard()
    if kind.words is None or not kind.words.example or not kind.has_start_values() or spring not in ("", *BESIDE):
        return LawCard()
    use = f"{kind.words.first_use} {BESIDE[spring]}" if spring else kind.words.first_use
    return LawCard(use, _loop_path(kind(**kind.words.example_values), kind.words.amplitude, spring))


def _loop_path(law: Law, amplitude: float, spring: str) -> str:
    """A settled cycle as a path of SVG."""
    import numpy as np

    turns = 2.0 * np.pi * np.linspace(0.0, CYCLES, CYCLES * POINTS_PER_CYCLE + 1)
    u, v = amplitude * np.sin(turns), 2.0 * np.pi * amplitude * np.cos(turns)
    force, memory = np.empty(u.size), law.start(0.0)
    for i, (x, rate) in enumerate(zip(u.tolist(), v.tolist(), strict=True)):  # a compiled kernel would cost more
        force[i], memory = law.update(x, rate, memory)
    if spring:
        bend = u / amplitude if spring == "linear" else (u / amplitude) ** 3
        force += 0.5 * LEAN * np.ptp(force) * bend
    last = slice(-POINTS_PER_CYCLE - 1, None)
    across, up = _fit_between_margins(u[last], WIDTH), HEIGHT - _fit_between_margins(force[last], HEIGHT)
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(across, up, strict=True)) + "Z"


def _fit_between_margins(values: Any, size: int) -> Any:
    low, high = values.min(), values.max()
    return MARGIN + (size - 2 * MARGIN) * (values - low) / (high - low)


@cache
def _kept_cards() -> dict[str, LawCard]:
    text = files("slipstick.app.identify").joinpath("law_cards.json").read_text(encoding="utf-8")
    return {law: LawCard(**own) for law, own in json.loads(text).items()}
