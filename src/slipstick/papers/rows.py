"""Rows of a reproduction, made by functions that compare: the reason stands there only where it is one.

    compared("T0 by (51)", here, form=".2f", unit="N", printed="338", independent="834.01", why="...")
    judged("closes the inner loop", "yes", f"{gap:.0e} Pa off", same=gap <= 1e-9, why="...")
    reading("sigma (38)", "1.49e9 Pa", "1.49e6 Pa", "a slip of the pen")

A number is compared with what is printed, to half a unit of its last digit or ``within``. If they agree, "the same".
If not, ``why`` explains the difference only if the number is the one that an independent computation gave, or if the
difference is at most what it ``explains``. Any other number is told as one that nothing explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from slipstick.papers.reproduction import Row

SAME = "the same"
NOT_PRINTED = "not printed"
UNEXPLAINED = "NOT EXPLAINED"
INDEPENDENT = "independent computation"
AGREES = "agrees"

Figures = str | Sequence[str]


def compared(
    quantity: str,
    here: float | Sequence[float],
    *,
    form: str,
    unit: str = "",
    paper: str = "",
    printed: Figures = (),
    independent: Figures = (),
    within: float | None = None,
    known_as: str = INDEPENDENT,
    explains: float = 0.0,
    why: str = "",
) -> Row:
    """A number, or several in one row, beside those of the paper.

    here : computed now.   form : how to write it, such as ".4f".   unit : of all.
    paper : words for its cell; else the numbers that are ``printed``, or "not printed".
    independent : what another program or a closed form gave, as many digits as are certain.   known_as : what it is.
    within : the largest difference that counts as none, for both; else half a unit of their last digit.
    explains : the largest difference from the print that ``why`` is the reason of.
    """
    found = _several(here)
    theirs, others = _figures(printed), _figures(independent)
    cell = paper or (_told(theirs, unit) if theirs else NOT_PRINTED)
    told = _told([f"{value:{form}}" for value in found], unit)
    if theirs and _all_agree(found, theirs, within):
        reason = SAME
    elif others:
        known = f"{known_as}: {_told(others, unit)}"
        right = f"{why or AGREES}; {known}"
        reason = right if _all_agree(found, others, within) else f"{UNEXPLAINED}: {known}"
    elif theirs:
        off = max(abs(value - float(one)) for value, one in zip(found, theirs, strict=True))
        wrong = f"{UNEXPLAINED}: {_told([f'{off:.2g}'], unit)} from the print"
        reason = why if why and off <= explains else wrong
    else:
        reason = why
    return Row(quantity, cell, told, reason)


def judged(quantity: str, paper: str, here: str, *, same: bool, why: str = "", told: str = SAME) -> Row:
    """A statement of the paper, or what must hold, beside what was seen here; ``why`` is told where it does not hold.

    Without a ``why`` that is what nothing explains.   told : where it holds; of what the paper does not say, in words.
    """
    return Row(quantity, paper, here, told if same else why or UNEXPLAINED)


def reading(quantity: str, paper: str, here: str, why: str) -> Row:
    """How we read the print where it is wrong or open: nothing was computed for it."""
    return Row(quantity, paper, here, why, reading=True)


def agrees(value: float, figure: str, within: float | None = None) -> bool:
    """A number is the one that is printed: to half a unit of the last digit, or within what is said."""
    largest = half_unit(figure) if within is None else within
    return abs(value - float(figure)) <= largest * (1.0 + 1e-9)


def half_unit(figure: str) -> float:
    """Half a unit of the last digit that is printed; of "4.36e-3" it is 5e-6."""
    exponent = Decimal(figure).as_tuple().exponent
    assert isinstance(exponent, int)
    return float(0.5 * 10.0**exponent)


def _all_agree(found: list[float], figures: list[str], within: float | None) -> bool:
    return all(agrees(value, one, within) for value, one in zip(found, figures, strict=True))


def _several(here: float | Sequence[float]) -> list[float]:
    return [float(value) for value in here] if isinstance(here, Sequence) else [float(here)]


def _figures(given: Figures) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _told(numbers: Sequence[str], unit: str) -> str:
    return f"{', '.join(numbers)} {unit}".strip()
