"""Trees on coded columns: out-of-bag importance, and how well columns stand in for each other.

A table is two blocks of codes: columns ``0 .. p - 1`` and their contrasts ``p .. 2 p - 1`` (the
same columns in permuted rows, so that levels and kinds are those of the originals). A tree draws
its rows with replacement. At a node each candidate column is split where the rows in the bag say.
Which column splits is decided by the rows out of the bag: by the decrease of their impurity, or 0
if the rows in the bag see the split in the opposite direction. The column is credited with that
decrease, in which one of the two factors, how far the sides are apart, is that of the rows in the
bag; but for levels without an order, which these rows have sorted.

The decrease of impurity of a split is ``n_left * n_right / n`` times the squared distance of the
means (variance, unit: the target's square) or of the class shares (Gini).
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from ensfs._core.checks cimport check_length, check_places, check_range, check_shape, check_space
from ensfs._core.random_bits cimport random_below
from ensfs._core.split_gains cimport best_association
from ensfs._core.splits cimport MAX_LEVELS, Bins, list_codes
from ensfs._core.trees cimport Data, Node, Tree, grow_tree


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

    check_range(start, stop, X.shape[1], "columns")
    check_shape(Z.shape, n, X.shape[1], "Z")
    check_length(seeds.shape[0], X.shape[1], "seeds")
    with nogil:
        for j in range(start, stop):
            state = seeds[j]
            z = &Z[0, j]
            for i in range(n):          # shuffle while copying
                k = random_below(&state, i + 1)
                z[i] = z[k]
                z[k] = X[i, j]


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

    check_length(weights.shape[0], n, "weights")
    check_length(went_left.shape[0], n, "went_left")
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
    list_codes(&bins)
    return best_association(&bins, nominal, weight, left)


cdef class TreeTable:
    """Coded columns, and their contrasts."""

    cdef Data data              # without the target
    cdef Py_ssize_t n_columns
    cdef object keep

    def __init__(
        self,
        const uint8_t[::1, :] X not None,       # IN   (n, p) codes
        const uint8_t[::1, :] Z,                # IN   (n, p) contrasts, or None
        const uint8_t[::1] nominal not None,    # IN   (p,) 1: the levels have no order; 2: they
                                                #     have, and 255 is a missing cell
        const double[::1] weight=None,          # IN   (n,) above 0, or None
        const double[::1] so_far=None,          # IN   (n,) their sum up to each row
    ):
        check_space(X.shape[0], 1, "rows of X")
        check_space(X.shape[1], 1, "columns of X")
        check_length(nominal.shape[0], X.shape[1], "nominal")
        if Z is not None:
            check_shape(Z.shape, X.shape[0], X.shape[1], "Z")
        if weight is not None:
            check_length(weight.shape[0], X.shape[0], "weight")
            check_length(so_far.shape[0], X.shape[0], "so_far")
        self.keep = (X, Z, nominal, weight, so_far)
        self.data.weight = NULL if weight is None else &weight[0]
        self.data.so_far = NULL if weight is None else &so_far[0]
        self.data.X, self.data.n, self.data.p = &X[0, 0], X.shape[0], X.shape[1]
        self.data.Z = NULL if Z is None else &Z[0, 0]
        self.data.nominal = &nominal[0]
        self.n_columns = X.shape[1] if Z is None else 2 * X.shape[1]


cdef class TreeTarget:
    """What the trees explain: numbers with mean about 0 and variance about 1, or classes."""

    cdef const double[::1] y
    cdef const int32_t[::1] classes
    cdef int n_classes

    def __init__(
        self,
        const double[::1] y,                    # IN   (n,) numeric target, or None
        const int32_t[::1] classes=None,        # IN   (n,) classes, or None
        int n_classes=0,                        # IN   0 for numbers
    ):
        if (y is None) == (classes is None):
            raise ValueError("y or classes must be given, and not both")
        if classes is not None:
            check_places(classes, n_classes, "classes")
        self.y, self.classes, self.n_classes = y, classes, n_classes

    cdef int fill(self, Data* data) except -1:
        """Let the trees explain this target."""
        if self.y is not None:
            check_length(self.y.shape[0], data.n, "y")
            data.y, data.classes, data.n_classes = &self.y[0], NULL, 0
        else:
            check_length(self.classes.shape[0], data.n, "classes")
            data.y, data.classes, data.n_classes = NULL, &self.classes[0], self.n_classes
        return 0


cdef class TreeWorkspace:
    """Scratch for growing trees, for one thread."""

    cdef Tree tree
    cdef Bins bins, sides
    cdef object keep
    cdef double[::1] sums
    cdef Py_ssize_t n, n_columns, width
    cdef int max_depth

    def __init__(
        self,
        Py_ssize_t width,                       # IN   classes, at least 2
        int max_depth,                          # IN
        int32_t[:, ::1] rows not None,          # TEMP (2, n)
        double[:, ::1] values not None,         # TEMP (5, n)
        int32_t[::1] order not None,            # TEMP (columns,)
        double[::1] sums not None,              # TEMP (256 * (width + 2) + 4 * width,)
        int64_t[::1] stack not None,            # TEMP (5 * (max_depth + 2),)
    ):
        cdef int side
        cdef Py_ssize_t n = rows.shape[1]

        check_space(width, 2, "width")
        check_shape(rows.shape, 2, n, "rows")
        check_shape(values.shape, 5, n, "values")
        check_space(sums.shape[0], MAX_LEVELS * (width + 2) + 4 * width, "sums")
        check_space(stack.shape[0], 5 * (max_depth + 2), "stack")
        self.keep = (rows, values, order, sums, stack)
        self.n, self.n_columns, self.width = n, order.shape[0], width
        self.max_depth, self.sums = max_depth, sums
        for side in range(2):
            self.tree.rows[side] = &rows[side, 0]
            self.tree.weights[side] = &values[side, 0]
            self.tree.values[side] = &values[2 + side, 0]
        self.tree.went_left, self.tree.order = &values[4, 0], &order[0]
        self.tree.stack = <Node*>&stack[0]
        self.bins.sums = &sums[0]
        self.sides.numeric, self.sides.n_values = True, 2
        self.sides.sums = &sums[MAX_LEVELS * width]
        self.tree.total = self.sides.sums + 2 * MAX_LEVELS
        self.tree.temporary = self.tree.total + 2 * width

    cdef int prepare(self, const Data* data, Py_ssize_t n_columns, int max_depth) except -1:
        """Clear the sums for a table with this target."""
        check_length(self.n, data.n, "rows of the workspace")
        check_space(self.n_columns, n_columns, "order")
        check_space(self.max_depth, max_depth, "stack")
        check_space(self.width, data.n_classes, "width")
        self.bins.numeric = data.y != NULL
        self.bins.n_values = 2 if data.y != NULL else data.n_classes
        memset(self.bins.seen, 0, sizeof(self.bins.seen))
        memset(self.sides.seen, 0, sizeof(self.sides.seen))
        memset(&self.sums[0], 0, <size_t>(MAX_LEVELS * (self.width + 2)) * sizeof(double))
        return 0


cdef class TreeNodes:
    """The nodes of trees that columns divide, and how all columns stand in there."""

    cdef int32_t[::1] counts
    cdef int32_t[:, ::1] columns
    cdef double[:, ::1] gains
    cdef double[:, :, ::1] associations

    def __init__(
        self,
        int32_t[::1] counts not None,           # OUT  (n_trees,) nodes of each tree
        int32_t[:, ::1] columns not None,       # OUT  (n_trees, most nodes)
        double[:, ::1] gains not None,          # OUT  (n_trees, most nodes)
        double[:, :, ::1] associations not None,    # OUT  (n_trees, most nodes, columns)
    ):
        check_length(columns.shape[0], counts.shape[0], "columns")
        check_shape(gains.shape, counts.shape[0], columns.shape[1], "gains")
        check_shape(associations.shape, counts.shape[0], columns.shape[1], "associations")
        self.counts, self.columns, self.gains = counts, columns, gains
        self.associations = associations


def grow(
    TreeTable table not None,               # IN
    TreeTarget target not None,             # IN
    const uint64_t[::1] seeds not None,     # IN   (n_trees,)
    Py_ssize_t mtry,                        # IN   candidates at each node
    int max_depth,                          # IN
    double min_leaf,                        # IN   least weight of a child, at least 1
    Py_ssize_t start,                       # IN   trees start .. stop - 1
    Py_ssize_t stop,
    TreeWorkspace workspace not None,       # TEMP
    double[:, ::1] importances not None,    # OUT  (n_trees, columns)
    TreeNodes nodes=None,                   # OUT  or None: no associations
):
    """Grow trees and sum up out-of-bag decreases of impurity by column.

    With ``nodes``, also the predictive association of every column with the split of each node
    that an original column (not a contrast) divides: the column, its gain, the associations.
    """
    cdef Data data = table.data
    cdef Py_ssize_t t, n_columns = table.n_columns
    # every node that is divided leaves one leaf more, of at least `min_leaf` rows in the bag
    cdef double most_nodes = min(2.0 ** max_depth - 1.0, data.n // min_leaf)

    if min_leaf < 1:
        raise ValueError(f"min_leaf must be at least 1; got {min_leaf}")
    check_range(0, mtry, n_columns, "candidates")
    check_range(start, stop, seeds.shape[0], "trees")
    check_space(importances.shape[0], stop, "importances")
    check_length(importances.shape[1], n_columns, "rows of importances")
    if nodes is not None:
        check_space(nodes.counts.shape[0], stop, "trees of nodes")
        check_space(nodes.columns.shape[1], <Py_ssize_t>most_nodes, "nodes of a tree")
        check_length(nodes.associations.shape[2], n_columns, "columns of associations")
    target.fill(&data)
    workspace.prepare(&data, n_columns, max_depth)
    with nogil:
        for t in range(start, stop):
            if nodes is not None:
                nodes.counts[t] = grow_tree(
                    &data, &workspace.tree, &workspace.bins, &workspace.sides, seeds[t], n_columns,
                    mtry, max_depth, min_leaf, &importances[t, 0], &nodes.columns[t, 0],
                    &nodes.gains[t, 0], &nodes.associations[t, 0, 0],
                )
            else:
                grow_tree(
                    &data, &workspace.tree, &workspace.bins, &workspace.sides, seeds[t], n_columns,
                    mtry, max_depth, min_leaf, &importances[t, 0], NULL, NULL, NULL,
                )
