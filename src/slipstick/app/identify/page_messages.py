"""Library messages rewritten for the page Identify."""

from __future__ import annotations

import re

from slipstick.errors import SlipstickError

# what an option is called on the page, and what to do instead of typing it; the first that is found in a text counts
_REPLACEMENTS = (
    (r"give --decimal \. or --decimal ,", "choose the decimal sign"),
    (r"give --(?:deflection|force|time) one of", "choose one of"),
    (r"name the columns with --deflection and --force", "choose other columns"),
    (r"name their column with --time", "choose their column"),
    (r"say what the numbers are in: --unit \w+=\.\.\.", "say what the numbers are in"),
    (r"give --unit deflection=mm --unit force=kN, units=\{[^}]*\} in Python", "say the units beside the columns"),
    (r"use --scale force=-1", "multiply the force by -1"),
    (r"leave out --scale", "multiply by 1"),
    (r"scaled needs (.*?), got (\w+)=", r'"\2 times" needs \1 (1 leaves all as it is), got '),
    (r"use --remove-offset \(without_offset in Python\),", 'tick "put about zero" under "signs, drift, offset",'),
    (r"--remove-drift", '"take out drift"'),
    (r"--remove-offset", '"put about zero"'),
    (r" or fixed=\{[^}]*\}", ""),
    (r"with --fixed ([^\s,]+)", r'with \1 under "hold"'),
    (r"--fixed", '"hold"'),
    (r"--bounds", '"keep within"'),
    (r"--prior", '"known as"'),
    (r"--laws", '"laws"'),
)


def page_message(words: str) -> str:
    """The words of a command as the page says them."""
    for said, instead in _REPLACEMENTS:
        words = re.sub(said, instead, words)
    return words


def problem_line(problem: SlipstickError) -> str:
    """What is wrong, in one line."""
    return page_message(getattr(problem, "command_words", "") or str(problem))
