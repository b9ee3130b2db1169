"""Plain numeric Python to machine code, in milliseconds.

A small language: floats, integers, lists of floats and records; arithmetic, comparisons, if, while, for over range;
functions that call each other and return one value or several. It is not a general compiler: a general one needs a
tenth of a second for each function, and the laws of this package are three hundred; this one needs about a
hundredth of that. Where Python would raise (an index beyond a list, an end without return) there is NaN.

    records       storage with named fields, shared by Python and compiled code
    intrinsics    built-in functions of the language
    linker        the functions and constants that a compiled function needs
    types         types of values, and their inference
    expressions   values as LLVM code
    statements    statements, functions and modules as LLVM code
    jit           LLVM code as a function that can be called
    object_cache  machine code on disk, for the next process
    blas_threads  one BLAS thread inside loops over small matrices
"""

from slipstick.arrays import Array
from slipstick.native.intrinsics import call_function, call_value, local_numbers, numbers_at, view
from slipstick.native.jit import Native, compile_functions, compile_object, compile_text
from slipstick.native.records import NativeRecord, Rows, Section
from slipstick.native.types import CannotCompile

__all__ = [
    "Array",
    "CannotCompile",
    "Native",
    "NativeRecord",
    "Rows",
    "Section",
    "call_function",
    "call_value",
    "compile_functions",
    "compile_object",
    "compile_text",
    "local_numbers",
    "numbers_at",
    "view",
]
