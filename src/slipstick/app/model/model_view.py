"""What is to be seen of a model: its diagram, what is in it, its equations."""

from __future__ import annotations

import base64
from html import escape

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.model import equation_html
from slipstick.app.model.law_descriptions import LawDescription
from slipstick.app.model.model_contents import ConnectionSummary, ModelContents
from slipstick.app.model.tasks import DiagramImage, EquationText, ModelOverview

SYMBOL_MEANINGS = {
    "luz(": "luz(x, a) is 0 in a gap of a to each side and counts from its end beyond",
    "Sgn(": "Sgn is the sign, and anything between -1 and 1 at 0: dry friction holds",
    "beta(": "β is the inverse of the sign: 0 while its argument is between -1 and 1, which it never passes",
    "'": "a dash is a derivative in time",
}  # what is not in every textbook
MIN_PICTURE_SCALE = 0.6  # of its size, to which a picture shrinks before it is scrolled


def show_contents(sight: ModelOverview) -> None:
    """Its diagram and its tables."""
    for words in sight.remarks:
        widgets.note(words, "warning small")
    widgets.title("Diagram")
    show_diagram(sight.picture)
    widgets.title("What is in it")
    if sight.frequency:
        widgets.note(sight.frequency)
    with ui.element("div").classes("stack"):
        _tables(sight.contents)


def _tables(found: ModelContents) -> None:
    widgets.table(("coordinate", "inertia", "start"), found.coordinates)
    if found.connections:
        rows = "".join(_connection(each) for each in found.connections)
        heads = "<th>connection</th><th>law</th>"
        table = f'<table class="plain connections"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        ui.html(f'<div class="scroll">{table}</div>', sanitize=False)
    if found.loads:
        widgets.table(("load on", "function of time"), found.loads)
    if found.note:
        widgets.note(found.note)


def _connection(one: ConnectionSummary) -> str:
    """A row: its name above its deflection, and each law above its numbers."""
    laws = "".join(f"<div><b>{escape(law.name)}</b>{_parameter_list(law)}</div>" for law in one.laws)
    where = f'{escape(one.name)}<div class="quiet small">on {escape(one.on)}</div>'
    return f"<tr><td>{where}</td><td>{laws}</td></tr>"


def _parameter_list(law: LawDescription) -> str:
    """A list of words and numbers, in two columns."""
    rows = "".join(f"<dt>{escape(word)}</dt><dd>{escape(number)}</dd>" for word, number in law.numbers)
    return f'<dl class="numbers">{rows}</dl>' if rows else ""


def show_diagram(found: DiagramImage) -> None:
    """A diagram as an image, in which nothing can run; where it is wide it can be scrolled."""
    if not found.svg:
        widgets.note(found.words)
        return
    data = base64.b64encode(found.svg.encode()).decode()
    size = f"width:{found.width:.0f}px;min-width:{MIN_PICTURE_SCALE * found.width:.0f}px"
    ui.html(
        f'<div class="scroll" tabindex="0" role="group" aria-label="diagram"><img class="diagram" style="{size}" '
        f'alt="{escape(found.words)}" src="data:image/svg+xml;base64,{data}"></div>',
        sanitize=False,
    )


def show_equations(found: EquationText, file: str) -> None:
    """Equations, and the same in LaTeX to take along.   file : what they are of."""
    if not found.lines:
        widgets.note(found.words)
        return
    lines = "".join(f"<p>{equation_html.equation_html(line)}</p>" for line in found.lines)
    ui.html(f'<div class="equations">{lines}</div>', sanitize=False)
    told = [words for sign, words in SYMBOL_MEANINGS.items() if any(sign in line for line in found.lines)]
    widgets.note("; ".join(told))
    if found.symbols:
        with ui.expansion("numbers behind the symbols (SI units)").props("dense").classes("full-width more"):
            numbers = "".join(f"<div>{equation_html.equation_html(line)}</div>" for line in found.symbols)
            ui.html(f'<div class="symbols">{numbers}</div>', sanitize=False).classes("full-width")
    name = f"{file.rpartition('.')[0] or file}.tex"
    button = ui.button("LaTeX", icon="download", on_click=lambda: widgets.download(found.latex, name))
    button.props("flat dense no-caps").classes("start")
