"""Trees on coded columns: out-of-bag importance, and how well columns stand in for each other.

A table is two blocks of codes: columns ``0 .. p - 1`` and their contrasts ``p .. 2 p - 1`` (the
same columns in permuted rows, so that levels and kinds are those of the originals). A tree draws
its rows with replacement. At a node each candidate column is split where the rows in the bag say;
which column splits is decided by the rows out of the bag, and their decrease of impurity is what
the column is credited with.

All arrays of statistics hold sums, so that the decrease of impurity of a split is a difference
of terms ``sum of squares / weight`` for variance (unit: the target's square) and Gini alike.
"""

from libc.math cimport rint, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from ensfs._core.checks cimport check_places

cdef enum:
    MAX_LEVELS = 256
    POWER_STEPS = 20            # of the iteration for the first principal direction

# Gains per row that differ by less are tied; the target has unit variance or is a share.
cdef double TOLERANCE = 1e-12

cdef extern from "bits.h":
    int lowest_bit(uint64_t) noexcept nogil


# ------------------------------------------------------------------------------ random numbers

cdef inline uint64_t _next(uint64_t* state) noexcept nogil:
    """Next 64 random bits (splitmix64)."""
    cdef uint64_t z
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline Py_ssize_t _below(uint64_t* state, Py_ssize_t m) noexcept nogil:
    """Random number in ``0 .. m - 1``, for ``m`` below ``2 ** 32``."""
    return <Py_ssize_t>(((_next(state) >> 32) * <uint64_t>m) >> 32)


def permute_columns(
    const uint8_t[::1, :] X not None,       # IN   (n, p)
    const uint64_t[::1] seeds not None,     # IN   (p,) a seed for each column
    Py_ssize_t start,                       # IN   columns start .. stop - 1
    Py_ssize_t stop,
    uint8_t[::1, :] Z not None,             # OUT  (n, p)
):
    """Write each column in a random order of its own."""
    cdef Py_ssize_t n = X.shape[0], i, j, k
    cdef uint64_t state
    cdef uint8_t* z

    if Z.shape[0] != n or Z.shape[1] != X.shape[1] or seeds.shape[0] != X.shape[1]:
        raise ValueError("permute_columns: the shapes of the arrays do not agree")
    with nogil:
        for j in range(start, stop):
            state = seeds[j]
            z = &Z[0, j]
            for i in range(n):          # shuffle while copying
                k = _below(&state, i + 1)
                z[i] = z[k]
                z[k] = X[i, j]


# ------------------------------------------------------------------------------ one node

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
    double gain                 # decrease of impurity of the rows in the bag, times their weight
    int threshold               # codes up to here go left; -1: `left` decides
    uint8_t[MAX_LEVELS] left


cdef inline void _list_codes(Bins* bins) noexcept nogil:
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


cdef inline double _weight(const Bins* bins, int code) noexcept nogil:
    """Weight of the rows with a code."""
    cdef double total = bins.sums[code * bins.n_values]
    cdef int v
    if not bins.numeric:
        for v in range(1, bins.n_values):
            total += bins.sums[code * bins.n_values + v]
    return total


cdef inline void _clear(Bins* bins) noexcept nogil:
    """Set the sums of the listed codes back to zero."""
    cdef int u, v
    cdef double* at
    for u in range(bins.n_used):
        at = bins.sums + bins.used[u] * bins.n_values
        for v in range(bins.n_values):
            at[v] = 0.0


cdef void _fill_numeric(
    Bins* bins, const uint8_t* x, const int32_t* rows, const double* weights,
    const double* values, Py_ssize_t start, Py_ssize_t stop,
) noexcept nogil:
    """Weights and sums of a numeric target by code."""
    cdef Py_ssize_t i
    cdef int code
    for i in range(start, stop):
        code = x[rows[i]]
        bins.sums[2 * code] += weights[i]
        bins.sums[2 * code + 1] += values[i]
        bins.seen[code >> 6] |= <uint64_t>1 << (code & 63)
    _list_codes(bins)


