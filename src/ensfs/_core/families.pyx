"""Likelihoods of families of a Bayesian network: a node, its parents, and one parent more."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memset

from ensfs._core.checks cimport check_length, check_places, check_space

ctypedef fused code_t:
    uint8_t
    uint16_t


cdef double sum_cells(
    const int32_t* table, Py_ssize_t n_labels, Py_ssize_t n_y, Py_ssize_t n_x, const double* klogk,
) noexcept nogil:
    """Sum of n log n over the cells less that over rows of cells with the same label and x.

    Sums carry what rounding takes away, so that they do not depend on which parent comes last.
    """
    cdef Py_ssize_t label, x, y
    cdef int32_t count, margin
    cdef double total = 0.0, lost = 0.0, term, next_total

    for label in range(n_labels):
        for x in range(n_x):
            margin = 0
            for y in range(n_y + 1):
                if y < n_y:
                    count = table[(label * n_y + y) * n_x + x]
                    margin += count
                    term = klogk[count]
                else:
                    term = -klogk[margin]
                next_total = total + term
                if (total if total >= 0 else -total) >= (term if term >= 0 else -term):
                    lost += (total - next_total) + term
                else:
                    lost += (term - next_total) + total
                total = next_total
    return total + lost


def added_likelihoods(
    const int32_t[::1] label not None,      # IN  (n,) stratum of the parents * n_y + state of node
    Py_ssize_t n_labels,                    # IN  strata of the parents
    Py_ssize_t n_y,                         # IN  states of the node
    const code_t[::1, :] codes not None,    # IN  (n, p)
    const int64_t[::1] columns not None,    # IN  (m,) the parents that are added, one at a time
    const int32_t[::1] n_levels not None,   # IN  (p,)
    const double[::1] klogk not None,       # IN  (n + 1,) k log k
    int32_t[::1] table not None,            # TEMP cells of the largest family
    double[::1] out not None,               # OUT (m,)
):
    """Log-likelihood of the node given its parents and each of some columns."""
    cdef Py_ssize_t i, k, n_x, n = codes.shape[0], p = codes.shape[1]
    cdef const code_t* column

    check_length(label.shape[0], n, "label")
    check_length(n_levels.shape[0], p, "n_levels")
    check_length(klogk.shape[0], n + 1, "klogk")
    check_length(out.shape[0], columns.shape[0], "out")
    check_places(label, n_labels * n_y, "label")
    check_places(columns, p, "columns")
    for k in range(columns.shape[0]):
        check_space(table.shape[0], n_labels * n_y * n_levels[columns[k]], "table")
        check_places(codes[:, columns[k]], n_levels[columns[k]], "codes")
    with nogil:
        for k in range(columns.shape[0]):
            n_x = n_levels[columns[k]]
            column = &codes[0, columns[k]] if n else NULL
            memset(&table[0], 0, <size_t>(n_labels * n_y * n_x) * sizeof(int32_t))
            for i in range(n):
                table[label[i] * n_x + column[i]] += 1
            out[k] = sum_cells(&table[0], n_labels, n_y, n_x, &klogk[0])
