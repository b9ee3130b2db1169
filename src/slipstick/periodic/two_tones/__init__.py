"""Motions with two frequencies that have no common period, by harmonic balance in two phases."""
