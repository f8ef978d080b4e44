"""Splits of a node on one column: sums by code, and the best split.

Functions are inline, so that the kernels of trees are compiled as one.
"""

from libc.math cimport rint, sqrt
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memset

cdef extern from *:
    """
    /* Gains per row that differ by less are tied; the target has unit variance or is a share. */
    static const double ENSFS_GAIN_TOLERANCE = 1e-12;
    """
    const double GAIN_TOLERANCE "ENSFS_GAIN_TOLERANCE"

cdef extern from "bits.h":
    int lowest_bit(uint64_t) noexcept nogil

cdef extern from "pairs.h":
    void add_pair(double*, double, double) noexcept nogil

cdef enum:
    MAX_LEVELS = 256
    MISSING = 255               # code of a missing cell; no other cell has it
    POWER_STEPS = 20            # of the iteration for the first principal direction


cdef struct Bins:
    # What a column does with the rows of a node: sums by code, and which codes occur.
    bint numeric                # sums of each code: weight and sum, else a weight for each class
    int n_values                # how many sums
    double* sums                # (MAX_LEVELS, n_values), zero where no row was seen
    uint64_t[4] seen
    int n_used
    int32_t[MAX_LEVELS] used    # the codes that occur; ascending unless they were sorted
    double[MAX_LEVELS] score    # what levels are sorted by


cdef struct Split:
    double apart                # of numbers: mean of the rows in the bag, left minus right
    double credit               # what the column that splits is credited with
    int threshold               # codes up to here go left; -1: `left` decides
    uint8_t[MAX_LEVELS] left


cdef inline void list_codes(Bins* bins) noexcept nogil:
    """List the codes that were seen, in ascending order, and forget that they were."""
    cdef int word
    cdef uint64_t bits
    bins.n_used = 0
    for word in range(4):
        bits = bins.seen[word]
        bins.seen[word] = 0
        while bits:
            bins.used[bins.n_used] = word * 64 + lowest_bit(bits)
            bins.n_used += 1
            bits &= bits - 1


cdef inline double weight_of(const Bins* bins, int code) noexcept nogil:
    """Weight of the rows with a code."""
    cdef double total = bins.sums[code * bins.n_values]
    cdef int v
    if not bins.numeric:
        for v in range(1, bins.n_values):
            total += bins.sums[code * bins.n_values + v]
    return total


cdef inline void clear_bins(Bins* bins) noexcept nogil:
    """Set the sums of the listed codes back to zero."""
    cdef int u, v
    cdef double* at
    if bins.n_values == 2:              # compilers call memset for each of the others
        for u in range(bins.n_used):
            at = bins.sums + 2 * bins.used[u]
            at[0] = at[1] = 0.0
        return
    for u in range(bins.n_used):
        at = bins.sums + bins.used[u] * bins.n_values
        for v in range(bins.n_values):
            at[v] = 0.0


cdef inline void fill_numeric(
    Bins* bins, const uint8_t* x, const int32_t* rows, const double* weights,
    const double* values, Py_ssize_t start, Py_ssize_t stop,
) noexcept nogil:
    """Weights and sums of a numeric target by code."""
    add_numeric(bins, x, rows, weights, values, start, stop)
    list_codes(bins)


cdef inline void add_numeric(
    Bins* bins, const uint8_t* x, const int32_t* rows, const double* weights,
    const double* values, Py_ssize_t start, Py_ssize_t stop,
) noexcept nogil:
    """The same without a list of the codes."""
    cdef Py_ssize_t i
    cdef int code
    for i in range(start, stop):
        code = x[rows[i]]
        add_pair(bins.sums + 2 * code, weights[i], values[i])
        bins.seen[code >> 6] |= <uint64_t>1 << (code & 63)


cdef inline void fill_classes(
    Bins* bins, const uint8_t* x, const int32_t* rows, const double* weights,
    const int32_t* y, Py_ssize_t start, Py_ssize_t stop,
) noexcept nogil:
    """Weights of the classes by code."""
    cdef Py_ssize_t i
    cdef int code
    for i in range(start, stop):
        code = x[rows[i]]
        bins.sums[code * bins.n_values + y[rows[i]]] += weights[i]
        bins.seen[code >> 6] |= <uint64_t>1 << (code & 63)
    list_codes(bins)


cdef inline void sort_levels(Bins* bins) noexcept nogil:
    """Sort the listed levels by their score, then by their code (a shell sort)."""
    cdef int gap = 1, i, j, level
    while gap < bins.n_used:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, bins.n_used):
            level = bins.used[i]
            j = i
            while j >= gap and (
                bins.score[bins.used[j - gap]] > bins.score[level]
                or (bins.score[bins.used[j - gap]] == bins.score[level]
                    and bins.used[j - gap] > level)
            ):
                bins.used[j] = bins.used[j - gap]
                j -= gap
            bins.used[j] = level
        gap //= 3


