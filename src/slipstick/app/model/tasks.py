"""What the page Model has computed: what is in a model, its picture, its equations, its reduction, its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from slipstick.app.choice import Choice
from slipstick.app.model.contents import Contents, contents_of
from slipstick.app.model.saving import FILE, files_of
from slipstick.app.staff import Tell
from slipstick.errors import FileError, SlipstickError

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.model.equations import Equations
    from slipstick.reduce.reduction import Reduction

MOST_EQUATIONS = 60  # coordinates; more are neither read by anybody nor written in a moment
LIMIT = 20.0  # [s] that one of these may last, from when a process begins with it
INCH = 96.0  # [px]
LARGER = 1.3  # times, the words of a picture that is shown smaller than it is


@dataclass(frozen=True)
class Problem:
    """line : of the text, if it is about one.   words : what is wrong and what to do."""

    line: int | None
    words: str


@dataclass(frozen=True)
class Picture:
    """svg : empty where there is none.   width : of it [px].   words : what it shows, or why it is not there."""

    svg: str
    width: float
    words: str


@dataclass(frozen=True)
class Formulas:
    """lines : as text.   latex : the same.   words : why there are none.   symbols : with the number behind each."""

    lines: tuple[str, ...] = ()
    latex: str = ""
    words: str = ""
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sight:
    """What is to be seen of a model; of one that is none, its problems alone.

    remarks : what to look at.   size, frequency : in words.
    digest : of the model itself: words round what is in it, and may be the same of another one.
    negligible : by argument of `Model.reduce`, the names that it can be given.
    is_law : it is no model, but a law alone.
    """

    problems: tuple[Problem, ...] = ()
    remarks: tuple[str, ...] = ()
    name: str = ""
    size: str = ""
    frequency: str = ""
    contents: Contents = field(default_factory=Contents)
    picture: Picture = field(default_factory=lambda: Picture("", 0.0, ""))
    formulas: Formulas = field(default_factory=Formulas)
    negligible: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_law: bool = False
    digest: str = ""


@dataclass(frozen=True)
class Step:
    """One rule of a reduction at work; formulas as lines of text."""

    rule: str
    says: str
    assumed: str
    formulas: tuple[str, ...]


@dataclass(frozen=True)
class Smaller:
    """A reduced model.   size : before and after, in words.   files : what saving it writes, by name."""

    size: str
    steps: tuple[Step, ...]
    picture: Picture
    formulas: Formulas
    files: Mapping[str, bytes]


def look(tell: Tell, choice: Choice) -> Sight:
    """What is to be seen of a model."""
    from hashlib import sha256

    from slipstick.model.files.tree import parse

    remarks: tuple[str, ...] = ()
    tell("reading the model", 0.1)
    if choice.system:
        try:
            model = choice.build()
        except SlipstickError as refusal:
            return Sight(problems=(Problem(None, str(refusal)),))
        text = files_of(model)[FILE].decode()
    else:
        from slipstick.app.model.reading import report_of

        report = report_of(choice.text, choice.name)
        if report.model is None:
            return _refused(choice, report.problems)
        model, remarks, text = report.model, (*report.warnings, *report.notes), choice.text
    data, _ = parse(FILE, text)  # without its comments
    seen = _seen(tell, model, remarks, contents_of(model, data, choice.system))
    return replace(seen, digest=sha256(repr((choice.system, data)).encode()).hexdigest())


def _refused(choice: Choice, problems: Sequence[FileError]) -> Sight:
    from slipstick.app.model.law_alone import acts_on
    from slipstick.study.source import is_study_text

    if is_study_text(choice.name, choice.text):
        words = (
            "this is a study, not a model: open the file that stands under model: in it; studies are for slipstick run"
        )
        return Sight(problems=(Problem(None, words),))
    if acts_on(choice.text, choice.name) is None:
        return Sight(problems=tuple(_problem(error) for error in problems))
    words = "this is a law alone, and a model has coordinates too: make a small one of it, or paste it into one"
    return Sight(problems=(Problem(None, words),), is_law=True)


def _problem(error: FileError) -> Problem:
    return Problem(error.line, f"{error.path}: {error.problem}" if error.path else error.problem)


def _seen(tell: Tell, model: Model, remarks: tuple[str, ...], contents: Contents) -> Sight:
    from slipstick.reduce.reduction import size
    from slipstick.report.contents import base_frequency

    tell("drawing it", 0.3)
    picture = picture_of(model)
    tell("writing its equations", 0.6)
    return Sight(
        remarks=remarks,
        name=model.name,
        size=size(model),
        frequency=base_frequency(model),
        contents=contents,
        picture=picture,
        formulas=_formulas_of(model),
        negligible=negligible_in(model),
    )


def picture_of(model: Model) -> Picture:
    """The diagram of a model."""
    import io

    from matplotlib import pyplot as plt

    from slipstick.plot.diagram import diagram

    try:
        figure = diagram(model)
    except SlipstickError as refusal:
        return Picture("", 0.0, str(refusal))
    for text in figure.axes[0].texts:
        text.set_fontsize(LARGER * float(text.get_fontsize()))
    stream = io.StringIO()
    try:
        figure.savefig(stream, format="svg", transparent=True)
    finally:
        plt.close(figure)
    told = [f"{c.name} on {c.deflection!r}" for c in model.connections]
    words = f"coordinates {', '.join(c.name for c in model.coordinates)}; connections {', '.join(told) or 'none'}"
    return Picture(stream.getvalue(), INCH * float(figure.get_figwidth()), words)


def _formulas_of(model: Model) -> Formulas:
    if len(model.coordinates) > MOST_EQUATIONS:
        words = f"equations of {len(model.coordinates)} coordinates are not written here, the limit is {MOST_EQUATIONS}"
        return Formulas(words=f"{words}; m.equations() in Python has them")
    try:
        return _written(model.equations())
    except SlipstickError as refusal:
        return Formulas(words=str(refusal))


def _written(equations: Equations) -> Formulas:
    from slipstick.model.printing import AS_WRITTEN, Terminal

    say = Terminal(AS_WRITTEN).doprint
    symbols = tuple(f"{say(symbol)} = {value:.6g}" for symbol, value in equations.values.items())
    return Formulas(tuple(str(equations).splitlines()), equations.latex(), symbols=symbols)


def negligible_in(model: Model) -> dict[str, tuple[str, ...]]:
    """What could be neglected: names of coordinates or connections, by argument of `Model.reduce`."""
    from slipstick.reduce.network import network_of
    from slipstick.symbolic import is_zero

    network = network_of(model)
    held = () if model.matrices is None else model.matrices.names
    own = [c for c in model.coordinates if c.name not in held and c.motion is None]
    rubbing = [f.name for f in network.frictions if not is_zero(f.limit.value)]
    return {
        "massless": tuple(c.name for c in own if not is_zero(c.inertia)),
        "frictionless": tuple(c.name for c in own if network.frictions_on(c.name)),
        "rigid": tuple(dict.fromkeys(s.name for s in network.springs)),
        "no_gap": tuple(dict.fromkeys(s.name for s in network.springs if s.has_gap)),
        "no_limit": tuple(dict.fromkeys(rubbing)),
    }


def reduce(tell: Tell, choice: Choice, neglected: Mapping[str, tuple[str, ...]], name: str) -> Smaller:
    """The model without what is negligible.   name : of the file that it came from."""
    from slipstick.reduce.reduction import size
    from slipstick.reduce.telling import heading

    tell("reducing", 0.2)
    model = choice.build()
    red = model.reduce(**neglected)
    tell("writing its equations", 0.6)
    return Smaller(
        size=f"{size(model)} become {size(red.model)}",
        steps=_steps(red),
        picture=picture_of(red.model),
        formulas=_written(red.equations),
        files=files_of(red.model, heading(red, name)),
    )


def _steps(red: Reduction) -> tuple[Step, ...]:
    from slipstick.model.printing import AS_WRITTEN, Terminal

    say = Terminal(AS_WRITTEN).doprint
    return tuple(
        Step(
            f"{step.rule} ({', '.join(step.on)})",
            step.says,
            step.assumed,
            tuple(f"{own} = {say(formula)}" for own, formula in step.formulas.items()),
        )
        for step in red.steps
    )


def save(tell: Tell, choice: Choice) -> dict[str, bytes]:
    """What saving a model writes, by name."""
    tell("writing the model", 0.2)
    return files_of(choice.build())
