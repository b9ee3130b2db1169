"""Matrices in compiled loops: products by BLAS, and small equations; they lie by rows, as NumPy has them."""

from __future__ import annotations

from typing import Any

from slipstick.native import call_function, view
from slipstick.periodic.balance.records import LawPlan

SMALL_PRODUCT = 64  # products of numbers, which are done before a routine has looked at its arguments
FEW_PRODUCT_ROWS, LARGE_MATRIX_SIZE = (
    6,
    1024,
)  # so few rows times a matrix so large are done one by one: dgemm would pack the matrix first


def product_of_few(rows: int, inner: int, columns: int, a: Any, b: Any, out: Any, width: int) -> None:
    for i in range(rows):
        own = view(out, i * width)
        for j in range(columns):
            total = 0.0
            for k in range(inner):
                total += a[i * inner + k] * b[k * width + j]
            own[j] = total


def product(plan: LawPlan, rows: int, inner: int, columns: int, a: Any, b: Any, out: Any, width: int) -> None:
    """out (rows, columns) = a (rows, inner) b (inner, columns); rows of out and b are so wide."""
    if rows * inner * columns <= SMALL_PRODUCT:
        product_of_few(rows, inner, columns, a, b, out, width)
        return
    if rows == 1 or (rows <= FEW_PRODUCT_ROWS and inner * columns >= LARGE_MATRIX_SIZE):
        for i in range(rows):
            row_times(plan, inner, columns, view(a, i * inner), b, view(out, i * width), width)
        return
    count = plan.integers
    one = plan.one_zero
    plain = plan.letters
    call_function(
        plan.dgemm, plain, plain, view(count, columns), view(count, rows), view(count, inner), one, b,
        view(count, width), a, view(count, inner), view(one, 1), out, view(count, width),
    )  # fmt: skip


def row_times(plan: LawPlan, inner: int, columns: int, a: Any, b: Any, out: Any, width: int) -> None:
    """out (columns,) = a (inner,) b (inner, columns); rows of b are so wide."""
    count = plan.integers
    one = plan.one_zero
    call_function(
        plan.dgemv, plan.letters, view(count, columns), view(count, inner), one, b,
        view(count, width), a, view(count, 1), view(one, 1), out, view(count, 1),
    )  # fmt: skip


def add_transposed(plan: LawPlan, rows: int, inner: int, columns: int, a: Any, b: Any, out: Any) -> None:
    """out (rows, columns) += a' b, with a (inner, rows) and b (inner, columns)."""
    count = plan.integers
    one = plan.one_zero
    plain = plan.letters
    call_function(
        plan.dgemm, plain, view(plain, 1), view(count, columns), view(count, rows), view(count, inner), one, b,
        view(count, columns), a, view(count, rows), one, out, view(count, columns),
    )  # fmt: skip


def weighted_sum(plan: LawPlan, count: int, columns: int, weights: Any, rows: Any, out: Any) -> None:
    """out (columns,) += sum of weights (count,) times rows (count, columns)."""
    counted = plan.integers
    one = plan.one_zero
    call_function(
        plan.dgemv, plan.letters, view(counted, columns), view(counted, count), one, rows,
        view(counted, columns), weights, view(counted, 1), one, out, view(counted, 1),
    )  # fmt: skip


def add_scaled(count: int, factor: float, values: Any, out: Any) -> None:
    """out += factor values, of so many numbers."""
    if factor != 0.0:
        for c in range(count):
            out[c] += factor * values[c]


def add_rows(count: int, size: int, weights: Any, stride: int, rows: Any, out: Any) -> None:
    """out (count,) += weighted sum of rows (size, count); weights lie so far apart. Three at a time, zeros left out."""
    k = 0
    while k < size:
        while k < size and weights[k * stride] == 0.0:
            k += 1
        if k == size:
            break
        second = k + 1
        while second < size and weights[second * stride] == 0.0:
            second += 1
        third = second + 1
        while third < size and weights[third * stride] == 0.0:
            third += 1
        a = weights[k * stride]
        x = view(rows, k * count)
        if third < size:
            b = weights[second * stride]
            d = weights[third * stride]
            y = view(rows, second * count)
            z = view(rows, third * count)
            for c in range(count):
                out[c] += a * x[c] + b * y[c] + d * z[c]
            k = third + 1
        elif second < size:
            b = weights[second * stride]
            y = view(rows, second * count)
            for c in range(count):
                out[c] += a * x[c] + b * y[c]
            k = second + 1
        else:
            for c in range(count):
                out[c] += a * x[c]
            k += 1


def solve_rows(matrix: Any, m: int, right: Any, columns: int) -> None:
    """Solve for right sides (m, columns) in their place, by a matrix that is stored transposed; LAPACK would start
    threads for so little."""
    for i in range(m):
        pivot = i
        for j in range(i + 1, m):
            if abs(matrix[i * m + j]) > abs(matrix[i * m + pivot]):
                pivot = j
        if pivot != i:
            for c in range(m):
                kept = matrix[c * m + i]
                matrix[c * m + i] = matrix[c * m + pivot]
                matrix[c * m + pivot] = kept
            for c in range(columns):
                kept = right[i * columns + c]
                right[i * columns + c] = right[pivot * columns + c]
                right[pivot * columns + c] = kept
        for j in range(i + 1, m):
            part = matrix[i * m + j] / matrix[i * m + i]
            if part != 0.0:
                for c in range(i + 1, m):
                    matrix[c * m + j] -= part * matrix[c * m + i]
                add_scaled(columns, -part, view(right, i * columns), view(right, j * columns))
    for k in range(m):
        i = m - 1 - k
        own = view(right, i * columns)
        for j in range(i + 1, m):
            add_scaled(columns, -matrix[j * m + i], view(right, j * columns), own)
        diagonal = matrix[i * m + i]
        for c in range(columns):
            own[c] /= diagonal
