"""Ranking of fitted laws: criterion, held-out error and verdict.

law_fit, law_workers   one law of a ranking; all of them in worker processes
information_criterion  Bayesian information criterion (BIC)
cross_validation       error at amplitudes held out of the fit
verdict                the result of a ranking, in one sentence
"""
