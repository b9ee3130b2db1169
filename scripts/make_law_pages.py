"""Pages of the laws: `python scripts/make_law_pages.py` writes docs/laws/*.md, and the lists of laws in
docs/laws.md and docs/index.md.

Everything comes from the law itself: equation, parameters, units, states, and its `words`.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import sympy

import slipstick as ss
from slipstick.laws import LAWS, name_in_files
from slipstick.laws.base import Law
from slipstick.laws.faces import Face
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import Spec, spec_of
from slipstick.periodic.methods import choose as choose_periodic
from slipstick.transient.methods import METHODS, reason_against
from slipstick.transient.problem import pose
from slipstick.units.dimensions import unit_name

DOCS = Path(__file__).resolve().parent.parent / "docs"
PUBLIC_LAWS = [cls for _, cls in LAWS.values() if cls in ss.__all__]
LIST_HEAD = "| law | force | states | paper |\n|---|---|---|---|\n"
PAGES = {  # where each method is explained
    "exact": "exact",
    "events": "events",
    "inclusion": "inclusion",
    "newmark": "newmark",
    "taylor": "taylor",
    "shooting": "shooting",
    "harmonic-balance": "harmonic-balance",
}


def words_of(name: str) -> LawWords:
    """The words of a public law, by the name of its class."""
    words: LawWords | None = getattr(ss, name).words
    if words is None:
        raise ValueError(f"{name} has no words: give its class the attribute words = LawWords(...)")
    return words


def law_of(name: str, *, complete: bool = False) -> Law:
    """The example of a law, or the law with every term that its equation may have."""
    words, names = words_of(name), dict[str, Any]({"ss": ss})
    exec(words.setup, names)
    made: Law = eval(f"ss.{name}({(complete and words.complete) or words.example})", names)
    return made


def equations(law: Any) -> str:
    """The equations of a law in LaTeX, each on a line of its own."""
    found = law.equation()
    lines = [sympy.latex(line) for line in (found if isinstance(found, tuple) else (found,))]
    return "\n\n".join(f"$$\n{_plainer(line)}\n$$" for line in lines)


def _plainer(latex: str) -> str:
    """Functions of one variable without brackets, derivatives as fractions."""
    latex = re.sub(r"\{\\left\([tu] \\right\)\}", "", latex)
    return re.sub(r"\\frac\{d\}\{d ([tu])\} ([a-z])(_\{?\w+\}?)?", r"\\frac{d \2\3}{d \1}", latex)


def parameters(law: Any, system: str) -> str:
    """A table of the parameters of a law, with their units."""
    systems = {"unit": system} if system != "translation" else {"unit": system, "for angles": "rotation"}
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
    if spec.kind in ("choice", "flag", "function", "laws"):
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


def methods(law: Any, words: LawWords) -> str:
    """Methods that take the law; each is asked with a mass on the law."""
    m = ss.Model("mass")
    x = m.coordinate("x", inertia=1.0)
    m.connect(
        (x, *[m.coordinate("y", inertia=1.0)] * (len(law.directions) - 1)) if law.directions else x, law, name="law"
    )
    m.load(x, ss.Cosine(1.0, frequency=1.0))
    problem = pose(m)
    takes = [name for name in METHODS if reason_against(problem, name) is None]
    periodic = [name for name in ("shooting", "harmonic-balance") if _takes(problem, name)]
    transient = ", ".join(f"[{name}](../{PAGES[name]}.md)" for name in takes)
    responses = ", ".join(f"[{name.replace('-', ' ')}](../{PAGES[name]}.md)" for name in periodic) or "none"
    pieces = [piece for leaf in law.leaves() if Face.PIECES in leaf.law.faces for piece in leaf.law.pieces()]
    states = [*law.direction_states] or sorted({piece.name for piece in pieces} - {"linear"})
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
    if any(element.law.never_settles for element in problem.elements):
        return False
    try:
        choose_periodic(problem, method)
    except ss.MissingFace:
        return False
    return True


def page(name: str) -> str:
    """The text of a law's page."""
    words, law = words_of(name), law_of(name)
    summary = words.summary or (type(law).__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")
    linked = re.sub(r"[a-z]{4,}", lambda name: f"[{name[0]}](../papers/{name[0]}.md)", words.paper)
    source = f" Paper: {linked}." if linked else ""
    where = f"\n\n{words.symbols}" if words.symbols else ""
    picture = "Loops" if law.rigid_stop is None else "Bounces"
    return f"""\
# {name}

{summary}{source}

![{picture} of {name}](../pictures/laws/{name_in_files(name)}.png)

## Equation

{equations(law_of(name, complete=True))}{where}

## Parameters

{parameters(law, words.system)}

## When to use it

{words.use}

{methods(law, words)}

## How to identify it

{words.identify}

{code(name, words)}
[All laws](../laws.md) · [From a measured loop to a law](../identify.md)
"""


def code(name: str, words: LawWords) -> str:
    """The example of a page: the law, its loop, and the law fitted to it."""
    if words.code:
        return f"```python\n{words.code}\n```\n"
    measured = f"force = law.trace(u, t) + noise.normal(0.0, {words.noise:g}, t.size)"
    fit = words.fit or f"ss.{name}"
    if words.amplitudes:
        swings = ", ".join(f"{swing:g}" for swing in words.amplitudes)
        loops = f"""\
loops = []
for swing in ({swings}):
    u = swing * np.sin(2.0 * np.pi * t)
    {measured}                # as if measured
    loops.append(ss.Loop(u, force, t))
fit = ss.identify(loops, {fit})"""
    else:
        loops = f"""\
u = {words.amplitude:g} * np.sin(2.0 * np.pi * t)
{measured}                    # as if measured
fit = ss.identify(ss.Loop(u, force, t), {fit})"""
    return f"""\
```python
import numpy as np
import slipstick as ss

{words.setup}law = ss.{name}({words.example})
t, noise = np.linspace(0.0, 2.0, 401), np.random.default_rng(0)
{loops.replace(", fixed=", f",{chr(10)}                  fixed=") if len(fit) > 70 else loops}
print(fit)
```
"""


def list_of_laws(text: str) -> str:
    """The text of docs/laws.md with its table of laws made anew."""
    before, _, rest = text.partition(LIST_HEAD)
    _, _, after = rest.partition("\n\n")
    return f"{before}{LIST_HEAD}{chr(10).join(map(_row, PUBLIC_LAWS))}\n\n{after}"


def contents(text: str) -> str:
    """The text of docs/index.md with the pages of all laws in its contents."""
    pages = "".join(f"laws/{name_in_files(name)}\n" for name in PUBLIC_LAWS)
    return re.sub(r"^laws\n(laws/.*\n)+", f"laws\n{pages}", text, flags=re.MULTILINE)


def _row(name: str) -> str:
    law, words = law_of(name), words_of(name)
    arguments = ", ".join(f.name for f in fields(law) if spec_of(f).kind != "start")
    known = law.state_names or law.direction_states
    states = [*law.state_names[:2], "..."] if len(law.state_names) > 3 else known
    link = f"[`{name}({arguments})`](laws/{name_in_files(name)}.md)"
    return f"| {link} | {words.force} | {', '.join(states)} | {words.paper} |"


if __name__ == "__main__":
    for law_name in PUBLIC_LAWS:
        (DOCS / "laws" / f"{name_in_files(law_name)}.md").write_text(page(law_name), encoding="utf-8")
    for file, made in ((DOCS / "laws.md", list_of_laws), (DOCS / "index.md", contents)):
        file.write_text(made(file.read_text(encoding="utf-8")), encoding="utf-8")
