"""``slipstick new``: a commented model, or a study of one, to start from."""

from __future__ import annotations

import json
import os
import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from slipstick.cli.console import print_line
from slipstick.cli.option_types import argument, optional
from slipstick.errors import FileError, InvalidInput, SlipstickError, os_error_reason, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.study.kind_names import NAMES

if TYPE_CHECKING:
    from slipstick.api import Model

MAX_NAME_LENGTH = 100
SWEEP = "sweep"  # no kind of its own: many runs of one
KINDS = [*(name.replace("_", "-") for name in NAMES), SWEEP]
_NAME = re.compile(r"[^\W_][\w .+-]*")


def new(
    name: Annotated[str, argument(metavar="NAME", help="Name of the model or study, written to NAME.yaml.")],
    study: Annotated[str | None, optional(metavar="MODEL.yaml", help="Write a study of this model instead.")] = None,
    kind: Annotated[
        str | None,
        optional(metavar="KIND", help=f"Of the study: {', '.join(KINDS[:-1])} or {KINDS[-1]}."),
    ] = None,
) -> None:
    """Write a commented model to start from, or a study of a model that is there."""
    target = _target(name)
    starter = "starter.yaml" if study is None and kind is None else _starter(study, kind)
    text = (files("slipstick.cli") / starter).read_text(encoding="utf-8")
    values = {"name: starter": target.stem}
    values |= {f"{key}: starter.{end}": f"{target.stem}.{end}" for key, end in (("data", "nc"), ("store", "sqlite"))}
    if study is not None:
        values["model: starter.yaml"] = _relative_model_path(target, study)
        found = _model(study)
        if found is not None:
            text = _with_model_frequencies(text, found)
            text = _with_model_names(text, found) if starter == f"starter-{SWEEP}.yaml" else text
    for line, value in values.items():
        text = text.replace(line, f"{line.split()[0]} {json.dumps(value, ensure_ascii=False)}", 1)
    try:
        with open(target, "x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise FileError(str(target), None, "", "exists and was not overwritten; choose another name") from None
    except OSError as error:
        raise FileError(
            str(target), None, "", f"cannot be written: {os_error_reason(error)}; check the folder"
        ) from None
    print_line(f"{target} is written. Next: open it in an editor, then run")
    command = {"starter.yaml": "check", f"starter-{SWEEP}.yaml": "sweep", "starter-calibrate.yaml": "calibrate"}.get(
        starter, "run"
    )
    print_line(f"    slipstick {command} {shlex.quote(str(target))}")


def _starter(study: str | None, kind: str | None) -> str:
    """The commented study of a kind."""
    if study is None:
        raise InvalidInput(f"--kind {kind} needs a model; add --study with its file, such as --study belt.yaml")
    name = KINDS[0] if kind is None else kind.replace("_", "-")
    if name not in KINDS:
        raise InvalidInput(f"no kind of study {short_repr(kind)}{did_you_mean(name, KINDS)}")
    return f"starter-{name}.yaml"


def _model(name: str) -> Model | None:
    """The model in a file; None for one with problems, which `slipstick run` reports."""
    from slipstick.api import Model
    from slipstick.model.files import read_model

    try:
        return read_model(name, Model, warns=False)
    except SlipstickError:
        return None


def _with_model_frequencies(text: str, model: Model) -> str:
    """The study with frequencies from half to twice the model's own in place of the examples."""
    from slipstick.units.scales import frequency_scale

    if model.frequency is None:
        return text
    scale = frequency_scale(model.units.frequency)
    value, unit = scale.factor * model.frequency, scale.unit
    low, high = f"{0.5 * value:.4g} {unit}", f"{2.0 * value:.4g} {unit}"
    for before in (
        "between: [5 Hz, 20 Hz]      ",
        "at: {from: 5 Hz, to: 20 Hz, count: 61}   ",
        "{from: 5 Hz, to: 20 Hz, count: 31}   ",
    ):
        after = before.strip().replace("20 Hz", high).replace("5 Hz", low)
        text = text.replace(before, f"{after} ".ljust(len(before)))
    three = ", ".join(f"{part * value:.4g} {unit}" for part in (0.8, 1.0, 1.2))
    return text.replace("[8 Hz, 10 Hz, 12 Hz]", f"[{three}]")


def _with_model_names(text: str, model: Model) -> str:
    """The sweep with a coordinate of the model, and with its load if there is one, in place of its examples."""
    from slipstick.model.named_parameter import parameter_of
    from slipstick.model.named_parameter_unit import parameter_unit

    moving = next((each.name for each in model.coordinates if each.motion is None), None)
    if moving is not None:
        text = text.replace("[plate.amplitude]  #", f"{json.dumps([f'{moving}.amplitude'], ensure_ascii=False)}  #")
    load = "forcing.amplitude"
    try:
        value, unit = parameter_of(model, load).value, parameter_unit(model, load)
    except SlipstickError:  # several loads, or one without an amplitude: over frequency alone
        return text.replace(f"    {load}:", f"    # {load}:")
    three = ", ".join(f"{part * value:.4g} {unit}".rstrip() for part in (0.5, 1.0, 1.5))
    return text.replace("[20 N, 40 N, 60 N]", f"[{three}]")


def _relative_model_path(target: Path, model: str) -> str:
    """The path of the model relative to the study."""
    if not os.path.isfile(model):
        raise InvalidInput(f"there is no model file {short_repr(model)}; write one with slipstick new NAME")
    return Path(os.path.relpath(model, target.parent)).as_posix()


def _target(name: str) -> Path:
    """The file to write: NAME.yaml, in a folder that is there."""
    path = Path(name)
    if path.name and path.suffix.lower() not in (".yaml", ".yml"):
        path = path.with_name(path.name + ".yaml")
    if not _NAME.fullmatch(path.stem) or len(path.name) > MAX_NAME_LENGTH or not path.stem[-1:].strip():
        raise InvalidInput(
            f"a model's name starts with a letter or digit and has letters, digits, spaces and _ . + - "
            f"(at most {MAX_NAME_LENGTH} characters), got {short_repr(name)}"
        )
    if not os.path.isdir(path.parent):
        raise InvalidInput(f"there is no folder {short_repr(str(path.parent))}; make it first")
    return path
