"""A Python script and a study file that compute the result on the page again, with the same numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from slipstick.app.equivalent_code import EquivalentCode, keyword_arguments, script, write_file_lines
from slipstick.app.file_names import plain_name
from slipstick.app.model.model_download import MODEL_FILE, model_files
from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.jump_map import MapRequest, parameter_named
from slipstick.app.respond.run_up import RunBase, RunUp
from slipstick.app.respond.self_excited import CycleRequest, self_excitation, speed_name
from slipstick.app.task_worker import ReportProgress
from slipstick.errors import InvalidInput

MODEL_WITH_TABLES_TEXT = (
    "this model has matrices or long signals in files of their own; download it with the button "
    '"model with these numbers", and open it with ss.open'
)


def curve_code(
    _: ReportProgress,
    choice: ModelChoice,
    ends: tuple[float, float],
    points: int | None,
    orbit: int | None = None,
    thorough: bool = False,
) -> EquivalentCode:
    """Code of a curve.   points : their number; None if the curve was traced.   orbit : index of the orbit shown.

    thorough : other branches were searched, too.
    """
    begin, end = map(float, ends)
    if points is None:
        request, section = f"between=({begin!r}, {end!r})", f"  between: [{begin!r} rad/s, {end!r} rad/s]\n"
    else:
        request = f"at=np.linspace({begin!r}, {end!r}, {points})"
        section = f"  at: {{from: {begin!r} rad/s, to: {end!r} rad/s, count: {points}}}\n"
    if thorough:
        request, section = f"{request}, thorough=True", f"{section}  thorough: true\n"
    if choice.follows_frequency:
        arguments = keyword_arguments(choice.values)
        lines = [
            "",
            "def model(frequency):",
            f"    return ss.systems.{choice.system}({arguments}{', ' if arguments else ''}frequency=frequency)",
            "",
            "",
            f"curve = ss.frequency_response(model, {request})",
        ]
    else:
        lines = [*_model_lines(choice), f"curve = model.frequency_response({request})"]
    lines += ["print(curve)", 'curve.plot().savefig("curve.png")']
    if orbit is not None:
        lines += [f"orbit = curve.orbit({orbit})", "print(orbit)"]
    if choice.follows_frequency:  # no study retunes a damper at each frequency
        return EquivalentCode(script(lines))
    return _code(lines, f"{_study_model(choice)}frequency_response:\n{section}", "response")


def run_code(_: ReportProgress, choice: ModelChoice, base: RunBase, until: float, samples: int) -> EquivalentCode:
    """Code of a run.   base : frequency [rad/s] or speed.   until : [s]."""
    argument = section = ""
    if isinstance(base, RunUp):
        argument, section = f"{base.python}, ", base.study
    elif base is not None:
        argument, section = f"frequency={base!r}, ", f"  frequency: {float(base)!r} rad/s\n"
        if choice.follows_frequency:
            choice = ModelChoice(choice.system, {**choice.values, "frequency": float(base)})
    lines = [*_model_lines(choice), f"run = model.simulate({float(until)!r}, {argument}samples={samples})"]
    lines += ["print(run)", 'run.plot().savefig("run.png")']
    if isinstance(base, RunUp):
        lines += [f"orders = run.orders({list(base.orders)})", 'orders.plot().savefig("orders.png")']
    section = f"  until: {float(until)!r} s\n{section}  samples: {samples}\n"
    return _code(lines, f"{_study_model(choice)}transient:\n{section}", "run")


def jump_map_code(_: ReportProgress, choice: ModelChoice, request: MapRequest) -> EquivalentCode:
    """Code of a jump map, which no study makes."""
    from slipstick.units.scales import frequency_scale

    parameter = parameter_named(choice, request.parameter)
    scale = frequency_scale(choice.build().units.frequency).factor
    between = parameter.in_si(request.low), parameter.in_si(request.high)
    frequencies = request.begin / scale, request.end / scale
    more = f", levels={request.levels}{', thorough=True' if request.thorough else ''}"
    lines = [
        *_model_lines(choice),
        f"found = model.jump_map({parameter.name!r}, between={between}, frequencies={frequencies}{more})",
        "print(found)",
        'found.plot().savefig("jumps.png")',
    ]
    return EquivalentCode(script(lines))


def cycle_code(_: ReportProgress, choice: ModelChoice, request: CycleRequest, found: bool) -> EquivalentCode:
    """Code of a limit cycle and of steady sliding.   found : there is a cycle; else the script shows the run."""
    from slipstick.study.limit_cycle import RUN_SAMPLES

    lines = [*_model_lines(choice), f"run = model.simulate({float(request.until)!r}, samples={RUN_SAMPLES})"]
    if found:
        lines += ["cycle = model.limit_cycle(start=run)", "print(cycle)", 'cycle.plot().savefig("cycle.png")']
    else:
        lines += ["print(run)", 'run.plot().savefig("run.png")']
    speed = self_excitation(choice, choice.build()).speed
    if speed is not None and request.speeds is not None:
        ends = tuple(sorted(map(speed.in_si, request.speeds), key=abs, reverse=True))
        lines += [f"steady = model.equilibria({speed_name(speed)!r}, between={ends})", "print(steady)"]
    if not found:
        return EquivalentCode(script(lines))
    return _code(lines, f"{_study_model(choice)}limit_cycle:\n  until: {float(request.until)!r} s\n", "cycle")


def _code(lines: list[str], study: str, name: str) -> EquivalentCode:
    return EquivalentCode(script(lines), f"slipstick run {name}.yaml", f"{name}.yaml", f"slipstick: 1\n{study}")


def _model_lines(choice: ModelChoice) -> list[str]:
    if choice.system:
        return [f"model = ss.systems.{choice.system}({keyword_arguments(choice.values)})"]
    name = f"{PurePath(plain_name(choice.name)).stem}-of-page.yaml"  # the user's own file stays as it is
    return [*write_file_lines(name, model_text(choice)), f"model = ss.open({name!r})"]


def _study_model(choice: ModelChoice) -> str:
    if choice.system:
        values = "".join(f", {key}: {_yaml_value(value)}" for key, value in choice.values.items())
        return f"system: {{name: {choice.system}{values}}}\n"
    lines = model_text(choice).splitlines()
    return "model:\n" + "".join(f"  {line}\n" if line.strip() else "\n" for line in lines)


def model_text(choice: ModelChoice) -> str:
    """The model file of a choice, with its changed numbers; as written if none is changed."""
    if not choice.system and not choice.numbers:
        return choice.text
    files: Mapping[str, bytes] = model_files(choice.build())
    if len(files) > 1:
        raise InvalidInput(MODEL_WITH_TABLES_TEXT)
    return files[MODEL_FILE].decode()


def _yaml_value(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_yaml_value, value))}]"
    return str(value) if isinstance(value, str) else repr(value)
