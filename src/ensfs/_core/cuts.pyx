"""Cut points of continuous columns, and the codes that cut points give to values.

Matrices are Fortran-ordered blocks of columns, so that threads can share a table by
columns. NaN is a missing value throughout: it never moves a cut point and has a code of
its own.
"""

from libc.math cimport INFINITY, fabs, frexp, ldexp, log2, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memset

from ensfs._core.checks cimport check_length, check_places
from ensfs._core.cut_rules cimport (
    ENTROPY_TOLERANCE, add_exactly, between, log2_choices, next_segment, number_bins,
    segments, start_segments, write_cuts,
)

ctypedef fused value_t:
    float
    double

ctypedef fused code_t:
    uint8_t
    uint16_t

# Columns with at most this many cut points compare every value with every cut (such a
# loop has no branches); above it a binary search is faster.
cdef enum:
    FEW_CUTS = 12


cdef Py_ssize_t _sigma(
    const value_t* x, Py_ssize_t n, double width, double* cuts,
) noexcept nogil:
    """Write mean -/+ ``width`` sample deviations; no cuts for a constant column."""
    cdef double low = INFINITY, high = -INFINITY, scale = 1.0
    cdef double value, mean, deviation, total = 0.0, rest = 0.0
    cdef Py_ssize_t i, count = 0
    cdef int exponent

    for i in range(n):
        value = x[i]
        if value == value:
            count += 1
            low = min(low, value)
            high = max(high, value)
    if not low < high:
        return 0

    # A power of two brings extreme columns to where squares neither overflow nor vanish
    value = max(fabs(low), fabs(high))
    if value > 1e100 or value < 1e-100:
        frexp(value, &exponent)
        scale = ldexp(1.0, -max(exponent, -1000))

    for i in range(n):
        if x[i] == x[i]:
            add_exactly(&total, &rest, x[i] * scale)
    mean = (total + rest) / count
    total = 0.0
    rest = 0.0
    for i in range(n):
        if x[i] == x[i]:
            deviation = x[i] * scale - mean
            add_exactly(&total, &rest, deviation * deviation)
    deviation = sqrt((total + rest) / (count - 1))
    cuts[0] = (mean - width * deviation) / scale
    cuts[1] = (mean + width * deviation) / scale
    return 2


def sigma_cuts(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features)
    double width,                           # IN
    double[:, ::1] cuts not None,           # OUT  (n_features, 2)
    int64_t[::1] n_cuts not None,           # OUT  (n_features,)
):
    """Write mean -/+ ``width`` sample standard deviations of every column."""
    cdef Py_ssize_t j, n = X.shape[0], m = X.shape[1]

    if cuts.shape[0] != m or cuts.shape[1] != 2 or n_cuts.shape[0] != m:
        raise ValueError("sigma_cuts: the shapes of the arrays do not agree")
    with nogil:
        for j in range(m):
            n_cuts[j] = _sigma(&X[0, j], n, width, &cuts[j, 0])


def add_deviations(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features), NaN is left out
    const double[::1] scale not None,       # IN   (n_features,)
    const double[::1] mean,                 # IN   (n_features,) or None
    double[::1] total not None,             # OUT  (n_features,), added to
    double[::1] rest not None,              # OUT  (n_features,), what rounding took from `total`
):
    """Add the values of every column, or their squared deviations from a mean, row after row."""
    cdef Py_ssize_t i, j, n = X.shape[0], m = X.shape[1]
    cdef double deviation

    check_length(scale.shape[0], m, "scale")
    check_length(total.shape[0], m, "total")
    check_length(rest.shape[0], m, "rest")
    if mean is not None:
        check_length(mean.shape[0], m, "mean")
    with nogil:
        for j in range(m):
            for i in range(n):
                if X[i, j] != X[i, j]:
                    continue
                if mean is None:
                    add_exactly(&total[j], &rest[j], X[i, j] * scale[j])
                else:
                    deviation = X[i, j] * scale[j] - mean[j]
                    add_exactly(&total[j], &rest[j], deviation * deviation)


cdef inline double _quantile(
    const value_t* x, Py_ssize_t n, Py_ssize_t j, Py_ssize_t q,
) noexcept nogil:
    """Return the ``j / q`` quantile of sorted ``x`` by linear interpolation.

    Its position is found in integers: a quantile that is a value is met exactly.
    """
    cdef Py_ssize_t low = (n - 1) * j // q
    cdef double share = <double>((n - 1) * j - low * q) / <double>q

    return x[low] if share == 0.0 else between(x[low], x[low + 1], share)


