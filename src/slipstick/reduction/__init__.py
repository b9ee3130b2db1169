"""Formal reduction: smaller models by the luz/tar algebra, with formulas and the way back.

reduce                          `reduce`, and the result
network                         a model as springs with gaps and friction pairs
formula_numbers, model_symbols  numbers that carry formulas, and their symbols
luz_tar_identities              series, star, parallel and friction identities
neglected_parts                 removes the parts named as negligible
rigid_springs                   eliminates coordinates tied by rigid springs
rattling_check                  refuses light nodes that rattle and have no limit
node_elimination                eliminates massless nodes without friction
step_order                      the order of steps
reduction_steps                 steps in words and formulas, and as records
reduced_model                   the model of the reduced network
symbolic_report                 steps and equations in symbols
recovery                        eliminated coordinates from a run of the reduced model
limit_comparison                primary and reduced model in the limit
"""
