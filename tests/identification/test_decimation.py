"""A problem on fewer samples has the minimum and the profile of that on all samples."""

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.intervals import estimates
from slipstick.identification.preparing.prepared_loop import PreparedLoop, prepare_loops
from slipstick.identification.search.least_squares import decimated_at, minimise
from slipstick.identification.search.problem_setup import fit_problems_of

LAW = ss.Jenkins(stiffness=4e5, limit=300.0)


def loop_of(law: ss.Law, amplitude: float, count: int = 20_000) -> ss.Loop:
    t = np.linspace(0.0, 10.0, count)
    u = amplitude * np.sin(2.0 * np.pi * t)
    return ss.Loop(u, law.trace(u, t) + 20.0 * np.random.default_rng(1).standard_normal(count), t)


def turns_of(prepared: list[PreparedLoop]) -> list[np.ndarray]:
    return [r.loop.turning.turns for r in prepared]


def test_the_minimum_is_that_of_all_samples() -> None:
    """Without the change of the forces it lies sqrt(20) deviations away."""
    prepared = prepare_loops(loop_of(LAW, 2e-3))
    problem = fit_problems_of(prepared, LAW, {}, {}, {})[0]
    result = minimise(problem, problem.scaled(problem.unknowns.values))
    fewer = decimated_at(problem, result, turns_of(prepared), 1000)
    assert fewer.problem.count < 1100
    assert fewer.share == pytest.approx(fewer.problem.count / problem.count)
    deviations = np.sqrt(np.diag(np.linalg.inv((slopes := problem.jacobian(result.x)).T @ slopes)))
    again = minimise(fewer.problem, result.x)
    assert np.all(np.abs(again.x - result.x) < 0.1 * deviations)
    unchanged = minimise(fewer.problem, result.x + 3.0 * deviations)
    assert np.all(np.abs(unchanged.x - result.x) < 0.1 * deviations)


def test_few_samples_and_priors_change_nothing() -> None:
    prepared = prepare_loops(loop_of(LAW, 2e-3, 400))
    problem = fit_problems_of(prepared, LAW, {}, {}, {"limit": (300.0, 3.0)})[0]
    result = minimise(problem, problem.scaled(problem.unknowns.values))
    assert decimated_at(problem, result, turns_of(prepared), 1000) == (problem, result, 1.0)
    assert decimated_at(problem, result, turns_of(prepared), 50) == (problem, result, 1.0)


def test_the_end_of_an_open_interval_is_that_of_all_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slider never slips: its limit has a lower end only, which the profile gives."""
    loop = loop_of(ss.Jenkins(stiffness=4e5, limit=5e3), 2e-3)
    ends = []
    for samples in (1000, 10**9):
        monkeypatch.setattr(estimates, "DECIMATED_SAMPLES", samples)
        limit = ss.identify(loop, ss.Jenkins).parameters["limit"]
        assert limit.high == np.inf
        ends.append(limit.low)
    assert ends[0] == pytest.approx(ends[1], rel=0.01)
    assert ends[0] == pytest.approx(800.0, rel=0.05)  # the largest force of the spring
