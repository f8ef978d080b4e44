"""One tree: its rows, the nodes it goes through, and what its columns are credited with.

Functions are inline, so that the kernels of trees are compiled as one.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from ensfs._core.random_bits cimport next_bits, random_below
from ensfs._core.split_gains cimport (
    best_association, gain_classes, gain_numeric, weighted_gain_classes, weighted_gain_numeric
)
from ensfs._core.splits cimport (
    GAIN_TOLERANCE, MISSING, Bins, Split, add_numeric, best_classes, best_classes_with_gaps,
    best_numeric, best_numeric_with_gaps, best_threshold, clear_bins, fill_classes, fill_numeric,
    goes_left, score_by_class_shares, send_missing, set_split, sort_levels, weight_of
)


cdef enum:
    WITH_GAPS = 2               # a column in order whose cells may be missing


cdef struct Data:
    const uint8_t* X
    const uint8_t* Z
    Py_ssize_t n
    Py_ssize_t p
    const uint8_t* nominal
    const double* y             # numeric target, or NULL
    const int32_t* classes      # classes, or NULL
    int n_classes
    const double* weight        # of each row, or NULL: all are alike
    const double* so_far        # the sum of the weights up to each row


cdef struct Node:
    int64_t[2] start            # rows in the bag, rows out of the bag
    int64_t[2] stop
    int64_t depth


cdef struct Tree:
    # Rows in the order of the nodes: in the bag (0), out of it (1).
    int32_t* rows[2]
    double* weights[2]          # how often each row was drawn; out of the bag its weight, or 1
    double* values[2]           # weight times target
    double* went_left           # weight of the rows in the bag that a split sends left
    int32_t* order              # candidates: the first ones of a permutation of the columns
    double* total               # sums of the target at a node, in the bag and out of it
    double* temporary
    Node* stack


cdef inline const uint8_t* column_of(const Data* data, Py_ssize_t j) noexcept nogil:
    return data.X + j * data.n if j < data.p else data.Z + (j - data.p) * data.n


cdef inline Py_ssize_t random_row(const Data* data, uint64_t* state) noexcept nogil:
    """A row that is drawn as often as its weight says."""
    cdef Py_ssize_t low = 0, high = data.n - 1, middle
    cdef double place = <double>(next_bits(state) >> 11) * 2.0 ** -53 * data.so_far[high]
    while low < high:
        middle = (low + high) // 2
        if data.so_far[middle] > place:
            high = middle
        else:
            low = middle + 1
    return low


cdef inline void draw_rows(
    const Data* data, Tree* tree, uint64_t* state, Node* root
) noexcept nogil:
    """Draw n rows with replacement; the others are out of the bag."""
    cdef Py_ssize_t i, _i, n = data.n, side
    cdef double weight = 1.0
    cdef double* times = tree.went_left
    for i in range(n):
        times[i] = 0.0
    for _i in range(n):
        times[random_below(state, n) if data.weight == NULL else random_row(data, state)] += 1.0
    root.depth = 0
    for side in range(2):
        root.start[side] = root.stop[side] = 0
    for i in range(n):
        side = 0 if times[i] > 0.0 else 1
        tree.rows[side][root.stop[side]] = <int32_t>i
        if data.weight != NULL:
            weight = data.weight[i]
        tree.weights[side][root.stop[side]] = times[i] if side == 0 else weight
        if data.y != NULL:
            tree.values[side][root.stop[side]] = (
                data.y[i] * (times[i] if side == 0 else weight)
            )
        root.stop[side] += 1


cdef inline void sum_target(
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


cdef inline double try_column(
    const Data* data, const Tree* tree, const Node* node, Py_ssize_t j, const double* weight,
    double min_leaf, Bins* bins, Split* split,
) noexcept nogil:
    """Split column ``j`` by the rows in the bag; what that is worth to the others, 0 if nothing."""
    cdef const uint8_t* x = column_of(data, j)
    cdef bint nominal = data.nominal[j % data.p] == 1
    cdef bint has_gaps = data.nominal[j % data.p] == WITH_GAPS, gaps, missing_left = False
    cdef int n_left, u, C = data.n_classes
    cdef double observed = 0.0
    if data.y != NULL and data.weight == NULL and not nominal and not has_gaps:  # nearly all
        add_numeric(
            bins, x, tree.rows[0], tree.weights[0], tree.values[0], node.start[0], node.stop[0]
        )
        split.threshold = best_threshold(bins, weight[0], tree.total[0], min_leaf, &split.apart)
        if split.threshold < 0:
            return 0.0
        return gain_numeric(
            split, x, tree.rows[1], tree.values[1], node.start[1], node.stop[1], tree.total[1],
            False,
        )
    if data.y != NULL:
        fill_numeric(
            bins, x, tree.rows[0], tree.weights[0], tree.values[0], node.start[0], node.stop[0]
        )
        if nominal:
            for u in range(bins.n_used):
                bins.score[bins.used[u]] = (
                    bins.sums[2 * bins.used[u] + 1] / bins.sums[2 * bins.used[u]]
                )
            sort_levels(bins)
        gaps = has_gaps and bins.used[bins.n_used - 1] == MISSING
        if gaps:
            n_left = best_numeric_with_gaps(
                bins, weight[0], tree.total[0], min_leaf, &split.apart, &missing_left
            )
        else:
            n_left = best_numeric(bins, weight[0], tree.total[0], min_leaf, &split.apart)
    else:
        fill_classes(
            bins, x, tree.rows[0], tree.weights[0], data.classes, node.start[0], node.stop[0]
        )
        if nominal and bins.n_used > 1:
            score_by_class_shares(
                bins, tree.total, weight[0], tree.temporary, tree.temporary + C
            )
            sort_levels(bins)
        gaps = has_gaps and bins.used[bins.n_used - 1] == MISSING
        if gaps:
            n_left = best_classes_with_gaps(
                bins, weight[0], tree.total, min_leaf, tree.temporary, tree.temporary + C,
                &missing_left,
            )
        else:
            n_left = best_classes(
                bins, weight[0], tree.total, min_leaf, tree.temporary, tree.temporary + C
            )
    if n_left:
        set_split(bins, n_left, nominal, weight[0], split)
        if has_gaps:
            if not gaps:                # none in the bag: to the larger child
                for u in range(n_left):
                    observed += weight_of(bins, bins.used[u])
                missing_left = observed >= weight[0] - observed
            send_missing(split, missing_left)
    clear_bins(bins)
    if not n_left:
        return 0.0
    if data.weight != NULL and data.y != NULL:
        return weighted_gain_numeric(
            split, x, tree.rows[1], tree.weights[1], tree.values[1], node.start[1], node.stop[1],
            weight[1], tree.total[1], nominal,
        )
    if data.weight != NULL:
        return weighted_gain_classes(
            split, x, tree.rows[1], tree.weights[1], data.classes, node.start[1], node.stop[1],
            weight[1], tree.total + C, C, tree.temporary + C, tree.temporary, nominal,
        )
    if data.y != NULL:
        return gain_numeric(
            split, x, tree.rows[1], tree.values[1], node.start[1], node.stop[1], tree.total[1],
            nominal,
        )
    return gain_classes(
        split, x, tree.rows[1], data.classes, node.start[1], node.stop[1], tree.total + C, C,
        tree.temporary + C, tree.temporary, nominal,
    )


cdef inline Py_ssize_t best_column(
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
    cdef double value, tolerance = GAIN_TOLERANCE * weight[1]
    gain[0] = tolerance
    for k in range(mtry):
        at = k + random_below(state, n_columns - k)
        j = tree.order[at]
        tree.order[at] = tree.order[k]
        tree.order[k] = <int32_t>j
        value = try_column(data, tree, node, j, weight, min_leaf, bins, &tried)
        if value > gain[0] + tolerance:
            best = j
            gain[0] = value
            split[0] = tried
    return best


cdef inline Py_ssize_t divide(
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
        if goes_left(split, x[row]):
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


cdef inline void associate(
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
        fill_numeric(
            bins, column_of(data, j), tree.rows[0], tree.weights[0], tree.went_left,
            node.start[0], node.stop[0],
        )
        out[j] = best_association(
            bins, data.nominal[j % data.p] == 1, weight, left,
            data.nominal[j % data.p] == WITH_GAPS and bins.used[bins.n_used - 1] == MISSING,
        )
        clear_bins(bins)


cdef inline bint is_leaf(
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


cdef inline int32_t grow_tree(
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
    draw_rows(data, tree, &state, &tree.stack[0])
    n_out = <double>tree.stack[0].stop[1]
    if data.weight != NULL:
        n_out = 0.0
        for j in range(tree.stack[0].stop[1]):
            n_out += tree.weights[1][j]
    while n_stacked > 0:
        n_stacked -= 1
        node = tree.stack[n_stacked]
        sum_target(data, tree, &node, weight)
        if is_leaf(data, tree, &node, weight, max_depth, min_leaf):
            continue
        j = best_column(
            data, tree, &node, n_columns, mtry, weight, min_leaf, &state, bins, &split, &gain
        )
        if j < 0:
            continue
        gain = split.credit / n_out
        importance[j] += gain
        for side in range(2):
            middle[side] = divide(
                data, tree, side, node.start[side], node.stop[side], column_of(data, j), &split
            )
        if associations != NULL and j < data.p:
            node_column[n_nodes] = <int32_t>j
            node_gain[n_nodes] = gain
            associate(
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
