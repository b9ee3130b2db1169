"""The Python script and the command that show the same model as the page Model."""

from __future__ import annotations

import shlex

from slipstick.app.equivalent_code import EquivalentCode, keyword_arguments, script, write_file_lines
from slipstick.app.file_names import plain_name
from slipstick.app.model_choice import ModelChoice


def model_code(choice: ModelChoice) -> EquivalentCode:
    """Script and command of a model.   choice : a system, or a text without changed numbers."""
    show = ["print(model)", "print(model.equations())"]
    if choice.system:
        return EquivalentCode(
            script([f"model = ss.systems.{choice.system}({keyword_arguments(choice.values)})", *show])
        )
    name = plain_name(choice.name)
    lines = [*write_file_lines(name, choice.text), f"model = ss.open({name!r})", *show]
    return EquivalentCode(script(lines), shlex.join(["slipstick", "check", name]), name, choice.text)
