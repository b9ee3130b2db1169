"""What a study is made of, so that a changed one can say what has changed."""

import textwrap

import numpy as np

from slipstick.sweeps import fingerprint
from slipstick.sweeps.plan import plan_of


def functions(source: str) -> dict[str, object]:
    """Functions as a module of somebody's own would have them, without a file to read the source from."""
    made: dict[str, object] = {"__name__": "__main__"}
    exec(compile(textwrap.dedent(source), "<somewhere>", "exec"), made)
    return made


def test_the_same_function_has_the_same_digest_in_another_process_and_another_place():
    one = functions("def build(a):\n    return 2 * a")["build"]
    two = functions("\n\n\ndef build(a):\n    return 2 * a")["build"]
    assert fingerprint.of_function(one, "build") == fingerprint.of_function(two, "build")


def test_comments_and_layout_do_not_count(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "with_comment.py").write_text("def build(a):\n    # a remark\n    return   2*a\n")
    (tmp_path / "without_comment.py").write_text("def build(a):\n    return 2 * a\n")
    import with_comment
    import without_comment

    found = [fingerprint.of_function(module.build, "build") for module in (with_comment, without_comment)]
    assert found[0] == found[1]


def test_what_a_function_uses_counts_by_its_name():
    source = "LIMIT = {limit}\ndef helper(a):\n    return {factor} * a\ndef build(a):\n    return helper(a) + LIMIT"
    before = fingerprint.of_function(functions(source.format(limit=1, factor=2))["build"], "build")
    for key, name in (("limit", "LIMIT"), ("factor", "helper")):
        numbers = {"limit": 1, "factor": 2} | {key: 7}
        now = fingerprint.of_function(functions(source.format(**numbers))["build"], "build")
        assert fingerprint.changes(before, now) == [f"build {name} has changed"]


def test_values_that_a_function_closes_over_count():
    source = "def outer(k):\n    def build(a):\n        return k * a\n    return build"
    outer = functions(source)["outer"]
    before, now = (fingerprint.of_function(outer(k), "build") for k in (1, 2))
    assert fingerprint.changes(before, now) == ["build k has changed"]


def test_an_axis_that_has_changed_is_told_with_its_values():
    before, now = (fingerprint.of_plan(plan_of({"a": values})) for values in ([1.0, 2.0], [1.0, 2.0, 3.0]))
    assert fingerprint.changes(before, now) == ["over a was 2 values from 1 to 2, is 3 values from 1 to 3"]


def test_an_axis_that_has_changed_inside_is_told_too():
    before, now = (fingerprint.of_plan(plan_of({"a": np.array([1.0, x, 3.0])})) for x in (2.0, 2.5))
    assert fingerprint.changes(before, now) == ["over a has changed"]
