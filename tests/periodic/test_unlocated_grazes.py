"""Grazes are given up after some that cannot be located; those that were, with difficulty, do not count."""

import slipstick as ss
from slipstick.periodic.stability import special_points


def chain():
    """Four masses with a gap, a preloaded joint and a stop: many grazes at low frequencies."""
    model = ss.Model()
    x = [model.coordinate(f"x{k}", inertia=inertia) for k, inertia in enumerate((0.2358, 0.2673, 0.4895, 0.4188))]
    springs = ((3.2264, 0.0357, -0.2587), (0.8603, 0.0388, 0.0), (3.7755, 0.0234, 0.0), (0.8471, 0.0358, 0.0))
    for k, (stiffness, damping, preload) in enumerate(springs):
        law = ss.Linear(stiffness=stiffness, damping=damping, preload=preload)
        model.connect(x[k] - x[k - 1] if k else x[0], law, name=f"spring {k}")
    model.connect(x[0] - x[2], ss.Freeplay(stiffness=3.2517, half_gap=0.073), name="gap")
    joint = ss.Masing(stiffness=4.2416, limit=0.3869, parallel_stiffness=0.1701, damping=0.0933, preload=0.2)
    model.connect(x[0], joint, name="joint")
    model.connect(x[1] - x[2], ss.Contact(stiffness=2.0113, gap=0.1417, damping=0.1), name="stop")
    model.load(x[2], ss.Cosine(0.7143, order=1))
    return model


def test_grazes_that_were_located_with_difficulty_do_not_count(monkeypatch):
    monkeypatch.setattr(special_points, "MAX_FAILED_ORBITS", 1)
    curve = chain().frequency_response(between=(0.37, 0.2), method="shooting")
    grazes = [each for each in curve.special if each["kind"] == "grazing"]
    assert len(grazes) > 10
    assert all(each["located"] for each in grazes)
