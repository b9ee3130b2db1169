"""Gallery of pictures with their scripts: the directive `gallery` takes names of examples/gallery, one a line.

Pictures that are missing or older than their script are drawn when the build begins.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from make_gallery import PICTURES, draw_all  # noqa: E402

WIDE = 1050  # pixels: the texts of wider pictures are too small in half of the page


def png_width(path: Path) -> int:
    """Width of a PNG file in pixels, from its header."""
    return int.from_bytes(path.read_bytes()[16:20], "big")


def title_of(source: str) -> str:
    """The first line of the docstring of a script."""
    return source.split('"""')[1].split("\n")[0].strip()


class Gallery(Directive):
    """A grid of pictures; below each its title and, folded, its script."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        grid = nodes.container(classes=["gallery"])
        for name in filter(None, map(str.strip, self.content)):
            script = ROOT / "examples" / "gallery" / f"{name}.py"
            source = script.read_text(encoding="utf-8")
            self.state.document.settings.record_dependencies.add(str(script))
            picture = f"/{PICTURES.relative_to(ROOT / 'docs').as_posix()}/{name}.png"
            wide = png_width(PICTURES / f"{name}.png") > WIDE
            card = nodes.container(classes=["gallery-card", *["gallery-wide"] * wide], ids=[name.replace("_", "-")])
            full_size = nodes.reference("", "", refuri=f"_images/{name}.png")
            full_size += nodes.image(uri=picture, alt=title_of(source), loading="lazy")
            code = nodes.literal_block(source, source.split('"""\n', 1)[1].strip(), language="python")
            card += [
                nodes.paragraph("", "", full_size),
                nodes.paragraph("", title_of(source)),
                nodes.raw("", f"<details><summary>{name}.py</summary>", format="html"),
                code,
                nodes.raw("", "</details>", format="html"),
            ]
            grid += card
        return [grid]


def _draw(_: Any) -> None:
    draw_all(missing_only=True)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _draw)
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
