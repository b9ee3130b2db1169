"""Periodic responses: orbits, and curves of them."""
