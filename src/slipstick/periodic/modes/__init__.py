"""Nonlinear modes: frequency and damping over amplitude, by harmonic balance (see docs/nonlinear-modes.md)."""
