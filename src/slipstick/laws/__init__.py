"""Force laws of connections, one family a module with everything known of it.

`LAWS` maps names in files to classes. It follows from the public names of slipstick and imports no law.

base, faces, parameters           `Law` and how to write one; forms for methods; parameters with bounds and units
identification_traits             traits and start values for identification, and the measured loops they use
law_words, diagram_symbols        titles, documentation and examples; symbols in diagrams
elastic                           springs: linear, polynomial, freeplay, stages, contact
viscoelastic                      Maxwell and Zener: springs in series with dampers
dampers                           dampers by a power of the rate, or by a table
friction                          dry friction, set-valued at rest
masing                            Jenkins, Masing and Iwan
iwan4                             the four-parameter Iwan model
dahl, dahl_family                 Dahl, Duhem and modified Dahl; their base class
generalised_dahl, envelopes       Dahl's law with any envelope; envelopes for it
envelope_relaxation               relaxation towards a sloping envelope, in closed form
nonlocal_memory                   dynamic hysteresis, with overshoot, and fibre shear
reversal_stack_law, reversal_stack
                                  base of laws with a stack of reversals; its storage
boucwen, lugre                    Bouc-Wen and LuGre
baber_noori                       Bouc-Wen that degrades and pinches
regularisation                    smooth approximations of laws with corners
composite                         sums, scaled and modulated laws
series, series_loop               laws in series; their compiled solve
series_start                      start values of laws in series, and their names
closed_cycle, monotone_memory     equivalents of laws on closed cycles, and after long use
law_trace                         `Law.trace`: force along an imposed deflection
law_symbols, taylor_coefficients  laws as SymPy equations, and as Taylor series
law_kernels, law_packing, trace_loop, kernel_warmup
                                  compiled kernels of laws, their storage and compilation
kernel_source, plain_function, source_parsing
                                  source code of kernels, from ``update``
forward_differentiation           derivatives of plain functions, from their source
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

from slipstick import _NAMES
from slipstick.errors import InvalidInput
from slipstick.name_hints import did_you_mean

if TYPE_CHECKING:
    from slipstick.laws.base import Law

# laws that files may name, but that are made by `Law.regularised` in Python
_UNLISTED = {
    "regularisation": ["SqrtStage", "TanhStage", "SqrtFriction", "TanhFriction", "SqrtStribeck", "TanhStribeck"]
}


def name_in_files(cls: str) -> str:
    """The name of a class of laws in files: "ModifiedDahl" is "modified-dahl", "LuGre" is "lugre".

    A capital letter after two small ones begins a new word.
    """
    return re.sub(r"(?<=[a-z]{2})(?=[A-Z])", "-", cls).lower()


def _registered() -> dict[str, tuple[str, str]]:
    """Name in files -> (module, class), from the public names of slipstick; imports no law."""
    public = {module.partition(".")[2]: names for module, names in _NAMES.items() if module.startswith("laws.")}
    named = [(module, cls) for module, names in (public | _UNLISTED).items() for cls in names]
    return {name_in_files(cls): (module, cls) for module, cls in named if module not in ("base", "parameters")}


LAWS = _registered()


def law_class(name: str) -> type[Law]:
    """The class of a law from its name in files: "masing", "modified-dahl", also "ModifiedDahl"."""
    plain = {key.replace("-", ""): key for key in LAWS}
    key = plain.get(str(name).lower().replace("-", "").replace("_", ""))
    if key is None:
        raise InvalidInput(f'unknown law "{name}"{did_you_mean(name, LAWS)}')
    module, cls = LAWS[key]
    found: type[Law] = getattr(import_module(f"slipstick.laws.{module}"), cls)
    return found


def law_name(law: type[Law]) -> str | None:
    """The name of a class of laws in files; None for a law of a user."""
    for key, (module, cls) in LAWS.items():
        if law.__module__ == f"slipstick.laws.{module}" and law.__name__ == cls:
            return key
    return None
