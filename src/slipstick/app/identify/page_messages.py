"""Phrase book of the page Identify: its fields and buttons instead of options and arguments."""

from __future__ import annotations

from typing import Any

from slipstick.errors import Advice, MessageParts
from slipstick.study.command_messages import CommandPhrases

FIELDS = {"fixed": '"hold"', "bounds": '"keep within"', "priors": '"known as"', "laws": '"laws"'}
# what to do on the page in the place of an argument or a call
PAGE_ADVICE = {
    "decimal": "choose the decimal sign",
    "evaluations": 'fix a number under "hold"',
    "scale_one_loop": "write the unit into the header of each file: u [mm]",
    "swapped_columns": "choose other columns",
    "rate": 'give "samples per second" under "signs, drift, offset, holes"',
    "times": "choose their column",
    "units": "choose the units beside the columns",
}
TICKS = {
    "remove_drift": "remove drift",
    "remove_offset": "remove the offset",
    "skip_incomplete": "skip rows with holes",
    "sign": "flip the sign of a force that delivers energy",
    "lag": "remove the delay of the force",
}


class IdentifyPhrases(CommandPhrases):
    """Messages in terms of the page: ``fix it at 0, with damping=0 under "hold"``."""

    def line(self, parts: MessageParts) -> str:
        if parts.subject == "scaled" and isinstance(parts.value, dict):
            (role, factor), *_ = parts.value.items()
            problem = f'"{role} times" {parts.problem} (1 leaves all as it is)'
            parts = parts._replace(subject="", problem=problem, got=repr(factor))
        return super().line(parts)

    def argument(self, argument: str) -> str:
        return FIELDS.get(argument, argument)

    def advice(self, advice: Advice) -> str:
        for argument in advice.arguments:
            value = advice.values.get(argument)
            if argument in PAGE_ADVICE:
                return PAGE_ADVICE[argument]
            if argument in ("deflection", "force"):
                return f"choose {self.value(value)}"
            if argument == "scale":
                return " and ".join(f"multiply the {role} by {self.value(by)}" for role, by in (value or {}).items())
        return super().advice(advice)

    def setting(self, argument: str, value: Any) -> str:
        if argument == "compare_laws":
            return "press compare laws"
        if argument in TICKS:
            return f'tick "{TICKS[argument]}" under "signs, drift, offset, holes"'
        if argument in FIELDS and isinstance(value, dict):
            return f"{', '.join(f'{name}={self.value(each)}' for name, each in value.items())} under {FIELDS[argument]}"
        return FIELDS.get(argument) or super().setting(argument, value)


IDENTIFY = IdentifyPhrases()
