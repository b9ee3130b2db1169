"""Ranking of fitted laws: criterion, held-out error and verdict.

information_criterion  Bayesian information criterion (BIC)
cross_validation       error at amplitudes held out of the fit
verdict                the result of a ranking, in one sentence
"""
