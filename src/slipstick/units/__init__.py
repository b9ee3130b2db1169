"""Units and numbers as text; data are in SI.

dimensions     dimensions, kinds of motion and their SI units
parser         units as text: factor to SI, dimension, numbers in a unit
scales         units and factors for display: of frequencies, loops and models
axes           display units of displacements, and of the forces and energies beside them
number_format  numbers as text
"""
