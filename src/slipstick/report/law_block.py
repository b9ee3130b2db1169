"""A law as YAML to paste into a model: exact values in the units of the file, intervals as comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from slipstick.errors import InvalidInput
from slipstick.model.files import law_document
from slipstick.model.files.yaml_emitter import format_flow
from slipstick.report.estimate_text import interval_text
from slipstick.results.fit import Estimate, Fit
from slipstick.units.dimensions import DAMPING, spell_dimension
from slipstick.units.number_format import format_exact
from slipstick.units.parser import from_si, parse_unit, shortest_exact
from slipstick.units.scales import LoopUnits

CONNECTION_NAME = "identified"
MAX_ALIGNED_WIDTH = 40  # characters of a line with an aligned comment


class BlockLine(NamedTuple):
    """indent : of the text.   comment : the comment beside it."""

    indent: int
    text: str
    comment: str = ""

    @property
    def whole(self) -> str:
        return f"{' ' * self.indent}{self.text}"


def law_block(fit: Fit) -> str:
    """The law to paste under ``connections:`` of a model."""
    head = [BlockLine(2, f"{CONNECTION_NAME}:"), BlockLine(4, "deflection: u", "put your coordinates here")]
    document = law_document(fit.law, CONNECTION_NAME)
    if "sum" not in document:
        body = list(_law(fit, document, 4, ""))
    else:
        body = [BlockLine(4, "sum:")]
        for k, term in enumerate(document["sum"]):
            first, *rest = _law(fit, term, 8, f"{k}.")
            body += [BlockLine(6, f"- {first.text}", first.comment), *rest]
    if fit.system == "stress" and "scaled" not in document:  # a model needs the size of a pad instead of strain
        body.append(BlockLine(4, "# scaled: {deflection: 125 1/m, force: 12 cm^2}", "1/thickness and area: put yours"))
    lines = (*head, *body)
    widths = [len(line.whole) for line in lines if line.comment]
    beside = max(width for width in widths if width <= MAX_ALIGNED_WIDTH)
    return "".join(
        f"{line.whole:<{beside}}  # {line.comment}\n" if line.comment else f"{line.whole}\n" for line in lines
    )


def _law(fit: Fit, document: dict[str, Any], indent: int, term: str) -> Iterator[BlockLine]:
    """Lines of one law; term : prefix of its parameter names in a sum."""
    for key, value in document.items():
        if isinstance(value, list):
            yield BlockLine(indent, f"{key}:")
            for i, item in enumerate(value):
                yield _value(fit, BlockLine(indent + 2, "-"), item, _estimate(fit, term, f"{key}.{i}"), document)
        else:
            yield _value(fit, BlockLine(indent, f"{key}:"), value, _estimate(fit, term, key), document)


def _estimate(fit: Fit, term: str, name: str) -> Estimate | None:
    return fit.parameters.get(f"{term}{name}", fit.parameters.get(name))


def _value(fit: Fit, line: BlockLine, value: Any, estimate: Estimate | None, document: dict[str, Any]) -> BlockLine:
    """A line with its value, in the unit of the file unless the law is scaled to others."""
    if estimate is None or not isinstance(value, float):
        return line._replace(text=f"{line.text} {format_flow(value)}")
    words = _interval_comment(estimate.shown_in(fit.units))
    unit = _unit(estimate, fit.units) if fit.units.written and "scaled" not in document else ""
    if unit:
        text = exact_quantity(value, unit)
    else:
        text, words = format_exact(value), _in_si(estimate)
    if estimate.dimension == DAMPING and value < 0.0 and not estimate.fixed:  # in a model, motions would grow
        return line._replace(
            text=f"# {line.text} {text}", comment=f"{words}: commented out, as a negative damper makes motions grow"
        )
    return line._replace(text=f"{line.text} {text}", comment=words)


def _unit(estimate: Estimate, units: LoopUnits) -> str:
    """Unit with exact powers, as of fitted exponents; empty if a file cannot hold it."""
    if estimate.dimension is None or units.of(estimate.dimension).unit == "1":
        return ""
    unit = spell_dimension(estimate.dimension, (units.force.unit, units.deflection.unit, "s"), exact=True)
    try:
        parse_unit(unit)
    except InvalidInput:  # a power beyond those of units
        return ""
    return unit


def _in_si(estimate: Estimate) -> str:
    return _interval_comment(estimate) if estimate.unit == "1" else f"{estimate.unit}, {_interval_comment(estimate)}"


def _interval_comment(estimate: Estimate) -> str:
    """The interval, with a remark if it includes zero."""
    if estimate.fixed:
        return "fixed"
    return f"95 %: {interval_text(estimate)}{', which includes 0' if estimate.low < 0.0 < estimate.high else ''}"


def exact_quantity(value: float, unit: str) -> str:
    """A value in SI, written in a unit with the fewest digits that read back to the same value."""
    return f"{shortest_exact(value, unit) or from_si(value, unit)} {unit}"
