"""What `make demo` runs: from a noisy loop to a response that can be trusted, and a smaller model with the reasons.

Five chapters, one file each. In every file `make` is what you would write yourself, and `chapter` is what the page
shows of it. The page is out/demo/index.html.
"""

from __future__ import annotations

import time
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import gallery
import in_time
import lever
import loop_to_law
import over_frequency
import smaller
import story_picture
from rich.console import Console

OUT = Path("out/demo")


class Story:
    """Tells chapters on the terminal as they are made, and keeps them for the page."""

    def __init__(self, out: Path) -> None:
        self.out, self.told, self.began = out, list[gallery.Told](), time.perf_counter()
        self.screen = Console(highlight=False)
        out.mkdir(parents=True, exist_ok=True)

    def tell(self, chapter: ModuleType, *given: Any, beside: tuple[Any, ...] = ()) -> Any:
        """Make a chapter from what earlier ones gave; ``beside``: what only its page needs of them."""
        title = f"{len(self.told) + 1}. {chapter.TITLE}"
        began = time.perf_counter()
        with self.screen.status(title):
            made = chapter.make(*given, self.out)
            shown = chapter.chapter(made, *beside, self.out)
        seconds = time.perf_counter() - began
        self.screen.print(f"[bold]{title}[/bold] [dim]{seconds:.1f} s[/dim]\n   {shown.headline}")
        self.told.append(gallery.Told(title, shown, seconds, gallery.source(getattr(chapter, "SHOWN", [chapter.make]))))
        return made


def main() -> None:
    story = Story(OUT)
    fit = story.tell(loop_to_law)
    law = story.tell(lever, fit)
    runs = story.tell(in_time, law)
    curves = story.tell(over_frequency, law, beside=(runs,))
    story.tell(smaller)
    story_picture.write(OUT, fit, curves, runs)
    seconds = time.perf_counter() - story.began
    page = gallery.write(OUT, story.told, seconds)
    story.screen.print(f"\nall of it took {seconds:.0f} s; pictures, numbers and certificates: [bold]{page}[/bold]")
    story.screen.print("next: [bold].venv/bin/slipstick new my_model[/bold] writes a model file to start from,")
    story.screen.print("      [bold].venv/bin/slipstick paper[/bold] lists the figures of the five papers")


if __name__ == "__main__":
    main()
