"""Formal reduction: the luz/tar algebra at work on a model.

network     a model as springs with gaps and friction pairs
rules       what one step does to a network: series, parallel, star, rigid, friction
steps       a step in words and formulas
order       which steps are taken, and which limits do not exist
recovering  coordinates that were eliminated, from a run of the reduced model
comparing   the primary model with ever less inertia beside the reduced one
reduction   `reduce`, and the result
"""
