"""When the states of rigid contacts with friction are proven to be unique."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from slipstick.transient.exact.pair_uniqueness import has_unique_pair_states


def pairs_of(gram, friction):
    """A packed model of pairs with these compliances, tangential and normal contacts in turn."""
    count = len(friction)
    normal_of, tangential_of, by_contact = np.full(2 * count, -1.0), np.full(2 * count, -1.0), np.zeros(2 * count)
    for p in range(count):
        normal_of[2 * p], tangential_of[2 * p + 1] = 2 * p + 1, 2 * p
        by_contact[2 * p : 2 * p + 2] = friction[p]
    return SimpleNamespace(
        contact_count=2 * count, delassus=gram.ravel(), tangential_of=tangential_of, normal_of=normal_of,
        friction=by_contact,
    )  # fmt: skip


def least_on_a_grid(gram, friction):
    """The least scaled determinant of all combinations, for frictions on a grid in between too."""
    count, least = len(friction), np.inf
    for kept in product(("apart", "stick", "slip"), repeat=count):
        for signed in product(np.linspace(-1.0, 1.0, 9), repeat=count):
            whole = gram.copy()
            held = []
            for p, state in enumerate(kept):
                if state == "slip":
                    whole[:, 2 * p + 1] += signed[p] * friction[p] * gram[:, 2 * p]
                held += {"apart": [], "stick": [2 * p, 2 * p + 1], "slip": [2 * p + 1]}[state]
            scale = np.prod(np.diag(gram)[held])
            least = min(least, np.linalg.det(whole[np.ix_(held, held)]) / scale if held else 1.0)
    return least


@pytest.mark.parametrize("seed", range(20))
def test_uniqueness_is_proven_where_all_smaller_frictions_are_unique_too(seed):
    rng = np.random.default_rng(seed)
    forms = rng.normal(size=(4, 5))
    gram = forms @ forms.T
    friction = rng.uniform(0.05, 0.5, 2)
    assert has_unique_pair_states(pairs_of(gram, friction)) == (least_on_a_grid(gram, friction) > 1e-9)


def test_many_coupled_pairs_are_left_to_the_comparison_at_each_instant():
    gram = np.eye(8) + 1e-3
    assert has_unique_pair_states(pairs_of(gram[:6, :6], [0.1] * 3))
    assert not has_unique_pair_states(pairs_of(gram, [0.1] * 4))
