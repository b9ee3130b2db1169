"""Laws whose memory moves one way only: it accumulates, saturates, counts or decays."""

from __future__ import annotations

from math import exp
from typing import Any

import slipstick as ss

Memory = tuple[float, ...]


class Fading(ss.Law):
    """A slider whose limit fades with the path that was slipped, to a part of it."""

    stiffness: float
    limit: float
    reach: float
    floor: float
    remembers = ("slider", "way")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        s, way = memory
        limit = self.limit * (self.floor + (1.0 - self.floor) * exp(-way / self.reach))
        slip = abs(u - s) - limit / self.stiffness
        if slip > 0.0:
            s += slip if u > s else -slip
            way += slip
        return self.stiffness * (u - s), (s, way)


class Damaged(ss.Law):
    """The same limit in the end, by a damage that approaches one."""

    stiffness: float
    limit: float
    reach: float
    floor: float
    remembers = ("slider", "damage")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        s, damage = memory
        limit = self.limit * (1.0 - (1.0 - self.floor) * damage)
        slip = abs(u - s) - limit / self.stiffness
        if slip > 0.0:
            s += slip if u > s else -slip
            damage = damage + (1.0 - damage) * (1.0 - exp(-slip / self.reach))
        return self.stiffness * (u - s), (s, damage)


class Healthy(ss.Law):
    """The same by a health that begins at one and decays to nothing."""

    stiffness: float
    limit: float
    reach: float
    floor: float
    remembers = ("slider", "health")

    def start(self, u: float = 0.0) -> Any:
        return self.update(u, 0.0, (0.0, 1.0))[1]

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        s, health = memory
        limit = self.limit * (self.floor + (1.0 - self.floor) * health)
        slip = abs(u - s) - limit / self.stiffness
        if slip > 0.0:
            s += slip if u > s else -slip
            health = health * exp(-slip / self.reach)
        return self.stiffness * (u - s), (s, health)


class Hardening(ss.Law):
    """A slider whose limit grows with the path that was slipped, to a multiple of it."""

    stiffness: float
    limit: float
    reach: float
    multiple: float
    remembers = ("way", "slider")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        way, s = memory
        limit = self.limit * (1.0 + (self.multiple - 1.0) * way / (way + self.reach))
        slip = abs(u - s) - limit / self.stiffness
        if slip > 0.0:
            s += slip if u > s else -slip
            way += slip
        return self.stiffness * (u - s), (way, s)


class Endless(ss.Law):
    """A slider whose limit grows with the path that was slipped, without end: it sticks at last on any cycle."""

    stiffness: float
    limit: float
    reach: float
    remembers = ("way", "slider")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        way, s = memory
        slip = abs(u - s) - self.limit * (1.0 + way / self.reach) / self.stiffness
        if slip > 0.0:
            slip /= 1.0 + self.limit / self.reach / self.stiffness
            s += slip if u > s else -slip
            way += slip
        return self.stiffness * (u - s), (way, s)


class Counting(ss.Law):
    """A spring that counts how often it was turned round, and softens to a half with that."""

    stiffness: float
    remembers = ("last", "way", "count")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        last, way, count = memory
        if (u - last) * way < 0.0:
            count += 1.0
        if u != last:
            way = 1.0 if u > last else -1.0
        return self.stiffness * (0.5 + 0.5 / (1.0 + count)) * u, (u, way, count)


class Wearing(ss.Law):
    """A gap that opens with the path of the surfaces, for ever."""

    stiffness: float
    wear: float
    remembers = ("last", "path")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        last, path = memory
        path += abs(u - last)
        gap = self.wear * path
        force = self.stiffness * (u - gap) if u > gap else (self.stiffness * (u + gap) if u < -gap else 0.0)
        return force, (u, path)


class Largest(ss.Law):
    """A spring that is softer within the largest deflection met so far: its memory moves one way, and settles."""

    stiffness: float
    softening: float
    remembers = ("largest",)

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        largest = max(memory[0], abs(u))
        return self.stiffness * u / (1.0 + self.softening * largest), (largest,)


class Ratchet(ss.Law):
    """A spring whose foot goes on with the path of the surfaces: its force grows for ever."""

    stiffness: float
    remembers = ("last", "path")

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Memory]:
        last, path = memory
        path += abs(u - last)
        return self.stiffness * (u - 1e-3 * path), (u, path)
