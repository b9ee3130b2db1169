"""Random valid laws, functions of time and systems, made from what the laws say about their parameters."""

from __future__ import annotations

from dataclasses import MISSING, fields
from importlib.util import find_spec
from typing import Any

from hypothesis import strategies as st

from slipstick.errors import InvalidInput
from slipstick.laws import LAWS, law_class
from slipstick.laws.base import Law
from slipstick.laws.composite import scaled
from slipstick.laws.parameters import Spec, spec_of
from slipstick.model.linear_forms import Form
from slipstick.model.system import System
from slipstick.signals import Constant, Cosine, Fourier, Ramp, Signal, Sine, TimeFunction

LARGE = 1e12

# every law of the registry whose family is in the package
PRESENT = [name for name, (module, _) in LAWS.items() if find_spec(f"slipstick.laws.{module}")]
# these connect one deflection; test_contact_files has laws with several
SAVED = [name for name in PRESENT if name != "generalised-dahl" and not law_class(name).directions]

numbers = st.floats(-LARGE, LARGE, allow_nan=False)
positive = st.floats(1e-12, LARGE)
orders = st.one_of(
    st.builds(lambda x: {"order": x}, positive),
    st.builds(lambda x: {"frequency": x}, positive),
)


def number_in(spec: Spec) -> st.SearchStrategy[float]:
    """A number within the bounds of a parameter."""
    low = spec.low if spec.low is not None else spec.above
    high = spec.high if spec.high is not None else spec.below
    return st.floats(
        -LARGE if low is None else low,
        LARGE if high is None else high,
        exclude_min=low is not None and spec.low is None,
        exclude_max=high is not None and spec.high is None,
        allow_subnormal=False,
    )


@st.composite
def never_negative(draw: st.DrawFn) -> TimeFunction:
    """A periodic function that is a valid limit: its swings add up to less than its mean."""
    mean = draw(st.floats(1.0, 1e6))
    swings = draw(st.lists(st.floats(-0.2, 0.2), max_size=3))
    return Fourier(mean, cos=[mean * s for s in swings], **draw(orders))


def parameter(spec: Spec) -> st.SearchStrategy[Any]:
    """A valid value of a parameter by itself."""
    match spec.kind:
        case "numbers":
            return st.lists(number_in(spec), min_size=1, max_size=4)
        case "pair":
            return st.tuples(number_in(spec), number_in(spec))
        case "choice":
            return st.sampled_from(spec.choices)
        case "flag":
            return st.booleans()
        case "laws":
            sums = st.builds(lambda a, b: a + b, laws("jenkins"), laws("linear"))
            return st.lists(st.one_of(laws("freeplay"), laws("masing"), sums), min_size=2, max_size=3)
        case "number-or-periodic":
            return st.one_of(number_in(spec), never_negative())
    return number_in(spec)


# parameters that must agree with each other, where drawing them one by one would hardly ever fit
TOGETHER: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "piecewise-linear": st.integers(1, 4).flatmap(
        lambda n: st.fixed_dictionaries(
            {
                "breaks": st.lists(numbers, min_size=n, max_size=n, unique=True).map(sorted),
                "slopes": st.lists(numbers, min_size=n + 1, max_size=n + 1),
            }
        )
    ),
    "iwan": st.integers(1, 4).flatmap(
        lambda n: st.fixed_dictionaries(
            {
                "stiffnesses": st.lists(positive, min_size=n, max_size=n),
                "limits": st.lists(positive, min_size=n, max_size=n),
            }
        )
    ),
    "dry-friction": st.one_of(
        st.builds(lambda f: {"limit": f, "static_limit": None}, never_negative()),
        st.builds(lambda f, more: {"limit": f, "static_limit": f + more}, positive, positive),
    ),
    "modified-dahl": st.builds(lambda u, d: {"upper": [u, 1.0], "lower": [u - d, 1.0]}, numbers, positive),
    "duhem": st.builds(lambda u, d: {"upper": [u], "lower": [u - d]}, st.floats(-1e3, 1e3), st.floats(1.0, 1e3)),
    "bliman-sorine": st.builds(lambda x, r: {"limit": x, "overshoot_limit": r * x}, positive, st.floats(0.0, 0.9)),
    "lugre": st.builds(lambda c, more: {"coulomb": c, "static": c + more}, positive, positive),
}


