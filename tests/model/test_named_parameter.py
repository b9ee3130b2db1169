"""Numbers of a model by their names."""

import pytest

import slipstick as ss
from slipstick.model.named_parameter import parameter_of


def model() -> ss.Model:
    m = ss.Model("named")
    x, y = m.coordinate("x", inertia=2.0), m.coordinate("y", motion=ss.Sine(0.3, order=1))
    m.connect(x, ss.Jenkins(stiffness=5.0, limit=0.7), name="joint")
    m.connect(x - y, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 4.0)), name="spring")
    m.connect(x, ss.Linear(stiffness=3.0) + ss.Jenkins(stiffness=8.0, limit=0.2), name="pair")
    m.connect(x, ss.Linear(stiffness=6.0).modulated(ss.Fourier(1.0, cos=(0.25,))), name="shaken")
    m.connect(x, ss.DryFriction(limit=ss.Fourier(0.5, cos=(0.1,))), name="brake")
    m.load(x, ss.Constant(0.4))
    m.load(x, ss.Constant(1.5) + ss.Cosine(2.5, order=1))
    return m


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("joint.limit", 0.7),
        ("spring.coefficients.3", 4.0),
        ("pair.limit", 0.2),
        ("pair.0.stiffness", 3.0),
        ("pair.1.stiffness", 8.0),
        ("shaken.modulation.cos.0", 0.25),
        ("shaken.stiffness", 6.0),
        ("brake.limit.mean", 0.5),
        ("x.inertia", 2.0),
        ("y.motion.amplitude", 0.3),
        ("forcing.amplitude", 2.5),
        ("forcing.value", 1.5),
    ],
)
def test_a_number_is_found_and_changed(name: str, value: float) -> None:
    m = model()
    found = parameter_of(m, name)
    assert found.value == value
    changed = found.at(3.25)
    assert parameter_of(changed, name).value == 3.25
    assert changed != m
    assert parameter_of(changed, name).at(value) == m
    assert m == model()  # the model itself is as it was


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("joynt.limit", 'did you mean "joint"'),
        ("joint.limits", 'did you mean "limit"'),
        ("joint", "is no number; it has stiffness, limit"),
        ("joint.limit.mean", "is a number already"),
        ("pair.stiffness", "is in 2 terms"),
        ("x.displacements", "it has inertia"),
        ("", "such as"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(name: str, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words):
        parameter_of(model(), name)


def test_forcing_is_the_only_load_that_varies() -> None:
    m = model()
    m.load(m["x"], ss.Sine(1.0, order=2), name="second")
    assert parameter_of(m, "second.amplitude").value == 1.0
    with pytest.raises(ss.InvalidInput, match="2 loads that vary in time"):
        parameter_of(m, "forcing.amplitude")


def test_names_of_loads_are_kept_in_files(tmp_path) -> None:
    m = ss.Model("kept")
    x = m.coordinate("x", inertia=1.0)
    m.load(x, ss.Cosine(1.0, order=1), name="push")
    m.save(tmp_path / "kept.yaml")
    assert ss.open(tmp_path / "kept.yaml") == m
    with pytest.raises(ss.InvalidInput, match='there is a load "push" already'):
        m.load(x, ss.Cosine(1.0, order=1), name="push")


@pytest.mark.parametrize(
    ("name", "dimension"),
    [
        ("x.inertia", (1, -1, 2)),
        ("spring.coefficients.1", (1, -1, 0)),
        ("spring.coefficients.3", (1, -3, 0)),
        ("joint.limit", (1, 0, 0)),
        ("joint.1.damping", (1, -1, 1)),
        ("brake.limit.mean", (1, 0, 0)),
        ("brake.limit.cos.0", (1, 0, 0)),
        ("forcing.amplitude", (1, 0, 0)),
        ("forcing.order", (0, 0, 0)),
        ("forcing.phase", "phase"),
        ("y.motion.amplitude", (0, 1, 0)),
        ("y.motion.frequency", "frequency"),
    ],
)
def test_a_parameter_has_the_dimension_of_its_place(name, dimension):
    """In force, deflection and time: what the values of a study may be written in."""
    m = ss.Model("of everything", frequency=1.0)
    x = m.coordinate("x", inertia=1.0)
    m.coordinate("y", motion=ss.Sine(1.0, frequency=2.0))
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 3.0)), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=1.0) + ss.Linear(stiffness=2.0, damping=0.1), name="joint")
    m.connect(x, ss.DryFriction(limit=ss.Fourier(mean=1.0, cos=(0.2,))), name="brake")
    m.load(x, ss.Cosine(1.0, order=1, phase=0.5))
    assert parameter_of(m, name).dimension == dimension
