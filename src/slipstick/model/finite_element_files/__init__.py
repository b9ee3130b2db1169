"""Matrices of finite-element programs, with nodes and directions as names of coordinates.

labelled_matrix   entries with nodes and directions, assembled to sparse matrices
calculix          .sti, .mas and .dof
abaqus            .mtx in the formats COORDINATE and MATRIX INPUT
dmig              bulk data DMIG of Nastran
op4               OUTPUT4 files of Nastran, as text
harwell_boeing    Harwell-Boeing files, as Ansys writes them
"""

from slipstick.model.finite_element_files.labelled_matrix import AssembledMatrices, LabelledMatrix, assembled

__all__ = ["AssembledMatrices", "LabelledMatrix", "assembled"]
