"""Cut points of continuous columns whose rows have weights; see ``cuts.pyx``.

Weights are whole numbers: multiples of a unit, ``1 / times``, so that no sum of them is rounded. A
row gives what as many rows as its weight would give. Columns come sorted, values and the place of
their rows, NaN last; a NaN never moves a cut point.
"""

from libc.math cimport fabs, floor, fma, frexp, ldexp, log2, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from ensfs._core.checks cimport check_length, check_places, check_shape
from ensfs._core.cut_rules cimport (
    ENTROPY_TOLERANCE, add_exactly, between, log2_choices, next_segment, number_bins,
    segments, start_segments, write_cuts,
)

ctypedef fused value_t:
    float
    double


cdef Py_ssize_t _read_sorted(
    const value_t[::1, :] X, const int64_t[::1, :] order, Py_ssize_t j,
    const int64_t[::1] weight, double* values, int64_t* weights,
) noexcept nogil:
    """Write the values of a column and their weights in ascending order; how many they are."""
    cdef Py_ssize_t i

    for i in range(X.shape[0]):
        values[i] = X[order[i, j], j]
        if values[i] != values[i]:
            return i
        weights[i] = weight[order[i, j]]
    return X.shape[0]


cdef inline void _add_product(
    double* total, double* rest, double weight, double value
) noexcept nogil:
    """Add a product with all its digits."""
    cdef double product = weight * value

    add_exactly(total, rest, product)
    add_exactly(total, rest, fma(weight, value, -product))


cdef Py_ssize_t _sigma(
    const double* x, const int64_t* w, Py_ssize_t n, double times, double width, double* cuts,
) noexcept nogil:
    """Write mean -/+ ``width`` sample deviations; no cuts for a constant column."""
    cdef double value, mean, deviation, count = 0.0, scale = 1.0, total = 0.0, rest = 0.0
    cdef Py_ssize_t i
    cdef int exponent

    for i in range(n):
        count += w[i]
    count /= times
    if n == 0 or not x[0] < x[n - 1] or count <= 1.0:
        return 0
    value = max(fabs(x[0]), fabs(x[n - 1]))
    if value > 1e100 or value < 1e-100:
        frexp(value, &exponent)
        scale = ldexp(1.0, -max(exponent, -1000))
    for i in range(n):
        _add_product(&total, &rest, w[i] / times, x[i] * scale)
    mean = (total + rest) / count
    total = 0.0
    rest = 0.0
    for i in range(n):
        deviation = x[i] * scale - mean
        _add_product(&total, &rest, w[i] / times, deviation * deviation)
    deviation = sqrt((total + rest) / (count - 1.0))
    cuts[0] = (mean - width * deviation) / scale
    cuts[1] = (mean + width * deviation) / scale
    return 2


def sigma_cuts(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features)
    const int64_t[::1, :] order not None,   # IN   (n_samples, n_features), NaN last
    const int64_t[::1] weight not None,     # IN   (n_samples,)
    double times,                           # IN
    double width,                           # IN
    double[::1] values not None,            # TEMP (n_samples,)
    int64_t[::1] weights not None,          # TEMP (n_samples,)
    double[:, ::1] cuts not None,           # OUT  (n_features, 2)
    int64_t[::1] n_cuts not None,           # OUT  (n_features,)
):
    """Write mean -/+ ``width`` sample standard deviations of every column."""
    cdef Py_ssize_t j, size, m = X.shape[1]

    _check_columns(X.shape, order, weight, values, weights, n_cuts)
    check_shape(cuts.shape, m, 2, "cuts")
    with nogil:
        for j in range(m):
            size = _read_sorted(X, order, j, weight, &values[0], &weights[0])
            n_cuts[j] = _sigma(&values[0], &weights[0], size, times, width, &cuts[j, 0])


cdef int _check_columns(
    const Py_ssize_t* shape, const int64_t[::1, :] order, const int64_t[::1] weight,
    const double[::1] values, const int64_t[::1] weights, const int64_t[::1] n_cuts,
) except -1:
    """Raise an error unless what all kernels take belongs together."""
    cdef Py_ssize_t j

    check_shape(order.shape, shape[0], shape[1], "order")
    for j in range(shape[1]):
        check_places(order[:, j], shape[0], "order")
    check_length(weight.shape[0], shape[0], "weight")
    check_length(values.shape[0], shape[0], "values")
    check_length(weights.shape[0], shape[0], "weights")
    return check_length(n_cuts.shape[0], shape[1], "n_cuts")


