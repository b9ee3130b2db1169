"""Words of a law: its title, its page in the documentation, and its card on the page Identify."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class LawWords:
    """Words of one law. Texts are Markdown; formulas stand between $ signs.

    title : "modified Dahl", as within a sentence.
    title_without : what to replace in the title where a parameter is not given, {parameter: (old, new)}.
    force : the force in a few words, for the list of laws.
    paper : the paper and its equation.
    summary : one sentence; default: the first paragraph of the docstring.
    symbols : symbols of the equation that are no parameters.
    use : when to use the law; its first sentence is on the card.
    identify : how to measure and fit it.
    memory : what it remembers, where ``remembers`` does not say it well.
    example : parameters of an example, as Python code; complete : with every term of the equation.
    setup : code in front of the example.
    amplitude : deflection of the example's loops [m, or strain]; amplitudes : where a fit needs several loops.
    noise : standard deviation of the force in the example [N or Pa].
    fit : what `ss.identify` takes after the loops; default: the class.
    system : units of the example, see `slipstick.laws.parameters.UNIT_SYSTEMS`.
    over_rate : a picture shows the force over the rate, too.
    code : the example of the page, where it is not a fit to loops.
    """

    title: str
    title_without: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    force: str = ""
    paper: str = ""
    summary: str = ""
    symbols: str = ""
    use: str = ""
    identify: str = ""
    memory: str = ""
    example: str = ""
    complete: str = ""
    setup: str = ""
    amplitude: float = 1e-3
    amplitudes: tuple[float, ...] = ()
    noise: float = 1.0
    fit: str = ""
    system: str = "translation"
    over_rate: bool = False
    code: str = ""

    def title_of(self, given: Collection[str]) -> str:
        """The title of a law for which these parameters are given."""
        title = self.title
        for name, (old, new) in self.title_without.items():
            if name not in given:
                title = title.replace(old, new)
        return title

    @property
    def example_values(self) -> dict[str, Any]:
        """The parameters of the example; they must be literals."""
        call = ast.parse(f"law({self.example})", mode="eval").body
        assert isinstance(call, ast.Call)
        return {str(own.arg): ast.literal_eval(own.value) for own in call.keywords}

    @property
    def first_use(self) -> str:
        """The first sentence of ``use``."""
        return self.use.partition(". ")[0].removesuffix(".") + "."
