"""A study that has been read: a model, what to do with it, where the results go."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slipstick.api import Model
from slipstick.errors import FileError, InvalidInput, MissingFace
from slipstick.model.files.problems import Findings
from slipstick.model.files.problems import Path as Place
from slipstick.results.run import Run


@dataclass(frozen=True)
class Study:
    """What a study file asks for.

    kind : the section that says what to do, "transient".
    settings : the arguments of the verb of that kind, in SI.
    data, figure : where the results go; None: nowhere.
    """

    name: str
    model: Model
    kind: str
    settings: dict[str, Any]
    data: Path | None
    figure: Path | None
    findings: Findings

    def run(self, progress: Callable[[float], Any] | None = None) -> Run:
        """Do it. What the solver refuses is told with the line of the file that asked for it."""
        try:
            return self.model.simulate(**self.settings, progress=progress)
        except FileError:
            raise
        except (InvalidInput, MissingFace) as error:
            raise self._located(str(error)) from None

    def _located(self, words: str) -> FileError:
        place = self._place(words)
        return FileError(self.findings.file, self.findings.line(place), ".".join(map(str, place)), words)

    def _place(self, words: str) -> Place:
        """Which key a refusal is about: it is named in it, first of all or in quotes."""
        keys = self.findings.lines
        named = re.findall(r'^(\w+) must|option "(\w+)"|^\w+: (\w+)|takes no (\w+)=|(unknown method)', words)
        for found in (word for match in named for word in match if word):
            for place in ((self.kind, "options", found), (self.kind, found)):
                if place in keys:
                    return place
        return (self.kind, "method") if (self.kind, "method") in keys else (self.kind,)