cdef Py_ssize_t _equal_frequency(
    const double* x, const int64_t* w, Py_ssize_t n, double times, Py_ssize_t q, double* cuts,
    int32_t* levels,
) noexcept nogil:
    """Write the quantiles, whose places are found in integers if the weights are; none of a row."""
    cdef Py_ssize_t i, j, k, n_cuts = 0, low_at = 0
    cdef int64_t total = 0, below, above
    cdef double heavy, tolerance, low, share, cut

    for i in range(n):
        total += w[i]
    heavy = total / times
    tolerance = 0.0 if times == 1.0 else 1e-9 * heavy
    below = w[0] if n > 0 else 0
    for j in range(1, q if n > 0 and heavy > 1.0 else 1):
        if times == 1.0:
            low = <double>(1 + (total - 1) // q * j + (total - 1) % q * j // q)
            share = <double>((total - 1) % q * j % q) / <double>q
        else:
            low = floor(1.0 + (heavy - 1.0) * j / q)
            share = 1.0 + (heavy - 1.0) * j / q - low
        while low_at < n - 1 and below < (low - tolerance) * times:
            low_at += 1
            below += w[low_at]
        k, above = low_at, below
        while k < n - 1 and above < (min(low + 1.0, heavy) - tolerance) * times:
            k += 1
            above += w[k]
        cut = x[low_at]
        if share > 0.0 and k > low_at:
            cut = between(x[low_at], x[k], share)
        if cut >= x[n - 1]:
            break                           # nothing lies above it
        if n_cuts == 0 or cut > cuts[n_cuts - 1]:
            cuts[n_cuts] = cut
            n_cuts += 1

    number_bins(x, cuts, n_cuts, levels)
    return n_cuts


def equal_frequency_cuts(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features)
    const int64_t[::1, :] order not None,   # IN   (n_samples, n_features), NaN last
    const int64_t[::1] weight not None,     # IN   (n_samples,)
    double times,                           # IN
    double[::1] values not None,            # TEMP (n_samples,)
    int64_t[::1] weights not None,          # TEMP (n_samples,)
    double[:, ::1] cuts not None,           # OUT  (n_features, n_bins - 1)
    int32_t[:, ::1] levels not None,        # OUT  (n_features, n_bins)
    int64_t[::1] n_cuts not None,           # OUT  (n_features,)
):
    """Write the distinct quantiles of columns; ``levels`` as in ``cuts.pyx``."""
    cdef Py_ssize_t j, size, m = X.shape[1], q = levels.shape[1]

    _check_columns(X.shape, order, weight, values, weights, n_cuts)
    check_length(levels.shape[0], m, "levels")
    check_shape(cuts.shape, m, q - 1, "cuts")
    with nogil:
        for j in range(m):
            size = _read_sorted(X, order, j, weight, &values[0], &weights[0])
            n_cuts[j] = _equal_frequency(
                &values[0], &weights[0], size, times, q, &cuts[j, 0], &levels[j, 0])


cdef struct weighing:
    double times
    const double* klogk         # by whole weight, or NULL: computed
    int n_classes
    bint better_encoding


cdef inline double _klogk(const weighing* rule, int64_t count) noexcept nogil:
    cdef double k = count / rule.times

    if rule.klogk != NULL:
        return rule.klogk[count]
    return k * log2(k) if count > 0 else 0.0


cdef inline double _side(
    const weighing* rule, const int64_t* counts, const int64_t* minus, int* present,
) noexcept nogil:
    """Sum ``klogk`` of ``counts - minus`` and count the classes present."""
    cdef double total = 0.0
    cdef int c

    present[0] = 0
    for c in range(rule.n_classes):
        if counts[c] > minus[c]:
            present[0] += 1
            total += _klogk(rule, counts[c] - minus[c])
    return total


