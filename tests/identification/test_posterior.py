"""Posteriors of fits: against the normal distribution of a linear law, and a density summed over a grid."""

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.intervals.posterior_sampling import adjustment_of, curvature_adjustment
from slipstick.results.posterior import Posterior

NOISE = 10.0


def measured(law: ss.Law, amplitude: float, count: int, seed: int = 1) -> ss.Loop:
    t = np.linspace(0.0, 3.0, count)
    u = amplitude * np.sin(2.0 * np.pi * t)
    return ss.Loop(u, law.trace(u, t) + np.random.default_rng(seed).normal(0.0, NOISE, count), t)


@pytest.fixture(scope="module")
def nearly_slipping():
    """A limit that is hardly reached: its density falls slowly to one side only."""
    loop = measured(ss.Jenkins(stiffness=4e5, limit=236.0), 0.6e-3, 60)
    fit = ss.identify(loop, ss.Jenkins, bounds={"limit": (10.0, 500.0)})
    return loop, fit, fit.posterior(800)


def test_of_a_linear_law_it_is_the_normal_distribution_of_the_fit():
    fit = ss.identify(measured(ss.Linear(stiffness=4e5, damping=300.0), 1e-3, 200), ss.Linear)
    posterior = fit.posterior(1000)
    assert posterior.effective > 1000
    for name, own in posterior.parameters.items():
        stated = fit.parameters[name]
        scatter = stated.deviation / np.sqrt(posterior.effective)
        assert own.value == pytest.approx(stated.value, abs=5.0 * scatter), name
        assert own.deviation == pytest.approx(stated.deviation, rel=0.1), name
        assert own.low == pytest.approx(stated.low, abs=10.0 * scatter), name
        assert own.high == pytest.approx(stated.high, abs=10.0 * scatter), name
    correlation = np.corrcoef(posterior.values.T)
    assert correlation == pytest.approx(fit.correlation, abs=0.1)
    assert all("use sample()" in words for words in posterior.comparison)


def test_a_one_sided_density_is_that_summed_over_a_grid(nearly_slipping):
    """Flat priors, white noise of the level that the fit found."""
    loop, _, posterior = nearly_slipping
    stiffness = np.linspace(3.8e5, 4.2e5, 61)
    limit = np.linspace(215.0, 500.0, 115)
    squares = np.array([
        [np.sum((ss.Jenkins(stiffness=k, limit=f).trace(loop.u, loop.t) - loop.f) ** 2) for f in limit]
        for k in stiffness
    ])  # fmt: skip
    variance = squares.min() / (loop.u.size - 2)
    weight = np.exp(-0.5 * (squares - squares.min()) / variance).sum(axis=0)
    share = np.cumsum(weight) / weight.sum()
    drawn = posterior.values[:, list(posterior.parameters).index("limit")]
    scatter = 0.5 / np.sqrt(posterior.effective)
    for level in (0.1, 0.3, 0.5, 0.7, 0.9):
        edge = np.interp(level, share, limit)
        assert np.mean(drawn <= edge) == pytest.approx(level, abs=5.0 * scatter)


def test_it_draws_laws_and_is_saved(nearly_slipping, tmp_path, refused):
    _, fit, posterior = nearly_slipping
    laws = posterior.sample(5)
    assert all(isinstance(law, ss.Jenkins) and law.limit in posterior.values for law in laws)
    posterior.save(tmp_path / "posterior.nc")
    posterior.save(tmp_path / "posterior.csv")
    again = ss.open(tmp_path / "posterior.nc")
    assert np.array_equal(again.values, posterior.values)
    assert repr(again) == repr(posterior)
    with refused("not in its file"):
        again.sample(1)
    with refused("1 to the 800 draws", "raise draws"):
        posterior.sample(801)
    assert np.array_equal(fit.posterior(800).values, posterior.values)


def test_without_a_limit_from_data_or_bounds_there_is_none(refused):
    fit = ss.identify(measured(ss.Jenkins(stiffness=4e5, limit=900.0), 0.6e-3, 60), ss.Jenkins)
    with refused("do not limit limit", "bounds="):
        fit.posterior()


def test_a_short_chain_says_what_it_is_worth(nearly_slipping):
    posterior = nearly_slipping[1].posterior(5000, evaluations=900)
    assert "below 5000" in posterior.notes[0]
    assert "autocorrelation times" in nearly_slipping[1].posterior(20, evaluations=900).notes[0]
    assert posterior.evaluations <= 900


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"draws": 0}, "draws must be a whole number >= 1, got 0"),
        ({"draws": 2.5}, "got 2.5"),
        ({"seed": -1}, "seed must be"),
        ({"evaluations": True}, "evaluations must be"),
        ({"evaluations": 100}, "a whole number >= 160, got 100"),
    ],
)
def test_wrong_arguments_are_refused(nearly_slipping, refused, arguments, words):
    with refused(words):
        nearly_slipping[1].posterior(**arguments)


def test_a_fit_from_a_file_has_none(nearly_slipping, tmp_path, refused):
    nearly_slipping[1].save(tmp_path / "fit.nc")
    with refused("identify the law again"):
        ss.open(tmp_path / "fit.nc").posterior()


def test_a_calibration_has_one():
    """The loop determines the damping to half its value: no normal distribution, but one that is cut at zero."""
    m = ss.Model("rig")
    x = m.coordinate("x", inertia=2.0, kind="translation")
    m.connect(x, ss.Linear(stiffness=4e5, damping=30.0), name="spring")
    loop = measured(ss.Linear(stiffness=4.1e5, damping=300.0), 1e-3, 100)
    fit = ss.calibrate(m, {"spring": loop}, unknown=["spring.stiffness", "spring.damping"])
    posterior = fit.posterior(1000)
    stiffness, damping = posterior.parameters.values()
    own = fit.parameters["spring.damping"]
    assert stiffness.value == pytest.approx(fit.parameters["spring.stiffness"].value, rel=1e-3)
    assert 0.0 < damping.low < own.low
    assert damping.high < own.high
    model = posterior.sample(1)[0]
    assert model.connection("spring").law.stiffness in posterior.values


def test_the_adjustment_turns_one_curvature_into_the_other():
    rng = np.random.default_rng(0)
    white, coloured = (a @ a.T for a in rng.normal(size=(2, 4, 6)))
    adjustment = curvature_adjustment(white, coloured)
    assert adjustment.T @ np.linalg.inv(white) @ adjustment == pytest.approx(np.linalg.inv(coloured), rel=1e-9)
    assert curvature_adjustment(white, white) == pytest.approx(np.eye(4), abs=1e-12)


def test_an_undetermined_variable_leaves_the_widening_of_the_others():
    information = np.diag([4.0, 1.0, 0.0])
    adjustment, start = adjustment_of(information, np.diag([1.0, 2.0, 0.0]), np.array([False, False, True]))
    assert adjustment == pytest.approx(np.eye(3) / 2.0)  # the first is twice as wide as its curvature says
    assert np.all(np.diag(start) > 0.0)


def test_few_draws_do_not_judge_the_interval_from_curvature(nearly_slipping):
    _, _, posterior = nearly_slipping
    few = Posterior(posterior.values[:5], posterior.curvature, effective=posterior.effective, evaluations=1)
    assert few.comparison == (
        "5 independent draws are too few to compare intervals with those from curvature; ask for 100 or more",
    )
    assert len(posterior.comparison) == len(posterior.parameters)
