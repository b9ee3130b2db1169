"""Tolerances of matrices, modes and equilibria, each with its reason; `_REL`: a share of the quantity named.

Most only separate rounding from numbers. They lie between 1e-13, some hundred roundings, and 1e-7, the accuracy of
eigenvalues that depend on the root of a rounding.
"""

# ---- forms and matrices

SAME_NUMBER_REL = 1e-12  # numbers that are equal up to the rounding of a few operations
SYMMETRY_REL = 1e-12  # of the largest entry: asymmetry of matrices that were assembled here
GIVEN_SYMMETRY_REL = 1e-8  # of the largest entry: asymmetry of mass matrices from files, often rounded to 8 digits
PRODUCT_SYMMETRY_REL = 1e-9  # of the largest entry: asymmetry of W' A W, whose products round
RANK_REL = 1e-12  # of the largest singular value: smaller ones are zero
NEGATIVE_MASS_REL = 1e-9  # of the largest eigenvalue: a more negative one is no rounding
CANCELLED_SUM_REL = 1e-13  # of the terms of a sum that cancels

# ---- modes

ZERO_EIGENVALUE_REL = 1e-10  # of a matrix scaled to a unit diagonal: smaller eigenvalues are zero
RIGID_EIGENVALUE_REL = 1e-7  # of the largest: smaller eigenvalues of unsymmetric matrices are rigid modes
INFINITE_EIGENVALUE_REL = 1e6  # of sqrt(|K|/|M|): larger eigenvalues are those of massless directions
REAL_EIGENVALUE_REL = 1e-12  # of its size: a smaller imaginary part of a dense eigenvalue is rounding
REAL_SPARSE_EIGENVALUE_REL = 1e-8  # the same of iterated eigenvalues, which are less accurate
PROPORTIONAL_DAMPING_REL = 1e-10  # of the modal damping: smaller couplings of modes are rounding
PROPORTIONAL_SPARSE_DAMPING_REL = 1e-8  # the same with iterated modes
RIGID_SHIFT_REL = 1e-10  # of the largest w^2: shift below zero that keeps the stiffness of a free model regular
COUPLED_MASSLESS_REL = 1e-10  # of the largest damping: coupling of an undamped massless direction
UNIT_COMPONENT_REL = 1e-9  # of the largest component of a shape: the first within it becomes one
REAL_SHAPE = 1e-9  # largest imaginary part of a real shape, whose largest component is one
STATIC_RESIDUAL_REL = 1e-9  # of the pull on eliminated coordinates: what statics may leave
RATE_DEPENDENCE_REL = 1e-9  # of the damping: a larger change by sliding counts

# ---- interiors of condensed models

RIGID_ENERGY_REL = 1e-14  # of the terms of a strain energy; less is rounding
MASSLESS_MODE_REL = 1e-13  # of the largest M over K: modes below it are infinitely fast
MASSLESS_SPARSE_MODE_REL = 1e-12  # the same of iterated modes
DEPENDENT_COLUMNS_REL = 1e-10  # of a Gram matrix with a unit diagonal: smaller eigenvalues are dependent columns
RESIDUAL_ENERGY_REL = 1e-12  # of the energy of a deflection: less is covered by the known modes
MISSED_START_REL = 1e-9  # of the largest start: less is covered by the modes

# ---- equilibrium

BALANCE_REL = 1e-12  # of the largest force: residual of a balance
WEAK_SPRING_REL = 1e-5  # of the local stiffness: spring that holds free directions near the start
STICK_SPRING_REL = 30.0  # of the local stiffness: spring of a sticking contact
UNHELD_STIFFNESS_REL = 1e-10  # of the local stiffness: nothing holds a softer direction
IN_PLACE_REL = 1e-13  # of force over stiffness, and of the reach: a contact that slid less has stuck
SETTLED_FORCE_REL = 1e-9  # of the largest force: change of friction in the last round
SLIDING_REL = 1e-9  # of force over stiffness: a contact that slid less counts as stuck
UNMOVED_REL = 1e-11  # of force over stiffness: a coordinate with a smaller change stays at its start
NEUTRAL_STIFFNESS = 1e-9  # of a scaled tangent: smaller eigenvalues are neutral, negative ones unstable
SLOPE_STEP_REL, SLOPE_STEP = 1e-7, 1e-10  # of the deflection, and [m or rad]: step of a difference quotient
