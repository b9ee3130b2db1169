"""Rows that compare computed values with printed ones.

    number_row("T0 by (51)", here, form=".2f", unit="N", printed="338", independent="834.01", why="...")
    statement_row("closes the inner loop", "yes", f"{gap:.0e} Pa off", same=gap <= 1e-9, why="...")
    interpretation_row("sigma (38)", "1.49e9 Pa", "1.49e6 Pa", "a slip of the pen")

A number is compared with the printed one, to half a unit of its last digit or ``within``. If they agree, the row says
"the same". If not, ``why`` explains the difference only in two cases: an independent computation gave the same number,
or the difference is at most ``explains``. Every other difference is reported as unexplained.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from slipstick.papers.reproduction import Row

SAME_TEXT = "the same"
NOT_PRINTED_TEXT = "not printed"
UNEXPLAINED_TEXT = "NOT EXPLAINED"
INDEPENDENT_TEXT = "independent computation"
AGREES_TEXT = "agrees"

PrintedFigures = str | Sequence[str]


def number_row(
    quantity: str,
    here: float | Sequence[float],
    *,
    form: str,
    unit: str = "",
    paper: str = "",
    printed: PrintedFigures = (),
    independent: PrintedFigures = (),
    within: float | None = None,
    known_as: str = INDEPENDENT_TEXT,
    explains: float = 0.0,
    why: str = "",
) -> Row:
    """A number, or several in one row, beside those of the paper.

    here : computed now.   form : how to write it, such as ".4f".   unit : of all.
    paper : text of its cell; by default the ``printed`` numbers, or "not printed".
    independent : from another program or a closed form, with its certain digits.   known_as : its name.
    within : the largest difference that counts as none, for both; else half a unit of their last digit.
    explains : the largest difference from the print that ``why`` explains.
    """
    found = _several(here)
    theirs, others = _figures(printed), _figures(independent)
    cell = paper or (_numbers_text(theirs, unit) if theirs else NOT_PRINTED_TEXT)
    text = _numbers_text([f"{value:{form}}" for value in found], unit)
    if theirs and _all_agree(found, theirs, within):
        reason = SAME_TEXT
    elif others:
        known = f"{known_as}: {_numbers_text(others, unit)}"
        right = f"{why or AGREES_TEXT}; {known}"
        reason = right if _all_agree(found, others, within) else f"{UNEXPLAINED_TEXT}: {known}"
    elif theirs:
        off = max(abs(value - float(one)) for value, one in zip(found, theirs, strict=True))
        wrong = f"{UNEXPLAINED_TEXT}: {_numbers_text([f'{off:.2g}'], unit)} from the print"
        reason = why if why and off <= explains else wrong
    else:
        reason = why
    return Row(quantity, cell, text, reason)


def statement_row(quantity: str, paper: str, here: str, *, same: bool, why: str = "", holds: str = SAME_TEXT) -> Row:
    """A statement of the paper, or a condition, beside the result here.

    why : reason of a disagreement; unexplained without it.   holds : text where it holds.
    """
    return Row(quantity, paper, here, holds if same else why or UNEXPLAINED_TEXT)


def interpretation_row(quantity: str, paper: str, here: str, why: str) -> Row:
    """Our reading of a print that is wrong or ambiguous; nothing was computed for it."""
    return Row(quantity, paper, here, why, reading=True)


def agrees_with_print(value: float, figure: str, within: float | None = None) -> bool:
    """True if a number is the printed one: to half a unit of the last digit, or ``within``."""
    largest = half_unit(figure) if within is None else within
    return abs(value - float(figure)) <= largest * (1.0 + 1e-9)


def half_unit(figure: str) -> float:
    """Half a unit of the last digit that is printed; of "4.36e-3" it is 5e-6."""
    exponent = Decimal(figure).as_tuple().exponent
    assert isinstance(exponent, int)
    return float(0.5 * 10.0**exponent)


def _all_agree(found: list[float], figures: list[str], within: float | None) -> bool:
    return all(agrees_with_print(value, one, within) for value, one in zip(found, figures, strict=True))


def _several(here: float | Sequence[float]) -> list[float]:
    return [float(value) for value in here] if isinstance(here, Sequence) else [float(here)]


def _figures(given: PrintedFigures) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _numbers_text(numbers: Sequence[str], unit: str) -> str:
    return f"{', '.join(numbers)} {unit}".strip()
