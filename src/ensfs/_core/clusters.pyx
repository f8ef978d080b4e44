"""How often rows share a cluster."""

from libc.stdint cimport int16_t, uint16_t


def co_association(
    const int16_t[:, ::1] labels not None,  # IN     (n_clusterings, n), negative where not drawn
    Py_ssize_t start,                       # IN     rows start:stop of the upper triangle
    Py_ssize_t stop,
    uint16_t[::1] counts not None,          # IN/OUT (n (n - 1) / 2,), row after row
):
    """Add to each pair of rows the number of clusterings that put both into one cluster."""
    cdef Py_ssize_t n_clusterings = labels.shape[0], n = labels.shape[1]
    cdef Py_ssize_t t, i, j, rest
    cdef int16_t label
    cdef const int16_t* after
    cdef uint16_t* row

    if counts.shape[0] != n * (n - 1) // 2 or start < 0 or stop > n:
        raise ValueError("co_association: the shapes of the arrays do not agree")
    with nogil:
        for i in range(start, min(stop, n - 1)):
            rest = n - i - 1
            row = &counts[i * (2 * n - i - 1) // 2]
            for t in range(n_clusterings):
                label = labels[t, i]
                if label < 0:
                    continue
                after = &labels[t, i + 1]
                for j in range(rest):
                    row[j] += after[j] == label
