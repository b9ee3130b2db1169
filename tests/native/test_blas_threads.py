"""One BLAS thread inside our own loops, and the caller's number afterwards."""

from __future__ import annotations

import pytest
import scipy.linalg  # noqa: F401  loads the second library

from slipstick.native import blas_threads
from slipstick.native.blas_threads import one_blas_thread


def counts() -> list[int]:
    return [int(getter()) for getter, _ in blas_threads._settings(True)]


@pytest.fixture
def two_threads():
    settings = blas_threads._settings(True)
    if not settings:
        pytest.skip("NumPy has no OpenBLAS here")
    before = counts()
    for _, setter in settings:
        setter(2)
    yield
    for (_, setter), count in zip(settings, before, strict=True):
        setter(count)


@pytest.mark.usefixtures("two_threads")
def test_the_number_of_threads_is_one_inside_and_restored_afterwards():
    with one_blas_thread():
        assert set(counts()) == {1}
        with one_blas_thread():
            assert set(counts()) == {1}
        assert set(counts()) == {1}
    assert set(counts()) == {2}


@pytest.mark.usefixtures("two_threads")
def test_an_error_restores_the_number_of_threads():
    with pytest.raises(ValueError, match="inside"), one_blas_thread():
        raise ValueError("inside")
    assert set(counts()) == {2}
