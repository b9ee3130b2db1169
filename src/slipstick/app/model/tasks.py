"""Tasks of the page Model: contents, diagram, equations, reduction and file of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from slipstick.app.model.model_contents import ModelContents, model_contents
from slipstick.app.model.model_download import MODEL_FILE, model_files
from slipstick.app.model_choice import ModelChoice
from slipstick.app.task_worker import ReportProgress
from slipstick.errors import FileError, SlipstickError
from slipstick.model.files.file_problems import FILE

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.model.equations import Equations
    from slipstick.reduction.reduce import Reduction

MAX_EQUATION_COORDINATES = 60  # coordinates; equations of more are slow to write
TASK_TIME_LIMIT = 20.0  # [s] of a task
PIXELS_PER_INCH = 96.0  # [px]
TEXT_MAGNIFICATION = 1.3  # of text in a diagram that is shown smaller


@dataclass(frozen=True)
class TextProblem:
    """line : of the text, if known.   words : the problem and what to do."""

    line: int | None
    words: str


@dataclass(frozen=True)
class DiagramImage:
    """svg : empty without a diagram.   width : [px].   words : description, or why there is none."""

    svg: str
    width: float
    words: str


@dataclass(frozen=True)
class EquationText:
    """lines : equations as text.   words : why there are none.   symbols : with their values."""

    lines: tuple[str, ...] = ()
    latex: str = ""
    words: str = ""
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelOverview:
    """A model as the page shows it, or its problems.

    remarks : warnings and notes.   size, frequency : in words.
    digest : of the exact model; texts are rounded and may be equal for different models.
    negligible : by argument of `Model.reduce`, the possible names.
    is_law : the text is a law alone.
    """

    problems: tuple[TextProblem, ...] = ()
    remarks: tuple[str, ...] = ()
    name: str = ""
    size: str = ""
    frequency: str = ""
    contents: ModelContents = field(default_factory=ModelContents)
    picture: DiagramImage = field(default_factory=lambda: DiagramImage("", 0.0, ""))
    formulas: EquationText = field(default_factory=EquationText)
    negligible: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_law: bool = False
    digest: str = ""


@dataclass(frozen=True)
class ReductionStepTexts:
    """One step of a reduction; formulas as lines of text."""

    rule: str
    says: str
    assumed: str
    formulas: tuple[str, ...]


@dataclass(frozen=True)
class ReducedModelTexts:
    """A reduced model.   size : before and after, in words.   files : of the model, by name."""

    size: str
    steps: tuple[ReductionStepTexts, ...]
    picture: DiagramImage
    formulas: EquationText
    files: Mapping[str, bytes]


def examine_model(report_progress: ReportProgress, choice: ModelChoice) -> ModelOverview:
    """Examine a model: problems, or contents, diagram and equations."""
    from hashlib import sha256

    from slipstick.model.files.yaml_tree import parse_yaml

    remarks: tuple[str, ...] = ()
    report_progress("reading the model", 0.1)
    if choice.system:
        try:
            model = choice.build()
        except SlipstickError as refusal:
            return ModelOverview(problems=(TextProblem(None, FILE.message(refusal.message)),))
        text = model_files(model)[MODEL_FILE].decode()
    else:
        from slipstick.app.model.text_reader import examine_model_text

        report = examine_model_text(choice.text, choice.name)
        if report.model is None:
            return _with_problems(choice, report.problems)
        model, remarks, text = report.model, (*report.warnings, *report.notes), choice.text
    data, _ = parse_yaml(MODEL_FILE, text)  # without its comments
    overview = _overview(report_progress, model, remarks, model_contents(model, data, choice.system))
    return replace(overview, digest=sha256(repr((choice.system, data)).encode()).hexdigest())


def _with_problems(choice: ModelChoice, problems: Sequence[FileError]) -> ModelOverview:
    from slipstick.app.model.single_law_model import coordinate_of_law
    from slipstick.study.model_source import is_study_text

    if is_study_text(choice.name, choice.text):
        words = "this is a study, not a model: open the file named under model: in it; slipstick run runs studies"
        return ModelOverview(problems=(TextProblem(None, words),))
    if coordinate_of_law(choice.text, choice.name) is None:
        return ModelOverview(problems=tuple(_problem(error) for error in problems))
    words = "this is a law alone, and a model has coordinates too: make a small one of it, or paste it into one"
    return ModelOverview(problems=(TextProblem(None, words),), is_law=True)


def _problem(error: FileError) -> TextProblem:
    return TextProblem(error.line, f"{error.path}: {error.problem}" if error.path else error.problem)


def _overview(
    report_progress: ReportProgress, model: Model, remarks: tuple[str, ...], contents: ModelContents
) -> ModelOverview:
    from slipstick.reduction.reduce import describe_size
    from slipstick.report.model_tables import base_frequency_text

    report_progress("drawing it", 0.3)
    picture = diagram_image(model)
    report_progress("writing its equations", 0.6)
    return ModelOverview(
        remarks=remarks,
        name=model.name,
        size=describe_size(model),
        frequency=base_frequency_text(model),
        contents=contents,
        picture=picture,
        formulas=_formulas_of(model),
        negligible=neglect_options(model),
    )


def diagram_image(model: Model) -> DiagramImage:
    """The diagram of a model."""
    import io

    from matplotlib import pyplot as plt

    from slipstick.plot.model_diagram import draw_diagram

    try:
        figure = draw_diagram(model)
    except SlipstickError as refusal:
        return DiagramImage("", 0.0, FILE.message(refusal.message))
    for text in figure.axes[0].texts:
        text.set_fontsize(TEXT_MAGNIFICATION * float(text.get_fontsize()))
    stream = io.StringIO()
    try:
        figure.savefig(stream, format="svg", transparent=True)
    finally:
        plt.close(figure)
    connections = [f"{c.name} on {c.deflection!r}" for c in model.connections]
    words = (
        f"coordinates {', '.join(c.name for c in model.coordinates)}; connections {', '.join(connections) or 'none'}"
    )
    return DiagramImage(stream.getvalue(), PIXELS_PER_INCH * float(figure.get_figwidth()), words)


def _formulas_of(model: Model) -> EquationText:
    if len(model.coordinates) > MAX_EQUATION_COORDINATES:
        words = (
            f"equations of {len(model.coordinates)} coordinates are not written here, the limit is "
            f"{MAX_EQUATION_COORDINATES}"
        )
        return EquationText(words=f"{words}; m.equations() in Python has them")
    try:
        return _equation_text(model.equations())
    except SlipstickError as refusal:
        return EquationText(words=FILE.message(refusal.message))


def _equation_text(equations: Equations) -> EquationText:
    from slipstick.model.equation_printing import MODEL_TERM_ORDER, TerminalPrinter

    print_formula = TerminalPrinter(MODEL_TERM_ORDER).doprint
    symbols = tuple(f"{print_formula(symbol)} = {value:.6g}" for symbol, value in equations.values.items())
    return EquationText(tuple(str(equations).splitlines()), equations.latex(), symbols=symbols)


def neglect_options(model: Model) -> dict[str, tuple[str, ...]]:
    """Names of coordinates and connections that `Model.reduce` can neglect, by argument."""
    from slipstick.reduction.network import network_of
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


def reduce_model(
    report_progress: ReportProgress, choice: ModelChoice, neglected: Mapping[str, tuple[str, ...]], name: str
) -> ReducedModelTexts:
    """The reduced model.   name : of its source file."""
    from slipstick.reduction.reduce import describe_size
    from slipstick.reduction.symbolic_report import file_heading

    report_progress("reducing", 0.2)
    model = choice.build()
    red = model.reduce(**neglected)
    report_progress("writing its equations", 0.6)
    return ReducedModelTexts(
        size=f"{describe_size(model)} become {describe_size(red.model)}",
        steps=_steps(red),
        picture=diagram_image(red.model),
        formulas=_equation_text(red.equations),
        files=model_files(red.model, file_heading(red, name)),
    )


def _steps(red: Reduction) -> tuple[ReductionStepTexts, ...]:
    from slipstick.model.equation_printing import MODEL_TERM_ORDER, TerminalPrinter

    print_formula = TerminalPrinter(MODEL_TERM_ORDER).doprint
    return tuple(
        ReductionStepTexts(
            f"{step.rule} ({', '.join(step.on)})",
            step.says,
            step.assumed,
            tuple(f"{own} = {print_formula(formula)}" for own, formula in step.formulas.items()),
        )
        for step in red.steps
    )


def save_model(report_progress: ReportProgress, choice: ModelChoice) -> dict[str, bytes]:
    """The files of a model, by name."""
    report_progress("writing the model", 0.2)
    return model_files(choice.build())
