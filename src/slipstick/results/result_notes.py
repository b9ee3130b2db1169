"""`Note`: a sentence about a result, with wordings for Python and for the command line."""

from __future__ import annotations

from typing import Self


class Note(str):
    """A note as text, in the wording for Python.

    loop : name of its loop, at the start of the text; empty if it concerns all.   words : the rest.
    command : the wording for the command line.
    """

    __slots__ = ("command", "loop", "words")
    loop: str
    words: str
    command: str

    def __new__(cls, words: str, loop: str = "", command: str = "") -> Self:
        own = super().__new__(cls, f"{loop}: {words}" if loop else words)
        own.loop, own.words, own.command = loop, words, command or words
        return own

    @property
    def parts(self) -> tuple[str, str, str]:
        """Arguments of the note: words, loop, command."""
        return self.words, self.loop, self.command