cdef Py_ssize_t _best_cut(
    const weighing* rule, const double* x, const int32_t* y, const int64_t* w, Py_ssize_t n,
    int64_t* counts,
) noexcept nogil:
    """Return ``i`` to cut the segment between ``x[i]`` and ``x[i + 1]``, else -1.

    ``counts`` has room for three rows of classes: the segment, its left part, zeros.
    """
    cdef int64_t* left = counts + rule.n_classes
    cdef int64_t* zeros = left + rule.n_classes
    cdef Py_ssize_t i, best = -1, n_candidates = 0
    cdef double whole, part, least, term, new, size, size_1, size_2, rest = 0.0
    cdef double entropy, entropy_1, entropy_2, gain, cost
    cdef int64_t a, b, total = 0, on_left = 0
    cdef int k, k_1, k_2

    memset(counts, 0, <size_t>(3 * rule.n_classes) * sizeof(int64_t))
    for i in range(n):
        counts[y[i]] += w[i]
        total += w[i]
    size = total / rule.times
    whole = _side(rule, counts, zeros, &k)
    if k < 2 or size <= 1.0:
        return -1

    # as in ``cuts.pyx``, where a row changes sides with all its weight
    part = whole
    least = _klogk(rule, total) - whole - size * ENTROPY_TOLERANCE
    for i in range(n - 1):
        a = left[y[i]]
        b = counts[y[i]] - a
        left[y[i]] = a + w[i]
        on_left += w[i]
        term = (_klogk(rule, a + w[i]) - _klogk(rule, a))
        term = term - (_klogk(rule, b) - _klogk(rule, b - w[i])) - rest
        new = part + term
        rest = (new - part) - term
        part = new
        if x[i] < x[i + 1]:
            n_candidates += 1
            term = _klogk(rule, on_left) + _klogk(rule, total - on_left) - part
            if term < least:
                least = term - size * ENTROPY_TOLERANCE
                best = i
    if best < 0:
        return -1

    memset(left, 0, <size_t>rule.n_classes * sizeof(int64_t))
    on_left = 0
    for i in range(best + 1):
        left[y[i]] += w[i]
        on_left += w[i]
    size_1, size_2 = on_left / rule.times, (total - on_left) / rule.times
    entropy = (_klogk(rule, total) - whole) / size
    entropy_1 = (_klogk(rule, on_left) - _side(rule, left, zeros, &k_1)) / size_1
    entropy_2 = (_klogk(rule, total - on_left) - _side(rule, counts, left, &k_2)) / size_2
    gain = entropy - (size_1 * entropy_1 + size_2 * entropy_2) / size
    cost = log2(<double>n_candidates if rule.better_encoding else size - 1.0) + log2_choices(k)
    cost -= k * entropy - k_1 * entropy_1 - k_2 * entropy_2
    return best if gain > cost / size else -1


cdef Py_ssize_t _mdl(
    const weighing* rule, const double* x, const int32_t* y, const int64_t* w, Py_ssize_t n,
    int64_t* counts, uint8_t* is_cut, double* cuts,
) noexcept nogil:
    """Cut the sorted column while it pays."""
    cdef segments rows
    cdef Py_ssize_t cut

    start_segments(&rows, n, is_cut)
    while True:
        cut = -1
        if rows.last - rows.first > 1:
            cut = _best_cut(
                rule, x + rows.first, y + rows.first, w + rows.first, rows.last - rows.first,
                counts,
            )
        if not next_segment(&rows, cut, is_cut):
            return write_cuts(x, is_cut, n, cuts)


def mdl_cuts(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features)
    const int64_t[::1, :] order not None,   # IN   (n_samples, n_features), NaN last
    const int64_t[::1] weight not None,     # IN   (n_samples,)
    double times,                           # IN
    const int32_t[::1] y not None,          # IN   (n_samples,), 0 .. n_classes - 1
    int n_classes,                          # IN
    const double[::1] klogk,                # IN   (sum of the weights + 1,): k log2(k), or None
    bint better_encoding,                   # IN
    double[::1] values not None,            # TEMP (n_samples,)
    int64_t[::1] weights not None,          # TEMP (n_samples,)
    int32_t[::1] classes not None,          # TEMP (n_samples,)
    int64_t[::1] counts not None,           # TEMP (3 * n_classes,)
    uint8_t[::1] is_cut not None,           # TEMP (n_samples,)
    double[::1, :] cuts not None,           # OUT  (n_samples, n_features)
    int64_t[::1] n_cuts not None,           # OUT  (n_features,)
):
    """Write the cut points of Fayyad and Irani; ``order`` is the argsort by columns."""
    cdef Py_ssize_t i, j, size, n = X.shape[0], m = X.shape[1]
    cdef int64_t total = 0
    cdef weighing rule

    _check_columns(X.shape, order, weight, values, weights, n_cuts)
    check_shape(cuts.shape, n, m, "cuts")
    check_length(y.shape[0], n, "y")
    check_length(classes.shape[0], n, "classes")
    check_length(is_cut.shape[0], n, "is_cut")
    check_length(counts.shape[0], 3 * n_classes, "counts")
    check_places(y, n_classes, "y")
    if klogk is not None:
        for i in range(n):
            total += weight[i]
        check_length(klogk.shape[0], total + 1, "klogk")
    rule.times, rule.n_classes, rule.better_encoding = times, n_classes, better_encoding
    rule.klogk = NULL if klogk is None else &klogk[0]
    with nogil:
        for j in range(m):
            size = _read_sorted(X, order, j, weight, &values[0], &weights[0])
            for i in range(size):
                classes[i] = y[order[i, j]]
            n_cuts[j] = _mdl(
                &rule, &values[0], &classes[0], &weights[0], size, &counts[0], &is_cut[0],
                &cuts[0, j])
