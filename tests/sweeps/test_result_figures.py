"""Figures by name are those that the results give themselves; neighbours that begin from each other agree."""

import numpy as np
import pytest
from models import slider

import slipstick as ss
from slipstick.errors import InvalidInput
from slipstick.results.figures import read_figure


@pytest.fixture(scope="module")
def model():
    return slider(ss.Cosine(0.5, order=1), frequency=1.2, limit=0.3, displacement=0.1)


def test_figures_of_an_orbit_are_its_own(model):
    orbit = model.periodic()
    assert read_figure(orbit, "x.amplitude") == orbit.amplitude["x"]
    assert read_figure(orbit, "amplitude") == orbit.amplitude["x"]
    assert read_figure(orbit, "x.peak_to_peak") == pytest.approx(np.ptp(orbit.data["displacement"].values), rel=1e-3)
    assert read_figure(orbit, "slider.dissipated") == orbit.dissipated["slider"]
    assert read_figure(orbit, "stable") == 1.0
    assert read_figure(orbit, "period") == pytest.approx(2.0 * np.pi / 1.2)


def test_figures_of_a_run_weigh_unequal_samples_by_time():
    m = ss.Model("free")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    run = m.simulate(
        until=4.0 * np.pi, samples=np.concatenate([np.linspace(0, 6, 300), np.linspace(6.01, 4 * np.pi, 3000)])
    )
    assert read_figure(run, "x.rms") == pytest.approx(np.sqrt(0.5), rel=1e-3)
    assert read_figure(run, "x.mean") == pytest.approx(0.0, abs=1e-3)
    assert read_figure(run, "x.highest") == pytest.approx(1.0)
    assert read_figure(run, "x.last") == pytest.approx(1.0)
    assert read_figure(run, "spring.force_range") == pytest.approx(2.0, rel=1e-4)


def test_figures_of_a_curve_are_its_peak_and_folds():
    m = ss.Model("duffing", frequency=1.0)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=[0.0, 1.0, 0.0, 1.0], damping=0.1), name="spring")
    m.load(x, ss.Cosine(0.4, order=1))
    curve = m.frequency_response(between=(0.5, 3.0), method="harmonic-balance", harmonics=3)
    folds = [s["frequency"] for s in curve.special if s["kind"] == "fold"]
    assert len(folds) == 2
    assert read_figure(curve, "folds") == folds
    assert read_figure(curve, "x.peak") == curve.peak("x").amplitude
    assert read_figure(curve, "x.peak_frequency") == curve.peak("x").frequency
    assert np.array_equal(read_figure(curve, "x.amplitude"), curve.data["amplitude"].sel(coordinate="x").values)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x.amplitud", "did you mean"),
        ("y.amplitude", "no coordinate \"?'?y"),
        ("dissipated", "is a figure of one connection"),
        ("x.dissipated", "no connection"),
    ],
)
def test_a_figure_that_is_not_there_is_refused_with_a_hint(model, name, words):
    with pytest.raises(InvalidInput, match=words):
        read_figure(model.periodic(), name)


def test_a_model_is_answered_by_its_periodic_response(model, tmp_path):
    def build(limit):
        m = ss.Model("joint", frequency=1.2)
        x = m.coordinate("x", inertia=1.0)
        m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
        m.connect(x, ss.Jenkins(stiffness=1.0, limit=limit), name="slider")
        m.load(x, ss.Cosine(0.5, order=1))
        return m

    found = ss.sweep(
        build, over={"limit": [0.2, 0.3]}, measure=["x.amplitude"], store=tmp_path / "map.sqlite", workers=1
    )
    assert found["x.amplitude"].values[1] == pytest.approx(model.periodic().amplitude["x"], rel=1e-9)
    assert found["certificate_passed"].values.tolist() == [1.0, 1.0]
    assert np.all(found["certificate_error"].values < 1e-6)


def test_a_function_measures_what_is_built_with_values_of_the_point(tmp_path):
    found = ss.sweep(
        lambda a: [a, a], over={"a": [2.0, 3.0]}, measure=lambda built, a: sum(built) * a, store=tmp_path / "m.sqlite",
        workers=1,
    )  # fmt: skip
    assert found["value"].values.tolist() == [8.0, 18.0]


def test_functions_and_names_stand_side_by_side(tmp_path):
    def build(omega):
        return ss.systems.torsional().periodic(frequency=omega)

    measure = {"theta": "theta.amplitude", "swing": lambda orbit: float(np.ptp(orbit.data["displacement"].values))}
    found = ss.sweep(build, over={"omega": [0.8]}, measure=measure, store=tmp_path / "m.sqlite", workers=1)
    assert 2.0 * found["theta"].item() == pytest.approx(found["swing"].item(), rel=1e-4)


def test_neighbours_that_begin_from_each_other_reach_the_same_orbits_in_any_cut(tmp_path):
    def build(mean, omega, start=None):
        return ss.systems.torsional(mean=mean).periodic(frequency=omega, start=start)

    over = {"omega": [0.6 + 0.05 * k for k in range(8)], "mean": [0.4, 0.5]}
    how = {"over": over, "measure": ["theta.amplitude"]}
    cold = ss.sweep(build, **how, store=tmp_path / "cold.sqlite", workers=1)
    warm = [ss.sweep(build, **how, store=tmp_path / f"{n}.sqlite", workers=n, along="omega") for n in (1, 2)]
    assert np.array_equal(warm[0]["theta.amplitude"].values, warm[1]["theta.amplitude"].values)
    # the same orbits to rounding, whatever they were begun from
    same = warm[0]["theta.amplitude"].transpose("omega", "mean").values
    assert np.allclose(same, cold["theta.amplitude"].values, rtol=1e-9)


