"""Greedy searches that read only the pairs of coded columns that they need; see greedy.h."""

from libc.stdint cimport int32_t, int64_t

from ensfs._core.checks cimport check_length, check_range
from ensfs._core.discrete cimport CodeStore, discrete_init
from ensfs._core.greedy cimport SearchArrays, greedy_init, lazy_search, search_state

cdef extern from "discrete.h":
    void prepare_target(void*, int64_t, int64_t) noexcept nogil

discrete_init()
greedy_init()

cdef enum:
    PARTS = 64      # parts searched together
    AT_ONCE = 64   # columns that they go through together: their counts stay in the cache


def search_lazily(
    list stores,                      # IN/OUT a CodeStore for each part, of one thread
    SearchArrays arrays,              # IN/OUT of these parts
    int start, int stop,              # IN  steps
    int criterion,                    # IN  flags
    const int64_t[::1] hints,         # IN  (k,) columns that are likely to win, or None
    Py_ssize_t limit,                 # IN  pairs to read at most
):
    """Steps of greedy selection in some parts by exact lazy evaluation; the step it came to.

    That is before `stop` if the limit was reached: calling again goes on from there.
    """
    cdef search_state states[PARTS]
    cdef CodeStore store
    cdef Py_ssize_t t, p = arrays.n_features, n_parts = arrays.n_parts
    cdef int32_t reached

    check_range(1, n_parts, PARTS, "parts")
    check_length(len(stores), n_parts, "stores")
    arrays.check_steps(start, stop, hints)
    for t in range(n_parts):
        store = stores[t]
        check_range(0, p, store.store.n_columns, "columns")
        check_range(0, stop, store.n_targets, "targets")
        arrays.fill(t, &states[t])
        states[t].pair = store.pair()
        states[t].prepare = prepare_target
        states[t].context = &store.store
    with nogil:
        reached = lazy_search(
            states, n_parts, p, p if n_parts == 1 else AT_ONCE, start, stop, criterion,
            NULL if hints is None else &hints[0], &arrays.candidates[0], limit)
    return reached
