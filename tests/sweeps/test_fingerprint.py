"""What a study is made of, so that a changed one can say what has changed."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import slipstick as ss
from slipstick.sweeps import fingerprint
from slipstick.sweeps.digests import digest
from slipstick.sweeps.plan import plan_of


def functions(source: str) -> dict[str, object]:
    """Functions as a module of somebody's own would have them, without a file to read the source from."""
    made: dict[str, object] = {"__name__": "__main__"}
    exec(compile(textwrap.dedent(source), "<somewhere>", "exec"), made)
    return made


def test_the_same_function_has_the_same_digest_in_another_process_and_another_place():
    one = functions("def build(a):\n    return 2 * a")["build"]
    two = functions("\n\n\ndef build(a):\n    return 2 * a")["build"]
    assert fingerprint.function_digests(one, "build") == fingerprint.function_digests(two, "build")


def test_comments_and_layout_do_not_count(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "with_comment.py").write_text("def build(a):\n    # a remark\n    return   2*a\n")
    (tmp_path / "without_comment.py").write_text("def build(a):\n    return 2 * a\n")
    import with_comment
    import without_comment

    found = [fingerprint.function_digests(module.build, "build") for module in (with_comment, without_comment)]
    assert found[0] == found[1]


def test_what_a_function_uses_counts_by_its_name():
    source = "LIMIT = {limit}\ndef helper(a):\n    return {factor} * a\ndef build(a):\n    return helper(a) + LIMIT"
    before = fingerprint.function_digests(functions(source.format(limit=1, factor=2))["build"], "build")
    for key, name in (("limit", "LIMIT"), ("factor", "helper")):
        numbers = {"limit": 1, "factor": 2} | {key: 7}
        now = fingerprint.function_digests(functions(source.format(**numbers))["build"], "build")
        assert fingerprint.describe_changes(before, now) == [f"build {name} has changed"]


def test_values_that_a_function_closes_over_count():
    source = "def outer(k):\n    def build(a):\n        return k * a\n    return build"
    outer = functions(source)["outer"]
    before, now = (fingerprint.function_digests(outer(k), "build") for k in (1, 2))
    assert fingerprint.describe_changes(before, now) == ["build k has changed"]


def test_an_axis_that_has_changed_is_reported_with_its_values():
    before, now = (fingerprint.plan_digests(plan_of({"a": values})) for values in ([1.0, 2.0], [1.0, 2.0, 3.0]))
    assert fingerprint.describe_changes(before, now) == ["over a was 2 values from 1 to 2, is 3 values from 1 to 3"]


def test_an_axis_that_has_changed_inside_is_reported_too():
    before, now = (fingerprint.plan_digests(plan_of({"a": np.array([1.0, x, 3.0])})) for x in (2.0, 2.5))
    assert fingerprint.describe_changes(before, now) == ["over a has changed"]


def test_objects_count_by_what_they_hold():
    class Holder:
        def __init__(self, value):
            self.value = value

        def __call__(self, a):
            return self.value * a

    assert digest(Holder(1)) == digest(Holder(1))
    assert digest(Holder(1)) != digest(Holder(5))
    assert digest(Holder(1).__call__) != digest(Holder(5).__call__)


def test_a_model_counts_by_its_numbers_and_not_by_what_it_keeps_to_be_quick():
    def model(stiffness):
        m = ss.Model("m", frequency=1.0)
        x = m.coordinate("x", inertia=1.0)
        m.connect(x, ss.Linear(stiffness=stiffness, damping=0.1), name="k")
        m.load(x, ss.Cosine(1.0, order=1))
        return m

    used = model(1.0)
    used.periodic()
    assert digest(used) == digest(model(1.0))
    assert digest(used) != digest(model(5.0))


def test_sets_count_the_same_in_every_process():
    import subprocess
    import sys

    code = "from slipstick.sweeps.digests import digest; print(digest({'words': {'a', 'b', 'c', 'd'}}))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1


def test_long_arrays_in_objects_count_to_their_last_number():
    first, second = np.arange(1e5), np.arange(1e5)
    second[50_000] += 1.0
    assert digest({"x": [first]}) != digest({"x": [second]})


def test_something_that_holds_itself_comes_to_an_end():
    ring: list[object] = []
    ring.append(ring)
    assert digest(ring) == digest(ring)
    table: dict[str, object] = {"k": 1}
    table["itself"] = table
    assert digest(table) == digest(table)
    before = digest(table)
    table["k"] = 2
    assert digest(table) != before


