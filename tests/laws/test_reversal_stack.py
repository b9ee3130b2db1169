"""A packed stack of reversals is read back as it was, and knows its room."""

from __future__ import annotations

import pytest

import slipstick as ss
from slipstick.laws.reversal_stack import stack_has_room, stack_size
from slipstick.laws.reversal_stack_law import unpack_stack


@pytest.mark.parametrize("way", [(), (0.5,), (0.5, -0.4, 0.3, -0.2)])
@pytest.mark.parametrize("spare", [0, 1, 7])
def test_a_packed_memory_is_read_back_and_has_the_room_that_was_asked_for(way, spare):
    law = ss.DynamicHysteresis(stiffness=2.0, limit=1.0)
    memory = law.start()
    for u in way:
        memory = law.update(u, 0.0, memory)[1]
    packed = law.pack_memory(memory, spare)
    assert unpack_stack(packed) == memory
    assert stack_size(packed, spare) == packed.size
    assert stack_has_room(packed, spare)
    assert not stack_has_room(packed, spare + 1)


def test_the_kernel_stops_at_the_same_room():
    law = ss.DynamicHysteresis(stiffness=2.0, limit=1.0)
    full, roomy = (law.pack_memory(law.update(0.5, 0.0, law.start())[1], spare).tolist() for spare in (0, 1))
    assert law.advance(0.4, 0.0, full) != law.advance(0.4, 0.0, roomy)  # not a number: no room to turn back
    assert stack_has_room(roomy, 0)
    assert not stack_has_room(full, 1)
