"""Votes of the first members of an ensemble: one, two, and so on."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memset

from ensfs._core.checks cimport check_length, check_places, check_range, check_shape

ctypedef fused class_t:
    uint8_t
    uint16_t

cdef enum:
    BLOCK = 2048        # rows whose counts stay in the fastest cache


cdef void _two_classes(
    const class_t* votes, const class_t* y, Py_ssize_t n, int32_t* lead, int64_t* right
) noexcept nogil:
    """Count the votes of a member for the second class; ties go to the first."""
    cdef Py_ssize_t i
    cdef int32_t total = 0

    for i in range(n):
        lead[i] += 2 * <int32_t>votes[i] - 1
        total += (lead[i] > 0) == y[i]
    right[0] += total


cdef void _many_classes(
    const class_t* votes, const class_t* y, Py_ssize_t n, Py_ssize_t n_classes,
    int32_t* counts, class_t* winner, int64_t* right,
) noexcept nogil:
    """Count the votes of a member; the class with most votes wins, the lower one of equals."""
    cdef Py_ssize_t i
    cdef int32_t* of_row
    cdef int32_t mine, best
    cdef int64_t total = 0
    cdef class_t vote

    for i in range(n):
        vote = votes[i]
        of_row = counts + i * n_classes
        of_row[vote] += 1
        mine = of_row[vote]
        best = of_row[winner[i]]
        if mine > best or (mine == best and vote < winner[i]):
            winner[i] = vote
        total += winner[i] == y[i]
    right[0] += total


def prefix_votes(
    const class_t[:, ::1] votes not None,   # IN     (n_members, n) class that each member names
    const int64_t[::1] order not None,      # IN     (n_order,) members, some perhaps repeatedly
    const class_t[::1] y not None,          # IN     (n,) true classes
    Py_ssize_t n_classes,                   # IN
    Py_ssize_t start,                       # IN     rows start .. stop - 1
    Py_ssize_t stop,
    int32_t[:, ::1] counts not None,        # TEMP   (n, n_classes)
    class_t[::1] winner not None,           # TEMP   (n,)
    int64_t[::1] right not None,            # IN/OUT (n_order,)
):
    """Add to each place of the order how many rows the members up to it get right by vote."""
    cdef Py_ssize_t n = votes.shape[1], m, block, first, size
    cdef int64_t member

    check_range(start, stop, n, "rows")
    check_length(y.shape[0], n, "y")
    check_length(winner.shape[0], n, "winner")
    check_length(right.shape[0], order.shape[0], "right")
    check_shape(counts.shape, n, n_classes, "counts")
    check_places(order, votes.shape[0], "order")
    check_places(y, n_classes, "y")
    for m in range(votes.shape[0]):
        check_places(votes[m], n_classes, "votes")
    if n_classes < 1:
        raise ValueError(f"n_classes must be at least 1; got {n_classes}")
    with nogil:
        for block in range((stop - start + BLOCK - 1) // BLOCK):
            first = start + block * BLOCK
            size = min(<Py_ssize_t>BLOCK, stop - first)
            memset(&counts[first, 0], 0, size * n_classes * sizeof(int32_t))
            memset(&winner[first], 0, size * sizeof(class_t))
            for m in range(order.shape[0]):
                member = order[m]
                if n_classes == 2:
                    _two_classes(
                        &votes[member, first], &y[first], size, &counts[first, 0], &right[m])
                else:
                    _many_classes(
                        &votes[member, first], &y[first], size, n_classes,
                        &counts[first, 0], &winner[first], &right[m])
