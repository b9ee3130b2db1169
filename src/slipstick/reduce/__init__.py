"""Formal reduction: the luz/tar algebra at work on a model.

numbers      values with the formulas they came from
symbols      the symbols of the primary model
network      a model as springs with gaps and friction pairs
rules        the identities: series, star, parallel, friction together
steps        a step in words and formulas, and as a record for the way back
neglecting   what is named is taken out
binding      rigid connections: a coordinate becomes a form of others
rattling     light nodes that have no limit
eliminating  massless nodes without friction
order        which steps are taken, and which limits do not exist
building     a model again from a network
telling      steps and equations in symbols
recovering   coordinates that were eliminated, from a run of the reduced model
comparing    the primary model with less and less of what was neglected, beside the reduced one
reduction    `reduce`, and the result
"""