cdef Py_ssize_t _equal_frequency(
    const value_t* x, Py_ssize_t n, Py_ssize_t q, double* cuts, int32_t* levels,
) noexcept nogil:
    cdef Py_ssize_t j, n_cuts = 0
    cdef double cut

    while n > 0 and x[n - 1] != x[n - 1]:
        n -= 1
    for j in range(1, q if n > 0 else 1):
        cut = _quantile(x, n, j, q)
        if cut >= x[n - 1]:
            break                           # nothing lies above it
        if n_cuts == 0 or cut > cuts[n_cuts - 1]:
            cuts[n_cuts] = cut
            n_cuts += 1

    number_bins(x, cuts, n_cuts, levels)
    return n_cuts


def equal_frequency_cuts(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features), NaN last
    double[:, ::1] cuts not None,           # OUT  (n_features, n_bins - 1)
    int32_t[:, ::1] levels not None,        # OUT  (n_features, n_bins)
    int64_t[::1] n_cuts not None,           # OUT  (n_features,)
):
    """Write the distinct quantiles of sorted columns.

    ``levels`` numbers the bins that hold values; an empty bin shares the number of the
    one below.
    """
    cdef Py_ssize_t j, n = X.shape[0], m = X.shape[1], q = levels.shape[1]

    if (
        q < 2 or cuts.shape[0] != m or cuts.shape[1] != q - 1
        or levels.shape[0] != m or n_cuts.shape[0] != m
    ):
        raise ValueError("equal_frequency_cuts: the shapes of the arrays do not agree")
    with nogil:
        for j in range(m):
            n_cuts[j] = _equal_frequency(&X[0, j], n, q, &cuts[j, 0], &levels[j, 0])


cdef inline double _side(
    const int32_t* counts, const int32_t* minus, int n_classes, const double* klogk,
    int* present,
) noexcept nogil:
    """Sum ``klogk`` of ``counts - minus`` and count the classes present."""
    cdef double total = 0.0
    cdef int32_t count
    cdef int c

    present[0] = 0
    for c in range(n_classes):
        count = counts[c] - minus[c]
        if count > 0:
            present[0] += 1
            total += klogk[count]
    return total


cdef Py_ssize_t _best_cut(
    const double* x, const int32_t* y, Py_ssize_t n, int n_classes, const double* klogk,
    bint better_encoding, int32_t* counts,
) noexcept nogil:
    """Return ``i`` to cut the segment between ``x[i]`` and ``x[i + 1]``, else -1.

    ``counts`` has room for three rows of classes: the segment, its left part, zeros.
    """
    cdef int32_t* left = counts + n_classes
    cdef int32_t* zeros = left + n_classes
    cdef Py_ssize_t i, best = -1, n_candidates = 0
    cdef double whole, part, least, term, new, rest = 0.0
    cdef double entropy, entropy_1, entropy_2, gain, cost
    cdef int32_t a, b
    cdef int k, k_1, k_2

    if n < 2:
        return -1
    memset(counts, 0, <size_t>(3 * n_classes) * sizeof(int32_t))
    for i in range(n):
        counts[y[i]] += 1
    whole = _side(counts, zeros, n_classes, klogk, &k)
    if k < 2:
        return -1

    # n * entropy of a cut is klogk[n1] + klogk[n2] - part, where part sums klogk over
    # the counts of both sides, and a row that changes sides changes two (Kahan's sum).
    part = whole
    least = klogk[n] - whole - n * ENTROPY_TOLERANCE
    for i in range(n - 1):
        a = left[y[i]]
        b = counts[y[i]] - a
        left[y[i]] = a + 1
        term = (klogk[a + 1] - klogk[a]) - (klogk[b] - klogk[b - 1]) - rest
        new = part + term
        rest = (new - part) - term
        part = new
        if x[i] < x[i + 1]:
            n_candidates += 1
            term = klogk[i + 1] + klogk[n - i - 1] - part
            if term < least:
                least = term - n * ENTROPY_TOLERANCE
                best = i
    if best < 0:
        return -1

    memset(left, 0, <size_t>n_classes * sizeof(int32_t))
    for i in range(best + 1):
        left[y[i]] += 1
    entropy = (klogk[n] - whole) / n
    entropy_1 = klogk[best + 1] - _side(left, zeros, n_classes, klogk, &k_1)
    entropy_1 /= best + 1
    entropy_2 = klogk[n - best - 1] - _side(counts, left, n_classes, klogk, &k_2)
    entropy_2 /= n - best - 1
    gain = entropy - ((best + 1) * entropy_1 + (n - best - 1) * entropy_2) / n
    cost = log2(<double>(n_candidates if better_encoding else n - 1)) + log2_choices(k)
    cost -= k * entropy - k_1 * entropy_1 - k_2 * entropy_2
    return best if gain > cost / n else -1


cdef Py_ssize_t _mdl(
    const double* x, const int32_t* y, Py_ssize_t n, int n_classes, const double* klogk,
    bint better_encoding, int32_t* counts, uint8_t* is_cut, double* cuts,
) noexcept nogil:
    """Cut the sorted column while it pays."""
    cdef segments rows
    cdef Py_ssize_t cut

    start_segments(&rows, n, is_cut)
    while True:
        cut = _best_cut(
            x + rows.first, y + rows.first, rows.last - rows.first, n_classes, klogk,
            better_encoding, counts,
        )
        if not next_segment(&rows, cut, is_cut):
            return write_cuts(x, is_cut, n, cuts)


