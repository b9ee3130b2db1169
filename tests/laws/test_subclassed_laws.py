"""Laws that subclass a law of the package: what is told of a force that is no longer theirs is not inherited."""

from __future__ import annotations

import math

import pytest

import slipstick as ss
from slipstick.errors import InvalidInput, MissingFace
from slipstick.laws.faces import Affine, Face, Piece
from slipstick.results.run import Run
from slipstick.transient.folded_matrices import is_plain
from slipstick.transient.problem import pose


class Doubled(ss.Linear):
    """Four times as stiff as its stiffness says, so that it swings twice as fast."""

    def update(self, u, v, memory):
        return 4.0 * self.stiffness * u, memory


class DoubledInPieces(Doubled):
    """The same, with pieces of its own."""

    def pieces(self):
        return (Piece("linear", Affine(0.0, 4.0 * self.stiffness, 0.0)),)


class Bounded(ss.Linear):
    """Linear's own force, and one more bound."""

    def check(self):
        if self.stiffness > 100.0:
            raise InvalidInput(f"stiffness must be <= 100, got {self.stiffness:g}")


class Fading(ss.DryFriction):
    """Friction that fades with speed, written where friction writes its force."""

    def slide(self, u, v, memory):
        return self.limit * math.tanh(v) / (1.0 + abs(v)), memory


def swinging(law: ss.Law) -> ss.Model:
    m = ss.Model()
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, law, name="spring")
    return m


def end(run: Run) -> float:
    return float(run.samples.displacement[-1, 0])


def test_a_new_update_leaves_the_faces_and_words_of_the_old_one_behind():
    law = Doubled(stiffness=3.0)
    assert law.faces == {Face.VALUE}
    assert law.linearised().stiffness == pytest.approx(12.0)
    assert law.stored(1.0, ()) is None
    assert not law.needs_rate
    with pytest.raises(MissingFace, match="Doubled has no pieces; its faces: value"):
        law.pieces()


def test_a_rate_that_the_new_update_reads_is_found_out():
    class Damped(ss.Freeplay):
        def update(self, u, v, memory):
            return self.stiffness * u + 0.3 * v, memory

    class Silent(ss.Freeplay):
        needs_rate = False

        def update(self, u, v, memory):
            return self.stiffness * u + 0.3 * (v - v), memory

    assert Damped(stiffness=1.0, half_gap=0.1).needs_rate
    assert not Silent(stiffness=1.0, half_gap=0.1).needs_rate


def test_exact_refuses_a_spring_with_another_force_and_the_others_swing_as_it_says():
    m = swinging(Doubled(stiffness=1.0))
    with pytest.raises(MissingFace, match=r'connection "spring" \(Doubled\) has no pieces'):
        m.simulate(until=1.0, method="exact")
    expected = math.cos(2.0)
    assert end(m.simulate(until=1.0)) == pytest.approx(expected, abs=1e-5)
    assert end(m.simulate(until=1.0, method="newmark", step=1e-4)) == pytest.approx(expected, abs=1e-7)
    assert end(m.simulate(until=1.0, method="inclusion", step=1e-5)) == pytest.approx(expected, abs=1e-4)


def test_exact_takes_pieces_of_ones_own():
    run = swinging(DoubledInPieces(stiffness=1.0)).simulate(until=1.0, method="exact")
    assert end(run) == pytest.approx(math.cos(2.0), abs=1e-12)
    assert run.samples.force[0, 0] == pytest.approx(4.0)


def test_a_subclass_with_the_force_of_its_kind_keeps_everything():
    model = swinging(Bounded(stiffness=4.0))
    (element,) = pose(model).elements
    assert is_plain(element)
    assert element.law.faces == ss.Linear(stiffness=4.0).faces
    assert end(model.simulate(until=1.0, method="exact")) == pytest.approx(math.cos(2.0), abs=1e-12)


def test_friction_with_another_force_is_no_graph_and_has_no_pieces():
    assert Fading(limit=0.4).faces == {Face.VALUE}
    m = swinging(ss.Linear(stiffness=4.0))
    m.connect(m["x"], Fading(limit=0.4), name="rub")
    for method in ("exact", "inclusion"):
        with pytest.raises(MissingFace, match=r'connection "rub" \(Fading\) has no (pieces|resolvent)'):
            m.simulate(until=1.0, method=method)


@pytest.mark.parametrize(
    ("parent", "way"),
    [(ss.DryFriction, r"slide\(\)"), (ss.DynamicHysteresis, r"advance\(\)"), (ss.Masing, r"parts\(\)")],
)
def test_an_update_that_nobody_would_call_is_refused(parent, way):
    with pytest.raises(InvalidInput, match=rf"Mine.update: .* override {way}, or subclass Law"):
        type("Mine", (parent,), {"update": lambda _self, u, _v, memory: (u, memory)})