cdef inline void score_by_class_shares(
    Bins* bins, const double* total, double weight, double* direction, double* next_direction,
) noexcept nogil:
    """Score levels by their class shares along the first principal direction of these."""
    cdef int C = bins.n_values, c, u, _step, far = 0
    cdef double w, norm, along, most = 0.0
    cdef double* at

    for u in range(bins.n_used):        # from the level that is furthest off, by weight
        at = bins.sums + bins.used[u] * C
        w = weight_of(bins, bins.used[u])
        norm = 0.0
        for c in range(C):
            along = at[c] / w - total[c] / weight
            norm += along * along
        if w * norm > most * (1.0 + 1e-9):  # the first of equal ones, rounded or not
            most = w * norm
            far = u
    at = bins.sums + bins.used[far] * C
    w = weight_of(bins, bins.used[far])
    for c in range(C):
        direction[c] = at[c] / w - total[c] / weight
    for _step in range(POWER_STEPS):
        for c in range(C):
            next_direction[c] = 0.0
        for u in range(bins.n_used):
            at = bins.sums + bins.used[u] * C
            w = weight_of(bins, bins.used[u])
            along = 0.0
            for c in range(C):
                along += (at[c] / w - total[c] / weight) * direction[c]
            for c in range(C):
                next_direction[c] += w * along * (at[c] / w - total[c] / weight)
        norm = 0.0
        for c in range(C):
            norm += next_direction[c] * next_direction[c]
        if norm == 0.0:
            break
        norm = sqrt(norm)
        for c in range(C):
            direction[c] = next_direction[c] / norm
    for u in range(bins.n_used):
        at = bins.sums + bins.used[u] * C
        w = weight_of(bins, bins.used[u])
        along = 0.0
        for c in range(C):
            along += at[c] / w * direction[c]
        bins.score[bins.used[u]] = rint(1e9 * along)  # equal shares are equal, rounded or not


cdef inline int best_numeric(
    Bins* bins, double weight, double total, double min_leaf, double* apart,
) noexcept nogil:
    """How many of the listed codes go left in the best split; 0: there is none.

    ``apart`` is how far the means of both sides are apart then.
    """
    # With sums about the mean of the node the gain is weight * s * s / (w * (weight - w)): a
    # product tells whether it is larger, and only the best ones are divided.
    cdef double w = 0.0, s = 0.0, mean = total / weight, best = 0.0, product
    cdef int u, found = 0
    for u in range(bins.n_used - 1):
        w += bins.sums[2 * bins.used[u]]
        s += bins.sums[2 * bins.used[u] + 1] - bins.sums[2 * bins.used[u]] * mean
        if w < min_leaf:
            continue
        if weight - w < min_leaf:
            break
        product = w * (weight - w)
        if s * s > (best + GAIN_TOLERANCE) * product:
            best = s * s / product
            apart[0] = s * weight / product
            found = u + 1
    return found


cdef inline int best_threshold(
    Bins* bins, double weight, double total, double min_leaf, double* apart,
) noexcept nogil:
    """The last code that goes left in the split that `best_numeric` finds; -1: there is none.

    Goes through the codes that were seen, without a list of them, and empties the bins.
    """
    cdef double w = 0.0, s = 0.0, mean = total / weight, best = 0.0, product
    cdef double* at
    cdef int word, code, found = -1
    cdef uint64_t bits
    for word in range(4):
        bits = bins.seen[word]
        bins.seen[word] = 0
        while bits:
            code = word * 64 + lowest_bit(bits)
            bits &= bits - 1
            at = bins.sums + 2 * code
            w += at[0]
            s += at[1] - at[0] * mean
            at[0] = at[1] = 0.0
            if w < min_leaf or weight - w < min_leaf:
                continue
            product = w * (weight - w)
            if s * s > (best + GAIN_TOLERANCE) * product:
                best = s * s / product
                apart[0] = s * weight / product
                found = code
    return found


cdef inline int best_classes(
    Bins* bins, double weight, const double* total, double min_leaf, double* left, double* apart,
) noexcept nogil:
    """The same for classes, whose shares are apart; ``left`` holds their weights on the way."""
    cdef int C = bins.n_values, c, u, found = 0
    cdef double w = 0.0, parent = 0.0, value, a, b, best
    cdef double* at
    for c in range(C):
        left[c] = 0.0
        parent += total[c] * total[c]
    parent /= weight
    best = parent
    for u in range(bins.n_used - 1):
        at = bins.sums + bins.used[u] * C
        for c in range(C):
            left[c] += at[c]
            w += at[c]
        if w < min_leaf:
            continue
        if weight - w < min_leaf:
            break
        a = 0.0
        b = 0.0
        for c in range(C):
            a += left[c] * left[c]
            b += (total[c] - left[c]) * (total[c] - left[c])
        value = a / w + b / (weight - w)
        if value > best + GAIN_TOLERANCE * weight:
            best = value
            found = u + 1
            for c in range(C):
                apart[c] = left[c] / w - (total[c] - left[c]) / (weight - w)
    return found


