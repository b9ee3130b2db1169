"""A page for every law: `python scripts/make_law_pages.py` writes docs/laws/*.md.

Equation, parameters, units and methods come from the law itself; what it cannot tell stands in law_words.yaml.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, NamedTuple

import sympy
from ruamel.yaml import YAML

import slipstick as ss
from slipstick.laws.faces import Face
from slipstick.laws.parameters import Spec, spec_of
from slipstick.periodic.methods import choose as choose_periodic
from slipstick.transient.methods import METHODS, reason_against
from slipstick.transient.problem import pose
from slipstick.units.dimensions import unit_name

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
STRESS = ("FibreShear",)  # laws of stress and strain
PAGES = {  # where each method is explained
    "exact": "exact",
    "adaptive": "adaptive",
    "inclusion": "inclusion",
    "newmark": "newmark",
    "taylor": "taylor",
    "shooting": "shooting",
    "harmonic-balance": "harmonic-balance",
}


class Words(NamedTuple):
    """What law_words.yaml says of one law."""

    example: str
    amplitude: float
    noise: float
    family: str
    when: str
    identify: str
    symbols: str = ""
    fit: str = ""
    paper: str = ""
    summary: str = ""  # a sentence, where the docstring begins with more than that
    setup: str = ""  # code that goes before the example
    complete: str = ""  # the law with every term that its equation may have
    memory: str = ""  # what it remembers, where the names in its code would not help
    several: tuple[float, ...] = ()  # amplitudes that it takes to identify it


WORDS = {
    name: Words(**told) for name, told in YAML(typ="safe").load((HERE / "law_words.yaml").read_text("utf-8")).items()
}


def slug(name: str) -> str:
    """A law as files name it: ModifiedDahl is modified-dahl."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower() if name != "LuGre" else "lugre"


def law_of(words: Words, *, complete: bool = False) -> Any:
    """The law that one of our own examples writes down."""
    names: dict[str, Any] = {"ss": ss}
    exec(words.setup, names)
    return eval((complete and words.complete) or words.example, names)


def equations(law: Any) -> str:
    """The equations of a law in LaTeX, each on a line of its own."""
    told = law.equation()
    lines = [sympy.latex(line) for line in (told if isinstance(told, tuple) else (told,))]
    return "\n\n".join(f"$$\n{_plainer(line)}\n$$" for line in lines)


def _plainer(latex: str) -> str:
    """Functions of one variable without their brackets, derivatives as fractions: as one would write them."""
    latex = re.sub(r"\{\\left\([tu] \\right\)\}", "", latex)
    return re.sub(r"\\frac\{d\}\{d ([tu])\} ([a-z])(_\{?\w+\}?)?", r"\\frac{d \2\3}{d \1}", latex)


def parameters(law: Any) -> str:
    """A table of the parameters of a law, with their units."""
    systems = {"unit": "stress"} if type(law).__name__ in STRESS else {"unit": "translation", "for angles": "rotation"}
    titles = ["parameter", "symbol", *systems, "must be", "what it is"]
    rows = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for f in fields(law):
        spec = spec_of(f)
        symbol = f"${spec.symbol}$" if spec.symbol else ""
        left_out = "" if f.default is MISSING else f"; {_default(f.default)} if left out"
        units = [_unit(law, spec, system) for system in systems.values()]
        rows.append(f"| {' | '.join([f'`{f.name}`', symbol, *units, _bounds(spec), spec.doc + left_out])} |")
    return "\n".join(rows)


def _default(value: Any) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _unit(law: Any, spec: Spec, system: str) -> str:
    if spec.kind in ("choice", "flag", "function"):
        return ""
    first = unit_name(spec.dimension_of(law), system)
    if spec.kind not in ("numbers", "pair"):
        return first
    second = unit_name(spec.dimension_of(law, 1), system)
    return f"{first} each" if second == first else f"{first}, {second}{', ...' if spec.kind == 'numbers' else ''}"


