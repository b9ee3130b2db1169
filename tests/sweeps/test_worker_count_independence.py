"""How many workers there are does not show in the figures, to the last bit."""

import numpy as np
import pytest

import slipstick as ss

MEASURES = ["theta.amplitude", "theta.highest", "friction.dissipated", "shaft.force_range", "largest_multiplier"]


def response(omega, mean):
    return ss.systems.torsional(mean=mean).periodic(frequency=omega)


def product(size, k):
    """Sums in an order that BLAS chooses, and that depends on its threads."""
    a, b = np.random.default_rng(k).standard_normal((2, size, size))
    found = a @ b
    return {"trace": np.trace(found), "row": found[k], "largest": np.linalg.norm(found, 2)}


@pytest.mark.parametrize(
    ("build", "over", "measure"),
    [
        (response, {"omega": [0.6 + 0.07 * k for k in range(6)], "mean": [0.4, 0.5]}, MEASURES),
        (product, {"size": [64, 150, 301], "k": range(6)}, None),
    ],
    ids=["periodic responses", "matrix products"],
)
def test_one_two_and_four_workers_give_identical_figures(tmp_path, build, over, measure):
    how = {"over": over, "measure": measure}
    found = {n: ss.sweep(build, **how, store=tmp_path / f"{n}.sqlite", workers=n) for n in (1, 2, 4)}
    assert found[1].figures
    for name in found[1].figures:
        one = found[1][name].values
        assert np.any(np.isfinite(one))
        assert np.array_equal(one, found[2][name].values, equal_nan=True)
        assert np.array_equal(one, found[4][name].values, equal_nan=True)
    assert [each.counts for each in found.values()] == [{"done": found[1]["state"].size}] * 3
