"""Options for what is known of a law beforehand: ``--fixed``, ``--bounds``, ``--prior``, in SI or with units."""

from __future__ import annotations

from typing import Annotated

import typer

FixedOption = Annotated[
    list[str] | None,
    typer.Option(metavar="limit=250", help="Hold a number of the law: in SI, or limit=0.25kN.", show_default=False),
]
BoundsOption = Annotated[
    list[str] | None,
    typer.Option(metavar="limit=200:300", help="Keep it within; an end may be left out.", show_default=False),
]
PriorOption = Annotated[
    list[str] | None,
    typer.Option(metavar="limit=250:10", help="Known beforehand: mean:deviation.", show_default=False),
]
NoiseOption = Annotated[
    str | None,
    typer.Option(
        metavar="1um", help="Standard deviation of the noise in the deflection; default what the loops tell.",
        show_default=False,
    ),
]  # fmt: skip
Evaluations = Annotated[
    int | None,
    typer.Option(min=1, metavar="400", help="Budget of a search; default 200, or 25 along lines.", show_default=False),
]