def test_functions_through_their_module_and_behind_a_cache_count(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = (
        "import functools\n@functools.lru_cache\ndef cached(a):\n    return {} * a\ndef plain(a):\n    return {} * a\n"
    )
    found = []
    for k, (first, second) in enumerate([(1, 1), (2, 1), (1, 2)]):
        (tmp_path / f"own_{k}.py").write_text(text.format(first, second))
        module = __import__(f"own_{k}")
        made = functions("def build(a):\n    return own.cached(a) + own.plain(a)")
        made["own"] = module
        found.append(fingerprint.function_digests(made["build"], "build"))
    assert fingerprint.describe_changes(found[0], found[1]) == ["build own.cached has changed"]
    assert fingerprint.describe_changes(found[0], found[2]) == ["build own.plain has changed"]


def test_the_order_of_axes_and_their_dimensions_are_part_of_a_plan():
    grid = fingerprint.plan_digests(plan_of({"a": [1, 2], "b": [10, 20]}))
    turned = fingerprint.plan_digests(plan_of({"b": [10, 20], "a": [1, 2]}))
    listed = fingerprint.plan_digests(plan_of([{"a": 1, "b": 10}, {"a": 2, "b": 20}]))
    assert fingerprint.describe_changes(grid, turned) == ["dimensions was a (a) x b (b), is b (b) x a (a)"]
    assert fingerprint.describe_changes(grid, listed) == ["dimensions was a (a) x b (b), is point (a, b)"]


PACKAGE = {  # what a function uses, one step farther away each; the number in it is changed
    "a constant of a method": """
        F = {}
        class Wedge:
            def update(self, u):
                return F * u
        def build(a):
            return Wedge().update(a)
    """,
    "a constant with the name of another": """
        import helper
        K = {}
        def build(a):
            return helper.times(a) * K
    """,
    "a module in a package": """
        import package.inner
        def build(a):
            return package.inner.times(a)
    """,
    "a module that is imported inside": """
        def build(a):
            import inside
            return inside.times(a)
    """,
    "what a decorator does": """
        import functools
        def decorated(function):
            @functools.wraps(function)
            def before(a):
                return {} * function(a)
            return before
        @decorated
        def build(a):
            return a
    """,
}
LIBRARY = "K = {}\ndef times(a):\n    return K * a\n"
DRIVER = """
import json, sys
sys.path.insert(0, "")
import study
from slipstick.sweeps import fingerprint
print(json.dumps(fingerprint.function_digests(study.build, "build")))
"""


@pytest.mark.parametrize("name", PACKAGE)
def test_what_is_used_farther_away_counts_and_the_same_again_is_the_same(name, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "helper.py").write_text(LIBRARY.format(2))

    def made(number):
        (tmp_path / "study.py").write_text(textwrap.dedent(PACKAGE[name]).format(number))
        for file in ("inside.py", "package/inner.py"):
            (tmp_path / file).write_text(LIBRARY.format(number))
        command = [sys.executable, "-B", "-c", DRIVER]
        told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        return json.loads(told)

    first = made(1)
    assert made(1) == first
    assert len(fingerprint.describe_changes(first, made(5))) == 1


class Scaled:
    k = 3
    inner = ({"limit": 1.0},)

    def __call__(self, a):
        return self.k * a

    def other(self, a):
        return -a

    @property
    def doubled(self):
        return 2 * self.k


class Finer(Scaled):
    pass


def by_name(a):
    return Scaled.k * a


def through_a_subclass(a):
    return Finer()(a)


@pytest.mark.parametrize("build", [Scaled(), by_name, through_a_subclass, Scaled().__call__])
@pytest.mark.parametrize(
    ("name", "value"), [("k", 4), ("inner", {"limit": 2.0}), ("__call__", Scaled.other), ("doubled", property(Scaled))]
)
def test_what_a_class_holds_now_counts(build, name, value, monkeypatch):
    before = fingerprint.function_digests(build, "build")
    assert fingerprint.function_digests(build, "build") == before
    monkeypatch.setattr(Scaled, name, value)
    assert len(fingerprint.describe_changes(before, fingerprint.function_digests(build, "build"))) >= 1


def test_a_class_that_was_changed_between_two_sweeps_is_a_changed_study(tmp_path, monkeypatch):
    how = {"over": {"a": [1.0, 2.0]}, "store": tmp_path / "map.sqlite", "workers": 1}
    assert ss.sweep(by_name, **how)["value"].values.tolist() == [3.0, 6.0]
    monkeypatch.setattr(Scaled, "k", 4)
    with pytest.raises(ss.InvalidInput, match="another study: build Scaled has changed"):
        ss.sweep(by_name, **how)


def test_methods_of_a_class_without_source_count():
    source = "class Law:\n    def force(self, a):\n        return {} * a\ndef build(a):\n    return Law().force(a)"
    one, same, other = (fingerprint.function_digests(functions(source.format(k))["build"], "build") for k in (1, 1, 2))
    assert one == same
    assert fingerprint.describe_changes(one, other) == ["build Law has changed"]


KINDS = """
import abc, dataclasses, enum, functools, typing
import numpy as np
@dataclasses.dataclass(frozen=True)
class Held:
    a: float = 1.0
    b: list[int] = dataclasses.field(default_factory=list)
    c: typing.ClassVar[set[str]] = {"x", "y", "z"}
class Slotted:
    __slots__ = ("a", "b")
class Colour(enum.Enum):
    RED = 1
    BLUE = "b"
class Flag(enum.IntFlag):
    A = 1
    B = 2
class Named(typing.NamedTuple):
    a: float
    b: int = 3
class Base(abc.ABC):
    table = np.arange(3.0)
    other = Colour
    @abc.abstractmethod
    def force(self): ...
    @functools.lru_cache
    def cached(self): return 1
    @functools.cached_property
    def once(self): return 2
    @classmethod
    def made(cls): return cls()
    @staticmethod
    def plain(): return Held
class Own(Base):
    def force(self): return super().cached()
def build(a):
    return Held(a), Slotted, Colour.RED, Flag.A, Named(a), Own().force()
"""


def test_classes_of_all_kinds_count_the_same_in_every_process(tmp_path):
    (tmp_path / "study.py").write_text(KINDS)
    command = [sys.executable, "-B", "-c", DRIVER]
    told = {
        subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
    assert {"build Held", "build Own", "build Colour", "build Named", "build Slotted"} <= json.loads(told.pop()).keys()
