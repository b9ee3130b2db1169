"""What the page Identify says and draws of each law: `python scripts/make_law_cards.py` writes law_cards.json."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from make_law_pages import HERE, WORDS, law_of, slug

import slipstick as ss
from slipstick.app.identify.law_cards import HEIGHT, OFFERED_LAWS, WIDTH

FILE = HERE.parent / "src" / "slipstick" / "app" / "identify" / "law_cards.json"
BESIDE = {
    "linear": "Beside it a spring: the loop leans.",
    "polynomial": "Beside it a spring that hardens or softens: the loop leans, and bends up or down at its ends.",
}
LEANS = 0.8  # times the height of the loop: what the spring of a sum adds to it
EDGE = 3  # around a drawing
POINTS = 80  # of a cycle
BY_SLUG = {slug(name): words for name, words in WORDS.items()}


def use(law: str) -> str:
    """When to use a law: the first sentence of its page on that."""
    spring, _, other = law.rpartition("+")
    first = BY_SLUG[other].when.partition(". ")[0].removesuffix(".") + "."
    return f"{first} {BESIDE[spring]}" if spring else first


def loop(law: str) -> str:
    """A settled cycle, as a path of SVG."""
    spring, _, other = law.rpartition("+")
    words = BY_SLUG[other]
    t = np.linspace(0.0, 3.0, 3 * POINTS + 1)
    phase = 2.0 * np.pi * t
    u, v = words.amplitude * np.sin(phase), 2.0 * np.pi * words.amplitude * np.cos(phase)
    own = law_of(words)
    if spring:
        own = _spring(spring, LEANS * float(np.ptp(own.trace(u, t, rate=v))), words.amplitude) + own
    x, y = u[-POINTS - 1 :], own.trace(u, t, rate=v)[-POINTS - 1 :]
    across, up = _within(x, WIDTH), HEIGHT - _within(y, HEIGHT)
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(across, up, strict=True)) + "Z"


def _spring(kind: str, height: float, amplitude: float) -> Any:
    if kind == "linear":
        return ss.Linear(stiffness=0.5 * height / amplitude)
    return ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5 * height / amplitude**3))


def _within(values: Any, size: int) -> Any:
    """Between the edges of a drawing."""
    return EDGE + (size - 2 * EDGE) * (values - values.min()) / np.ptp(values)


def cards() -> dict[str, dict[str, str]]:
    """Of all laws that are offered."""
    return {law: {"use": use(law), "loop": loop(law)} for law in OFFERED_LAWS}


if __name__ == "__main__":
    FILE.write_text(json.dumps(cards(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
