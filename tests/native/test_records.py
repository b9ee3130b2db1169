"""Records: Python and compiled code read and write the same named fields."""

from __future__ import annotations

import numpy as np
import pytest

from slipstick.laws.law_kernels import pointer
from slipstick.native import Array, CannotCompile, NativeRecord, Rows, Section, call_function, compile_functions, view


class Spring(NativeRecord):
    stiffness: float
    index: int


class Run(NativeRecord):
    time: float
    count: int
    moving: bool
    masses: Array
    springs: Rows[Spring]
    first: Spring
    state: Section
    rates: Section


def go_on(run: Run, step: float) -> float:
    run.time += step
    run.count += 2
    run.moving = run.time > 1.0
    total = 0.0
    for i in range(run.count):
        run.state[i] += run.rates[i] * step / run.masses[i]
        spring = run.springs[i]
        spring.stiffness *= 2.0
        total += spring.stiffness * run.state[spring.index]
    run.first.stiffness = total
    if run.moving:
        total = -total
    return total


def made() -> Run:
    springs = Rows(Spring, 3)
    for i in range(3):
        springs[i].stiffness, springs[i].index = 10.0 + i, 2 - i
    run = Run({"state": 3, "rates": 3}, masses=np.array([1.0, 2.0, 4.0]), springs=springs, first=Spring(), count=1)
    run.rates = [1.0, 2.0, 3.0]
    return run


def refer_to(run: Run, index: int) -> float:
    run.first = run.springs[index]
    run.masses = view(run.rates, 1)
    return run.first.stiffness + run.masses[0]


def test_compiled_code_stores_the_addresses_of_records_and_arrays():
    run = made()
    assert compile_functions(refer_to)["refer_to"].call(run.pointer, 2) == 14.0 == refer_to(made(), 2)


@pytest.mark.parametrize("step", [0.25, 1.5])
def test_compiled_code_leaves_the_record_as_python_does(step):
    ours, theirs = made(), made()
    expected = go_on(ours, step)
    assert compile_functions(go_on)["go_on"].call(theirs.pointer, step) == expected
    assert (theirs.time, theirs.count, theirs.moving) == (step, 3, step > 1.0) == (ours.time, ours.count, ours.moving)
    assert theirs.state.tolist() == ours.state.tolist() != [0.0] * 3
    assert [theirs.springs[i].stiffness for i in range(3)] == [20.0, 22.0, 24.0]
    assert theirs.first.stiffness == ours.first.stiffness == abs(expected)


def test_fields_have_the_types_of_python():
    run = made()
    assert type(run.count) is int
    assert type(run.moving) is bool
    assert type(run.time) is float


def test_integers_are_exact_beyond_the_digits_of_a_float():
    run = made()
    run.count = 2**60 + 1
    assert run.count == 2**60 + 1


def test_a_copy_has_sections_of_its_own_and_shares_arrays_elsewhere():
    run = made()
    other = run.copy()
    other.state[:], other.time = 7.0, 3.0
    assert run.state.tolist() == [0.0] * 3
    assert run.time == 0.0
    assert other.rates.tolist() == [1.0, 2.0, 3.0]
    assert other.masses is run.masses


def test_a_record_over_a_block_shares_it():
    run = made()
    again = Run.over(run.block)
    again.time = 5.0
    assert run.time == 5.0
    assert again.rates.tolist() == [1.0, 2.0, 3.0]


def test_arrays_live_as_long_as_the_record():
    run = made()
    run.masses = np.full(3, 0.5)  # nobody else holds it
    go = compile_functions(go_on)["go_on"]
    go.call(run.pointer, 1.0)
    assert run.state.tolist() == [2.0, 4.0, 6.0]


def test_wrong_arrays_sections_and_names_are_refused():
    with pytest.raises(TypeError, match="masses must be an array of floats without gaps"):
        made().masses = np.arange(3)
    with pytest.raises(TypeError, match="masses must be an array of floats without gaps"):
        made().masses = np.zeros(6)[::2]
    with pytest.raises(
        TypeError, match=r"Run has the sections \['state', 'rates'\], lengths are given for \['state'\]"
    ):
        Run({"state": 1})
    with pytest.raises(TypeError, match="Spring has no field stifness"):
        Spring(stifness=1.0)
    with pytest.raises(TypeError, match="a field of a record cannot be <class 'str'>"):
        type("Bad", (NativeRecord,), {"__annotations__": {"name": str}})


def test_the_layout_names_every_field_that_machine_code_depends_on():
    assert "Spring(stiffness:number, index:integer)" in Run.layout()
    assert "springs:rows of Spring, first:Spring, state:section" in Run.layout()


def misspelt(run: Run) -> float:
    return run.tiem


def number_as_array(run: Run) -> float:
    return run.time[0] + run.time.part


def address_overwritten(run: Run) -> float:
    run.masses = 1.0
    return 0.0


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (misspelt, "`run.tiem`: Run has no field tiem"),
        (number_as_array, "`run.time"),
        (address_overwritten, "`run.masses` cannot be compiled"),
    ],
)
def test_wrong_fields_are_refused_when_compiled(function, words):
    with pytest.raises(CannotCompile, match=words):
        compile_functions(function)


def doubled(spring: Spring) -> float:
    return 2.0 * spring.stiffness


def by_address(spring: Spring) -> float:
    return call_function(spring.index, spring)


def test_a_record_is_passed_to_a_function_behind_an_address():
    spring = Spring(stiffness=4.0, index=compile_functions(doubled)["doubled"].address)
    assert compile_functions(by_address)["by_address"].call(spring.pointer) == 8.0


class Sample(NativeRecord):
    time: float
    index: int
    values: Section


def copy_samples(numbers: Array, size: int, spare: Array) -> float:
    first = Sample.over(numbers)
    second = Sample.over(view(numbers, size))
    for i in range(size):
        second.block[i] = first.block[i]
    second.index += 1
    other = Sample.over(spare)
    other.time = second.values[1] + second.time
    return other.time + second.index


def test_a_record_lies_over_numbers_and_is_copied_with_its_block():
    sample = Sample({"values": 2}, time=0.5, index=3)
    sample.values = [7.0, 11.0]
    size, found = sample.block.size, []
    for call in (copy_samples, compiled_copy):
        numbers, spare = np.concatenate([sample.block, np.zeros(size)]), np.zeros(size)
        found.append(call(numbers, size, spare))
        second = Sample.over(numbers[size:])
        assert (second.time, second.index, second.values.tolist()) == (0.5, 4, [7.0, 11.0])
        assert Sample.over(spare).time == 11.5
    assert found == [15.5, 15.5]


def compiled_copy(numbers: Array, size: int, spare: Array) -> float:
    return compile_functions(copy_samples)["copy_samples"].call(pointer(numbers), size, pointer(spare))