def mdl_cuts(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features)
    const int64_t[::1, :] order not None,   # IN   (n_samples, n_features), NaN last
    const int32_t[::1] y not None,          # IN   (n_samples,), 0 .. n_classes - 1
    int n_classes,                          # IN
    const double[::1] klogk not None,       # IN   (n_samples + 1,): k log2(k)
    bint better_encoding,                   # IN
    double[::1] values not None,            # TEMP (n_samples,)
    int32_t[::1] classes not None,          # TEMP (n_samples,)
    int32_t[::1] counts not None,           # TEMP (3 * n_classes,)
    uint8_t[::1] is_cut not None,           # TEMP (n_samples,)
    double[::1, :] cuts not None,           # OUT  (n_samples, n_features)
    int64_t[::1] n_cuts not None,           # OUT  (n_features,)
):
    """Write the cut points of Fayyad and Irani; ``order`` is the argsort by columns."""
    cdef Py_ssize_t i, j, size, n = X.shape[0], m = X.shape[1]

    if (
        order.shape[0] != n or order.shape[1] != m or y.shape[0] != n or n_classes < 1
        or klogk.shape[0] != n + 1 or values.shape[0] != n or classes.shape[0] != n
        or counts.shape[0] != 3 * n_classes or is_cut.shape[0] != n
        or cuts.shape[0] != n or cuts.shape[1] != m or n_cuts.shape[0] != m
    ):
        raise ValueError("mdl_cuts: the shapes of the arrays do not agree")
    check_places(y, n_classes, "mdl_cuts: y")
    with nogil:
        for j in range(m):
            size = 0
            for i in range(n):
                values[i] = X[order[i, j], j]
                if values[i] != values[i]:
                    break
                classes[i] = y[order[i, j]]
                size += 1
            n_cuts[j] = _mdl(
                &values[0], &classes[0], size, n_classes, &klogk[0], better_encoding,
                &counts[0], &is_cut[0], &cuts[0, j],
            )


cdef inline Py_ssize_t _n_below(
    const double* cuts, Py_ssize_t n_cuts, double value,
) noexcept nogil:
    """Count the sorted ``cuts`` strictly below ``value``."""
    cdef Py_ssize_t low = 0, length = n_cuts, half

    while length > 0:
        half = length // 2
        if cuts[low + half] < value:
            low += half + 1
            length -= half + 1
        else:
            length = half
    return low


cdef void _digitise(
    const value_t* x, Py_ssize_t n, const double* cuts, Py_ssize_t n_cuts,
    const int32_t* levels, int32_t missing, code_t* codes,
) noexcept nogil:
    cdef Py_ssize_t i, c
    cdef double cut

    if n_cuts > FEW_CUTS:
        for i in range(n):
            codes[i] = <code_t>(
                levels[_n_below(cuts, n_cuts, x[i])] if x[i] == x[i] else missing
            )
        return
    for i in range(n):
        codes[i] = 0
    for c in range(n_cuts):
        cut = cuts[c]
        for i in range(n):
            codes[i] += <code_t>(x[i] > cut)
    for i in range(n):
        codes[i] = <code_t>(levels[codes[i]] if x[i] == x[i] else missing)


def digitise(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features)
    const double[::1] cuts not None,        # IN   (offsets[-1],), ascending per column
    const int64_t[::1] offsets not None,    # IN   (n_features + 1,)
    const int32_t[::1] levels not None,     # IN   (offsets[-1] + n_features,)
    const int32_t[::1] missing not None,    # IN   (n_features,)
    code_t[::1, :] codes not None,          # OUT  (n_samples, n_features)
):
    """Write the codes of all values.

    The cut points of column ``j`` are ``cuts[offsets[j]:offsets[j + 1]]``. A value with
    ``b`` of them strictly below it lies in bin ``b`` and gets the code
    ``levels[offsets[j] + j + b]``; NaN gets ``missing[j]``.
    """
    cdef Py_ssize_t j, start, n = X.shape[0], m = X.shape[1]

    if (
        codes.shape[0] != n or codes.shape[1] != m or missing.shape[0] != m
        or offsets.shape[0] != m + 1 or offsets[0] != 0 or offsets[m] != cuts.shape[0]
        or levels.shape[0] != cuts.shape[0] + m
    ):
        raise ValueError("digitise: the shapes of the arrays do not agree")
    with nogil:
        for j in range(m):
            start = offsets[j]
            _digitise(
                &X[0, j], n, &cuts[start] if start < offsets[j + 1] else NULL,
                offsets[j + 1] - start, &levels[start + j], missing[j], &codes[0, j],
            )
