"""Orbits as fixed points of the period map."""
