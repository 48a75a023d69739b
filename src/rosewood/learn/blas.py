"""Linear algebra with one thread: sums of more than one are in another order, and differ."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


@cache
def _libraries(solvers: bool) -> Any:
    """Limits the threads of the BLAS libraries of NumPy and, for its solvers, of SciPy.

    Each has its own, and only those that are loaded are found.
    """
    if solvers:
        import scipy.optimize  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread(*, solvers: bool = False) -> AbstractContextManager[Any]:
    """Within it, matrix products of NumPy use one thread; with `solvers`, those of SciPy too.

    SciPy takes half a second to import, which commands that do not need it save.
    """
    limit: AbstractContextManager[Any] = _libraries(solvers).limit(limits=1, user_api="blas")
    return limit
