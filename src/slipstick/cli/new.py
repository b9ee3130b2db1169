"""``slipstick new``: a commented model, or a study of one, to start from."""

from __future__ import annotations

import json
import os
import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from slipstick.cli.console import say
from slipstick.errors import FileError, InvalidInput, SlipstickError, did_you_mean, shown
from slipstick.study.names import NAMES

LONGEST_NAME = 100
KINDS = [name.replace("_", "-") for name in NAMES]
_NAME = re.compile(r"[^\W_][\w .+-]*")


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of what is new; NAME.yaml is written.", show_default=False)
    ],
    study: Annotated[
        str | None, typer.Option(metavar="MODEL.yaml", help="Write a study of this model instead.", show_default=False)
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help=f"Of the study: {', '.join(KINDS[:-1])} or {KINDS[-1]}.", show_default=False),
    ] = None,
) -> None:
    """Write a commented model to start from, or a study of a model that is there."""
    target = _target(name)
    starter = "starter.yaml" if study is None and kind is None else _starter(study, kind)
    text = (files("slipstick.cli") / starter).read_text(encoding="utf-8")
    values = {"name: starter": target.stem, "data: starter.nc": f"{target.stem}.nc"}
    if study is not None:
        values["model: starter.yaml"] = _beside(target, study)
        text = _around(text, _own_frequency(study))
    for line, value in values.items():
        text = text.replace(line, f"{line.split()[0]} {json.dumps(value, ensure_ascii=False)}", 1)
    try:
        with open(target, "x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise FileError(str(target), None, "", "is already there and stays as it is; choose another name") from None
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise FileError(str(target), None, "", f"cannot be written: {words}; check the folder") from None
    say(f"{target} is written. Next: open it in an editor, then run")
    say(f"    slipstick {'check' if study is None else 'run'} {shlex.quote(str(target))}")


def _starter(study: str | None, kind: str | None) -> str:
    """The commented study of a kind."""
    if study is None:
        raise InvalidInput(f"--kind {kind} is of a study; name its model too, such as --study belt.yaml")
    asked = KINDS[0] if kind is None else kind.replace("_", "-")
    if asked not in KINDS:
        raise InvalidInput(f"no kind of study {shown(kind)}{did_you_mean(asked, KINDS)}")
    return f"starter-{asked}.yaml"


def _own_frequency(model: str) -> tuple[float, str] | None:
    """The base frequency of a model in its unit, and that; None without one, or for a file that has to be mended
    first: `slipstick run` says how."""
    from slipstick.model.files import read_model
    from slipstick.model.system import System
    from slipstick.results.units import frequency_scale

    try:
        found = read_model(model, System, warns=False)
    except SlipstickError:
        return None
    if found.frequency is None:
        return None
    scale = frequency_scale(found.units.frequency)
    return scale.factor * found.frequency, scale.unit


def _around(text: str, own: tuple[float, str] | None) -> str:
    """The study with frequencies around the model's own, from a half of it to the double, in place of its examples."""
    if own is None:
        return text
    value, unit = own
    low, high = f"{0.5 * value:.4g} {unit}", f"{2.0 * value:.4g} {unit}"
    for before in ("between: [5 Hz, 20 Hz]      ", "at: {from: 5 Hz, to: 20 Hz, count: 61}   "):
        after = before.strip().replace("20 Hz", high).replace("5 Hz", low)
        text = text.replace(before, f"{after} ".ljust(len(before)))
    three = ", ".join(f"{part * value:.4g} {unit}" for part in (0.8, 1.0, 1.2))
    return text.replace("[8 Hz, 10 Hz, 12 Hz]", f"[{three}]")


def _beside(target: Path, model: str) -> str:
    """The model as the study names it: seen from where the study stands."""
    if not os.path.isfile(model):
        raise InvalidInput(f"there is no model file {shown(model)}; write one with slipstick new NAME")
    return Path(os.path.relpath(model, target.parent)).as_posix()


def _target(name: str) -> Path:
    """The file to write: NAME.yaml, in a folder that is there."""
    path = Path(name)
    if path.name and path.suffix.lower() not in (".yaml", ".yml"):
        path = path.with_name(path.name + ".yaml")
    if not _NAME.fullmatch(path.stem) or len(path.name) > LONGEST_NAME or not path.stem[-1:].strip():
        raise InvalidInput(
            f"a model's name starts with a letter or digit and has letters, digits, spaces and _ . + - "
            f"(at most {LONGEST_NAME} characters), got {shown(name)}"
        )
    if not os.path.isdir(path.parent):
        raise InvalidInput(f"there is no folder {shown(str(path.parent))}; make it first")
    return path
