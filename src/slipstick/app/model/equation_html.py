"""Equations as HTML: indices, Greek letters and powers.

A line is one of `slipstick.model.equations.Equations` as text, such as ``m_x*x'' + k_mesh*luz(x, a_mesh) = p_x``. Each
token is converted separately.
"""

from __future__ import annotations

import re
from html import escape

_TOKEN = re.compile(
    r"(?P<name>[^\W\d]\w*)(?P<dashes>'{0,2})|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?P<power>\*\*)|(?P<rest>.)"
)
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma_end sigma tau "
    "upsilon phi chi psi omega"
)
GREEK = {name: chr(0x3B1 + i) for i, name in enumerate(_GREEK_NAMES.split())} | {"varepsilon": "ε"}
GREEK |= {name.capitalize(): letter.upper() for name, letter in GREEK.items()}
_CASES = re.compile(r"(?P<name>\w+) = (?P<all>[^;]+ if .+; [^;]+ otherwise)")  # a brace and a row for each
CONDITION_WORDS = {"while", "if", "otherwise"}  # between formulas
OPERATOR_SIGNS = {"*": "\u2009", "-": "\u2212"}  # a thin space for times
_TRAILING_CONDITION = "at rest"  # the line that has no formula


def equation_html(line: str) -> str:
    """The line in HTML; everything in it is escaped."""
    if line.startswith(_TRAILING_CONDITION):
        return escape(line)
    if cases := _CASES.fullmatch(line):
        rows = "".join(f"<span>{_formula(case)}</span>" for case in cases["all"].split("; "))
        return f"{_formula(cases['name'])} = <span class='cases'>{rows}</span>"
    return _formula(line)


def _formula(line: str) -> str:
    parts, tokens = [], list(_TOKEN.finditer(line))
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token["power"]:
            inside, i = _exponent(tokens, i + 1)
            parts.append(f"<sup>{inside}</sup>")
            continue
        parts.append(_token_html(token, line))
        i += 1
    return "".join(parts)


def _token_html(token: re.Match[str], line: str) -> str:
    if token["name"]:
        is_function = line[token.end() : token.end() + 1] == "("
        return _name(token["name"], is_function) + {0: "", 1: "\u2032", 2: "\u2033"}[len(token["dashes"])]
    if token["number"]:
        return _number(token["number"])
    return OPERATOR_SIGNS.get(token["rest"], escape(token["rest"]))


def _exponent(tokens: list[re.Match[str]], i: int) -> tuple[str, int]:
    """The superscript (a word, a number or a bracket), and the index behind it."""
    begin, depth = i, 0
    while i < len(tokens):
        depth += {"(": 1, ")": -1}.get(tokens[i]["rest"], 0)
        i += 1
        if depth == 0 and tokens[i - 1]["rest"] != "-":
            break
    return "".join(_token_html(token, "") for token in tokens[begin:i]), i


def _name(name: str, is_function: bool) -> str:
    if name in CONDITION_WORDS:
        return f"<span class='word'>{name}</span>"
    head, *indices = name.split("_")
    digits = re.fullmatch(r"(\D+)(\d+)", head)
    if digits and not is_function:
        head, indices = digits[1], [digits[2], *indices]
    letter = GREEK.get(head, escape(head))
    body = f"<i>{letter}</i>" if len(letter) == 1 and not is_function else letter
    below = ", ".join(_name_html(index) for index in indices if index)
    return f"{body}<sub>{below}</sub>" if below else body


def _name_html(name: str) -> str:
    """Greek where it is, with its number beside it."""
    parts = re.fullmatch(r"(\D*)(\d*)", name)
    return escape(name) if parts is None else GREEK.get(parts[1], escape(parts[1])) + parts[2]


def _number(text: str) -> str:
    digits, _, power = text.partition("e")
    return f"{digits}\u2009·\u200910<sup>{int(power)}</sup>".replace("-", "\u2212") if power else digits
