"""Plain numeric Python to machine code, in milliseconds.

A small language: floats, integers and lists of floats; arithmetic, comparisons, if, while, for over range; functions
that call each other and return one value or several. It is not a general compiler: a general one needs a
tenth of a second for each function, and the laws of this package are three hundred; this one needs about a
hundredth of that. Where Python would raise (an index beyond a list, an end without return) there is NaN.

    kinds        what a value is, and how the kinds of variables are found
    expressions  values as LLVM code
    functions    statements, functions and modules as LLVM code
    engine       LLVM code as a function that can be called
    kept         machine code on disk, for the next process
"""

from slipstick.native.engine import (
    Native,
    call_function,
    call_value,
    compile_entries,
    compile_functions,
    numbers_at,
    view,
)
from slipstick.native.kinds import CannotCompile

__all__ = [
    "CannotCompile",
    "Native",
    "call_function",
    "call_value",
    "compile_entries",
    "compile_functions",
    "numbers_at",
    "view",
]
