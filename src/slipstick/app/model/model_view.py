"""Shows a model: diagram, contents, equations."""

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
}  # symbols that few textbooks have
MIN_PICTURE_SCALE = 0.6  # to which a diagram shrinks before it scrolls


def show_contents(overview: ModelOverview) -> None:
    """Show the diagram and the tables."""
    for words in overview.remarks:
        widgets.note(words, "warning small")
    widgets.title("Diagram")
    show_diagram(overview.picture)
    widgets.title("What is in it")
    if overview.frequency:
        widgets.note(overview.frequency)
    with ui.element("div").classes("stack"):
        _tables(overview.contents)


def _tables(contents: ModelContents) -> None:
    widgets.table(("coordinate", "inertia", "start"), contents.coordinates)
    if contents.connections:
        rows = "".join(_connection(each) for each in contents.connections)
        heads = "<th>connection</th><th>law</th>"
        table = f'<table class="plain connections"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        ui.html(f'<div class="scroll">{table}</div>', sanitize=False)
    if contents.loads:
        widgets.table(("load on", "function of time"), contents.loads)
    if contents.note:
        widgets.note(contents.note)


def _connection(connection: ConnectionSummary) -> str:
    """A row: name above deflection, each law above its parameters."""
    laws = "".join(f"<div><b>{escape(law.name)}</b>{_parameter_list(law)}</div>" for law in connection.laws)
    where = f'{escape(connection.name)}<div class="quiet small">on {escape(connection.on)}</div>'
    return f"<tr><td>{where}</td><td>{laws}</td></tr>"


def _parameter_list(law: LawDescription) -> str:
    """Names and values in two columns."""
    rows = "".join(f"<dt>{escape(word)}</dt><dd>{escape(number)}</dd>" for word, number in law.numbers)
    return f'<dl class="numbers">{rows}</dl>' if rows else ""


def show_diagram(image: DiagramImage) -> None:
    """A diagram as an image, in which no script runs; a wide one scrolls."""
    if not image.svg:
        widgets.note(image.words)
        return
    data = base64.b64encode(image.svg.encode()).decode()
    size = f"width:{image.width:.0f}px;min-width:{MIN_PICTURE_SCALE * image.width:.0f}px"
    ui.html(
        f'<div class="scroll" tabindex="0" role="group" aria-label="diagram"><img class="diagram" style="{size}" '
        f'alt="{escape(image.words)}" src="data:image/svg+xml;base64,{data}"></div>',
        sanitize=False,
    )


def show_equations(equations: EquationText, file: str) -> None:
    """Equations, with a download in LaTeX.   file : name of the model file."""
    if not equations.lines:
        widgets.note(equations.words)
        return
    lines = "".join(f"<p>{equation_html.equation_html(line)}</p>" for line in equations.lines)
    ui.html(f'<div class="equations">{lines}</div>', sanitize=False)
    meanings = [words for sign, words in SYMBOL_MEANINGS.items() if any(sign in line for line in equations.lines)]
    widgets.note("; ".join(meanings))
    if equations.symbols:
        with ui.expansion("numbers behind the symbols (SI units)").props("dense").classes("full-width more"):
            numbers = "".join(f"<div>{equation_html.equation_html(line)}</div>" for line in equations.symbols)
            ui.html(f'<div class="symbols">{numbers}</div>', sanitize=False).classes("full-width")
    name = f"{file.rpartition('.')[0] or file}.tex"
    button = ui.button("LaTeX", icon="download", on_click=lambda: widgets.download(equations.latex, name))
    button.props("flat dense no-caps").classes("start")
