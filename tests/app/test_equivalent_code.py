"""Code that the pages show runs as it is and gives the numbers of the page."""

import os
import pickle
import shlex
from dataclasses import replace

import numpy as np
import pytest
from test_identify_components import MASING, silent
from test_respond_components import duffing as duffing  # fixture

import slipstick as ss
from slipstick.app.identify.page_state import FitRequest, ReadOptions
from slipstick.app.identify.tasks import identify_laws
from slipstick.app.model.page import model_code
from slipstick.app.model_choice import ModelChoice
from slipstick.app.papers.page import figure_code
from slipstick.app.papers.page_state import FigureRequest
from slipstick.app.respond import tasks
from slipstick.app.respond.equivalent_code import curve_code, run_code
from slipstick.app.respond.model_parameters import with_parameter
from slipstick.app.respond.run_up import RunUp
from slipstick.cli import main
from slipstick.errors import InvalidInput

LONG_SIGNAL = f"""\
slipstick: 1
name: rig
coordinates:
  x: {{inertia: 1}}
connections:
  spring: {{deflection: x, law: linear, stiffness: 4}}
loads:
  - on: x
    signal: {{times: {list(range(3000))}, values: {[k % 7 for k in range(3000)]}}}
"""


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path, monkeypatch):
    folder = tmp_path / "script"
    folder.mkdir()
    monkeypatch.chdir(folder)


def names_after(code):
    """The names that a script leaves behind."""
    names = {}
    exec(compile(code.python, "script.py", "exec"), names)
    return names


def call(command):
    """Run a command line in this process."""
    program, *arguments = shlex.split(command)
    assert program == "slipstick"
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 0


def run_command(code):
    """The result that the command writes."""
    if code.file_name:
        with open(code.file_name, "w", encoding="utf-8") as file:
            file.write(code.file_text)
    call(code.command)
    [written] = [name for name in os.listdir() if name.endswith(".nc")]
    return ss.open(written)


def assert_equal_data(one, other):
    assert set(one.data.data_vars) == set(other.data.data_vars)
    for key in one.data.data_vars:
        np.testing.assert_array_equal(one.data[key].to_numpy(), other.data[key].to_numpy(), err_msg=key)


def test_code_of_a_curve_of_a_system_gives_the_same_curve_and_orbit():
    choice = with_parameter(ModelChoice("torsional"), "mean", 0.4)
    result = tasks.preview_curve(silent, choice, 0.6, 1.2, 5)
    _, curve = pickle.loads(result.data)
    code = curve_code(silent, choice, result.ends, 5, orbit=3)
    names = names_after(code)
    assert_equal_data(names["curve"], curve)
    _, orbit = pickle.loads(tasks.orbit_at_point(silent, result.data, 3).data)
    assert_equal_data(names["orbit"], orbit)
    assert_equal_data(run_command(code), curve)


def test_code_of_a_traced_curve_of_a_text_with_a_changed_number_gives_the_same_curve(duffing):
    choice = with_parameter(duffing, "spring.damping", 0.123456789)
    result = tasks.follow_curve(silent, choice, 0.8, 1.1, "rad/s", 1.0)
    _, curve = pickle.loads(result.data)
    code = curve_code(silent, choice, result.ends, None)
    assert_equal_data(names_after(code)["curve"], curve)
    assert_equal_data(run_command(code), curve)


def test_code_of_a_damper_that_follows_the_frequency_is_a_script_alone():
    choice = ModelChoice("tensioner", {"amplitude": 54.0})
    result = tasks.preview_curve(silent, choice, 30.0, 40.0, 2)
    _, curve = pickle.loads(result.data)
    code = curve_code(silent, choice, result.ends, 2)
    assert code.command == ""
    assert_equal_data(names_after(code)["curve"], curve)


@pytest.mark.parametrize("base", [30.0, RunUp(20.0, 40.0, 0.4)], ids=["frequency", "run-up"])
@pytest.mark.parametrize("choice", [ModelChoice("fibre"), ModelChoice("tensioner")], ids=["fibre", "tensioner"])
def test_code_of_a_run_gives_the_same_run(choice, base):
    result = tasks.simulate_model(silent, choice, base, 0.5, 50)
    _, run, _ = pickle.loads(result.data)
    code = run_code(silent, choice, base, 0.5, 50)
    if isinstance(base, RunUp):  # too short for orders
        code = replace(code, python=code.python.partition("orders = ")[0])
    assert_equal_data(names_after(code)["run"], run)
    assert_equal_data(run_command(code), run)


def test_code_of_a_run_up_draws_the_orders_that_the_page_shows():
    run_up = RunUp(0.5, 1.5, 60.0, orders=(1.0, 3.0))
    result = tasks.simulate_model(silent, ModelChoice(), run_up, 60.0, 600)
    names = names_after(run_code(silent, ModelChoice(), run_up, 60.0, 600))
    drawn = {line.what: line.y for line in result.display.orders}
    for order, y in zip((1.0, 3.0), (drawn["order 1"], drawn["order 3"]), strict=True):
        np.testing.assert_allclose(y, names["orders"].data.amplitude.sel(order=order, name="theta"), rtol=1e-12)
    assert os.path.getsize("orders.png") > 0


def test_code_does_not_write_over_the_file_of_the_user(duffing):
    names_after(run_code(silent, duffing, 1.0, 1.0, 5))
    assert "m.yaml" not in os.listdir()


def test_a_model_with_a_long_signal_says_how_to_have_it():
    choice = with_parameter(ModelChoice("", text=LONG_SIGNAL), "x.inertia", 2.0)
    with pytest.raises(InvalidInput, match="download it"):
        run_code(silent, choice, 1.0, 1.0, 5)


def values(fit):
    return {name: (own.value, own.low, own.high) for name, own in fit.parameters.items()}


@pytest.mark.parametrize("laws", [("masing",), ("masing", "linear")], ids=["fit", "ranking"])
def test_code_of_an_identification_gives_the_same_numbers(laws):
    request = FitRequest(laws=laws, fixed="damping=0" if len(laws) == 1 else "")
    reading = ReadOptions(factors={"force": 2.0}, offset=True)
    result = identify_laws(silent, (MASING,), reading, request)
    with open(MASING.name, "wb") as file:
        file.write(MASING.content)
    names = names_after(result.code)
    fit = names["fit"] if len(laws) == 1 else names["ranking"].best
    with open("page.nc", "wb") as file:
        file.write(result.files[".nc"])
    shown = ss.open("page.nc")
    shown = shown if len(laws) == 1 else shown.best
    assert values(fit) == values(shown)
    os.remove("page.nc")
    by_command = run_command(result.code)
    by_command = by_command if len(laws) == 1 else by_command.best
    assert values(by_command) == values(shown)


def test_code_of_a_model_shows_its_equations(duffing, capsys):
    names = names_after(model_code(duffing))
    assert str(names["model"].equations()) in capsys.readouterr().out
    assert shlex.split(model_code(duffing).command) == ["slipstick", "check", "m.yaml"]
    assert names_after(model_code(ModelChoice("fibre")))["model"].name == ss.systems.fibre().name


def test_code_of_a_figure_with_other_numbers_makes_that_figure():
    request = FigureRequest("gear", "3", {"half_gap": 0.25})
    code = figure_code(request)
    made = names_after(code)["figure"]
    assert "half_gap" in made.changed.replace(" ", "_")
    assert shlex.split(code.command) == ["slipstick", "paper", "gear", "--figure", "3", "--number", "half_gap=0.25"]
    before = sorted(os.listdir("papers"))
    call(code.command)
    assert sorted(os.listdir("papers")) == before