def _bounds(spec: Spec) -> str:
    signs = (("≥", spec.low), (">", spec.above), ("≤", spec.high), ("<", spec.below))
    bounds = [f"{sign} {bound:g}" for sign, bound in signs if bound is not None]
    return " or ".join(f'"{c}"' for c in spec.choices) if spec.choices else ", ".join(bounds)


def methods(law: Any, words: Words) -> str:
    """Which methods take the law, asked of the methods themselves with a mass on it."""
    m = ss.Model("mass")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, law, name="law")
    m.load(x, ss.Cosine(1.0, frequency=1.0))
    problem = pose(m)
    takes = [name for name in METHODS if reason_against(problem, name) is None]
    periodic = [name for name in ("shooting", "harmonic-balance") if _takes(problem, name)]
    transient = ", ".join(f"[{name}](../{PAGES[name]}.md)" for name in takes)
    responses = ", ".join(f"[{name.replace('-', ' ')}](../{PAGES[name]}.md)" for name in (*periodic,))
    pieces = [piece for leaf in law.leaves() if Face.PIECES in leaf.law.faces for piece in leaf.law.pieces()]
    states = sorted({piece.name for piece in pieces} - {"linear"})
    lines = [
        f"- **Transients:** {transient}.",
        f"- **Periodic responses:** {responses}.",
        f"- **It remembers:** {words.memory or memory_of(law)}.",
    ]
    return "\n".join(lines + ([f"- **States:** {', '.join(f'`{s}`' for s in states)}."] if states else []))


def memory_of(law: Any) -> str:
    """What a law remembers, in words."""
    parts = [leaf.law for leaf in law.leaves()]
    if any(part.has_stack for part in parts):
        return "every reversal that still counts"
    return ", ".join(dict.fromkeys(name for part in parts for name in part.remembers)) or "nothing"


def _takes(problem: Any, method: str) -> bool:
    try:
        choose_periodic(problem, method)
    except ss.MissingFace:
        return False
    return True


def page(name: str) -> str:
    """The text of a law's page."""
    words = WORDS[name]
    law = law_of(words)
    summary = words.summary or (type(law).__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")
    linked = re.sub(r"[a-z]{4,}", lambda name: f"[{name[0]}](../papers/{name[0]}.md)", words.paper)
    source = f" Paper: {linked}." if linked else ""
    where = f"\n\n{words.symbols}" if words.symbols else ""
    return f"""\
# {name}

{summary}{source}

![Loops of {name}](../pictures/laws/{slug(name)}.png)

## Equation

{equations(law_of(words, complete=True))}{where}

## Parameters

{parameters(law)}

## When to use it

{words.when}

{methods(law, words)}

## How to identify it

{words.identify}

{code(words)}
[All laws](../laws.md) · [From a measured loop to a law](../identify.md)
"""


def code(words: Words) -> str:
    """The example of a page: the law, its loop, and the law found again from it."""
    measured = f"force = law.trace(u, t) + noise.normal(0.0, {words.noise:g}, t.size)"
    if words.several:
        swings = ", ".join(f"{swing:g}" for swing in words.several)
        loops = f"""\
loops = []
for swing in ({swings}):
    u = swing * np.sin(2.0 * np.pi * t)
    {measured}                # as if measured
    loops.append(ss.Loop(u, force, t))
fit = ss.identify(loops, {words.fit})"""
    else:
        loops = f"""\
u = {words.amplitude:g} * np.sin(2.0 * np.pi * t)
{measured}                    # as if measured
fit = ss.identify(ss.Loop(u, force, t), {words.fit})"""
    return f"""\
```python
import numpy as np
import slipstick as ss

{words.setup}law = {words.example}
t, noise = np.linspace(0.0, 2.0, 401), np.random.default_rng(0)
{loops.replace(", fixed=", f",{chr(10)}                  fixed=") if len(words.fit) > 70 else loops}
print(fit)
```
"""


if __name__ == "__main__":
    for law_name in WORDS:
        (DOCS / "laws" / f"{slug(law_name)}.md").write_text(page(law_name), encoding="utf-8")
