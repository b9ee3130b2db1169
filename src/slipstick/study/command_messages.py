"""Phrase book of commands: options instead of Python arguments, keys of files for all others."""

from __future__ import annotations

from typing import Any

from slipstick.errors import MessageParts
from slipstick.model.files.file_problems import FilePhrases

OPTIONS = {
    "bounds": "--bounds",
    "decimal": "--decimal",
    "deflection": "--deflection",
    "deflection_noise": "--deflection-noise",
    "encoding": "--encoding",
    "evaluations": "--evaluations",
    "fixed": "--fixed",
    "force": "--force",
    "new": "--new",
    "priors": "--prior",
    "rate": "--rate",
    "recover": "--recover",
    "scale": "--scale",
    "scaled": "--scale",
    "sign": "--sign",
    "skip_incomplete": "--skip-incomplete",
    "skip_lines": "--skip-lines",
    "units": "--unit",
}
# what to do in a terminal in the place of a call
COMMAND_ADVICE = {
    "array_element": "draw it from the data",
    "compare_laws": "compare laws with slipstick rank",
    "remove_drift": "use --remove-drift",
    "remove_offset": "use --remove-offset",
    "scale_one_loop": "write the unit into the header of each file: u [mm]",  # --unit and --scale are for all files
    "sweep_part": "go over two, or take the table with output: {data: map.csv}",
    "swapped_columns": "name the columns with --deflection and --force",
    "times": "name their column with --time",
}
COMMAND_OWNERS = ("identify", "rank", "sample")  # functions with a command of their name, which needs no mention


def _one_word(text: str) -> str:
    """A value as a shell takes it: in quotes if it has a blank."""
    return f'"{text}"' if " " in text else text


class CommandPhrases(FilePhrases):
    """Messages in terms of options: ``--fixed damping=0``."""

    def line(self, parts: MessageParts) -> str:
        return super().line(parts._replace(owner="") if parts.owner in COMMAND_OWNERS else parts)

    def argument(self, argument: str) -> str:
        return OPTIONS.get(argument, argument)

    def setting(self, argument: str, value: Any) -> str:
        if argument in COMMAND_ADVICE:
            return COMMAND_ADVICE[argument]
        option = OPTIONS.get(argument)
        if option is None:
            return super().setting(argument, value)
        if isinstance(value, dict):
            return " ".join(f"{option} {_one_word(f'{name}={self.value(each)}')}" for name, each in value.items())
        return option if value is None or value is True else f"{option} {self.value(value)}"


COMMAND = CommandPhrases()