def _made(cls: type[Law], values: dict[str, Any]) -> Law | None:
    try:
        return cls(**values)
    except InvalidInput:
        return None


def laws(name: str) -> st.SearchStrategy[Law]:
    """Laws of one kind; parameters with a default are sometimes left out."""
    cls = law_class(name)
    needed, optional = {}, {}
    for f in fields(cls):
        (needed if f.default is MISSING else optional)[f.name] = parameter(spec_of(f))
    one_by_one = st.fixed_dictionaries(needed, optional=optional)
    values = st.builds(lambda a, b: a | b, one_by_one, TOGETHER.get(name, st.just({})))
    return values.map(lambda v: _made(cls, v)).filter(lambda law: law is not None)  # type: ignore[return-value]


@st.composite
def signals(draw: st.DrawFn, most: int = 6) -> Signal:
    times = sorted(draw(st.lists(numbers, min_size=1, max_size=most, unique=True)))
    return Signal(times, draw(st.lists(numbers, min_size=len(times), max_size=len(times))))


periodic = st.one_of(
    st.builds(Constant, numbers),
    st.builds(lambda a, p, o: Cosine(a, phase=p, **o), numbers, numbers, orders),
    st.builds(lambda a, p, o: Sine(a, phase=p, **o), numbers, numbers, orders),
    st.builds(lambda m, c, s, o: Fourier(m, cos=c, sin=s, **o), numbers, st.lists(numbers, max_size=3),
              st.lists(numbers, max_size=3), orders),
)  # fmt: skip
single = st.one_of(periodic, st.builds(Ramp, numbers), signals())
functions = st.lists(single, min_size=1, max_size=3).map(lambda parts: sum(parts[1:], start=parts[0]))

simple_laws = st.sampled_from(["linear", "freeplay", "jenkins", "dahl", "sqrt-friction"]).flatmap(laws)


@st.composite
def combined(draw: st.DrawFn) -> Law:
    """Sums, scaled and modulated, in any nesting."""
    law: Law = draw(simple_laws)
    for _ in range(draw(st.integers(0, 3))):
        match draw(st.sampled_from(["sum", "scaled", "modulated"])):
            case "sum":
                law = law + draw(simple_laws)
            case "scaled":
                law = scaled(law, draw(st.floats(1e-3, 1e3)), draw(st.floats(-1e3, -1e-3)))
            case _:
                law = law.modulated(draw(periodic))
    return law


def forms(names: list[str]) -> st.SearchStrategy[Form]:
    factors = st.one_of(st.sampled_from([1.0, -1.0]), st.floats(1e-6, 1e6), st.floats(-1e6, -1e-6))
    return st.dictionaries(st.sampled_from(names), factors, min_size=1, max_size=3).map(Form)


@st.composite
def systems(draw: st.DrawFn) -> System:
    """Systems with everything but matrices."""
    name = draw(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=20))
    system = System(name, draw(st.none() | positive))
    names = draw(
        st.lists(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True), min_size=1, max_size=4, unique=True)
    )
    for each in names:
        if draw(st.booleans()):
            system.coordinate(each, motion=draw(functions))
        else:
            system.coordinate(each, inertia=abs(draw(numbers)), displacement=draw(numbers), velocity=draw(numbers))
    titles = st.from_regex(r"[A-Za-z0-9äßé]([A-Za-z0-9 _+()/#&-]{0,8}[A-Za-z0-9])?", fullmatch=True)
    for title in draw(st.lists(titles, max_size=3, unique=True)):
        along = draw(st.none() | forms(names))
        system.connect(draw(forms(names)), draw(combined()), name=title, along=along)
    for _ in range(draw(st.integers(0, 2))):
        system.load(draw(forms(names)), draw(functions))
    return system