cdef void _fill_classes(
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
    _list_codes(bins)


cdef void _sort_levels(Bins* bins) noexcept nogil:
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


cdef void _score_by_class_shares(
    Bins* bins, const double* total, double weight, double* direction, double* next_direction,
) noexcept nogil:
    """Score levels by their class shares along the first principal direction of these."""
    cdef int C = bins.n_values, c, u, _step, far = 0
    cdef double w, norm, along, most = 0.0
    cdef double* at

    for u in range(bins.n_used):        # from the level that is furthest off, by weight
        at = bins.sums + bins.used[u] * C
        w = _weight(bins, bins.used[u])
        norm = 0.0
        for c in range(C):
            along = at[c] / w - total[c] / weight
            norm += along * along
        if w * norm > most * (1.0 + 1e-9):  # the first of equal ones, rounded or not
            most = w * norm
            far = u
    at = bins.sums + bins.used[far] * C
    w = _weight(bins, bins.used[far])
    for c in range(C):
        direction[c] = at[c] / w - total[c] / weight
    for _step in range(POWER_STEPS):
        for c in range(C):
            next_direction[c] = 0.0
        for u in range(bins.n_used):
            at = bins.sums + bins.used[u] * C
            w = _weight(bins, bins.used[u])
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
        w = _weight(bins, bins.used[u])
        along = 0.0
        for c in range(C):
            along += at[c] / w * direction[c]
        bins.score[bins.used[u]] = rint(1e9 * along)  # equal shares are equal, rounded or not


cdef int _best_numeric(
    Bins* bins, double weight, double total, double min_leaf, double* gain,
) noexcept nogil:
    """How many of the listed codes go left in the best split; 0: there is none."""
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
        if s * s > (best + TOLERANCE) * product:
            best = s * s / product
            found = u + 1
    gain[0] = best * weight
    return found


cdef int _best_classes(
    Bins* bins, double weight, const double* total, double min_leaf, double* left, double* gain,
) noexcept nogil:
    """The same for classes; ``left`` has room for their weights."""
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
        if value > best + TOLERANCE * weight:
            best = value
            found = u + 1
    gain[0] = best - parent
    return found


cdef void _set_split(
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
        w += _weight(bins, bins.used[u])
    # levels that no row in the bag has go with most of the rows
    memset(split.left, 1 if w >= weight - w else 0, MAX_LEVELS)
    for u in range(bins.n_used):
        split.left[bins.used[u]] = u < n_left


cdef inline bint _goes_left(const Split* split, uint8_t code) noexcept nogil:
    return code <= split.threshold if split.threshold >= 0 else split.left[code]


cdef double _gain_numeric(
    const Split* split, const uint8_t* x, const int32_t* rows, const double* y,
    Py_ssize_t start, Py_ssize_t stop, double total,
) noexcept nogil:
    """Decrease of impurity that a split gives rows of weight one, times their number."""
    cdef Py_ssize_t i, n = stop - start, n_left = 0
    cdef double s = 0.0
    cdef int left
    if split.threshold >= 0:            # no branch: rows go either way at random
        for i in range(start, stop):
            left = x[rows[i]] <= split.threshold
            n_left += left
            s += left * y[i]
    else:
        for i in range(start, stop):
            left = split.left[x[rows[i]]]
            n_left += left
            s += left * y[i]
    if n_left == 0 or n_left == n:
        return 0.0
    return s * s / n_left + (total - s) * (total - s) / (n - n_left) - total * total / n


cdef double _gain_classes(
    const Split* split, const uint8_t* x, const int32_t* rows, const int32_t* y,
    Py_ssize_t start, Py_ssize_t stop, const double* total, int C, double* left,
) noexcept nogil:
    """The same for classes."""
    cdef Py_ssize_t i, n = stop - start, n_left = 0
    cdef double a = 0.0, b = 0.0, parent = 0.0
    cdef int c
    for c in range(C):
        left[c] = 0.0
    for i in range(start, stop):
        if _goes_left(split, x[rows[i]]):
            n_left += 1
            left[y[rows[i]]] += 1.0
    if n_left == 0 or n_left == n:
        return 0.0
    for c in range(C):
        a += left[c] * left[c]
        b += (total[c] - left[c]) * (total[c] - left[c])
        parent += total[c] * total[c]
    return a / n_left + b / (n - n_left) - parent / n


cdef double _association(Bins* bins, bint nominal, double weight, double left) noexcept nogil:
    """Predictive association of the best surrogate with a split that sends ``left`` left.

    ``bins`` holds for each code the weight and how much of it goes left.
    """
    cdef double agree = 0.0, same = 0.0, value, w, w_left, least = min(left, weight - left)
    cdef int u
    if nominal:                         # each level goes where most of it goes
        for u in range(bins.n_used):
            w = bins.sums[2 * bins.used[u]]
            w_left = bins.sums[2 * bins.used[u] + 1]
            agree += max(w_left, w - w_left)
    else:
        # codes up to some level left, the rest right, or the other way round
        same = weight - left
        for u in range(bins.n_used - 1):
            w = bins.sums[2 * bins.used[u]]
            w_left = bins.sums[2 * bins.used[u] + 1]
            same += w_left - (w - w_left)
            agree = max(agree, max(same, weight - same))
    value = (least - (weight - agree)) / least
    return value if value > 0.0 else 0.0


def association(
    const uint8_t[::1] x not None,          # IN   (n,) codes
    const double[::1] weights not None,     # IN   (n,)
    const double[::1] went_left not None,   # IN   (n,) the weight where the split sends left, or 0
    bint nominal,                           # IN
):
    """Predictive association of the best surrogate split on one column with a given split."""
    cdef Py_ssize_t i, n = x.shape[0]
    cdef double[2 * MAX_LEVELS] sums
    cdef double weight = 0.0, left = 0.0
    cdef Bins bins

    if weights.shape[0] != n or went_left.shape[0] != n:
        raise ValueError("association: the shapes of the arrays do not agree")
    memset(sums, 0, sizeof(sums))
    memset(bins.seen, 0, sizeof(bins.seen))
    bins.numeric = True
    bins.n_values = 2
    bins.sums = sums
    for i in range(n):
        weight += weights[i]
        left += went_left[i]
        bins.sums[2 * x[i]] += weights[i]
        bins.sums[2 * x[i] + 1] += went_left[i]
        bins.seen[x[i] >> 6] |= <uint64_t>1 << (x[i] & 63)
    _list_codes(&bins)
    return _association(&bins, nominal, weight, left)


# ------------------------------------------------------------------------------ one tree

cdef struct Data:
    const uint8_t* X
    const uint8_t* Z
    Py_ssize_t n
    Py_ssize_t p
    const uint8_t* nominal
    const double* y             # numeric target, or NULL
    const int32_t* classes      # classes, or NULL
    int n_classes


cdef struct Node:
    int64_t[2] start            # rows in the bag, rows out of the bag
    int64_t[2] stop
    int64_t depth


cdef struct Tree:
    # Rows in the order of the nodes: in the bag (0), out of it (1).
    int32_t* rows[2]
    double* weights[2]          # how often each row was drawn (1 out of the bag)
    double* values[2]           # weight times target
    double* went_left           # weight of the rows in the bag that a split sends left
    int32_t* order              # candidates: the first ones of a permutation of the columns
    double* total               # sums of the target at a node, in the bag and out of it
    double* temporary
    Node* stack


cdef inline const uint8_t* _column(const Data* data, Py_ssize_t j) noexcept nogil:
    return data.X + j * data.n if j < data.p else data.Z + (j - data.p) * data.n


cdef void _draw_rows(const Data* data, Tree* tree, uint64_t* state, Node* root) noexcept nogil:
    """Draw n rows with replacement; the others are out of the bag."""
    cdef Py_ssize_t i, _i, n = data.n, side
    cdef double* times = tree.went_left
    for i in range(n):
        times[i] = 0.0
    for _i in range(n):
        times[_below(state, n)] += 1.0
    root.depth = 0
    for side in range(2):
        root.start[side] = root.stop[side] = 0
    for i in range(n):
        side = 0 if times[i] > 0.0 else 1
        tree.rows[side][root.stop[side]] = <int32_t>i
        tree.weights[side][root.stop[side]] = times[i] if side == 0 else 1.0
        if data.y != NULL:
            tree.values[side][root.stop[side]] = (
                data.y[i] * times[i] if side == 0 else data.y[i]
            )
        root.stop[side] += 1


cdef void _sum_target(
    const Data* data, const Tree* tree, const Node* node, double* weight,
) noexcept nogil:
    """Sums of the target at a node: one number or one per class, in the bag, then out of it."""
    cdef Py_ssize_t i
    cdef int side, C = data.n_classes if data.y == NULL else 1
    cdef double* total
    for side in range(2):
        total = tree.total + side * C
        memset(total, 0, <size_t>C * sizeof(double))
        weight[side] = 0.0
        for i in range(node.start[side], node.stop[side]):
            weight[side] += tree.weights[side][i]
            if data.y != NULL:
                total[0] += tree.values[side][i]
            else:
                total[data.classes[tree.rows[side][i]]] += tree.weights[side][i]


cdef double _try_column(
    const Data* data, const Tree* tree, const Node* node, Py_ssize_t j, const double* weight,
    double min_leaf, Bins* bins, Split* split,
) noexcept nogil:
    """Split column ``j`` by the rows in the bag; its gain by the rows out of it, 0 if none."""
    cdef const uint8_t* x = _column(data, j)
    cdef bint nominal = data.nominal[j % data.p]
    cdef int n_left, u, C = data.n_classes
    if data.y != NULL:
        _fill_numeric(
            bins, x, tree.rows[0], tree.weights[0], tree.values[0], node.start[0], node.stop[0]
        )
        if nominal:
            for u in range(bins.n_used):
                bins.score[bins.used[u]] = (
                    bins.sums[2 * bins.used[u] + 1] / bins.sums[2 * bins.used[u]]
                )
            _sort_levels(bins)
        n_left = _best_numeric(bins, weight[0], tree.total[0], min_leaf, &split.gain)
    else:
        _fill_classes(
            bins, x, tree.rows[0], tree.weights[0], data.classes, node.start[0], node.stop[0]
        )
        if nominal and bins.n_used > 1:
            _score_by_class_shares(
                bins, tree.total, weight[0], tree.temporary, tree.temporary + C
            )
            _sort_levels(bins)
        n_left = _best_classes(
            bins, weight[0], tree.total, min_leaf, tree.temporary, &split.gain
        )
    if n_left:
        _set_split(bins, n_left, nominal, weight[0], split)
    _clear(bins)
    if not n_left:
        return 0.0
    if data.y != NULL:
        return _gain_numeric(
            split, x, tree.rows[1], tree.values[1], node.start[1], node.stop[1], tree.total[1]
        )
    return _gain_classes(
        split, x, tree.rows[1], data.classes, node.start[1], node.stop[1], tree.total + C, C,
        tree.temporary,
    )


cdef Py_ssize_t _best_column(
    const Data* data, const Tree* tree, const Node* node, Py_ssize_t n_columns, Py_ssize_t mtry,
    const double* weight, double min_leaf, uint64_t* state, Bins* bins, Split* split,
    double* gain,
) noexcept nogil:
    """The candidate with the largest gain out of the bag, and its split; -1: none gains.

    Small nodes have many ties. They go to the candidate that was drawn first: if they went to the
    lower column, columns would win them against their contrasts.
    """
    cdef Split tried
    cdef Py_ssize_t k, at, j, best = -1
    cdef double value, tolerance = TOLERANCE * weight[1]
    gain[0] = tolerance
    for k in range(mtry):
        at = k + _below(state, n_columns - k)
        j = tree.order[at]
        tree.order[at] = tree.order[k]
        tree.order[k] = <int32_t>j
        value = _try_column(data, tree, node, j, weight, min_leaf, bins, &tried)
        if value > gain[0] + tolerance:
            best = j
            gain[0] = value
            split[0] = tried
    return best


cdef Py_ssize_t _divide(
    const Data* data, Tree* tree, int side, Py_ssize_t start, Py_ssize_t stop, const uint8_t* x,
    const Split* split,
) noexcept nogil:
    """Bring the rows that go left to the front, and say where the others begin.

    The others are turned round; no sum depends on it, because the order is the same in every run.
    """
    cdef int32_t row
    cdef double weight, value
    cdef bint numeric = data.y != NULL
    while start < stop:
        row = tree.rows[side][start]
        if _goes_left(split, x[row]):
            start += 1
            continue
        stop -= 1
        tree.rows[side][start] = tree.rows[side][stop]
        tree.rows[side][stop] = row
        weight = tree.weights[side][start]
        tree.weights[side][start] = tree.weights[side][stop]
        tree.weights[side][stop] = weight
        if numeric:
            value = tree.values[side][start]
            tree.values[side][start] = tree.values[side][stop]
            tree.values[side][stop] = value
    return start


cdef void _associate(
    const Data* data, const Tree* tree, const Node* node, Py_ssize_t middle, double weight,
    Py_ssize_t n_columns, Bins* bins, double* out,
) noexcept nogil:
    """Association of every column with the split that divided the node's rows at ``middle``."""
    cdef Py_ssize_t i, j
    cdef double left = 0.0
    for i in range(node.start[0], node.stop[0]):
        tree.went_left[i] = tree.weights[0][i] if i < middle else 0.0
        left += tree.went_left[i]
    for j in range(n_columns):
        _fill_numeric(
            bins, _column(data, j), tree.rows[0], tree.weights[0], tree.went_left,
            node.start[0], node.stop[0],
        )
        out[j] = _association(bins, data.nominal[j % data.p], weight, left)
        _clear(bins)


cdef bint _is_leaf(
    const Data* data, const Tree* tree, const Node* node, const double* weight, int max_depth,
    double min_leaf,
) noexcept nogil:
    """Whether nothing is to be tried at a node."""
    cdef int c
    if node.depth >= max_depth or weight[0] < 2 * min_leaf or node.start[1] == node.stop[1]:
        return True
    if data.y == NULL:                  # one class only
        for c in range(data.n_classes):
            if tree.total[c] == weight[0]:
                return True
    return False


cdef int32_t _grow(
    const Data* data, Tree* tree, Bins* bins, Bins* sides, uint64_t state, Py_ssize_t n_columns,
    Py_ssize_t mtry, int max_depth, double min_leaf, double* importance,
    int32_t* node_column, double* node_gain, double* associations,
) noexcept nogil:
    """Grow one tree; the number of nodes whose associations were written."""
    cdef Node node, child
    cdef Split split
    cdef double[2] weight
    cdef double gain, n_out
    cdef Py_ssize_t j, n_stacked = 1
    cdef Py_ssize_t[2] middle
    cdef int32_t n_nodes = 0
    cdef int side

    for j in range(n_columns):
        tree.order[j] = <int32_t>j
        importance[j] = 0.0
    _draw_rows(data, tree, &state, &tree.stack[0])
    n_out = <double>tree.stack[0].stop[1]
    while n_stacked > 0:
        n_stacked -= 1
        node = tree.stack[n_stacked]
        _sum_target(data, tree, &node, weight)
        if _is_leaf(data, tree, &node, weight, max_depth, min_leaf):
            continue
        j = _best_column(
            data, tree, &node, n_columns, mtry, weight, min_leaf, &state, bins, &split, &gain
        )
        if j < 0:
            continue
        gain /= n_out
        importance[j] += gain
        for side in range(2):
            middle[side] = _divide(
                data, tree, side, node.start[side], node.stop[side], _column(data, j), &split
            )
        if associations != NULL and j < data.p:
            node_column[n_nodes] = <int32_t>j
            node_gain[n_nodes] = gain
            _associate(
                data, tree, &node, middle[0], weight[0], n_columns, sides,
                associations + n_nodes * n_columns,
            )
            n_nodes += 1
        child = node
        child.depth += 1
        for side in range(2):
            child.start[side] = middle[side]
        tree.stack[n_stacked] = child           # the right one waits
        for side in range(2):
            child.start[side] = node.start[side]
            child.stop[side] = middle[side]
        tree.stack[n_stacked + 1] = child
        n_stacked += 2
    return n_nodes


def grow(
    const uint8_t[::1, :] X not None,       # IN   (n, p) codes
    const uint8_t[::1, :] Z,                # IN   (n, p) contrasts, or None
    const uint8_t[::1] nominal not None,    # IN   (p,) 1: the levels have no order
    const double[::1] y,                    # IN   (n,) numeric target, or None
    const int32_t[::1] classes,             # IN   (n,) classes, or None
    int n_classes,                          # IN
    const uint64_t[::1] seeds not None,     # IN   (n_trees,)
    Py_ssize_t mtry,                        # IN   candidates at each node
    int max_depth,                          # IN
    double min_leaf,                        # IN   least weight of a child
    Py_ssize_t start,                       # IN   trees start .. stop - 1
    Py_ssize_t stop,
    int32_t[:, ::1] rows not None,          # TEMP (2, n)
    double[:, ::1] values not None,         # TEMP (5, n)
    int32_t[::1] order not None,            # TEMP (columns,)
    double[::1] sums not None,              # TEMP (256 * (width + 2) + 4 * width,), see below
    int64_t[::1] stack not None,            # TEMP (5 * (max_depth + 2),)
    double[:, ::1] importances not None,    # OUT  (n_trees, columns)
    int32_t[::1] n_nodes,                   # OUT  (n_trees,), or None: no associations
    int32_t[:, ::1] node_columns,           # OUT  (n_trees, most nodes)
    double[:, ::1] node_gains,              # OUT  (n_trees, most nodes)
    double[:, :, ::1] associations,         # OUT  (n_trees, most nodes, columns)
):
    """Grow trees and sum up out-of-bag decreases of impurity by column.

    With ``n_nodes``, also the predictive association of every column with the split of each node
    that an original column (not a contrast) divides: the column, its gain, the associations.
    ``width`` is the larger of 2 and ``n_classes``, ``min_leaf`` is at least 1, ``y`` has mean
    about 0 and variance about 1.
    """
    cdef Data data
    cdef Tree tree
    cdef Bins bins, sides
    cdef Py_ssize_t t, n = X.shape[0], p = X.shape[1]
    cdef Py_ssize_t n_columns = p if Z is None else 2 * p
    cdef int side, width = max(n_classes, 2)
    cdef bint associate = n_nodes is not None
    # every node that is divided leaves one leaf more, of at least `min_leaf` rows in the bag
    cdef double most_nodes = min(2.0 ** max_depth - 1.0, n // min_leaf)

    if (
        nominal.shape[0] != p or rows.shape[0] != 2 or rows.shape[1] != n
        or values.shape[0] != 5 or values.shape[1] != n or order.shape[0] < n_columns
        or sums.shape[0] < MAX_LEVELS * (width + 2) + 4 * width
        or stack.shape[0] < 5 * (max_depth + 2)
        or importances.shape[1] != n_columns or min_leaf < 1 or mtry > n_columns
        or (Z is not None and (Z.shape[0] != n or Z.shape[1] != p))
    ):
        raise ValueError("grow: the shapes of the arrays do not agree")
    if not 0 <= start <= stop <= min(seeds.shape[0], importances.shape[0]):
        raise ValueError("grow: seeds and importances must have a place for each tree")
    if y is not None and y.shape[0] != n:
        raise ValueError("grow: y must have a value for each row")
    if y is None:
        if classes is None or classes.shape[0] != n:
            raise ValueError("grow: classes must have a value for each row")
        check_places(classes, n_classes, "grow: classes")
    if associate and (
        n_nodes.shape[0] < stop or node_columns.shape[0] < stop or node_gains.shape[0] < stop
        or associations.shape[0] < stop or associations.shape[2] != n_columns
        or min(node_columns.shape[1], node_gains.shape[1], associations.shape[1]) < most_nodes
    ):
        raise ValueError(f"grow: the arrays of nodes must have room for {most_nodes:.0f} of them")
    data.X = &X[0, 0]
    data.Z = NULL if Z is None else &Z[0, 0]
    data.n = n
    data.p = p
    data.nominal = &nominal[0]
    data.y = NULL if y is None else &y[0]
    data.classes = NULL if y is not None else &classes[0]
    data.n_classes = n_classes
    for side in range(2):
        tree.rows[side] = &rows[side, 0]
        tree.weights[side] = &values[side, 0]
        tree.values[side] = &values[2 + side, 0]
    tree.went_left = &values[4, 0]
    tree.order = &order[0]
    tree.stack = <Node*>&stack[0]
    bins.numeric = y is not None
    bins.n_values = 2 if y is not None else n_classes
    bins.sums = &sums[0]
    sides.numeric = True
    sides.n_values = 2
    sides.sums = &sums[MAX_LEVELS * width]
    tree.total = sides.sums + 2 * MAX_LEVELS
    tree.temporary = tree.total + 2 * width
    memset(bins.seen, 0, sizeof(bins.seen))
    memset(sides.seen, 0, sizeof(sides.seen))
    with nogil:
        memset(bins.sums, 0, <size_t>(MAX_LEVELS * (width + 2)) * sizeof(double))
        for t in range(start, stop):
            if associate:
                n_nodes[t] = _grow(
                    &data, &tree, &bins, &sides, seeds[t], n_columns, mtry, max_depth, min_leaf,
                    &importances[t, 0], &node_columns[t, 0], &node_gains[t, 0],
                    &associations[t, 0, 0],
                )
            else:
                _grow(
                    &data, &tree, &bins, &sides, seeds[t], n_columns, mtry, max_depth, min_leaf,
                    &importances[t, 0], NULL, NULL, NULL,
                )
