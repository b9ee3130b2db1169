"""Equilibria of models whose prescribed coordinates move at constant speeds, and where they begin to swing.

sliding_balance.py     forces, tangents and eigenvalues of a model at rest whose contacts slide or stick
equilibrium_family.py  equilibria as a family over a parameter
follow_equilibria.py   curves of equilibria
hopf_branch.py         limit cycles that begin at a Hopf point
"""