cdef inline int best_numeric_with_gaps(
    Bins* bins, double weight, double total, double min_leaf, double* apart, bint* missing_left,
) noexcept nogil:
    """As `best_numeric`, for codes of which the last stands for missing cells.

    At each point both sides are tried for these, and the larger gain wins; ties go to the larger
    child, then left. The last point is above all others, and tells missing cells from the rest.
    """
    cdef double mean = total / weight, best = 0.0, w = 0.0, s = 0.0, value, here
    cdef double m = bins.sums[2 * MISSING], with_m = bins.sums[2 * MISSING + 1] - m * mean
    cdef double[2] gains        # with missing cells right, and left
    cdef int u, side, found = 0, n_observed = bins.n_used - 1
    for u in range(n_observed):
        w += bins.sums[2 * bins.used[u]]
        s += bins.sums[2 * bins.used[u] + 1] - bins.sums[2 * bins.used[u]] * mean
        gains[0] = gains[1] = -1.0
        if w >= min_leaf and weight - w >= min_leaf:
            gains[0] = s * s / (w * (weight - w))
        if u < n_observed - 1 and w + m >= min_leaf and weight - w - m >= min_leaf:
            gains[1] = (s + with_m) * (s + with_m) / ((w + m) * (weight - w - m))
        side = side_of_missing(gains, w >= weight - m - w, GAIN_TOLERANCE)
        value = gains[side]
        if value > best + GAIN_TOLERANCE:
            best = value
            found = u + 1
            missing_left[0] = side
            here = w + side * m
            apart[0] = (s + side * with_m) * weight / (here * (weight - here))
    return found


cdef inline int side_of_missing(
    const double* gains, bint left_is_larger, double tolerance
) noexcept nogil:
    """1 if missing cells go left, by the gains with them right and left."""
    if gains[1] > gains[0] + tolerance:
        return 1
    if gains[0] > gains[1] + tolerance:
        return 0
    return left_is_larger


cdef inline int best_classes_with_gaps(
    Bins* bins, double weight, const double* total, double min_leaf, double* left, double* apart,
    bint* missing_left,
) noexcept nogil:
    """The same for classes."""
    cdef int C = bins.n_values, c, u, side, found = 0, n_observed = bins.n_used - 1
    cdef double w = 0.0, m = weight_of(bins, MISSING), parent = 0.0, a, b, best, here
    cdef double[2] gains
    cdef double* at
    cdef double* gaps = bins.sums + MISSING * C
    for c in range(C):
        left[c] = 0.0
        parent += total[c] * total[c]
    parent /= weight
    best = parent
    for u in range(n_observed):
        at = bins.sums + bins.used[u] * C
        for c in range(C):
            left[c] += at[c]
            w += at[c]
        for side in range(2):
            gains[side] = -1.0
            here = w + side * m
            if here < min_leaf or weight - here < min_leaf or (side and u == n_observed - 1):
                continue
            a = 0.0
            b = 0.0
            for c in range(C):
                a += (left[c] + side * gaps[c]) * (left[c] + side * gaps[c])
                b += (total[c] - left[c] - side * gaps[c]) * (total[c] - left[c] - side * gaps[c])
            gains[side] = a / here + b / (weight - here)
        side = side_of_missing(gains, w >= weight - m - w, GAIN_TOLERANCE * weight)
        if gains[side] > best + GAIN_TOLERANCE * weight:
            best = gains[side]
            found = u + 1
            missing_left[0] = side
            here = w + side * m
            for c in range(C):
                apart[c] = (
                    (left[c] + side * gaps[c]) / here
                    - (total[c] - left[c] - side * gaps[c]) / (weight - here)
                )
    return found


cdef inline void send_missing(Split* split, bint missing_left) noexcept nogil:
    """Let missing cells go left or right of a split at a threshold."""
    cdef int code, threshold = split.threshold
    if not missing_left:
        return                          # their code is above any threshold
    for code in range(MAX_LEVELS):
        split.left[code] = code <= threshold or code == MISSING
    split.threshold = -1


cdef inline void set_split(
    Bins* bins, int n_left, bint nominal, double weight, Split* split,
) noexcept nogil:
    """Which codes go left, where the first ``n_left`` of the listed ones do."""
    cdef int u
    cdef double w = 0.0
    if not nominal:
        split.threshold = bins.used[n_left - 1]
        return
    split.threshold = -1
    for u in range(n_left):
        w += weight_of(bins, bins.used[u])
    # levels that no row in the bag has go with most of the rows
    memset(split.left, 1 if w >= weight - w else 0, MAX_LEVELS)
    for u in range(bins.n_used):
        split.left[bins.used[u]] = u < n_left


cdef inline bint goes_left(const Split* split, uint8_t code) noexcept nogil:
    return code <= split.threshold if split.threshold >= 0 else split.left[code]
