"""Self-contained HTML pages with embedded style and figures, without scripts or external files."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from slipstick.plot import style
from slipstick.report.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = f"""
body {{ font: 15px/1.5 system-ui, sans-serif; color: {style.INK} }}
body {{ max-width: 62rem; margin: 2rem auto; padding: 0 1rem }}
h1 {{ font-size: 1.5rem; margin: 0 }}
h2 {{ font-size: 1.05rem; margin: 1.8rem 0 .4rem }}
p.verdict {{ font-weight: 600; color: {style.GREEN}; margin: .2rem 0 1rem }}
p.verdict.bad {{ color: {style.ACCENT} }}
p.small, footer {{ color: #5c6b78; font-size: .87rem }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
th, td {{ padding: .2rem .9rem .2rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #e3e8ed }}
th.n, td.n {{ text-align: right }}
img {{ width: 100%; height: auto }}
pre {{ background: #f4f6f8; padding: .8rem 1rem; overflow-x: auto; font-size: .87rem }}
.scroll {{ overflow-x: auto }}
li.warning {{ color: {style.ACCENT} }}
footer {{ margin-top: 2rem; border-top: 1px solid #e3e8ed; padding-top: .5rem }}
@media print {{ body {{ margin: 0; max-width: none }} h2, img, tr {{ break-inside: avoid }} }}
"""


def html_page(title: str, verdict: str, good: bool, parts: Sequence[str]) -> str:
    """HTML document from parts."""
    from slipstick import __version__

    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    top = f'<h1>{escape(title)}</h1>\n<p class="verdict{"" if good else " bad"}">{escape(verdict)}</p>\n'
    foot = f"<footer>slipstick {escape(__version__)}</footer>\n</body>\n</html>\n"
    return head + top + "\n".join(parts) + "\n" + foot


def section(title: str, *parts: str) -> str:
    """Parts under a heading; empty without parts."""
    inside = "\n".join(part for part in parts if part)
    return f"<h2>{escape(title)}</h2>\n{inside}" if inside else ""


def table(content: Table) -> str:
    """A table, with right-aligned columns of numbers."""
    first = len(content.heads) - content.numbers
    kind = [' class="n"' if i >= first else "" for i in range(len(content.heads))]
    heads = "".join(f"<th{own}>{escape(head)}</th>" for own, head in zip(kind, content.heads, strict=True))
    rows = [
        "<tr>" + "".join(f"<td{own}>{escape(cell)}</td>" for own, cell in zip(kind, row, strict=True)) + "</tr>"
        for row in content.rows
    ]
    return '<div class="scroll"><table>\n<tr>' + heads + "</tr>\n" + "\n".join(rows) + "\n</table></div>"


def bullet_list(lines: Sequence[str], kind: str = "") -> str:
    """A bullet list; empty without lines."""
    own = f' class="{kind}"' if kind else ""
    return "<ul>\n" + "\n".join(f"<li{own}>{escape(line)}</li>" for line in lines) + "\n</ul>" if lines else ""


def small_print(words: str) -> str:
    """A line in small print."""
    return f'<p class="small">{escape(words)}</p>'


def code(text: str) -> str:
    """Preformatted text to copy."""
    return f"<pre>{escape(text)}</pre>"


def embedded_figure(drawn: bytes, words: str) -> str:
    """An embedded figure; drawn : its `figure_svg`.   words : alternative text."""
    inside = base64.b64encode(drawn).decode("ascii")
    return f'<img alt="{escape(words, quote=True)}" src="data:image/svg+xml;base64,{inside}">'


def figure_svg(figure: Figure) -> bytes:
    """A figure as SVG, the same bytes for the same figure."""
    import matplotlib as mpl

    stream = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "slipstick", "svg.fonttype": "path"}):
        figure.savefig(stream, format="svg", dpi=160, metadata={"Date": None})
    return stream.getvalue()