def test_a_chain_that_was_interrupted_goes_on_from_its_last_orbit(tmp_path):
    def build(omega, start=None):
        return ss.systems.torsional().periodic(frequency=omega, start=start)

    def stop(status):
        if status.done >= 4:
            raise KeyboardInterrupt

    how = {"over": {"omega": [0.6 + 0.01 * k for k in range(60)]}, "measure": ["theta.amplitude"], "along": "omega"}
    whole = ss.sweep(build, **how, store=tmp_path / "whole.sqlite", workers=1)
    with pytest.raises(ss.NotConverged):
        ss.sweep(build, **how, store=tmp_path / "cut.sqlite", workers=1, progress=stop)
    cut = ss.sweep(build, **how, store=tmp_path / "cut.sqlite", workers=1)
    assert np.array_equal(cut["theta.amplitude"].values, whole["theta.amplitude"].values)


def torsional(omega):
    return ss.systems.torsional().periodic(frequency=omega)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("amplitud", "no result has a figure 'amplitud' (did you mean \"amplitude\"?)"),
        (["theta.amplitude", "theta.peak_frequenzy"], 'did you mean "peak_frequency"?'),
        ({"own": "theta.ampl"}, "no result has a figure 'theta.ampl'"),
    ],
)
def test_a_figure_that_no_result_has_is_refused_before_anything_runs(tmp_path, measure, words):
    with pytest.raises(InvalidInput, match="no result has") as refusal:
        ss.sweep(torsional, over={"omega": [0.8]}, measure=measure, store=tmp_path / "m.sqlite")
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("measure", "words", "workers"),
    [
        ("thet.amplitude", "no coordinate 'thet' (did you mean \"theta\"?)", 1),
        ("theta.peak", "an orbit has no figure 'peak'", 1),
        ("theta.stable", "stable is a figure of the whole; write it without theta.", 1),
        (None, "build must give a number or figures by name", 2),
    ],
)
def test_a_figure_that_the_first_points_have_not_ends_the_sweep_and_leaves_nothing(tmp_path, measure, words, workers):
    computed = tmp_path / "computed"
    computed.mkdir()

    def build(omega):
        (computed / str(omega)).touch()
        return torsional(0.8)

    over = {"omega": np.linspace(0.6, 0.9, 1000)}
    with pytest.raises(InvalidInput) as refusal:
        ss.sweep(build, over=over, measure=measure, store=tmp_path / "m.sqlite", workers=workers)
    assert words in str(refusal.value)
    assert "at each of the 3 points tried first" in str(refusal.value)
    assert 3 <= len(list(computed.iterdir())) < 300
    assert [path.name for path in tmp_path.iterdir()] == ["computed"]
    # the name is mended, and the sweep is no other study than one that never was
    again = {"over": {"omega": [0.8]}, "measure": "theta.amplitude", "store": tmp_path / "m.sqlite"}
    assert ss.sweep(build, **again, workers=1).counts


def test_a_figure_that_some_points_have_not_fails_there_alone(tmp_path):
    def build(variant, omega):
        m = ss.Model("lever", frequency=omega)
        x = m.coordinate("x", inertia=1.0)
        m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
        if variant == "with":
            m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.2), name="joint")
        m.load(x, ss.Cosine(0.5, order=1))
        return m

    over = {"variant": ["without", "with"], "omega": [1.1, 1.2, 1.3]}
    found = ss.sweep(build, over=over, measure="joint.dissipated", store=tmp_path / "m.sqlite", workers=2)
    assert found.counts == {"done": 3, "failed": 3}
    assert {point["variant"] for point in found.failed} == {"without"}
    assert np.all(np.isfinite(found["joint.dissipated"].sel(variant="with")))


def test_a_chain_that_lacks_a_figure_ends_after_its_first_points(tmp_path):
    def build(omega, start=None):
        return ss.systems.torsional().periodic(frequency=omega, start=start)

    how = {"over": {"omega": np.linspace(0.6, 0.9, 200)}, "along": "omega", "store": tmp_path / "m.sqlite"}
    with pytest.raises(InvalidInput, match="no coordinate 'y'"):
        ss.sweep(build, measure="y.amplitude", **how)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [2**53 + 1, -(2**60) - 1, 2**80 + 1, [2**53 + 1, 1], np.uint64(2**64 - 1), 10**400])
def test_a_whole_number_that_a_table_would_change_is_refused_and_not_rounded(tmp_path, value):
    found = ss.sweep(lambda a: {"n": value, "a1": a}, over={"a": [1]}, store=tmp_path / "m.sqlite", workers=1)
    assert "whole numbers up to 2**53 exactly, got n = " in found.failed[0]["message"]


@pytest.mark.parametrize("value", [2**53, 2**60, -5, 2**80])
def test_a_whole_number_that_is_a_float_is_kept(tmp_path, value):
    found = ss.sweep(lambda a: {"n": value, "a1": a}, over={"a": [1]}, store=tmp_path / "m.sqlite", workers=1)
    assert found["n"].values.tolist() == [value]


def test_a_figure_cannot_have_the_name_of_a_dimension(tmp_path):
    with pytest.raises(InvalidInput, match="point is an axis and a figure"):
        ss.sweep(lambda a: a, [{"a": 1}], measure={"point": float}, store=tmp_path / "m.sqlite")


def test_an_array_has_dimensions_that_are_no_other_figure(tmp_path):
    found = ss.sweep(lambda a: {"x": [a, 2.0], "x_0": a}, {"a": [1.0, 2.0]}, store=tmp_path / "m.sqlite", workers=1)
    assert found["x_0"].values.tolist() == [1.0, 2.0]
    assert found["x"].dims == ("a", "x_0_")
    found.isel(a=0).save(tmp_path / "part.nc")
