"""Equations of motion in SymPy, in the terminal and in LaTeX."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp

import slipstick as ss
from slipstick.laws.law_symbols import luz, t


def gears():
    m = ss.Model("gears", frequency=3.0)
    x, y = m.coordinate("x", inertia=2.0), m.coordinate("theta1", inertia=0.5)
    m.connect(x - 2 * y, ss.Freeplay(stiffness=1e3, half_gap=0.01), name="mesh")
    m.connect(x, ss.DryFriction(limit=0.3, damping=0.1), name="bearing")
    m.load(x, ss.Cosine(1.5, order=1))
    return m


def lines(model, **options):
    return str(model.equations(**options)).splitlines()


def test_terminal_form_reads_like_the_model():
    assert lines(gears()) == [
        "m_x*x'' + k_mesh*luz(x - 2*theta1, a_mesh) + C_bearing*x' + F_bearing*Sgn(x') = p_x",
        "m_theta1*theta1'' - 2*k_mesh*luz(x - 2*theta1, a_mesh) = 0",
        "p_x = 1.5*cos(Omega*t)",
        "F_bearing*s_bearing = P_bearing - luz(P_bearing, F_bearing), "
        "P_bearing = -k_mesh*luz(x - 2*theta1, a_mesh) + p_x   while x' = 0",
    ]


def test_a_long_force_has_a_name_and_a_line_of_its_own():
    m = ss.Model("mesh")
    x, y = m.coordinate("x", inertia=2.0), m.coordinate("y", inertia=0.5)
    m.connect(x - y, ss.Freeplay(stiffness=1e3, half_gap=0.01, damping=3.0), name="mesh")
    assert lines(m) == [
        "m_x*x'' + f_mesh = 0",
        "m_y*y'' - f_mesh = 0",
        "u_mesh = x - y",
        "f_mesh = max(0, c_mesh*u_mesh' + k_mesh*(-a_mesh + u_mesh)) if u_mesh > a_mesh; "
        "min(0, c_mesh*u_mesh' + k_mesh*(a_mesh + u_mesh)) if u_mesh < -a_mesh; 0 otherwise",
    ]
    assert r"\text{for}\: u_{\mathrm{mesh}} < - a_{\mathrm{mesh}}" in m.equations().latex()


def test_a_named_force_is_that_of_its_law():
    m = ss.Model("stop")
    m.connect(m.coordinate("x", inertia=2.0), ss.Freeplay(stiffness=1e3, half_gap=0.01, damping=3.0), name="stop")
    (named,) = m.equations(numbers=True).rules  # of x itself: no other deflection is named
    x = sp.Function("x")(t)
    law = m.connections[0].law
    for u, v in ((0.02, 1.0), (0.02, -5.0), (0.005, 1.0), (-0.02, 1.0), (-0.02, 5.0)):
        put = named.rhs.subs(x.diff(t), v).subs(x, u)
        assert float(put) == pytest.approx(law.update(u, v, None)[0], abs=1e-12)


def test_numbers_take_the_place_of_symbols():
    assert lines(gears(), numbers=True) == [
        "2*x'' + 1000*luz(x - 2*theta1, 0.01) + 0.1*x' + 0.3*Sgn(x') = p_x",
        "0.5*theta1'' - 2000*luz(x - 2*theta1, 0.01) = 0",
        "p_x = 1.5*cos(3*t)",
        "0.3*s_bearing = P_bearing - luz(P_bearing, 0.3), "
        "P_bearing = -1000*luz(x - 2*theta1, 0.01) + p_x   while x' = 0",
    ]


def test_equations_are_sympy_equalities_in_functions_of_time():
    motion = gears().equations().motion
    x, theta = sp.Function("x")(t), sp.Function("theta1")(t)
    k, a, m = (sp.Symbol(name, real=True) for name in ("k_mesh", "a_mesh", "m_theta1"))
    assert sp.simplify(motion[1].lhs - (m * theta.diff(t, 2) - 2 * k * luz(x - 2 * theta, a))) == 0


def test_every_symbol_of_a_law_has_a_value():
    equations = gears().equations()
    symbols = set().union(*(e.free_symbols for e in equations)) - {t}
    assert symbols <= set(equations.values)
    assert equations.values[sp.Symbol("k_mesh", real=True)] == 1e3


def test_latex_is_one_aligned_block_with_dots():
    latex = gears().equations().latex()
    assert latex.startswith("\\begin{aligned}\n")
    assert latex.endswith("\n\\end{aligned}")
    assert (
        r"m_{x} \ddot{x} + k_{\mathrm{mesh}} \operatorname{luz}\left(x - 2 \theta_{1}, a_{\mathrm{mesh}}\right)"
        in latex
    )
    assert r"\ddot{\theta_{1}}" in latex
    assert r"F_{\mathrm{bearing}} \operatorname{Sgn}\left(\dot{x}\right)" in latex
    assert r"p_{x} &= 1.5 \cos" in latex
    assert r"\quad \text{for } \dot{x} = 0" in latex
    assert latex.count("&=") == 4
    assert latex.count("{") == latex.count("}")


def test_large_numbers_are_powers_of_ten_in_latex():
    m = ss.Model("stiff")
    m.connect(m.coordinate("x", inertia=1.0), ss.Linear(stiffness=2.34567891e12))
    assert r"2.34567891 \cdot 10^{12} x" in m.equations(numbers=True).latex()


def test_markdown_names_the_groups():
    text = ss.systems.tensioner().equations().markdown()
    assert [line for line in text.splitlines() if line.endswith(":")] == [
        "Motion:",
        "Laws (beta is the inverse of the set-valued sign):",
        "Given:",
    ]
    assert text.count("$$") == 6


def test_masing_law_lists_its_slider_after_the_motion():
    found = lines(ss.systems.tensioner())
    assert found[0] == "m_u1*u1'' + f_0_belt + c_belt*(u1' - u2') + k_belt*(u1 - u2) = p_u1"
    assert "w_tensioner' + beta(k_tensioner*w_tensioner/alpha_tensioner) = u2'" in found
    assert found[-2:] == ["p_u1 = 724.3704 + 122.1*cos(Omega*t)", "p_u2 = 1.4715"]


def test_law_in_its_own_force_names_its_deflection():
    found = lines(ss.systems.tensioner("modified-dahl"))
    assert "u_tensioner = u2" in found
    assert any(line.startswith("df_tensioner/du_tensioner = Lambda_tensioner*") for line in found)
    assert "s_tensioner = sign(u2')" in found


def test_two_stage_spring_is_written_with_luz():
    m = ss.Model("stages")
    m.connect(m.coordinate("x", inertia=1.0), ss.TwoStage(stiffness=3.0, inner_ratio=0.1, half_gap=0.2), name="two")
    assert lines(m) == ["m_x*x'' + k_two*(r_two*x + (1 - r_two)*luz(x, b_two)) = 0"]


def test_terms_of_a_sum_have_symbols_of_their_own():
    m = ss.Model("sum")
    law = ss.Linear(stiffness=3.0) + ss.Linear(stiffness=4.0).scaled(force=2.0, deflection=5.0)
    m.connect(m.coordinate("x", inertia=1.0), law, name="both ends")
    assert lines(m) == ["m_x*x'' + k_bothends_1*x + 10*k_bothends_2*x = 0"]
    assert lines(m, numbers=True) == ["x'' + 3*x + 40*x = 0"]


def test_functions_of_time_are_listed():
    m = ss.Model("driven")
    base = m.coordinate("base", motion=ss.Ramp(0.3) + ss.Sine(0.1, order=2))
    x = m.coordinate("x", inertia=1.0)
    m.connect(x - base, ss.Linear(stiffness=2.0).modulated(ss.Fourier(mean=1.0, cos=(0.5,))), name="belt")
    m.connect(x, ss.DryFriction(limit=ss.Fourier(mean=0.5, sin=(0.3,))), name="rub")
    m.load(x, ss.Cosine(2.0, frequency=7.0, phase=0.4) + ss.Signal((0, 1), (2, 3)))
    assert lines(m) == [
        "m_x*x'' + k_belt*(x - base)*q_belt + F_rub*Sgn(x') = p_x",
        "base = 0.1*sin(2*Omega*t) + 0.3*t",
        "q_belt = 1 + 0.5*cos(Omega*t)",
        "F_rub = 0.5 + 0.3*sin(Omega*t)",
        "p_x = 2*cos(0.4 + 7*t) + signal_1",
        "s_rub*F_rub = P_rub - luz(P_rub, F_rub), P_rub = -k_belt*(x - base)*q_belt + p_x   while x' = 0",
    ]


def test_load_on_a_form_acts_on_each_of_its_coordinates():
    m = ss.Model("pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.load(x - 2 * y, ss.Constant(3.0))
    assert lines(m)[-2:] == ["p_x = 3", "p_y = -6"]


def test_small_matrices_are_written_entry_by_entry():
    m = ss.Model.from_matrices(np.diag([2.0, 3.0]), None, [[5.0, -1.5], [-1.0, 1.0]], names=["a", "b"])
    assert lines(m) == ["M_11*a'' + K_11*a + K_12*b = 0", "M_22*b'' + K_21*a + K_22*b = 0"]
    assert lines(m, numbers=True) == ["2*a'' + 5*a - 1.5*b = 0", "3*b'' - a + b = 0"]


def test_large_matrices_are_written_as_symbols():
    m = ss.Model.from_matrices(np.eye(8), None, np.eye(8))
    m.connect(m["q1"] - m["q4"], ss.Freeplay(stiffness=3.0, half_gap=2.0), name="stop")
    m.load(m["q3"], 3.0)
    found = m.equations()
    assert len(found.motion) == 1
    assert sorted(str(found).splitlines()[0].replace(" = p", "").split(" + ")) == sorted(
        ["f_stop*e_stop", "C*q'", "K*q", "M*q''"]
    )
    assert str(found).splitlines()[1:] == ["f_stop = k_stop*luz(q1 - q4, a_stop)", "p_q3 = 3"]
    assert r"M \ddot{q}" in found.latex()


@pytest.mark.parametrize(
    "law",
    [
        ss.Polynomial(coefficients=(0.0, 1.0, 2.0)),
        ss.PiecewiseLinear(breaks=(0.0, 1.0), slopes=(1.0, 2.0, 3.0), value_at=(0.0, 0.0)),
        ss.Contact(stiffness=1.0, gap=0.1),
        ss.Iwan(stiffnesses=(1.0, 2.0), limits=(3.0, 4.0)),
        ss.Dahl(stiffness=1.0, limit=2.0),
        ss.DynamicHysteresis(stiffness=1.0, limit=2.0),
        ss.BlimanSorine(stiffness=4.0, limit=2.0, overshoot_limit=1.0, ratio=0.5),
        ss.BoucWen(stiffness=1.0, ratio=0.1, beta=0.5, gamma=0.5),
        ss.LuGre(
            bristle_stiffness=1e3, bristle_damping=1.0, viscous=0.1, coulomb=1.0, static=1.5, stribeck_velocity=0.1
        ),
        ss.Freeplay(stiffness=1.0, half_gap=0.1).regularised("sqrt", rounding=0.01),
    ],
    ids=lambda law: type(law).__name__,
)
@pytest.mark.parametrize("numbers", [False, True])
def test_every_law_can_be_written(law, numbers):
    m = ss.Model("any")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x - y, law, name="law")
    found = m.equations(numbers=numbers)
    assert len(found.motion) == 2
    for text in (str(found), found.latex(), found.markdown()):
        assert "Derivative" not in text
        assert "law" in text or numbers
    free = set().union(*(e.free_symbols for e in found.motion))
    assert not {s for s in free if s.name in ("u", "v", "f")}
    if numbers:
        parameters = {s for s in free if s in found.values}
        assert not parameters


def test_a_users_own_law_is_written_as_a_function_of_its_name():
    class Sticky(ss.Law):
        pull: float

        def update(self, u, v, memory):
            return self.pull * u, memory

    m = ss.Model("own")
    m.connect(m.coordinate("x", inertia=1.0), Sticky(pull=2.0), name="glue")
    assert lines(m) == ["m_x*x'' + Sticky(x, x') = 0"]


def test_names_that_differ_only_in_signs_keep_their_own_symbols() -> None:
    m = ss.Model("m")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0), name="a_1")
    m.connect(x, ss.Linear(stiffness=3.0), name="a1")
    assert "x + 3*x" in str(m.equations(numbers=True))


@pytest.mark.parametrize("name", ["u_mesh", "f_mesh", "k_mesh", "c_mesh"])
def test_a_coordinate_that_is_called_as_a_symbol_would_be_is_not_taken_for_it(name):
    m = ss.Model("pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate(name, inertia=2.0)
    m.connect(x - y, ss.Freeplay(stiffness=10.0, half_gap=0.3, damping=0.5), name="mesh")
    told = str(m.equations())
    assert f"u_meshx2 = x - {name}\n" in told
    assert f"m_x*x'' + f_meshx2 = 0\nm_{name}*{name}'' - f_meshx2 = 0" in told


def _apart(name):
    """The equations of a model with a coordinate of this name, and of the same with one that nothing is called like."""
    told = []
    for own in (name, "qqq"):
        m = ss.Model("pair", frequency=3.0)
        x, y = m.coordinate("x", inertia=1.5), m.coordinate(own, inertia=2.0)
        m.connect(x - y, ss.Masing(stiffness=10.0, limit=2.0) + ss.Linear(stiffness=2.0), name="mesh")
        m.connect(y, ss.DryFriction(limit=0.3), name="1")
        m.load(x, ss.Constant(2.0) + ss.Cosine(3.0, order=1) + ss.Ramp(0.5) + ss.Signal((0.0, 1.0), (0.0, 4.0)))
        m.load(y, ss.Constant(1.0))
        told.append(m.equations())
    return told


NAMES = ("t", "Omega", "p_x", "m_x", "F", "pi", "e", "I", "lambda", "beta", "x1", "signal_1", "signal1", "F1",
         "k_mesh_1", "t_time", "Omega_load", "w_mesh_2", "P_1", "s", "u", "v", "f")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_no_symbol_of_an_equation_is_called_as_a_coordinate_is(name):
    """Where the other name stands in the equations, and nowhere else, stands the one that could be mistaken."""
    found, plain = (str(each) for each in _apart(name))
    words = [re.findall(r"[A-Za-z]\w*(?!\w*\()", text) for text in (found, plain)]
    assert len(words[0]) == len(words[1])
    pairs = set(zip(*words, strict=True))
    assert (name, "qqq") in pairs
    assert len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})
    looks = {one for one, other in pairs if other != "qqq" and one.replace("_", "") == name.replace("_", "")}
    assert not looks  # x1 and x_1 are the same in print


def test_time_and_the_load_are_distinguished_from_coordinates_of_their_names():
    (time, _), (load, _), (frequency, _) = (_apart(name) for name in ("t", "p_x", "Omega"))
    assert "p_x = 2 + 3*cos(Omega*t_time) + 0.5*t_time + signal_1" in str(time)
    assert r"t_{\mathrm{time}}" in time.latex()
    assert r"\ddot{t}" in time.latex()
    assert "p_x_load = 2 + 3*cos(Omega*t)" in str(load)
    assert "3*cos(Omega_load*t)" in str(frequency)
    assert {str(symbol): value for symbol, value in frequency.values.items()}[r"\Omega_load"] == 3.0


def test_the_load_of_one_coordinate_is_not_called_as_that_of_another():
    m = ss.Model("three")
    for i, name in enumerate(("x", "p_x", "x_load"), start=1):
        m.load(m.coordinate(name, inertia=1.0), ss.Constant(float(i)))
    given = [line for line in lines(m) if "''" not in line]
    assert [line.partition(" = ")[2] for line in given] == ["1", "2", "3"]
    assert len({line.partition(" = ")[0] for line in given} - {"x", "p_x", "x_load"}) == 3


def test_matrices_are_distinguished_from_coordinates_of_their_names():
    one = np.eye(8)
    m = ss.Model.from_matrices(one, one, one, ["M", "C", "K", "p", "q", "a", "b", "c"])
    m.connect(m["M"], ss.Masing(stiffness=1.0, limit=1.0), name="stop")
    m.load(m["C"], ss.Constant(1.0))
    first = str(m.equations()).splitlines()[0]
    assert first == "f_stop*e_stop + C_given*d' + K_given*d + M_given*d'' = p_load"
