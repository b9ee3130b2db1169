"""A study that has been read: a model, what to do with it, where the results go."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slipstick.api import Model
from slipstick.errors import FileError, InvalidInput, MissingFace, NotConverged, os_error_reason
from slipstick.model.files.file_problems import FILE, FileFindings, path_text
from slipstick.model.files.file_problems import Path as Place
from slipstick.study.command_messages import COMMAND
from slipstick.study.study_kind import Settings, StudyKind
from slipstick.study.sweep_section import StudySweep

if TYPE_CHECKING:
    from slipstick.results.sweep import Sweep


@dataclass(frozen=True)
class Study:
    """The request of a study file.

    kind : what to do.   settings : the arguments of that, in SI.
    data, figure : where the results go; None: nowhere.   drawing : arguments of `plot`.
    sweep : the request of a sweep, if there is one.
    """

    name: str
    model: Model
    kind: StudyKind
    settings: Settings
    data: Path | None
    figure: Path | None
    drawing: Settings
    findings: FileFindings
    sweep: StudySweep | None = None

    def run(self, progress: Callable[..., Any] | None = None) -> Any:
        """Run the study. Errors of the solver carry the line of the file that caused them."""
        return self._told(lambda: self.kind.run(self.model, self.settings, progress))

    def run_many(self, **how: Any) -> Sweep:
        """Do the sweep; ``how`` are arguments of `slipstick.sweep`."""
        from slipstick.sweeps.sweep_run import sweep

        request = self.sweep
        assert request is not None
        try:
            return sweep(request.build, request.over, request.measure, request.store, along=request.along, **how)
        except FileError:
            raise
        except InvalidInput as error:
            raise self._located(("sweep",), COMMAND.located(error.message)) from None

    def check(self) -> None:
        """Refuse what `run` would refuse before it starts, and files that cannot be written."""
        sweep = self.sweep
        self._told(sweep.check if sweep is not None else lambda: self.kind.check(self.model, self.settings))
        self.refuse_unwritable()

    def _told(self, do: Callable[[], Any]) -> Any:
        """Call a function; its errors carry their line."""
        try:
            return do()
        except FileError:
            raise
        except MissingFace as error:
            raise self._located(self._place("method"), FILE.message(error.message)) from None
        except InvalidInput as error:
            raise self._located(self._place(error.argument), FILE.located(error.message)) from None
        except NotConverged as failure:
            words = FILE.message(failure.message)
            raise NotConverged(words, failure.partial, interrupted=failure.interrupted) from None

    def refuse_unwritable(self) -> None:
        """Try to write where the results will go; better now than when they are there."""
        for key, target in (("data", self.data), ("figure", self.figure)):
            if target is not None:
                try:
                    _check_writable(target)
                except OSError as error:
                    raise self._located(
                        ("output", key),
                        f"{target} cannot be written: {os_error_reason(error)}; name another file or folder",
                    ) from None

    def _located(self, place: Place, words: str) -> FileError:
        return FileError(self.findings.file, self.findings.line(place), path_text(place), words)

    def _place(self, argument: str | None) -> Place:
        """The path of an argument in the file: under options or in the section; None if absent."""
        section = self.kind.name
        for place in ((section, "options", argument), (section, argument)):
            if argument is not None and place in self.findings.lines:
                return tuple(step for step in place if step is not None)
        return (section,)


def _check_writable(target: Path) -> None:
    """Raises OSError if a file cannot be made, or replaced; leaves everything as it was."""
    aside = target.with_name(f".slipstick-{os.getpid()}")
    aside.touch()  # results are written aside first, so the folder counts
    aside.unlink()
    was_there = target.exists()
    with target.open("ab"):
        pass
    if not was_there:
        target.unlink()
